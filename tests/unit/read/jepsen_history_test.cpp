#include <gtest/gtest.h>

#include <string>

#include "shown_history.h"

namespace txscope {
namespace {

TEST(JepsenHistory, PairsInvocationsWithCompletionsOfTheirProcess) {
  EXPECT_EQ(shown_of(R"({:type :invoke, :process 0, :f :txn, :value [[:w :x 1]]}
{:type :invoke, :process 1, :f :txn, :value [[:r :x nil]]}
{:type :ok, :process 1, :f :txn, :value [[:r :x 1]]}
{:type :ok, :process 0, :f :txn, :value [[:w :x 1]]}
{:type :invoke, :process 1, :f :txn, :value [[:r :x nil] [:w :y 2]]}
{:type :ok, :process 1, :f :txn, :value [[:r :x nil] [:w :y 2]]}
)"),
            "0#1 c 0-3 @4: w(x)=1\n"
            "1#1 c 1-2 @3: r(x)=1\n"
            "1#2 c 4-5 @6: r(x)=null w(y)=2\n");
}

TEST(JepsenHistory, KnowsListsFromRegistersByTheirUse) {
  EXPECT_EQ(shown_of(R"([{:type :ok, :process 0, :value [[:r :l nil] [:r :x nil]]}
{:type :ok, :process 0, :value [[:append :l 1] [:w :x 1] [:r :l [1]]]}])"),
            "0#1 c 0-0 @1: r(l)=[] r(x)=null\n"
            "0#2 c 1-1 @2: append(l)=1 w(x)=1 r(l)=[1]\n");
}

// Lists that begin as they did before are not taken apart again; what follows
// must not depend on that, whatever the key is and however they are written.
TEST(JepsenHistory, ReadsListsThatGrowShrinkAndDiffer) {
  const std::pair<std::string, std::string> lists[] = {
      {"[1 22]", " 1 22"},
      {"[1 22 3]", " 1 22 3"},
      {"[1 22 3 ]", " 1 22 3"},
      {"[1]", " 1"},
      {"[]", ""},
      {"[1 2]", " 1 2"},
      {"[1 22 34]", " 1 22 34"},
      {"[1, 22, 3]", " 1 22 3"},
      {"[1 22 3 4 5]", " 1 22 3 4 5"},
      {"[1 22 3 #_9 4 5]", " 1 22 3 4 5"},
      {"( 1 22 3 4 5 6)", " 1 22 3 4 5 6"},
      {"[1 22 3 4 5 6 7]", " 1 22 3 4 5 6 7"},
      {"[1 22 3 4 5 6 7 :x \"y\" -8]", " 1 22 3 4 5 6 7 x y -8"},
      {"[1 22 3 4 5 6 7 :x \"y\" -8 9]", " 1 22 3 4 5 6 7 x y -8 9"},
      {"[1 22 3 4 5]", " 1 22 3 4 5"},
  };
  for (const std::string key : {"5", ":l", "\"l\""}) {
    std::string text;
    for (const auto& [written, list] : lists)
      text += "{:type :ok, :process 0, :value [[:r " + key + " " + written +
              "] [:r " + key + " " + written + "]]}\n";
    auto source = read::open_history_text("h", text, {});
    ASSERT_TRUE(source);
    const auto history = (*source)->next();
    ASSERT_TRUE(history);
    ASSERT_EQ((*history)->ops().size(), 2 * std::size(lists));
    for (std::size_t i = 0; i < 2 * std::size(lists); ++i) {
      std::string found;
      for (const Atom element : (*history)->list(OpId(i)))
        found += " " + (*history)->atoms().text(element);
      EXPECT_EQ(found, lists[i / 2].second) << key << " " << i;
    }
  }
}

TEST(JepsenHistory, FindsAMistakeBehindElementsThatAreKnown) {
  EXPECT_EQ(shown_of(R"({:type :ok, :process 0, :value [[:r 5 [1 2]]]}
{:type :ok, :process 0, :value [[:r 5 [1 2 03]]]}
)"),
            "h:2:44: malformed number '03'");
  EXPECT_EQ(shown_of(R"([{"type":"ok","process":0,"value":[["r",5,[1,2]]]},
{"type":"ok","process":0,"value":[["r",5,[1,2 3]]]}])"),
            "h:2:47: expected ','");
}

