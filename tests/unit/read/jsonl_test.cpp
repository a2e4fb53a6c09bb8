#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "litmus_of.h"

namespace txscope {
namespace {

std::string as_jsonl(std::string text) {
  return litmus_of(std::move(text), {read::Format::Jsonl, false});
}

TEST(Jsonl, ReadsTheExampleOfItsDescription) {
  EXPECT_EQ(litmus_of(R"({"session":"a","id":"t1","status":"committed",)"
                      R"("start":10,"end":25,"ops":[["r","x",0],["w","x",1],)"
                      R"(["append","l",3],["rl","l",[1,3]]]})"),
            "a: t1:[10..25: r(x,0) w(x,1) a(l,3) r(l,[1 3])]\n");
}

TEST(Jsonl, ReadsAHeaderWithInitialValues) {
  EXPECT_EQ(litmus_of(R"({"txscope":"history","version":1,)"
                      R"("initial":{"x":5,"1":6,"01":7},"default":null}
{"session":1,"ops":[["r","x",5],["r",1,6],["r","01",7],["r","1",null]]}
)"),
            "init x=5 1=6 \"01\"=7 \"1\"=null\n"
            "1: [r(x,5) r(1,6) r(\"01\",7) r(\"1\",null)]\n");
}

TEST(Jsonl, ReadsInitialValuesAsPairs) {
  EXPECT_EQ(litmus_of(R"({"txscope":"history","initial":[[1,2],["1",3]]}
{"session":1,"ops":[["r",1,2],["r","1",3],["r",2,0]]}
)"),
            "init 1=2 \"1\"=3\n1: [r(1,2) r(\"1\",3) r(2,0)]\n");
}

TEST(Jsonl, AFileMayHoldSeveralHistories) {
  EXPECT_EQ(litmus_of(R"({"session":1,"id":1,"ops":[["w","x",1]]}
{"txscope":"history","judge_aborted":true}
{"session":1,"id":1,"status":"aborted","ops":[["w","x",2]]}
{"txscope":"history","default":7}
{"txscope":"history"}
{"session":"s","ops":[["r","x",0]]}
)"),
            "1: 1:[w(x,1)]\n--\njudge aborted\n1: 1:[w(x,2)]!\n--\n--\n"
            "s: [r(x,0)]\n");
}

TEST(Jsonl, MembersMayComeInAnyOrder) {
  EXPECT_EQ(litmus_of(R"({"ops":[["w","x",1]],"end":2,"session":"b","start":1}
{"status":"unknown","ops":[],"start":5,"session":"a"}
{ "ops" : [ [ "w" , "x" , 2 ] ] , "session" : "b" }
)"),
            "b: [1..2: w(x,1)] [w(x,2)]\na: [5..:]?\n");
}

TEST(Jsonl, ATransactionWithoutASessionIsASessionOfItsOwn) {
  EXPECT_EQ(litmus_of("{\"ops\":[[\"w\",\"x\",1]]}\n{\"ops\":[]}\n"),
            "\"#1\": [w(x,1)]\n\"#2\": []\n");
}

TEST(Jsonl, KeepsIntegersOfEverySizeAndStrings) {
  EXPECT_EQ(
      litmus_of(
          R"({"session":1,"ops":[["w",-9223372036854775808,18446744073709551615],)"
          R"(["w",-0,-1],["w","\u00e4\ud83d\ude00\"\\\/","a b"],["w",null,""]]})"),
      "1: [w(-9223372036854775808,18446744073709551615) w(0,-1) "
      "w(\"\xc3\xa4\xf0\x9f\x98\x80\\\"\\\\/\",\"a b\") w(null,\"\")]\n");
}

TEST(Jsonl, BlankLinesAndCarriageReturnsDoNotMatter) {
  EXPECT_EQ(litmus_of("\r\n\n{\"session\":1,\"ops\":[]}\r\n\n"), "1: []\n");
}

