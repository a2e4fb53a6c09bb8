// Schedules as lanes of text.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

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
  report::ReplayReport report;
  report.plan = &plan;
  report.trace = &trace;
  report.times = 1;
  const std::string text = report::replay_text(report);
  EXPECT_EQ(std::count(text.begin(), text.end(), 'x'), 500);
  EXPECT_NE(text.find("FROM a"), std::string::npos);
}

/// Two requests, and one outcome that breaks a rule.
struct OneRace {
  race::Plan plan;
  race::Findings found;
  std::vector<race::TriedRepair> repairs;

  OneRace() {
    plan.requests = {{"1", {"a"}}, {"2", {"b"}}};
    race::Event event;
    event.statements = {{"UPDATE \xE5\xB1\xB1 SET n = 1", {}}};
    race::Outcome outcome;
    outcome.state = race::State::object();
    outcome.requests.resize(2);
    outcome.broken_rules = {{"stock", {"false", "-1 >= 0"}}};
    outcome.schedules = 1;
    outcome.example.events = {event};
    outcome.example.requests.resize(2);
    found.outcomes = {outcome};
    found.initial = race::State::object();
    found.is_complete = true;
    race::TriedRepair repair;
    repair.repair.what = "lock the row";
    repair.holds = true;
    repairs = {repair};
  }
  [[nodiscard]] report::RaceReport report() const {
    report::RaceReport out;
    out.plan = &plan;
    out.findings = &found;
    out.repairs = &repairs;
    return out;
  }
};

TEST(RaceText, SaysWithWhichNumbersARuleBreaks) {
  const OneRace one;
  const std::string text = report::race_text(one.report());
  EXPECT_NE(text.find("breaks 'stock': -1 >= 0 is false"), std::string::npos)
      << text;
  EXPECT_EQ(report::race_json(one.report())["outcomes"][0]["numbers"]["stock"],
            "-1 >= 0");
}

TEST(RaceText, SaysWhatToDoBeforeTheRun) {
  const std::string text = report::race_text(OneRace().report());
  const std::size_t repair = text.find("lock the row");
  ASSERT_NE(repair, std::string::npos) << text;
  EXPECT_LT(text.find("RACE: "), repair);
  EXPECT_LT(repair, text.find("UPDATE"));
}

TEST(RaceText, WhatDoesNotHelpIsNoAdvice) {
  OneRace one;
  one.repairs[0].holds = false;
  one.repairs[0].remains = "a race is left";
  const std::string text = report::race_text(one.report());
  EXPECT_EQ(text.find("What to do"), std::string::npos) << text;
  const std::size_t repair = text.find("lock the row: a race is left");
  ASSERT_NE(repair, std::string::npos) << text;
  EXPECT_LT(text.find("UPDATE"), repair);
  EXPECT_LT(text.find("does not help:"), repair);
}

TEST(RaceText, ManyRequestsStandBelowEachOther) {
  OneRace one;
  for (int i = 3; i <= 60; ++i)
    one.plan.requests.push_back({std::to_string(i), {"c"}});
  one.found.outcomes[0].requests.resize(60);
  one.found.outcomes[0].example.requests.resize(60);
  const std::string text = report::race_text(one.report());
  EXPECT_NE(text.find("request 1:"), std::string::npos) << text;
  EXPECT_NE(text.find("request 60:"), std::string::npos);
}

TEST(RaceText, LongListsOfColumnsAreCountedAndNothingElseIsCut) {
  EXPECT_EQ(
      report::brief_statement(
          R"(SELECT "a"."id", f(b, c), ' FROM ,', d FROM "a")"
          " WHERE x IN (1, 2, 3, 4)"),
      R"(SELECT "a"."id", .. 4 columns FROM "a" WHERE x IN (1, 2, 3, 4))");
  for (const char* same :
       {"SELECT a, b, c FROM t", "UPDATE t SET a = 1, b = 2, c = 3, d = 4",
        "SELECT a, b, c, d", "SELECT (SELECT a FROM t), b, c FROM t"})
    EXPECT_EQ(report::brief_statement(same), same);
}

TEST(RaceText, OfALargeTableTheRowsThatChanged) {
  race::State before = race::State::array();
  for (int i = 0; i < 50; ++i) before.push_back({{"n", i}});
  race::State rows = before;
  rows[3]["n"] = 99;
  EXPECT_EQ(report::brief_rows(rows, before), "-{\"n\":3} +{\"n\":99}");
  const race::State one = race::State::array({{{"n", 1}}});
  EXPECT_EQ(report::brief_rows(one, before), "[{\"n\":1}]");
  EXPECT_EQ(report::brief_rows(race::State::array(), before), "no rows");
}

TEST(RaceText, OfARowThatIsReferredToTheBeginning) {
  const std::string note(300, 'x');
  race::State user = {{"a", 1}, {"b", 2}, {"note", note}};
  const race::State rows = race::State::array({{{"n", 1}, {"user", user}}});
  EXPECT_EQ(report::brief_rows(rows, race::State::array()),
            R"(+{"n":1,"user":{"..":1,"a":1,"b":2}})");
}

TEST(RaceText, AColumnOfManyTablesIsSaidOnce) {
  EXPECT_EQ(report::brief_columns({"a.id", "b.id", "c.id", "d.id", "a.at"}),
            (std::vector<std::string>{"id of 4 tables", "a.at"}));
  EXPECT_EQ(report::brief_columns({"a.id", "b.id"}),
            (std::vector<std::string>{"a.id", "b.id"}));
}

}  // namespace
}  // namespace txscope