TEST(JepsenHistory, TakesAFailureAsAbortedWithTheWritesOfItsInvocation) {
  EXPECT_EQ(shown_of(R"(
{:type :invoke, :process 0, :value [[:append :l 1] [:r :l nil]]}
{:type :fail, :process 0, :value [[:append :l 1] [:r :l nil]], :error :x}
)"),
            "0#1 a 0-1 @3: append(l)=1\n");
}

TEST(JepsenHistory, TakesAnInfoAsUnknownWithoutAnEnd) {
  EXPECT_EQ(shown_of(R"(
{:type :invoke, :process 0, :value [[:append :l 1] [:r :l nil]]}
{:type :info, :process 0, :value :timed-out}
)"),
            "0#1 u 0- @3: append(l)=1\n");
}

TEST(JepsenHistory, TakesWhatTheFileLeavesOpenAsUnknown) {
  EXPECT_EQ(shown_of(R"(
{:type :invoke, :process 7, :value [[:w :x 1]]}
{:type :invoke, :process 5, :value [[:w :x 2] [:r :y nil]]}
{:type :invoke, :value [[:w :x 3]]}
)"),
            "7#1 u 0- @2: w(x)=1\n"
            "5#1 u 1- @3: w(x)=2\n"
            "#1#1 u 2- @4: w(x)=3\n");
}

TEST(JepsenHistory, JudgesTheReadsOfAFailureIfAsked) {
  const std::string text = R"(
{:type :invoke, :process 0, :value [[:w :x 1] [:r :y nil]]}
{:type :fail, :process 0, :value [[:w :x 1] [:r :y 5]]}
)";
  read::ReadOptions options;
  EXPECT_EQ(shown_of(text, options), "0#1 a 0-1 @3: w(x)=1\n");
  options.judge_aborted = true;
  EXPECT_EQ(shown_of(text, options), "0#1 a 0-1 @3: w(x)=1 r(y)=5\n");
}

TEST(JepsenHistory, DropsProcessesThatAreNoClients) {
  EXPECT_EQ(shown_of(R"(
{:type :info, :process :nemesis, :f :start, :value [:n1 {:a "b"}]}
{:type :invoke, :process 0, :value [[:w :x 1]]}
{:type :info, :process :nemesis, :f :stop, :value nil}
{:type :ok, :process 0, :value [[:w :x 1]]}
)"),
            "0#1 c 1-3 @5: w(x)=1\n");
}

TEST(JepsenHistory, RefusesAFileWithoutClients) {
  EXPECT_EQ(shown_of("{:type :info, :process :nemesis, :f :start}"),
            "h: the file holds no operation of a client process");
  EXPECT_EQ(shown_of("; nothing\n"),
            "h: the file holds no operation of a client process");
}

TEST(JepsenHistory,
     LetsACompletionWithoutInvocationBeginWhenItsProcessWasFree) {
  EXPECT_EQ(shown_of(R"(
{:type :ok, :process 0, :value [[:w :x 1]]}
{:type :ok, :process 1, :value [[:w :x 2]]}
{:type :ok, :process 0, :value [[:w :x 3]]}
{:type :fail, :process 1, :value [[:w :x 4]]}
)"),
            "0#1 c 0-0 @2: w(x)=1\n"
            "0#2 c 1-2 @4: w(x)=3\n"
            "1#1 c 0-1 @3: w(x)=2\n"
            "1#2 a 2-3 @5: w(x)=4\n");
}

TEST(JepsenHistory, RefusesASecondInvocationOfABusyProcess) {
  EXPECT_EQ(shown_of(R"(
{:type :invoke, :process 3, :value [[:w :x 1]]}
{:type :invoke, :process 3, :value [[:w :x 2]]}
)"),
            "h:3:26: process 3 is invoked while its operation of line 2 is "
            "still open");
}

