#include "analysis/one_row.h"

#include <algorithm>
#include <vector>

namespace txscope::analysis {
namespace {

using sql::Expr;
using sql::Op;

/// The columns of relation 0 that a condition gives values.
void fix_columns(const Expr& e, std::vector<std::uint32_t>& fixed) {
  if (e.op == Op::And)
    for (const Expr& arg : e.args) fix_columns(arg, fixed);
  if (e.op != Op::Equal) return;
  for (const std::size_t i : {0, 1}) {
    const Expr& one = e.args[i];
    const Expr& other = e.args[1 - i];
    const bool is_given = other.op == Op::Constant ||
                          other.op == Op::Variable ||
                          (other.op == Op::Column && other.level > 0);
    if (one.op == Op::Column && one.level == 0 && one.relation == 0 &&
        is_given) {
      fixed.push_back(one.index);
    }
  }
}

}  // namespace

bool names_one_row(const sql::Table& table, const std::optional<Expr>& where) {
  if (!where) return false;
  std::vector<std::uint32_t> fixed;
  fix_columns(*where, fixed);
  return std::any_of(
      table.unique.begin(), table.unique.end(), [&](const auto& key) {
        return std::all_of(
            key.columns.begin(), key.columns.end(), [&](std::uint32_t c) {
              return std::find(fixed.begin(), fixed.end(), c) != fixed.end();
            });
      });
}

}  // namespace txscope::analysis
