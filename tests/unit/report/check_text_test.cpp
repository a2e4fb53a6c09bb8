#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/check_report.h"
#include "support/litmus.h"

namespace txscope {
namespace {

report::CheckReport report_of(const History& history, Refutation refutation) {
  report::CheckReport report;
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
  const report::CheckReport report = report_of(history, std::move(refutation));
  const std::string text = report::check_text(report);
  EXPECT_NE(text.find("and 26 more cases"), std::string::npos) << text;
  EXPECT_EQ(report::check_json(report)[0]["cases"].size(), 30u);
}

// Of a proof by lemmas people see the simplest cases, JSON has all of it.
TEST(CheckText, ShowsWhatAProofByLemmasRestsOn) {
  const History history = litmus("a: [w(x,1)]\nb: [w(x,2)]\nc: [r(x,1)]");
  using Kind = Assumption::Kind;
  const Assumption before{Kind::Before, TxnId(1), TxnId(2), {}, {}, 0};
  const Assumption writer{Kind::Writer, TxnId(1), {}, OpId(2), {}, 0};
  Refutation refutation;
  const BadRead bad{BadReadKind::NoWriter, OpId(2), kNone<OpId>};
  for (int i = 0; i < 30; ++i) refutation.cases.push_back({{before}, bad});
  refutation.lemmas = {{{before, true}, {writer, true}}, {{writer, false}}, {}};
  const report::CheckReport report = report_of(history, std::move(refutation));
  const std::string text = report::check_text(report);
  EXPECT_NE(text.find("3 lemmas"), std::string::npos) << text;
  EXPECT_NE(text.find("case 2 of 30"), std::string::npos) << text;
  EXPECT_EQ(text.find("case 3 of 30"), std::string::npos) << text;
  const auto json = report::check_json(report)[0];
  EXPECT_EQ(json["cases"].size(), 30u);
  EXPECT_EQ(json["lemmas"].dump(),
            "[[\"b#1 is before a#1\",\"r(x)=1 of c#1 is not from a#1\"],"
            "[\"r(x)=1 of c#1 is from a#1\"],[]]");
}

}  // namespace
}  // namespace txscope
