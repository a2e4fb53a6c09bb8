#include "sql_union.h"

#include <gtest/gtest.h>

#include "explore/sql/explore_sql.h"
#include "read/sql/sql.h"
#include "verify/sql/verify_sql.h"

namespace txscope::test {
namespace {

const std::vector<Base> kSqlLevels(all_bases().begin() + 1, all_bases().end());

}  // namespace

std::string one_of(Random& random, std::initializer_list<const char*> all) {
  return *(all.begin() + static_cast<std::ptrdiff_t>(random.below(all.size())));
}

void add_explored_sql(const std::string& text, EnumeratedSql& all) {
  const auto application = sql::read_sql("fuzz.sql", text);
  ASSERT_TRUE(application) << application.error().what << "\n" << text;
  explore::ExploreOptions options;
  options.levels = kSqlLevels;
  options.all = true;
  options.explains = false;
  const auto result =
      explore::explore_sql(*application, options, Budget::unlimited());
  ASSERT_TRUE(result) << text;
  for (const Answer& level : (*result)->answers()) {
    all.is_violated[*level.base] |=
        level.properties[0].verdict == Outcome::Violated;
    all.has_history[*level.base] |= level.counts.histories > 0;
  }
}

void compare_verified_sql(const std::string& text, const EnumeratedSql& all) {
  const auto application = sql::read_open_sql("fuzz.sql", text);
  ASSERT_TRUE(application) << application.error().what << "\n" << text;
  verify::VerifyOptions options;
  options.levels = kSqlLevels;
  const auto result =
      verify::verify_sql(*application, options, Budget::unlimited());
  ASSERT_TRUE(result) << result.error().what << "\n" << text;
  for (const verify::VerifyRow& row : result->rows) {
    const std::string_view want = all.is_violated.at(*row.base)   ? "violated"
                                  : all.has_history.at(*row.base) ? "holds"
                                                                  : "vacuous";
    ASSERT_EQ(verdict_word(row), want) << row.level << " " << row.why << "\n"
                                       << text;
  }
}

void expect_union(const Application& application,
                  const std::vector<std::string>& values,
                  const std::string& assumptions) {
  EnumeratedSql all;
  for (const std::string& first : values) {
    for (const std::string& second : values) {
      add_explored_sql(application.text({first, second}), all);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
  compare_verified_sql(application.text({"?", "?"}) + assumptions, all);
}

}  // namespace txscope::test
