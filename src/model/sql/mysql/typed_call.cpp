// The operands and results of functions, as their rows in function.cpp say.

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "model/sql/mysql/typing.h"

namespace txscope::sql::mysql {
namespace {

std::uint16_t collation_of(const std::vector<Expr>& operands) {
  std::uint16_t all = kNoCollation;
  bool has_text = false;
  for (const Expr& e : operands) {
    if (sort_of(e.type) != Sort::Text) continue;
    const std::uint16_t own =
        e.type.name == TypeName::Enum ? kGeneralCi : e.type.of;
    all = has_text ? joint_collation(all, own) : own;
    has_text = true;
  }
  return has_text ? all : kGeneralCi;
}

Expr as_moment(Expr e) {
  return is_temporal(sort_of(e.type))
             ? e
             : converted(std::move(e), datetime_type(6));
}

Expr as_operand(char letter, Expr e, const Type& common) {
  switch (letter) {
    case 't': return as_text(std::move(e));
    case 'i': return converted(std::move(e), integer_type(8));
    case 'n': return as_number(std::move(e));
    case 'f': return converted(as_number(std::move(e)), kDouble);
    case 'd': return as_moment(std::move(e));
    case 'D': return converted(std::move(e), kDate);
    case 'T':
      return is_temporal(sort_of(e.type))
                 ? e
                 : converted(std::move(e), time_type(6));
    case 'b': return condition(std::move(e));
    case 'c': {
      if (!is_temporal(sort_of(common)) || is_temporal(sort_of(e.type)))
        return converted(std::move(e), common);
      Expr moment = cast(std::move(e), common, {});
      moment.index = static_cast<std::uint32_t>(Function::Compared);
      return moment;
    }
    default: return e;
  }
}

bool is_rounding(Function f) {
  return f == Function::Round || f == Function::Truncate ||
         f == Function::Floor || f == Function::Ceil;
}

/// Of ROUND, FLOOR and their like: decimals that a constant says.
Type rounded_type(Function function, const std::vector<Expr>& operands) {
  const Type& type = operands[0].type;
  if (sort_of(type) != Sort::Decimal) return type;
  const bool is_whole = function == Function::Floor ||
                        function == Function::Ceil || operands.size() < 2;
  const unsigned whole = whole_digits(type) + 1;
  if (is_whole) {
    if (function == Function::Round) return decimal_type(whole, 0);
    return whole <= 18 ? integer_type(8) : decimal_type(whole, 0);
  }
  const Expr& digits = operands[1];
  unsigned scale = type.scale;
  if (digits.op == Op::Constant && digits.value.kind() == Kind::Integer) {
    const auto wanted = std::clamp<std::int64_t>(digits.value.integer(), 0, 38);
    scale = function == Function::Truncate || function == Function::Round
                ? std::min<unsigned>(static_cast<unsigned>(wanted), 38u)
                : scale;
  }
  return decimal_type(std::min(whole + scale, 65u), scale);
}

/// Of STR_TO_DATE: a date, if the format has nothing of a clock.
Type parsed_type(const Expr& format) {
  const bool is_known =
      format.op == Op::Constant && format.value.kind() == Kind::Text;
  if (!is_known) return datetime_type(6);
  const std::string& text = format.value.text();
  bool has_clock = false;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] != '%') continue;
    const char letter = text[++i];
    if (letter == 'f') return datetime_type(6);
    has_clock |=
        std::string_view("HkhIlisSpT").find(letter) != std::string_view::npos;
  }
  return has_clock ? datetime_type() : kDate;
}

}  // namespace

std::optional<Expr> call(std::string_view name, std::vector<Expr> operands,
                         Span at) {
  const FunctionRow* row = find_function(name, operands.size());
  if (row == nullptr) return std::nullopt;
  std::vector<Type> types;
  for (const Expr& e : operands) types.push_back(e.type);
  Type common = common_type(types);
  if (row->function == Function::Field) {
    const bool are_texts = std::all_of(types.begin(), types.end(), [](Type t) {
      return sort_of(t) == Sort::Text || sort_of(t) == Sort::Null;
    });
    const bool are_integers =
        std::all_of(types.begin(), types.end(), [](Type t) {
          return sort_of(t) == Sort::Integer || sort_of(t) == Sort::Null;
        });
    if (!are_texts && !are_integers) common = kDouble;
  }
  // A number among texts is compared as one, and so is a moment.
  if (row->function == Function::Greatest || row->function == Function::Least) {
    const auto has = [&](auto is_it) {
      return std::any_of(types.begin(), types.end(),
                         [&](const Type& t) { return is_it(sort_of(t)); });
    };
    const bool has_text = has([](Sort s) { return s == Sort::Text; });
    if (has([](Sort s) { return is_temporal(s); }))
      common = has([](Sort s) { return s == Sort::DateTime; })
                   ? datetime_type(6)
                   : kDate;
    else if (has_text && has([](Sort s) { return is_number(s); }))
      common = kDouble;
  }
  const std::uint16_t collation = collation_of(operands);
  if (!row->operands.empty()) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const char letter = row->operands[std::min(i, row->operands.size() - 1)];
      operands[i] = as_operand(letter, std::move(operands[i]), common);
    }
  }
  Expr e;
  e.op = Op::Builtin;
  e.index = static_cast<std::uint32_t>(row->function);
  e.at = at;
  switch (row->result) {
    case 't': e.type = text_type(collation); break;
    case 'm': e.type = text_type(); break;
    case 'x': e.type = text_type(kBinary); break;
    case 'u': e.type = integer_type(8, true); break;
    case 'f': e.type = kDouble; break;
    case 'n':
      e.type = is_rounding(row->function)
                   ? rounded_type(row->function, operands)
                   : operands[0].type;
      break;
    case 'c': e.type = common; break;
    case 'D': e.type = kDate; break;
    case 'E': e.type = datetime_type(0); break;
    case 'T': e.type = time_type(0); break;
    case 'b': e.type = kBoolean; break;
    default: e.type = integer_type(8); break;
  }
  if (row->function == Function::StrToDate) e.type = parsed_type(operands[1]);
  e.args = std::move(operands);
  return e;
}

}  // namespace txscope::sql::mysql
