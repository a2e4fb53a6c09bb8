#include "expression.h"

#include <array>
#include <utility>

#include "model/sql/mysql/typing.h"
#include "model/sql/value/calendar.h"

namespace txscope::test {
namespace {

using namespace sql::mysql;
using sql::Expr;

constexpr auto kTexts =
    std::to_array<const char*>({"",           "a",
                                "A",          "abc",
                                "aBC ",       "12",
                                "12abc",      " 7",
                                "-3",         "1.5",
                                "1e2",        "0",
                                "2024-02-29", "2024-1-5",
                                "2024-02-30", "2024-02-29 10:11:12",
                                "10:11:12",   "ä",
                                "Ab,c",       "%",
                                "x y",        "99999999999999999999",
                                "0.1",        ".5",
                                "-0"});

MysqlExpression leaf(Random& random) {
  MysqlExpression out;
  switch (random.below(12)) {
    case 0:
      out.text = "NULL";
      out.expr = null({});
      break;
    case 1:
    case 2: {
      const std::int64_t n = random.between(-3, 12);
      out.expr = literal(n < 0 ? -n : n, {});
      out.text = std::to_string(n < 0 ? -n : n);
      if (n < 0) {
        out.expr = negated(std::move(out.expr), {});
        out.text = "(-" + out.text + ")";
      }
      break;
    }
    case 3: {
      constexpr auto kLarge = std::to_array<std::int64_t>(
          {255, 65536, 2147483648, 9007199254740993, 9223372036854775807});
      const std::int64_t n = kLarge[random.below(kLarge.size())];
      out.expr = literal(n, {});
      out.text = std::to_string(n);
      break;
    }
    case 4:
    case 5: {
      const auto digits = static_cast<std::int64_t>(random.below(20000));
      const auto scale = static_cast<unsigned>(random.between(1, 3));
      out.expr = literal(sql::Int128{digits}, scale, {});
      out.text = to_string(out.expr.value);
      break;
    }
    case 6: {
      constexpr auto kReals =
          std::to_array<double>({0, 1, 2.5, 0.1, 1e10, 3.75});
      const double n = kReals[random.below(kReals.size())];
      out.expr = literal(n, {});
      out.text = to_string(out.expr.value) + "e0";
      break;
    }
    case 7: {
      out.expr = cast(literal(std::int64_t{7}, {}), integer_type(8, true), {});
      out.text = "CAST(7 AS UNSIGNED)";
      break;
    }
    case 8: {
      const int day = static_cast<int>(random.between(1, 28));
      const int month = static_cast<int>(random.between(1, 12));
      Expr e;
      e.op = sql::Op::Constant;
      e.type = kDate;
      e.value = sql::Value::date(sql::days_from(2024, month, day));
      out.text = "DATE'" + to_string(e.value) + "'";
      out.expr = std::move(e);
      break;
    }
    default: {
      const std::string text = kTexts[random.below(kTexts.size())];
      out.expr = literal(text, {});
      out.text = "'" + text + "'";
      break;
    }
  }
  return out;
}

struct Sign {
  const char* text;
  Operator op;
};
constexpr auto kSigns = std::to_array<Sign>({
    {"+", Operator::Add},           {"-", Operator::Subtract},
    {"*", Operator::Multiply},      {"/", Operator::Divide},
    {"DIV", Operator::IntDivide},   {"%", Operator::Modulo},
    {"&", Operator::BitAnd},        {"|", Operator::BitOr},
    {"^", Operator::BitXor},        {"<<", Operator::ShiftLeft},
    {">>", Operator::ShiftRight},   {"=", Operator::Equal},
    {"<>", Operator::NotEqual},     {"<", Operator::Less},
    {"<=", Operator::LessEqual},    {">", Operator::Greater},
    {">=", Operator::GreaterEqual}, {"<=>", Operator::NullSafeEqual},
    {"AND", Operator::And},         {"OR", Operator::Or},
    {"XOR", Operator::Xor},         {"LIKE", Operator::Like},
});

struct Named {
  const char* name;
  std::size_t operands;
};
constexpr auto kFunctions = std::to_array<Named>({
    {"CONCAT", 2},
    {"CONCAT_WS", 3},
    {"LENGTH", 1},
    {"CHAR_LENGTH", 1},
    {"LOWER", 1},
    {"UPPER", 1},
    {"LEFT", 2},
    {"RIGHT", 2},
    {"SUBSTRING", 2},
    {"SUBSTRING", 3},
    {"SUBSTRING_INDEX", 3},
    {"LOCATE", 2},
    {"LOCATE", 3},
    {"INSTR", 2},
    {"REPLACE", 3},
    {"LPAD", 3},
    {"RPAD", 3},
    {"LTRIM", 1},
    {"RTRIM", 1},
    {"REPEAT", 2},
    {"REVERSE", 1},
    {"ASCII", 1},
    {"STRCMP", 2},
    {"FIELD", 3},
    {"ELT", 3},
    {"FIND_IN_SET", 2},
    {"INSERT", 4},
    {"HEX", 1},
    {"MD5", 1},
    {"SHA1", 1},
    {"CRC32", 1},
    {"QUOTE", 1},
    {"BIN", 1},
    {"BIT_COUNT", 1},
    {"ROUND", 1},
    {"FLOOR", 1},
    {"CEIL", 1},
    {"ABS", 1},
    {"SIGN", 1},
    {"SQRT", 1},
    {"GREATEST", 2},
    {"LEAST", 3},
    {"YEAR", 1},
    {"MONTH", 1},
    {"DAY", 1},
    {"DAYOFWEEK", 1},
    {"WEEKDAY", 1},
    {"DAYOFYEAR", 1},
    {"QUARTER", 1},
    {"LAST_DAY", 1},
    {"TO_DAYS", 1},
    {"DATEDIFF", 2},
    {"WEEK", 1},
    {"DAYNAME", 1},
    {"MONTHNAME", 1},
    {"HOUR", 1},
    {"MINUTE", 1},
});

struct Cast {
  const char* text;
  sql::Type type;
};

const std::vector<Cast>& casts() {
  static const std::vector<Cast> all = {
      {"SIGNED", integer_type(8)},          {"UNSIGNED", integer_type(8, true)},
      {"DECIMAL(6,2)", decimal_type(6, 2)}, {"CHAR", text_type()},
      {"CHAR(3)", varchar_type(3)},         {"DATE", kDate},
      {"DATETIME", datetime_type()},        {"DOUBLE", kDouble}};
  return all;
}

MysqlExpression composed(std::vector<MysqlExpression> parts, std::string text,
                         Expr expr) {
  return {std::move(text), std::move(expr), std::move(parts)};
}

}  // namespace

MysqlExpression random_mysql_expression(Random& random, int depth) {
  if (depth == 0 || random.chance(0.15)) return leaf(random);
  const auto part = [&] { return random_mysql_expression(random, depth - 1); };
  switch (random.below(12)) {
    case 0: {
      auto a = part();
      Expr e = negated(a.expr, {});
      const std::string text = "(-(" + a.text + "))";
      return composed({std::move(a)}, text, std::move(e));
    }
    case 1: {
      auto a = part();
      Expr e = logical_not(a.expr, {});
      const std::string text = "(NOT (" + a.text + "))";
      return composed({std::move(a)}, text, std::move(e));
    }
    case 2: {
      auto a = part();
      Expr e = is_null(a.expr, {});
      const std::string text = "((" + a.text + ") IS NULL)";
      return composed({std::move(a)}, text, std::move(e));
    }
    case 3: {
      auto a = part();
      auto b = part();
      auto c = part();
      Expr e = choice({condition(a.expr), b.expr, c.expr}, {});
      const std::string text =
          "IF(" + a.text + "," + b.text + "," + c.text + ")";
      return composed({std::move(a), std::move(b), std::move(c)}, text,
                      std::move(e));
    }
    case 4: {
      auto a = part();
      auto b = part();
      Expr e = coalesce({a.expr, b.expr}, {});
      const std::string text = "COALESCE(" + a.text + "," + b.text + ")";
      return composed({std::move(a), std::move(b)}, text, std::move(e));
    }
    case 5: {
      auto a = part();
      auto b = part();
      auto c = part();
      Expr e = in_list({a.expr, b.expr, c.expr}, {});
      const std::string text =
          "((" + a.text + ") IN (" + b.text + "," + c.text + "))";
      return composed({std::move(a), std::move(b), std::move(c)}, text,
                      std::move(e));
    }
    case 6: {
      auto a = part();
      const Cast& to = casts()[random.below(casts().size())];
      Expr e = cast(a.expr, to.type, {});
      const std::string text =
          "CAST(" + a.text + " AS " + std::string(to.text) + ")";
      return composed({std::move(a)}, text, std::move(e));
    }
    case 7:
    case 8:
    case 9: {
      const Named& function = kFunctions[random.below(kFunctions.size())];
      std::vector<MysqlExpression> parts;
      std::vector<Expr> operands;
      std::string text = std::string(function.name) + "(";
      for (std::size_t i = 0; i < function.operands; ++i) {
        parts.push_back(part());
        operands.push_back(parts.back().expr);
        text += (i > 0 ? "," : "") + parts.back().text;
      }
      std::string name = function.name;
      for (char& c : name)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
      auto e = call(name, std::move(operands), {});
      return composed(std::move(parts), text + ")", std::move(*e));
    }
    default: {
      const Sign& sign = kSigns[random.below(kSigns.size())];
      auto a = part();
      auto b = part();
      Expr e = operation(sign.op, a.expr, b.expr, {});
      const std::string text =
          "((" + a.text + ") " + sign.text + " (" + b.text + "))";
      return composed({std::move(a), std::move(b)}, text, std::move(e));
    }
  }
}

}  // namespace txscope::test
