#include "exec/sql/builtin/builtin.h"

#include <algorithm>

#include "exec/sql/mysql/call.h"
#include "exec/sql/value/regex.h"

namespace txscope::sql {

Value call_builtin(const Expr& e, std::span<const Value> args, Halt& halt) {
  if (mysql::is_of_mysql(e.index)) return mysql::call(e, args, halt);
  const auto function = static_cast<Builtin>(e.index);
  const bool has_null = std::any_of(args.begin(), args.end(),
                                    [](const Value& v) { return v.is_null(); });
  if (has_null && is_strict(function)) return {};
  if (function <= Builtin::ToHex) return call_text(e, args, halt);
  if (function <= Builtin::Div) return call_number(e, args, halt);
  if (function <= Builtin::JustifyDays) return call_time(e, args, halt);
  if (function <= Builtin::JsonSet) return call_json(e, args, halt);
  if (function <= Builtin::NotEqualAll) return call_array(e, args, halt);
  if (function <= Builtin::RangeBefore) return call_range(e, args, halt);
  if (function <= Builtin::RowIsNotNull) return call_row(e, args);
  if (function == Builtin::NumNulls) {
    return Value::integer(std::count_if(
        args.begin(), args.end(), [](const Value& v) { return v.is_null(); }));
  }
  if (function == Builtin::Matches || function == Builtin::MatchesAnyCase) {
    std::string problem;
    const Regex& regex =
        regex_of(args[1].text(), function == Builtin::MatchesAnyCase, problem);
    if (!problem.empty())
      return halt.raise_ours("a regular expression with " + problem);
    return Value::boolean(regex.finds(args[0].text()));
  }
  if (function >= Builtin::RegexReplace && function <= Builtin::RegexSplit)
    return call_regular(e, args, halt);
  return {};
}

}  // namespace txscope::sql
