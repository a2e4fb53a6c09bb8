#include "exec/sql/mysql/call.h"

#include <bit>

#include "exec/sql/mysql/convert.h"

namespace txscope::sql::mysql {
namespace {

/// How it is written depends on the type that it has.
Value converted(const Expr& e, const Value& v, Conversion how, Halt& halt) {
  if (v.is_null()) return v;
  if (sort_of(e.type) == Sort::Text && v.kind() != Kind::Text &&
      v.kind() != Kind::Enum) {
    return convert(Value::text(text_of(v, e.args[0].type)), e.type, how, halt);
  }
  // A text that says no moment is compared as none at all: 0000-00-00.
  return convert(v, e.type, how, halt);
}

/// In what writes: a text that is compared or computed with as a number has to
/// be one from its beginning to its end.
Value whole_number(const Expr& e, const Value& v, Halt& halt) {
  if (v.kind() == Kind::Text && !leading(v.text()).is_whole())
    return halt.raise("1292",
                      "Truncated incorrect DOUBLE value: '" + v.text() + "'");
  return converted(e, v, Conversion::Cast, halt);
}

Value computed(const Expr& e, std::span<const Value> args, Halt& halt) {
  const auto function = static_cast<Function>(e.index);
  switch (function) {
    case Function::Convert:
      return converted(e, args[0], Conversion::Cast, halt);
    case Function::Assign:
      return converted(e, args[0], Conversion::Assign, halt);
    case Function::AssignLoose:
      return converted(e, args[0], Conversion::Loose, halt);
    case Function::ConvertOrFail: return whole_number(e, args[0], halt);
    case Function::Compared:
      return converted(
          e, args[0],
          is_temporal(sort_of(e.type)) ? Conversion::Loose : Conversion::Cast,
          halt);
    case Function::Xor:
      if (args[0].is_null() || args[1].is_null()) return {};
      return Value::boolean(args[0].is_true() != args[1].is_true());
    default: break;
  }
  if (function >= Function::JsonExtract) return json_call(e, args, halt);
  if (function >= Function::Year) return time_call(e, args, halt);
  const bool is_text =
      (function >= Function::SortKey && function <= Function::InetAton) ||
      function == Function::Like || function == Function::Regexp;
  return is_text ? text_call(e, args, halt) : number_call(e, args, halt);
}

}  // namespace

Value call(const Expr& e, std::span<const Value> args, Halt& halt) {
  const Value value = computed(e, args, halt);
  return value.kind() == Kind::Text && sort_of(e.type) == Sort::Text
             ? value.collated(e.type.of)
             : value;
}

}  // namespace txscope::sql::mysql
