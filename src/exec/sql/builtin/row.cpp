#include <algorithm>

#include "exec/sql/builtin/builtin.h"

namespace txscope::sql {

Value call_row(const Expr& e, std::span<const Value> args) {
  const auto all_of = [&](const auto& test) {
    const auto& fields = args[0].items();
    return Value::boolean(std::all_of(fields.begin(), fields.end(), test));
  };
  switch (static_cast<Builtin>(e.index)) {
    case Builtin::MakeRow: return Value::row(args);
    case Builtin::RowField: {
      const auto at = static_cast<std::size_t>(args[1].integer());
      const auto& fields = args[0].items();
      return at < fields.size() ? fields[at] : Value();
    }
    case Builtin::RowIsNull:
      if (args[0].is_null()) return Value::boolean(true);
      return all_of([](const Value& v) { return v.is_null(); });
    default:
      if (args[0].is_null()) return Value::boolean(false);
      return all_of([](const Value& v) { return !v.is_null(); });
  }
}

}  // namespace txscope::sql
