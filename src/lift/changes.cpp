#include "lift/changes.h"

#include <charconv>

namespace txscope::lift {

using Kind = sql::StatementShape::Kind;
using Role = sql::LiteralSlot::Role;

std::optional<std::int64_t> whole_number(const std::string& text) {
  std::int64_t number = 0;
  const auto parsed =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || parsed.ec != std::errc() ||
      parsed.ptr != text.data() + text.size())
    return std::nullopt;
  return number;
}

Changes::Changes(const Runs& runs, const Tables& tables) {
  std::map<std::pair<sql::NamedColumn, std::string>, std::int64_t> last;
  for (const Run& run : runs.runs)
    for (const RunTransaction& transaction : run.transactions)
      for (const RunStatement& step : transaction.steps) {
        const sql::StatementShape& shape = *step.shape;
        if (shape.kind != Kind::Updates) continue;
        std::string row;
        for (const sql::LiteralSlot& slot : shape.slots)
          if (slot.role == Role::Equals)
            row += tables.resolved(shape, slot.column).column + "=" +
                   slot.value + ",";
        for (const sql::LiteralSlot& slot : shape.slots) {
          if (slot.role != Role::Assigned) continue;
          const auto number = whole_number(slot.value);
          if (!number) continue;
          const auto [known, is_first] =
              last.try_emplace({slot.column, row}, *number);
          if (is_first) continue;
          ++steps_[slot.column][*number - known->second];
          known->second = *number;
        }
      }
}

std::optional<std::int64_t> Changes::step(
    const sql::NamedColumn& column) const {
  const auto found = steps_.find(column);
  if (found == steps_.end()) return std::nullopt;
  std::int64_t best = 0;
  std::size_t count = 0;
  for (const auto& [step, times] : found->second)
    if (step != 0 && times > count) {
      best = step;
      count = times;
    }
  return best;
}

}  // namespace txscope::lift
