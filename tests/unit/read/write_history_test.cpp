#include "read/writers/write_history.h"

#include <gtest/gtest.h>

#include <string>

#include "support/litmus.h"

namespace txscope {
namespace {

/// The text, then its notes or the error, one per line.
std::string written(std::string_view text, read::WriteFormat format) {
  std::string all;
  const auto notes = read::write_history(
      litmus(text), format, [&](std::string_view piece) { all += piece; });
  if (!notes) return all + "error: " + notes.error().what + "\n";
  for (const std::string& note : *notes) all += "note: " + note + "\n";
  return all;
}

TEST(WriteJsonl, HoldsEverything) {
  EXPECT_EQ(written(R"(
      init x=5 z=null
      judge aborted
      a: t1:[10..25: r(x,5) w(x,"a\"b")] [a(l,3) r(l,[1 3])]!
      7: [r(y,0) r(z,null) w(1,18446744073709551615)]?
  )",
                    read::WriteFormat::Jsonl),
            R"({"txscope":"history","version":1,"default":0,)"
            R"("initial":[["x",5],["z",null]],"judge_aborted":true}
{"session":"a","id":"t1","start":10,"end":25,"ops":[["r","x",5],["w","x","a\"b"]]}
{"session":"a","status":"aborted","ops":[["append","l",3],["rl","l",[1,3]]]}
{"session":7,"status":"unknown","ops":[["r","y",0],["r","z",null],["w",1,18446744073709551615]]}
)");
}

TEST(WriteJsonl, KeywordsBecomeStringsUnlessThatMixesThemUp) {
  EXPECT_EQ(written("a: [w(:x,1)]", read::WriteFormat::Jsonl),
            "{\"txscope\":\"history\",\"version\":1,\"default\":0}\n"
            "{\"session\":\"a\",\"ops\":[[\"w\",\"x\",1]]}\n"
            "note: keywords are written as strings\n");
  EXPECT_EQ(written("a: [w(:x,1) w(\"x\",2)]", read::WriteFormat::Jsonl),
            "error: the keyword :x and the string of the same name would "
            "become one\n");
}

TEST(WriteJsonl, NoInitialValueIsNullUnlessNullIsRead) {
  EXPECT_EQ(written("init x=none\na: [r(x,1)]", read::WriteFormat::Jsonl),
            "{\"txscope\":\"history\",\"version\":1,\"default\":null}\n"
            "{\"session\":\"a\",\"ops\":[[\"r\",\"x\",1]]}\n");
  EXPECT_EQ(written("init x=none\na: [r(x,null)]", read::WriteFormat::Jsonl),
            "error: key x has no initial value and is read as null\n");
}

TEST(WriteEdn, KeepsTheRealTimeOrder) {
  EXPECT_EQ(
      written("init x=null\n0: [10..20: w(x,1)]\n1: [15..16: a(:l,1) "
              "r(:l,[1])]! [17..30: r(x,null)]",
              read::WriteFormat::Edn),
      R"({:type :invoke, :f :txn, :value [[:w "x" 1]], :process 0, :time 10, :index 0}
{:type :invoke, :f :txn, :value [[:append :l 1] [:r :l nil]], :process 1, :time 15, :index 1}
{:type :fail, :f :txn, :value [[:append :l 1] [:r :l [1]]], :process 1, :time 16, :index 2}
{:type :invoke, :f :txn, :value [[:r "x" nil]], :process 1, :time 17, :index 3}
{:type :ok, :f :txn, :value [[:w "x" 1]], :process 0, :time 20, :index 4}
{:type :ok, :f :txn, :value [[:r "x" nil]], :process 1, :time 30, :index 5}
note: registers and lists are in one file, which txscope reads and Elle does not
)");
}

TEST(WriteEdn, EventsOfOneTimeOrderNothing) {
  EXPECT_EQ(
      written("init x=null\n0: [1..5: w(x,1)] [5..5: w(x,2)]\n"
              "1: [2..5: w(x,3)]\n2: [5..9: w(x,4)]",
              read::WriteFormat::Edn),
      R"({:type :invoke, :f :txn, :value [[:w "x" 1]], :process 0, :time 1, :index 0}
{:type :invoke, :f :txn, :value [[:w "x" 3]], :process 1, :time 2, :index 1}
{:type :invoke, :f :txn, :value [[:w "x" 4]], :process 2, :time 5, :index 2}
{:type :ok, :f :txn, :value [[:w "x" 1]], :process 0, :time 5, :index 3}
{:type :invoke, :f :txn, :value [[:w "x" 2]], :process 0, :time 5, :index 4}
{:type :ok, :f :txn, :value [[:w "x" 2]], :process 0, :time 5, :index 5}
{:type :ok, :f :txn, :value [[:w "x" 3]], :process 1, :time 5, :index 6}
{:type :ok, :f :txn, :value [[:w "x" 4]], :process 2, :time 9, :index 7}
)");
  EXPECT_EQ(written("init x=null\n0: [1..5: w(x,1)] [5..6: w(x,2)]\n"
                    "1: [2..5: w(x,3)] [5..7: w(x,4)]",
                    read::WriteFormat::Edn),
            "error: sessions 0 and 1 both end and start transactions at time "
            "5, and a sequence of events would order these\n");
}

TEST(WriteEdn, NamesWhatIsLost) {
  EXPECT_EQ(
      written("a: t1:[w(x,1)] [r(y,0)]", read::WriteFormat::Edn),
      R"({:type :invoke, :f :txn, :value [[:w "x" 1]], :process 0, :time 0, :index 0}
{:type :ok, :f :txn, :value [[:w "x" 1]], :process 0, :time 1, :index 1}
{:type :invoke, :f :txn, :value [[:r "y" nil]], :process 0, :time 2, :index 2}
{:type :ok, :f :txn, :value [[:r "y" nil]], :process 0, :time 3, :index 3}
note: transaction ids are left out
note: the history has no times; the order of the events has no meaning across processes
note: reads of the initial state are written as reads of nil
note: sessions are numbered from 0
)");
}

TEST(WriteEdn, RefusesWhatItWouldChange) {
  const auto refusal = [](std::string_view text) {
    return written(text, read::WriteFormat::Edn);
  };
  EXPECT_EQ(refusal("a: [w(x,0)] [r(x,0)]"),
            "error: key x starts as 0, and in this format every key starts as "
            "null; its reads of 0 would mean something else\n");
  EXPECT_EQ(refusal("a: [r(x,null)]"),
            "error: key x starts as 0, and in this format every key starts as "
            "null; its reads of null would mean something else\n");
  EXPECT_EQ(refusal("a: [w(x,1)]? [w(x,2)]"),
            "error: in EDN a process ends with its operation of unknown "
            "outcome, but session a goes on after a#1\n");
  EXPECT_EQ(refusal("a: [r(x,1)]?"),
            "error: EDN does not keep what transaction a#1 read, which is of "
            "unknown outcome\n");
  EXPECT_EQ(refusal("judge aborted\na: [r(x,1)]!"),
            "error: EDN does not keep what transaction a#1 read, which is "
            "aborted and counts\n");
  EXPECT_EQ(refusal("a: [1..5: w(x,1)] [4..6: w(x,2)]"),
            "error: transactions a#1 and a#2 of one session overlap in time\n");
  EXPECT_EQ(refusal("a: [w(null,1)]"), "error: a key cannot be nil in EDN\n");
}

TEST(WritePlume, WritesNumbers) {
  EXPECT_EQ(written("3: 7:[r(1,0) w(1,5)] 8:[w(2,6) r(2,1)]!\n"
                    "1: 9:[r(1,5)]",
                    read::WriteFormat::Plume),
            "r(1,0,3,7)\nw(1,5,3,7)\nw(2,6,3,-1)\nr(1,5,1,9)\n"
            "note: of aborted transactions only the writes are kept\n");
}

TEST(WritePlume, NamesWhatIsLost) {
  EXPECT_EQ(written("init 1=5 2=null\na: [1..2: r(1,5) r(2,null)] []",
                    read::WriteFormat::Plume),
            "r(1,0,0,0)\nr(2,0,0,0)\n"
            "note: reads of the initial state are written as reads of 0\n"
            "note: sessions are numbered from 0\n"
            "note: transactions are numbered from 0\n"
            "note: start and end times are left out, and with them the "
            "realtime order\n"
            "note: transactions without operations are left out\n");
}

TEST(WritePlume, ALoneWriteOfZeroDoesNotComeFirst) {
  EXPECT_EQ(written("1: 1:[w(1,0)]\n2: 2:[r(1,0)]", read::WriteFormat::Plume),
            "r(1,0,2,2)\nw(1,0,1,1)\n");
  EXPECT_EQ(written("1: 1:[w(1,0)]\n2: 2:[]", read::WriteFormat::Plume),
            "error: every session is empty or one transaction that only writes "
            "0; in Plume text that is the initial one\n");
}

TEST(WritePlume, RefusesWhatItWouldChange) {
  const auto refusal = [](std::string_view text) {
    return written(text, read::WriteFormat::Plume);
  };
  EXPECT_EQ(refusal("1: [w(x,1)]"),
            "error: keys of Plume text are integers from 0 on, and 1#1 does "
            "w(x)=1\n");
  EXPECT_EQ(refusal("1: [w(1,-1)]"),
            "error: values of Plume text are integers from 0 on, and 1#1 does "
            "w(1)=-1\n");
  EXPECT_EQ(refusal("1: [w(1,null)]"),
            "error: values of Plume text are integers from 0 on, and 1#1 does "
            "w(1)=null\n");
  EXPECT_EQ(refusal("1: [a(1,1)]"),
            "error: Plume text has no lists, and 1#1 does append(1)=1\n");
  EXPECT_EQ(refusal("1: [w(1,1)]?"),
            "error: Plume text has no transactions of unknown outcome, and 1#1 "
            "is one\n");
  EXPECT_EQ(refusal("init 1=5\n1: [w(1,0) r(1,5)]"),
            "error: key 1 starts as 5, and in this format every key starts as "
            "0; its reads of 5 would mean something else\n");
  EXPECT_EQ(refusal("judge aborted\n1: [w(1,1)]"),
            "error: Plume text does not keep the reads of aborted "
            "transactions, and the history says they count\n");
}

TEST(WriteFormats, AreNamedByNameOrExtension) {
  EXPECT_EQ(*read::parse_write_format("elle"), read::WriteFormat::Edn);
  EXPECT_EQ(*read::write_format_of("a/b.jsonl"), read::WriteFormat::Jsonl);
  EXPECT_EQ(*read::write_format_of("h.txt"), read::WriteFormat::Plume);
  EXPECT_FALSE(read::parse_write_format("cobra"));
  EXPECT_FALSE(read::parse_write_format(""));
  EXPECT_FALSE(read::write_format_of("noextension"));
  EXPECT_TRUE(read::holds_several(read::WriteFormat::Jsonl));
  EXPECT_FALSE(read::holds_several(read::WriteFormat::Edn));
}

}  // namespace
}  // namespace txscope
