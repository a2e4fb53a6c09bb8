#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "read/sql/sql.h"
#include "read/txn/txn.h"
#include "support/paths.h"
#include "verify/sql/verify_sql.h"
#include "verify/verify.h"

namespace txscope::verify {
namespace {

/// Table 2 of the paper that verify comes from: the first rule of each program
/// at serializable, snapshot-isolation, parallel-snapshot-isolation, prefix and
/// causal; h holds, v is violated.
struct Table2Row {
  const char* program;
  const char* verdicts;
};

class Table2 : public testing::TestWithParam<Table2Row> {};

std::string verdicts_of(const VerifyResult& result) {
  std::string out;
  const std::size_t rules = result.rows.size() / 5;
  for (std::size_t level = 5; level-- > 0;) {
    const VerifyRow& row = result.rows[level * rules];
    out += verdict_word(row)[0];
    // What is violated comes with a replayed execution.
    EXPECT_EQ(row.verdict == Outcome::Violated, row.counterexample != nullptr);
  }
  return out;
}

std::string read_example(const std::string& file) {
  std::ifstream in(std::string(test::source_dir()) + "/examples/verify/" +
                   file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

VerifyOptions five_levels() {
  VerifyOptions options;
  options.levels = {Base::Causal, Base::Prefix, Base::ParallelSnapshotIsolation,
                    Base::SnapshotIsolation, Base::Serializable};
  return options;
}

// Levels are weakest first, prefix before parallel-snapshot; the paper's order
// is the reverse.
TEST_P(Table2, HoldsInBothLanguages) {
  const std::string base = GetParam().program;
  const auto program = read::read_txn(base, read_example(base + ".txn"));
  ASSERT_TRUE(program) << program.error().what;
  const auto txn = verify(*program, five_levels(), Budget::unlimited());
  ASSERT_TRUE(txn) << txn.error().what;
  EXPECT_EQ(verdicts_of(*txn), GetParam().verdicts);

  const auto application =
      sql::read_open_sql(base, read_example(base + ".sql"));
  ASSERT_TRUE(application) << application.error().what;
  const auto sql = verify_sql(*application, five_levels(), Budget::unlimited());
  ASSERT_TRUE(sql) << sql.error().what;
  EXPECT_EQ(verdicts_of(*sql), GetParam().verdicts);
}

INSTANTIATE_TEST_SUITE_P(Programs, Table2,
                         testing::Values(Table2Row{"auction_v1", "hvvvv"},
                                         Table2Row{"auction_v2", "hhhhh"},
                                         Table2Row{"courseware_names", "hvvvv"},
                                         Table2Row{"courseware_slots", "hhhvv"},
                                         Table2Row{"courseware_enrol", "hhhhh"},
                                         Table2Row{"tickets_amount", "hhhvv"},
                                         Table2Row{"tickets_venues", "hhhvv"},
                                         Table2Row{"simplebank", "hvvvv"}),
                         [](const auto& row) {
                           return std::string(row.param.program);
                         });

}  // namespace
}  // namespace txscope::verify