// The crashed operation may still be under way: nothing of the same process
// may be ordered after it.
TEST(JepsenHistory, PutsWhatACrashedProcessDoesNextIntoAnotherSession) {
  EXPECT_EQ(shown_of(R"(
{:type :invoke, :process 3, :value [[:w :x 1]]}
{:type :info, :process 3, :value [[:w :x 1]]}
{:type :invoke, :process 3, :value [[:w :x 2]]}
{:type :ok, :process 3, :value [[:w :x 2]]}
)"),
            "3#1 u 0- @3: w(x)=1\n"
            "3/2#1 c 2-3 @5: w(x)=2\n");
}

TEST(JepsenHistory, PairsEventsWithoutProcessByWhatTheyDo) {
  EXPECT_EQ(shown_of(R"(
{:type :invoke, :value [[:w :x 1]]}
{:type :invoke, :value [[:r :x nil]]}
{:type :ok, :value [[:w :x 1]]}
{:type :ok, :value [[:r :x 1]]}
{:type :invoke, :value [[:r :x nil]]}
{:type :ok, :value [[:r :x 1]]}
)"),
            "#1#1 c 0-2 @4: w(x)=1\n"
            "#2#1 c 1-3 @5: r(x)=1\n"
            "#3#1 c 4-5 @7: r(x)=1\n");
}

TEST(JepsenHistory, RefusesToGuessBetweenEqualInvocationsWithoutProcess) {
  EXPECT_EQ(shown_of(R"(
{:type :invoke, :value [[:r :x nil]]}
{:type :invoke, :value [[:r :x nil]]}
{:type :ok, :value [[:r :x 1]]}
)"),
            "h:4:1: this may complete the operation of line 2 or that of line "
            "3");
}

TEST(JepsenHistory, ReadsKeysAndValuesOfAllKinds) {
  EXPECT_EQ(shown_of(R"({:type :ok, :process 0, :value
 [[:w 1 :a] [:w "1" "b"] [:w :k nil] [:w 2 18446744073709551615]
  [:append 5 -1] [:r 5 (-1)]]})"),
            "0#1 c 0-0 @1: w(1)=a w(1)=b w(k)=null w(2)=18446744073709551615 "
            "append(5)=-1 r(5)=[-1]\n");
}

TEST(JepsenHistory, RefusesMalformedEventsAtTheirPlace) {
  EXPECT_EQ(shown_of("{:process 0 :f :txn}"), "h:1:1: the event has no :type");
  EXPECT_EQ(shown_of("{:type :okay}"),
            "h:1:8: the :type of an event is :invoke, :ok, :fail or :info");
  EXPECT_EQ(shown_of("{:type :ok :type :ok}"),
            "h:1:12: the event has two values of 'type'");
  EXPECT_EQ(shown_of("{:type :ok :f :txn :process 0 :value 3}"),
            "h:1:38: expected a vector of micro-operations, found an integer");
  EXPECT_EQ(shown_of("{:type :ok :f :txn :process 0}"),
            "h:1:1: the completed operation has no :value");
  EXPECT_EQ(shown_of("{:type :ok :f 7 :process 0 :value []}"),
            "h:1:15: the :f of an event is a keyword, found an integer");
  EXPECT_EQ(shown_of("{:type :ok :process 0 :value 1}"),
            "h:1:1: the event has no :f and no micro-operations");
  EXPECT_EQ(shown_of("{:type :ok, :process 0, :value [[:w :x 1]]}\n[1]"),
            "h:2:1: expected an event, a map, found a vector");
}

