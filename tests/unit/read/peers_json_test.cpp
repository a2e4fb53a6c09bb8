// The JSON formats of dbcop and TimeKiller.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "litmus_of.h"

namespace txscope {
namespace {

using Mistakes = std::vector<std::pair<std::string, std::string>>;

TEST(DbcopJson, ReadsBareSessions) {
  EXPECT_EQ(litmus_of(R"([[{"events":[{"Write":{"variable":1,"version":2}},
    {"Read":{"version":null,"variable":3}}],"committed":true}],
  [],[{"committed":false,"events":[{"Read":{"variable":1,"version":2}}]}]])"),
            "init 1=null 3=null\n1: [w(1,2) r(3,null)]\n3: [r(1,2)]!\n");
}

TEST(DbcopJson, ReadsSessionsWithTheirDescription) {
  EXPECT_EQ(litmus_of(R"({"params":{"id":0,"n_node":1},"info":"x",
"start":"2026-01-01T00:00:00Z","end":"","data":[[{"events":[],"committed":true}
]],"more":[[{"deep":[1.5e3,true,null]}]]})"),
            "1: []\n");
}

TEST(DbcopJson, MistakesAreFoundWhereTheyStand) {
  const Mistakes mistakes = {
      {R"({"params":@{}})", "the history lacks \"data\""},
      {R"({"params":{},"data":@{}})", "expected an array but found an object"},
      {R"([@1])", "expected an array but found a number"},
      {R"([[@1]])", "expected an object but found a number"},
      {R"([[{"events":@[]}]])",
       "the transaction that ends here lacks \"committed\""},
      {R"([[{"committed":@true}]])",
       "the transaction that ends here lacks \"events\""},
      {R"([[{"events":[],"committed":@1}]])",
       "expected true or false but found a number"},
      {R"([[{"events":[],@"colour":1}]])", "unknown member \"colour\""},
      {R"([[{"events":[],@"events":[]}]])", "\"events\" is given twice"},
      {R"([[{"events":[@{}]}]])", "an empty event"},
      {R"([[{"events":[{@"Update":{}}]}]])", "unknown event \"Update\""},
      {R"([[{"events":[{"Read":@{}}]}]])",
       "the event that ends here lacks its variable"},
      {R"([[{"events":[{"Write":{"variable":@1}}]}]])",
       "the event that ends here lacks its version"},
      {R"([[{"events":[{"Write":{"variable":1,"version":@null}}]}]])",
       "a write has a version"},
      {R"([[{"events":[{"Read":{"variable":1,"version":2},@"Read":{}}]}]])",
       "an event is one Read or one Write"},
      {R"([[]] @x)", "expected the end of the file but found 'x'"},
      {R"([[]@)", "expected ',' or ']' but found the end of the file"},
  };
  for (const auto& [marked, message] : mistakes)
    expect_mistake(read::Format::DbcopJson, marked, message);
}

TEST(DbcopJson, NestingHasALimit) {
  const std::string deep(200'000, '[');
  EXPECT_EQ(
      litmus_of("{\"data\":[],\"x\":" + deep, {read::Format::DbcopJson, false}),
      "h:1:1016: nested deeper than 1000 levels");
}

TEST(TimeKiller, ReadsTransactionsWithTheirTimes) {
  EXPECT_EQ(litmus_of(R"([{"tid":"a","sid":1,"sts":{"p":"5","l":0},
  "cts":{"p":9},"ops":[{"t":"w","k":1,"v":2},{"v":0,"k":3,"t":"r"}],
  "rtts":[1,2]},
 {"cts":{"l":0,"p":12},"ops":[],"sid":2,"sts":{"p":10,"l":0},"tid":7}])"),
            "1: a:[5..9: w(1,2) r(3,0)]\n2: 7:[10..12:]\n");
}

TEST(TimeKiller, LogicalTimesBecomePositions) {
  EXPECT_EQ(litmus_of(R"([
{"tid":1,"sid":1,"sts":{"p":5,"l":1},"cts":{"p":5,"l":3},"ops":[]},
{"tid":2,"sid":2,"sts":{"p":5,"l":2},"cts":{"p":6,"l":0},"ops":[]}])"),
            "1: 1:[0..2:]\n2: 2:[1..3:]\n");
}

TEST(TimeKiller, AReadOfNullSawTheInitialState) {
  EXPECT_EQ(litmus_of(R"([{"tid":1,"sid":1,"sts":{"p":1},"cts":{"p":2},"ops":[
{"t":"r","k":1,"v":null},{"t":"r","k":2,"v":null},{"t":"a","k":1,"v":5},
{"t":"w","k":2,"v":6},{"t":"r","k":1,"v":[5]},{"t":"r","k":1,"v":[]}]}])"),
            "1: 1:[1..2: r(1,[]) r(2,0) a(1,5) w(2,6) r(1,[5]) r(1,[])]\n");
}

TEST(TimeKiller, MistakesAreFoundWhereTheyStand) {
  const std::string good = R"("sid":1,"sts":{"p":1},"cts":{"p":2})";
  const Mistakes mistakes = {
      {R"([{"tid":@null,)" + good + R"(,"ops":[]}])",
       "an id is a number or a string"},
      {R"([{"tid":1,"sid":1,"sts":{"p":3},"cts":{"p":2},"ops":@[]}])",
       "the transaction that ends here commits before it starts"},
      {R"([{"tid":1,"sid":1,"sts":{"p":@"3x"},"cts":{"p":2},"ops":[]}])",
       "expected an integer of at most 64 bits, plain or as a string"},
      {R"([{"tid":1,"sid":1,"sts":{"l":@3},"cts":{"p":2},"ops":[]}])",
       "the timestamp that ends here lacks \"p\""},
      {R"([{"tid":1,@"tid":2,)" + good + R"(,"ops":[]}])",
       "\"tid\" is given twice"},
      {R"([{"tid":1,)" + good + R"(,"ops":[{"t":@"x","k":1,"v":1}]}])",
       "unknown operation \"x\""},
      {R"([{"tid":1,)" + good + R"(,"ops":[{"t":"w","k":@1}]}])",
       "the operation that ends here lacks \"t\", \"k\" or \"v\""},
      {R"([{"tid":1,)" + good + R"(,"ops":[{"t":"w","k":1,"v":@[]}]}])",
       "only a read can have an array as its value"},
      {R"([{"tid":1,)" + good + R"(,"ops":[{"t":"w","k":1,"v":@2.5}]}])",
       "expected an integer but found a fraction"},
  };
  for (const auto& [marked, message] : mistakes)
    expect_mistake(read::Format::TimeKiller, marked, message);
  EXPECT_EQ(litmus_of(R"([{"tid":1,)" + good + "}]",
                      {read::Format::TimeKiller, false}),
            "h:1:44: the transaction that ends here lacks \"ops\"");
}

}  // namespace
}  // namespace txscope
