// Schedules as lanes of text.

#include <gtest/gtest.h>

#include <algorithm>

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

}  // namespace
}  // namespace txscope
