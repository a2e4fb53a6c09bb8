#include "check/vacuous.h"

#include <algorithm>

namespace txscope::check {
namespace {

bool has_read(const History& history, TxnId t) {
  const auto ops = history.ops(t);
  return std::any_of(ops.begin(), ops.end(),
                     [](const Op& op) { return op.is_read(); });
}

}  // namespace

std::string why_nothing_to_check(const History& history) {
  if (history.size() < 2) return "the history has no transactions";
  bool any_judged = false;
  bool any_unknown = false;
  for (std::uint32_t i = 1; i < history.size(); ++i) {
    const TxnId t(i);
    // Who may not have committed counts only if somebody read from it.
    if (history.at(t).status == Status::Unknown) {
      any_unknown = true;
      continue;
    }
    if (!history.is_judged(t)) continue;
    if (has_read(history, t)) return "";
    any_judged = true;
  }
  if (any_judged) return "nothing that committed read anything";
  return any_unknown ? "nothing is known to have committed"
                     : "nothing committed";
}

}  // namespace txscope::check