TEST(Jsonl, KnowsTheLinesOfItsTransactions) {
  auto source = read::open_history_text(
      "h", "\n{\"session\":1,\"ops\":[]}\n\n{\"session\":1,\"ops\":[]}\n", {});
  ASSERT_TRUE(source);
  auto history = (*source)->next();
  ASSERT_TRUE(history);
  EXPECT_EQ((*history)->at(TxnId(1)).line, 2u);
  EXPECT_EQ((*history)->at(TxnId(2)).line, 4u);
}

TEST(Jsonl, OptionsCanAskForAbortedReadsToBeJudged) {
  EXPECT_EQ(
      litmus_of("{\"session\":1,\"ops\":[]}", {read::Format::Jsonl, true}),
      "judge aborted\n1: []\n");
}

TEST(Jsonl, MistakesAreFoundWhereTheyStand) {
  const std::vector<std::pair<std::string, std::string>> mistakes = {
      {R"({"session":1,"ops":[["w","x",@1.5]]})",
       "expected an integer but found a fraction"},
      {R"({"session":1,"ops":[["w","x",@1e3]]})",
       "expected an integer but found a fraction"},
      {R"({"session":1,"ops":[["w","x",@NaN]]})",
       "expected an integer, a string or null but found NaN or an infinity"},
      {R"({"session":1,"ops":[["w","x",@18446744073709551616]]})",
       "an integer out of range"},
      {R"({"session":1,"ops":[["w","x",@-9223372036854775809]]})",
       "an integer out of range"},
      {R"({"session":1,"ops":[["w","x",@01]]})",
       "a number with a leading zero"},
      {R"({"session":1,"ops":[["w","x",@-]]})", "a '-' without digits"},
      {R"({"session":1,"ops":[["w","x",@true]]})",
       "expected an integer, a string or null but found a boolean"},
      {R"({"session":1,"ops":[["w","x",@[1]]]})",
       "expected an integer, a string or null but found an array"},
      {R"({"session":1,"ops":[["rl","x",@1]]})",
       "expected an array but found a number"},
      {R"({"session":1,"ops":[["rl","x",[1,@[2]]]]})",
       "expected an integer, a string or null but found an array"},
      {R"({"session":1,"ops":[["w",@"x"]]})", "the operation lacks its value"},
      {R"({"session":1,"ops":[[@"w"]]})", "the operation lacks its key"},
      {R"({"session":1,"ops":[@[]]})", "an empty operation"},
      {R"({"session":1,"ops":[["w","x",@1,2]]})",
       "an operation has three parts"},
      {R"({"session":1,"ops":[[@"write","x",1]]})",
       "unknown operation \"write\""},
      {R"({"session":1,"ops":[["w",@{},1]]})",
       "expected an integer, a string or null but found an object"},
      {R"({"session":1,"ops":@{}})", "expected an array but found an object"},
      {R"({"session":@1})", "the transaction lacks \"ops\""},
      {R"({"session":@null,"ops":[]})", "a session is an integer or a string"},
      {R"({"id":@null,"ops":[]})", "an id is an integer or a string"},
      {R"({"session":1,@"session":2,"ops":[]})", "\"session\" is given twice"},
      {R"({"session":1,@"colour":2,"ops":[]})", "unknown field \"colour\""},
      {R"({"session":1,"status":@"maybe","ops":[]})",
       "unknown status \"maybe\""},
      {R"({"session":1,"status":@1,"ops":[]})",
       "expected a string but found a number"},
      {R"({"session":1,"start":@"a","ops":[]})",
       "expected an integer but found a string"},
      {R"({"session":1,"start":@9223372036854775808,"ops":[]})",
       "an integer out of range"},
      {R"({"session":1,"start":@-9223372036854775808,"ops":[]})",
       "an integer out of range"},
      {R"({"session":1,"start":5,"end":@4})", "the transaction lacks \"ops\""},
      {R"({"session":1,"ops":[],"start":5,"end":@4})",
       "the transaction ends before it starts"},
      {R"({"session":1,"ops":[["w","x",1],["append","x",@2]]})",
       "key x is used both as a register and as a list"},
      {"{\"id\":7,\"ops\":[]}\n{\"id\":@7,\"ops\":[]}",
       "transaction id 7 is used twice"},
      {"{\"session\":1,\"ops\":[]}\n{\"session\":1,@\n\"ops\":[]}",
       "expected a name in quotes but the line ends here"},
      {R"({"session":1,"ops":[]} @{"session":2,"ops":[]})",
       "expected the end of the line but found an object"},
      {R"({"session":1,"ops":[["w","x",1@)",
       "expected ',' or ']' but found the end of the file"},
      {R"({"session":1,"ops":[["w",@"x)", "the string has no closing quote"},
      {R"({"session":1,"ops":[["w",@"x\)", "the string has no closing quote"},
      {R"({"session":1,"ops":[["w",@"x\n)", "the string has no closing quote"},
      {R"({"session":1,"ops":[["w","x",1],@]})",
       "expected an array but found ']'"},
      {R"({"session":1,"ops":[],@})",
       "expected a name in quotes but found '}'"},
      {R"({"session" @1,"ops":[]})", "expected ':' but found a number"},
      {R"(@[{"session":1,"ops":[]}])", "expected an object but found an array"},
      {R"({"session":1,"ops":[["w","@\x",1]]})",
       "an unknown escape in a string"},
      {R"({"session":1,"ops":[["w","@\ud800",1]]})",
       "half a surrogate pair in a string"},
      {R"({"session":1,"ops":[["w","@\udc00",1]]})",
       "half a surrogate pair in a string"},
      {R"({"session":1,"ops":[["w","@\u12g4",1]]})",
       "\\u needs four hex digits"},
      {"{\"session\":1,\"ops\":[[\"w\",\"a@\tb\",1]]}",
       "a control character in a string"},
      {"{\"session\":1,\"ops\":[[\"w\",\"\\\\a@\tb\",1]]}",
       "a control character in a string"},
      {R"({"session":1,"ops":[["w",@nul,1]]})", "an unknown word"},
      {"@{}", "an empty record"},
      {R"({"txscope":"history","version":@2})",
       "version 2 of the format is unknown"},
      {R"({"txscope":@"log","version":1})",
       "the file says it is a txscope log, not a history"},
      {R"({"version":@1})", "the header lacks \"txscope\":\"history\""},
      {R"({"txscope":"history",@"colour":1})", "unknown field \"colour\""},
      {R"({"txscope":"history","initial":{"x":@[1]}})",
       "expected an integer, a string or null but found an array"},
      {R"({"txscope":"history","initial":{"x":1,@"x":2}})",
       "the initial value of this key is given twice"},
      {R"({"txscope":"history","initial":[[@1]]})", "a pair is [key, value]"},
      {R"({"txscope":"history","initial":[[1,@2,3]]})",
       "a pair is [key, value]"},
      {R"({"txscope":"history","model":@"tree"})", "unknown model \"tree\""},
      {"{\"txscope\":\"history\",\"model\":\"list\"}\n"
       "{\"ops\":[[@\"w\",\"x\",1]]}",
       "the header says that the model is list, and this is an operation on a "
       "register"},
      {R"({"txscope":"history","judge_aborted":@1})",
       "expected true or false but found a number"},
  };
  for (const auto& [marked, message] : mistakes)
    expect_mistake(read::Format::Jsonl, marked, message);
}