TEST(JepsenHistory, RefusesMalformedMicroOperationsAtTheirPlace) {
  const auto refused = [](const std::string& value) {
    return shown_of("{:type :ok, :f :txn, :process 0,\n :value [" + value + "]}");
  };
  EXPECT_EQ(refused("[:w :x]"),
            "h:2:10: a micro-operation has a name, a key and a value");
  EXPECT_EQ(refused("[:w :x 1 2]"),
            "h:2:10: a micro-operation has a name, a key and a value");
  EXPECT_EQ(refused("[:w :x 1] 7"), "h:2:20: expected a micro-operation");
  EXPECT_EQ(refused("[]"), "h:2:10: expected a micro-operation");
  EXPECT_EQ(refused("[:cast :x 1]"), "h:2:11: unknown operation 'cast'");
  EXPECT_EQ(refused("[:w nil 1]"), "h:2:14: a key cannot be nil");
  EXPECT_EQ(refused("[:w :x [1]]"),
            "h:2:17: expected an integer, a string, a keyword or nil, found a "
            "vector");
  EXPECT_EQ(refused("[:r :x #{1}]"),
            "h:2:17: expected an integer, a string, a keyword or nil, found a "
            "set");
  EXPECT_EQ(refused("[:w :x 1.5]"),
            "h:2:17: '1.5' is not an integer that fits into 64 bits");
  EXPECT_EQ(refused("[:w :x 18446744073709551616]"),
            "h:2:17: '18446744073709551616' is not an integer that fits into "
            "64 bits");
  EXPECT_EQ(refused("[:w :x ##NaN]"),
            "h:2:17: '##NaN' is not an integer that fits into 64 bits");
  EXPECT_EQ(refused("[:w :x true]"),
            "h:2:17: expected an integer, a string, a keyword or nil, found a "
            "boolean");
  EXPECT_EQ(refused("[:w :x 1] [:append :x 2]"),
            "h:1: key :x is used both as a register and as a list");
}

TEST(JepsenHistory, RefusesOtherWorkloadsByName) {
  const auto refused = [](const std::string& event) {
    return shown_of("{:type :ok, :process 0, " + event + "}");
  };
  EXPECT_EQ(refused(":f :transfer, :value {:from 1, :to 2, :amount 3}"),
            "h:1:28: 'transfer' is an operation of a bank history, which "
            "txscope does not check");
  EXPECT_EQ(refused(":f :read, :value {0 10, 1 20}"),
            "h:1:42: a read that returns a map belongs to a bank history, "
            "which txscope does not check");
  EXPECT_EQ(refused(":f :add, :value 3"),
            "h:1:28: 'add' is an operation of a set or counter history, which "
            "txscope does not check");
  EXPECT_EQ(refused(":f :read, :value #{1 2}"),
            "h:1:42: a read that returns a set belongs to a set or comments "
            "history, which txscope does not check");
  EXPECT_EQ(refused(":f :acquire"),
            "h:1:28: 'acquire' is an operation of a mutex history, which "
            "txscope does not check");
  EXPECT_EQ(refused(":f :init, :value {:x 1}"),
            "h:1:28: 'init' is an operation of a closed-predicate history, "
            "which txscope does not check");
  EXPECT_EQ(refused(":f :txn, :value [[:rp :true {:x 1}]]"),
            "h:1:43: 'rp' is an operation of a closed-predicate history, "
            "which txscope does not check");
  EXPECT_EQ(refused(":f :frobnicate"),
            "h:1:28: unknown operation 'frobnicate'");
}

TEST(JepsenHistory, ReadsACasRegisterOperationByOperation) {
  EXPECT_EQ(shown_of(R"(
{:process 0, :type :invoke, :f :write, :value 1}
{:process 1, :type :invoke, :f :cas, :value [1 2]}
{:process 0, :type :ok, :f :write, :value 1}
{:process 1, :type :ok, :f :cas, :value [1 2]}
{:process 0, :type :invoke, :f :read, :value nil}
{:process 0, :type :ok, :f :read, :value 2}
{:process 0, :type :invoke, :f :cas, :value [5 6]}
{:process 0, :type :fail, :f :cas, :value [5 6]}
{:process 0, :type :invoke, :f :cas, :value [2 3]}
{:process 0, :type :info, :f :cas, :value :timed-out}
{:process 1, :type :invoke, :f :read, :value 9}
{:process 1, :type :info, :f :read, :value nil}
)"),
            "0#1 c 0-2 @4: w(register)=1\n"
            "0#2 c 4-5 @7: r(register)=2\n"
            "0#3 a 6-7 @9: w(register)=6\n"
            "0#4 u 8- @11: r(register)=2 w(register)=3\n"
            "1#1 c 1-3 @5: r(register)=1 w(register)=2\n"
            "1#2 u 10- @13:\n");
}

