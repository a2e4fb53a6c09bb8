#pragma once

#include <gtest/gtest.h>

#include <string>

#include "analyze/analyze.h"
#include "read/sql/sql.h"

namespace txscope::test {

/// What `analyze` finds in a text, repairs included.
inline analyze::Analysis analysis_of(
    const std::string& text,
    const std::string& level = "postgresql:read-committed") {
  auto application = sql::read_sql("app.sql", text, false);
  EXPECT_TRUE(application) << (application ? "" : application.error().what);
  if (!application) return {};
  analyze::AnalyzeOptions options;
  const auto profile = parse_profile(level);
  EXPECT_TRUE(profile);
  options.profile = *profile;
  options.reread = [](const std::string& changed) {
    return sql::read_sql("app.sql", changed, false);
  };
  auto found =
      analyze::analyze(std::move(*application), options, Budget::unlimited());
  EXPECT_TRUE(found) << (found ? "" : found.error().what);
  return found ? std::move(*found) : analyze::Analysis{};
}

}  // namespace txscope::test