TEST(Jsonl, MistakesOfTheWholeAreFoundAtTheEnd) {
  EXPECT_EQ(as_jsonl("{\"txscope\":\"history\",\"initial\":{\"l\":1}}\n"
                     "{\"ops\":[[\"append\",\"l\",1]]}"),
            "h:2: list key l is given an initial value");
  EXPECT_EQ(as_jsonl("\n \n"), "h: holds no transaction");
}

TEST(Jsonl, AnErrorCarriesItsLineForTheCaret) {
  auto source = read::open_history_text(
      "h", "{\"ops\":[]}\n{\"ops\":[[\"w\",\"x\",2.5]]}", {});
  ASSERT_TRUE(source);
  const auto history = (*source)->next();
  ASSERT_FALSE(history);
  EXPECT_EQ(history.error().source_line, "{\"ops\":[[\"w\",\"x\",2.5]]}");
  EXPECT_EQ(history.error().where.column, 18u);
  EXPECT_EQ(history.error().hint, "numbers are integers from -2^63 to 2^64-1");
}

// Lists that begin as an earlier one are not read element by element; what
// looks like it and is not, is.
TEST(Jsonl, ListsThatRepeatEarlierOnesAreReadAsTheyAre) {
  EXPECT_EQ(as_jsonl(R"({"session":1,"ops":[["rl","l",[1,20,3]]]}
{"session":1,"ops":[["rl","l",[1,20]]]}
{"session":1,"ops":[["rl","l",[1,2]]]}
{"session":1,"ops":[["rl","l",[]]]}
{"session":1,"ops":[["rl","l",[1, 20, 3]]]}
{"session":1,"ops":[["rl","l",[1,20,3,4,"5"]]]}
{"session":1,"ops":[["rl","l",[1,20,3,4,"5" ]]]}
{"session":1,"ops":[["rl","l",[1,20,3,40]]]}
{"session":1,"ops":[["rl","l",[1,20,3,4,"5",6]]]}
{"session":1,"ops":[["rl","m",[1,20,3]]]}
{"session":1,"ops":[["rl","l",[1,20,3,4]]]}
)"),
            "1: [r(l,[1 20 3])] [r(l,[1 20])] [r(l,[1 2])] [r(l,[])] "
            "[r(l,[1 20 3])] [r(l,[1 20 3 4 \"5\"])] "
            "[r(l,[1 20 3 4 \"5\"])] [r(l,[1 20 3 40])] "
            "[r(l,[1 20 3 4 \"5\" 6])] [r(m,[1 20 3])] [r(l,[1 20 3 4])]\n");
}

