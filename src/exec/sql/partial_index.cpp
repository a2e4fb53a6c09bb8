#include "exec/sql/partial_index.h"

#include "exec/sql/evaluate.h"

namespace txscope::sql {
namespace {

/// The condition of an index looks at no table.
class NoRows final : public Store {
 public:
  bool scan(const Access&, const OnRow&) override { return true; }
};

}  // namespace

bool is_in_index(const Routines& routines, const UniqueKey& key,
                 const Row& row) {
  if (!key.where) return true;
  static const Budget kUnlimited = Budget::unlimited();
  NoRows none;
  Evaluator evaluator(routines, none, {}, kUnlimited);
  const auto result = evaluator.matches(key.where, {&row, 1});
  const bool* is_true = std::get_if<bool>(&result);
  return is_true != nullptr && *is_true;
}

}  // namespace txscope::sql
