#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/check_report.h"
#include "support/litmus.h"

namespace txscope {
namespace {

CheckReport report_of(const History& history, Refutation refutation) {
  CheckReport report;
  report.input = "h";
  report.history = &history;
  const Level level{Base::Serializable, Order::Session};
  report.rows.push_back({Verdict{level, std::move(refutation)}, {}});
  return report;
}

TEST(CheckText, ShowsAFewOfManyCasesAndJsonAllOfThem) {
  const History history = litmus("a: [w(x,1)]\nb: [r(x,1)]");
  BadRead bad;
  bad.kind = BadReadKind::NoWriter;
  bad.read = OpId(1);
  Refutation refutation;
  for (int i = 0; i < 30; ++i) refutation.cases.push_back({{}, bad});
  const CheckReport report = report_of(history, std::move(refutation));
  const std::string text = check_text(report);
  EXPECT_NE(text.find("and 26 more cases"), std::string::npos) << text;
  EXPECT_EQ(check_json(report)[0]["cases"].size(), 30u);
}

}  // namespace
}  // namespace txscope