// However the window cuts the lists.
TEST(Jsonl, GrowingListsAreReadAcrossWindows) {
  std::string text;
  std::string list;
  for (int i = 0; i < 700; ++i) {
    list += (i == 0 ? "" : ",") + std::to_string(i);
    text += "{\"session\":1,\"ops\":[[\"rl\",\"l\",[" + list + "]]]}\n";
  }
  auto source = read::open_history_text("h", text, {});
  ASSERT_TRUE(source);
  const auto history = (*source)->next();
  ASSERT_TRUE(history) << shown_error(history.error());
  for (std::size_t i = 0; i < 700; ++i) {
    const auto elements = (*history)->list((*history)->at(OpId(i)));
    ASSERT_EQ(elements.size(), i + 1);
    for (std::size_t k = 0; k <= i; ++k)
      ASSERT_EQ(elements[k].small_int(), static_cast<std::int64_t>(k));
  }
}

TEST(Jsonl, AMistakeBehindAKnownListIsFound) {
  expect_mistake(read::Format::Jsonl,
                 "{\"ops\":[[\"rl\",\"l\",[1,2]]]}\n"
                 "{\"ops\":[[\"rl\",\"l\",[1,2,@?]]]}",
                 "expected an integer, a string or null but found '?'");
}

TEST(Jsonl, ReadsRecordsThatAreLongerThanTheWindow) {
  std::string text = "{\"session\":1,\"ops\":[";
  for (int i = 0; i < 200'000; ++i)
    text += (i == 0 ? "" : ",") + std::string("[\"w\",\"key\",") +
            std::to_string(i) + "]";
  auto source = read::open_history_text("h", text + "]}\n" + text + "]}\n", {});
  ASSERT_TRUE(source);
  const auto history = (*source)->next();
  ASSERT_TRUE(history) << shown_error(history.error());
  EXPECT_EQ((*history)->ops().size(), 400'000u);
  auto broken = read::open_history_text("h", text + "]}\n" + text + ",?", {});
  ASSERT_TRUE(broken);
  const auto none = (*broken)->next();
  ASSERT_FALSE(none);
  EXPECT_EQ(shown_error(none.error()),
            "h:2:" + std::to_string(text.size() + 2) +
                ": expected an array but found '?'");
}

}  // namespace
}  // namespace txscope
