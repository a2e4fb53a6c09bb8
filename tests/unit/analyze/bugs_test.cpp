// The documented bugs of examples/bugs: what was wrong is found, and whether
// the fix is right is said truly.  tests/unit/live asks the server the same.

#include <gtest/gtest.h>

#include <algorithm>

#include "analyze/analyze.h"
#include "analyze/comparison.h"
#include "read/sql/sql.h"
#include "support/bugs.h"
#include "support/paths.h"
#include "verb/input/program_file.h"

namespace {

using namespace txscope;
using analyze::Analysis;
using analyze::CellVerdict;
using analyze::Fate;

Analysis analysis_of_file(const std::string& path, const std::string& level) {
  const auto text = verb::read_text(test::source_dir() +
                                    std::string("/examples/bugs/") + path);
  EXPECT_TRUE(text) << path;
  auto application = sql::read_sql(path, text ? *text : "", false);
  EXPECT_TRUE(application) << (application ? "" : application.error().what);
  if (!application) return {};
  analyze::AnalyzeOptions options;
  const auto profile = parse_profile(level);
  EXPECT_TRUE(profile);
  options.profile = *profile;
  auto found =
      analyze::analyze(std::move(*application), options, Budget::unlimited());
  EXPECT_TRUE(found) << path;
  return found ? std::move(*found) : Analysis{};
}

class DocumentedBug : public testing::TestWithParam<test::Bug> {};

TEST_P(DocumentedBug, IsFoundAndItsFixIsJudged) {
  const test::Bug& bug = GetParam();
  const Analysis before =
      analysis_of_file(bug.folder + "/before.sql", bug.level);
  const Analysis after = analysis_of_file(bug.folder + "/after.sql", bug.level);
  EXPECT_TRUE(std::any_of(before.cells.begin(), before.cells.end(),
                          [](const analyze::Cell& cell) {
                            return cell.verdict == CellVerdict::Race;
                          }));
  bool remains = false;
  for (const analyze::FindingFate& one :
       analyze::compare(before, after).fates) {
    EXPECT_NE(one.fate, Fate::Unknown) << one.why;
    remains = remains || one.fate == Fate::Remains;
  }
  EXPECT_EQ(remains, !bug.is_repaired);
}

INSTANTIATE_TEST_SUITE_P(Examples, DocumentedBug,
                         testing::ValuesIn(test::documented_bugs()),
                         [](const testing::TestParamInfo<test::Bug>& one) {
                           std::string name = one.param.folder;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
