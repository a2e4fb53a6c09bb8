// The documented bugs of examples/bugs: what was wrong is found, and whether
// the fix is right is said truly.  tests/unit/live asks the server the same.

#include <gtest/gtest.h>

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

Analysis analysis_of_file(const std::string& path) {
  const auto text = verb::read_text(test::source_dir() +
                                    std::string("/examples/bugs/") + path);
  EXPECT_TRUE(text) << path;
  auto application = read_sql(path, text ? *text : "", false);
  EXPECT_TRUE(application) << (application ? "" : application.error().what);
  if (!application) return {};
  analyze::AnalyzeOptions options;
  options.profile = &profile_of(Product::PostgreSql, Isolation::ReadCommitted);
  options.repairs = false;
  auto found =
      analyze::analyze(std::move(*application), options, Budget::unlimited());
  EXPECT_TRUE(found) << path;
  return found ? std::move(*found) : Analysis{};
}

class DocumentedBug : public testing::TestWithParam<test::Bug> {};

TEST_P(DocumentedBug, IsFoundAndItsFixIsJudged) {
  const test::Bug& bug = GetParam();
  const Analysis before = analysis_of_file(bug.folder + "/before.sql");
  const Analysis after = analysis_of_file(bug.folder + "/after.sql");
  ASSERT_EQ(before.cells.size(), 1u);
  EXPECT_EQ(before.cells[0].verdict, CellVerdict::Race);
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
