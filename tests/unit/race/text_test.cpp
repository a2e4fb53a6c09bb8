// Schedules as lanes of text.

#include <gtest/gtest.h>

#include <algorithm>

#include "report/race/brief.h"
#include "report/race/race_report.h"

namespace txscope {
namespace {

TEST(RaceText, AStatementWithoutSpacesIsCutAndNothingOfItIsLost) {
  race::Plan plan;
  plan.requests = {{"1", {"a"}}, {"2", {"b"}}};
  race::RunTrace trace;
  race::Event event;
  const std::string columns(500, 'x');  // as ORMs list them
  event.statements = {{"SELECT " + columns + " FROM a", {}}};
  trace.events = {event};
  trace.requests.resize(2);
  ReplayReport report;
  report.plan = &plan;
  report.trace = &trace;
  report.times = 1;
  const std::string text = replay_text(report);
  EXPECT_EQ(std::count(text.begin(), text.end(), 'x'), 500);
  EXPECT_NE(text.find("FROM a"), std::string::npos);
}

TEST(RaceText, LongListsOfColumnsAreCountedAndNothingElseIsCut) {
  EXPECT_EQ(
      brief_statement(R"(SELECT "a"."id", f(b, c), ' FROM ,', d FROM "a")"
                      " WHERE x IN (1, 2, 3, 4)"),
      R"(SELECT "a"."id", .. 4 columns FROM "a" WHERE x IN (1, 2, 3, 4))");
  for (const char* same :
       {"SELECT a, b, c FROM t", "UPDATE t SET a = 1, b = 2, c = 3, d = 4",
        "SELECT a, b, c, d", "SELECT (SELECT a FROM t), b, c FROM t"})
    EXPECT_EQ(brief_statement(same), same);
}

TEST(RaceText, OfALargeTableTheRowsThatChanged) {
  race::State before = race::State::array();
  for (int i = 0; i < 50; ++i) before.push_back({{"n", i}});
  race::State rows = before;
  rows[3]["n"] = 99;
  EXPECT_EQ(brief_rows(rows, before), "-{\"n\":3} +{\"n\":99}");
  const race::State one = race::State::array({{{"n", 1}}});
  EXPECT_EQ(brief_rows(one, before), "[{\"n\":1}]");
  EXPECT_EQ(brief_rows(race::State::array(), before), "no rows");
}

TEST(RaceText, OfARowThatIsReferredToTheBeginning) {
  const std::string note(300, 'x');
  race::State user = {{"a", 1}, {"b", 2}, {"note", note}};
  const race::State rows = race::State::array({{{"n", 1}, {"user", user}}});
  EXPECT_EQ(brief_rows(rows, race::State::array()),
            R"(+{"n":1,"user":{"..":1,"a":1,"b":2}})");
}

TEST(RaceText, AColumnOfManyTablesIsSaidOnce) {
  EXPECT_EQ(brief_columns({"a.id", "b.id", "c.id", "d.id", "a.at"}),
            (std::vector<std::string>{"id of 4 tables", "a.at"}));
  EXPECT_EQ(brief_columns({"a.id", "b.id"}),
            (std::vector<std::string>{"a.id", "b.id"}));
}

}  // namespace
}  // namespace txscope