TEST(JepsenHistory, TakesNilInACasAsAValue) {
  EXPECT_EQ(shown_of(R"({:process 0, :type :ok, :f :cas, :value [1 nil]}
{:process 0, :type :ok, :f :cas, :value [nil 2]})"),
            "0#1 c 0-0 @1: r(register)=1 w(register)=null\n"
            "0#2 c 1-1 @2: r(register)=null w(register)=2\n");
}

TEST(JepsenHistory, ReadsIndependentRegisters) {
  EXPECT_EQ(shown_of(R"(
{:process 0, :type :invoke, :f :write, :value [7 1]}
{:process 0, :type :ok, :f :write, :value [7 1]}
{:process 0, :type :invoke, :f :cas, :value [8 [1 2]]}
{:process 0, :type :ok, :f :cas, :value [8 [1 2]]}
{:process 0, :type :invoke, :f :read, :value [7 nil]}
{:process 0, :type :ok, :f :read, :value [7 1]}
{:process 0, :type :ok, :f :read, :key 9, :value nil}
)"),
            "0#1 c 0-1 @3: w(7)=1\n"
            "0#2 c 2-3 @5: r(8)=1 w(8)=2\n"
            "0#3 c 4-5 @7: r(7)=1\n"
            "0#4 c 6-6 @8: r(9)=null\n");
  EXPECT_EQ(shown_of(R"(
{:process 0, :type :invoke, :f :read, :value nil}
{:process 0, :type :ok, :f :read, :value [0 1]}
)"),
            "h:3:42: the operation of line 2 was on key register, its "
            "completion is on key 0");
}

TEST(JepsenHistory, ReadsALongForkHistory) {
  EXPECT_EQ(shown_of(R"(
{:type :invoke, :process 0, :f :write, :value [[:w 0 1]]}
{:type :ok, :process 0, :f :write, :value [[:w 0 1]]}
{:type :invoke, :process 0, :f :read, :value [[:r 0 nil] [:r 1 nil]]}
{:type :ok, :process 0, :f :read, :value [[:r 0 1] [:r 1 nil]]}
)"),
            "0#1 c 0-1 @3: w(0)=1\n"
            "0#2 c 2-3 @5: r(0)=1 r(1)=null\n");
}

TEST(JepsenHistory, ReadsTheSameEventsInJson) {
  const std::string expected =
      "0#1 c 0-1 @2: w(x)=2\n"
      "0#2 c 3-4 @5: r(x)=2 r(l)=[] append(l)=1\n";
  const std::string events[] = {
      R"({"type":"invoke","f":"txn","process":0,"value":[["w","x",2]]})",
      R"({"type":"ok","f":"txn","process":0,"value":[["w","x",2]]})",
      R"({"type":"info","f":"start","process":"nemesis","value":{"a":[1.5]}})",
      R"({"type":"invoke","f":"txn","process":0,"value":[["r","x",null]]})",
      R"({"type":"ok","f":"txn","process":0,)"
      R"("value":[["r","x",2],["r","l",null],["append","l",1]]})"};
  std::string array;
  std::string lines;
  for (const std::string& event : events) {
    array += (array.empty() ? "[" : ",\n") + event;
    lines += event + "\n";
  }
  EXPECT_EQ(shown_of(array + "]"), expected);
  EXPECT_EQ(shown_of(lines), expected);
}

