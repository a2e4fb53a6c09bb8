// Requests of which no order of steps can show anything are no "no race".
#include <gtest/gtest.h>

#include <string>

#include "support/run_command.h"
#include "txscope/race.h"
#include "txscope/status.h"
#include "txscope/write.h"

namespace {

using namespace txscope;
using verb::Report;

class NothingRaced : public testing::Test {
 protected:
  /// Two requests on a table with one row; each a JSON array of words.
  Result<Report> raced(const std::string& one, const std::string& other,
                       const std::string& rules = "{}") {
    directory_.write("schema.sql",
                     "CREATE TABLE t (id int PRIMARY KEY, v int);\n"
                     "INSERT INTO t VALUES (1, 0);\n");
    verb::RaceRequest request;
    request.input =
        directory_.write("case.json", "{\"requests\":[" + one + "," + other +
                                          "],\"rules\":" + rules + "}");
    return verb::race(request, Budget::unlimited());
  }
  static std::string psql(const std::string& sql) {
    return "[\"psql\",\"-Xqc\",\"" + sql + "\"]";
  }
  static void expect_vacuous_race(const Result<Report>& report,
                                  const std::string& because) {
    ASSERT_TRUE(report) << report.error().what;
    EXPECT_EQ(report->checked.vacuous_because, because);
    EXPECT_EQ(verb::status_of(*report), verb::kUndecided)
        << verb::text(*report);
    EXPECT_TRUE(verb::text(*report).starts_with("VACUOUS"))
        << verb::text(*report);
    verb::StatusOptions allowing;
    allowing.allow_vacuous = true;
    EXPECT_EQ(verb::status_of(*report, allowing), verb::kHolds);
    EXPECT_NE(verb::json(*report).find("\"vacuous\": true"), std::string::npos);
  }

 private:
  test::TemporaryDirectory directory_;
};

TEST_F(NothingRaced, WhereNobodyAsksTheDatabase) {
  const std::string says = "[\"/bin/sh\",\"-c\",\"echo hi\"]";
  expect_vacuous_race(raced(says, says),
                      "no request asked the database anything");
}

TEST_F(NothingRaced, WhereEveryRequestFailsAlone) {
  const std::string fails = psql("SELECT * FROM nosuch");
  expect_vacuous_race(raced(fails, fails),
                      "every request fails, also one after the other (42P01)");
}

TEST_F(NothingRaced, WhereNobodyMeets) {
  const std::string meets_nobody =
      "no two requests meet on anything that one of them changes";
  const std::string reads = psql("SELECT * FROM t");
  expect_vacuous_race(raced(reads, reads), meets_nobody);
  expect_vacuous_race(
      raced(reads, reads, "{\"ok\":\"(SELECT sum(v) FROM t) = 0\"}"),
      meets_nobody);
  // Of a rule that looks at what changes it is a remark.
  const auto report =
      raced(psql("UPDATE t SET v = v + 1"), "[\"/bin/sh\",\"-c\",\"echo hi\"]",
            "{\"ok\":\"(SELECT sum(v) FROM t) >= 0\"}");
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_EQ(verb::status_of(*report), verb::kHolds);
  EXPECT_TRUE(verb::text(*report).starts_with("no race; " + meets_nobody))
      << verb::text(*report);
}

TEST_F(NothingRaced, ButWhoMeetsIsChecked) {
  const std::string adds = psql("UPDATE t SET v = v + 1");
  const auto report = raced(adds, adds);
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_EQ(report->checked.vacuous_because, "");
  EXPECT_EQ(verb::status_of(*report), verb::kHolds) << verb::text(*report);
}

}  // namespace
