#include "exec/sql/value/index_entry.h"

#include "exec/sql/query/evaluate.h"
#include "exec/sql/value/row_keys.h"
#include "model/sql/value/range.h"

namespace txscope::sql {
namespace {

/// The expressions of an index look at no table.
class NoRows final : public Store {
 public:
  bool scan(const Access&, const OnRow&) override { return true; }
};

}  // namespace

std::optional<Row> index_entry(const Routines& routines, const UniqueKey& key,
                               const Row& row) {
  static const Budget kUnlimited = Budget::unlimited();
  NoRows none;
  auto result = Evaluator(routines, none, {}, kUnlimited).entry(key, row);
  auto* entry = std::get_if<std::optional<Row>>(&result);
  return entry == nullptr ? std::nullopt : std::move(*entry);
}

bool excludes(const UniqueKey& key, const Row& a, const Row& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto with =
        key.parts.empty() ? KeyPart::With::Equal : key.parts[i].with;
    switch (with) {
      case KeyPart::With::Equal:
        if (a[i] != b[i]) return false;
        break;
      case KeyPart::With::NotEqual:
        if (a[i] == b[i]) return false;
        break;
      case KeyPart::With::Overlaps:
        if (!overlap(range_of(a[i]), range_of(b[i]))) return false;
        break;
    }
  }
  return true;
}

KeyConflict::KeyConflict(const Routines& routines, const UniqueKey& key,
                         const Row& row)
    : routines_(routines), key_(key), row_(row) {
  if (key.is_partial()) entry_ = index_entry(routines, key, row);
}

bool KeyConflict::operator()(const Row& other) const {
  if (!key_.is_partial())
    return same_values(key_.columns, other, key_.columns, row_);
  if (!entry_) return false;
  // Most rows differ in a column already, which is quickly seen.
  if (key_.parts.empty() &&
      !same_values(key_.columns, other, key_.columns, row_)) {
    return false;
  }
  const std::optional<Row> there = index_entry(routines_, key_, other);
  return there && excludes(key_, *entry_, *there);
}

}  // namespace txscope::sql