TEST(JepsenHistory, RefusesMalformedJsonAtItsPlace) {
  const auto refused = [](std::string text) {
    read::ReadOptions options;
    options.format = read::Format::ElleJson;
    return shown_of(std::move(text), options);
  };
  EXPECT_EQ(refused(R"({"type" "ok"})"),
            "h:1:9: expected ':' after the name of a member");
  EXPECT_EQ(refused(R"({"type":"ok" "f":"txn"})"), "h:1:14: expected ','");
  EXPECT_EQ(refused(R"({"type":"ok",})"),
            "h:1:14: a value is missing after the ','");
  EXPECT_EQ(refused(R"({type:"ok"})"),
            "h:1:2: expected the name of a member, in double quotes");
  EXPECT_EQ(refused("[{\"type\":\"ok\",\"value\":[]}\n{}]"),
            "h:2:1: expected ','");
  EXPECT_EQ(refused("[{\"type\":\"ok\",\"value\":[]},\n]"),
            "h:2:1: a value is missing after the ','");
  EXPECT_EQ(refused("[{\"type\":\"ok\",\"value\":[]},"),
            "h:1:27: the file ends after a ','");
  EXPECT_EQ(refused("[{\"type\":\"ok\",\"value\":[]}"),
            "h:1:26: the file ends before the ']' that closes it");
  EXPECT_EQ(refused(R"({"type":"ok","value":[["w","x",01]]})"),
            "h:1:32: malformed number '01'");
  EXPECT_EQ(refused(R"({"type":"ok","value":[["w","x",+1]]})"),
            "h:1:32: unexpected '+1'");
  EXPECT_EQ(refused(R"({"type":"ok","value":nil})"),
            "h:1:22: unexpected 'nil'");
  EXPECT_EQ(refused(R"({"type":"ok","value":(1)})"), "h:1:22: unexpected '('");
  EXPECT_EQ(refused(R"({"type":"ok","f":"a\q"})"),
            "h:1:20: unknown escape in a string");
  EXPECT_EQ(refused("[{}"), "h:1:2: the event has no :type");
  EXPECT_EQ(refused("{\"a\""), "h:1:5: the file ends inside a map");
}

TEST(JepsenHistory, ReadsTheLinesOfJepsensLogger) {
  EXPECT_EQ(shown_of("INFO  jepsen.core - starting {up\n"
                 "INFO  jepsen.util - 0\t:invoke\t:write\t3\n"
                 "INFO  jepsen.util - :nemesis :info :start \"cut [off\"\n"
                 "INFO  jepsen.util - 1   :invoke :cas    [3 4]\n"
                 "INFO  jepsen.util - 0\t:ok\t:write\t3\n"
                 "INFO  jepsen.util - 2\t:invoke\t:read\tnil\r\n"
                 "INFO  jepsen.util - something else\n"
                 "INFO  jepsen.util - 2\t:ok\t:read\t4\n"
                 "2014 INFO  jepsen.util - 1\t:info\t:cas\t:timed-out\n"),
            "0#1 c 0-3 @5: w(register)=3\n"
            "1#1 u 2- @9: r(register)=3 w(register)=4\n"
            "2#1 c 4-5 @8: r(register)=4\n");
}

TEST(JepsenHistory, TellsAnExceptionOfTheLoggerFromItsLog) {
  EXPECT_EQ(shown_of("{:type :ok, :process 0, :value [[:w :x 1]], :error "
                 "\"at jepsen.util - 0 :ok :read 1\"}"),
            "0#1 c 0-0 @1: w(x)=1\n");
}

TEST(JepsenHistory, RefusesAMalformedLogLineAtItsPlace) {
  EXPECT_EQ(shown_of("INFO  jepsen.util - 0\t:invoke\t:cas\t[3 4\n"),
            "h:1:40: the line ends inside a vector");
  EXPECT_EQ(shown_of("INFO  jepsen.util - 0\t:ok\t:cas\t3\n"),
            "h:1:32: a cas needs two values, [old new]");
}

// As testers know them: by the :index of the completion, keys by their keyword.
TEST(JepsenHistory, NamesAreThoseOfTheTester) {
  auto source = read::open_history_text("h.edn", R"(
{:index 4, :type :invoke, :process 0, :value [[:w :x 1]]}
{:index 5, :type :ok, :process 0, :value [[:w :x 1] [:w "y" 2] [:w 7 3]]}
{:index 5, :type :ok, :process 0, :value [[:r :x 1]]}
)",
                                        {});
  ASSERT_TRUE(source);
  const auto history = (*source)->next();
  ASSERT_TRUE(history);
  EXPECT_EQ((*history)->name(TxnId(1)), "index 5");
  EXPECT_EQ((*history)->name(TxnId(2)), "0#2");  // no name if it repeats one
  EXPECT_EQ((*history)->describe(OpId(0)), "w(:x)=1");
  EXPECT_EQ((*history)->describe(OpId(1)), "w(y)=2");
  EXPECT_EQ((*history)->describe(OpId(2)), "w(7)=3");
}

}  // namespace
}  // namespace txscope
