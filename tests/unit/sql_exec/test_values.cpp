#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "exec/sql/value/cast.h"
#include "exec/sql/value/compare.h"
#include "exec/sql/value/numeric.h"
#include "exec/sql/value/text.h"
#include "model/sql/value/parse_value.h"

namespace txscope::sql {
namespace {

Value number(const char* text) { return *parse_value(text, TypeName::Numeric); }

using Binary = Value (*)(const Value&, const Value&, Halt&);

std::string result(Binary operation, const char* a, const char* b) {
  Halt halt;
  const Value value = operation(number(a), number(b), halt);
  return halt.is_set() ? halt.error().sqlstate : to_string(value);
}

std::string casted(const Value& value, Type type,
                   CastContext context = CastContext::Explicit) {
  Halt halt;
  const Value as = cast(value, type, context, halt);
  return halt.is_set() ? halt.error().sqlstate : to_string(as);
}

// The expected values of this file were seen on PostgreSQL 15.

TEST(Numeric, SumsAndProductsHaveTheScalesOfPostgresql) {
  EXPECT_EQ(result(add_numeric, "1.5", "2.25"), "3.75");
  EXPECT_EQ(result(add_numeric, "1.50", "0.5"), "2.00");
  EXPECT_EQ(result(subtract_numeric, "1", "0.001"), "0.999");
  EXPECT_EQ(result(multiply_numeric, "1.50", "2.0"), "3.000");
}

TEST(Numeric, QuotientsHaveSixteenSignificantDigitsOrMore) {
  EXPECT_EQ(result(divide_numeric, "1", "3"), "0.33333333333333333333");
  EXPECT_EQ(result(divide_numeric, "10", "3"), "3.3333333333333333");
  EXPECT_EQ(result(divide_numeric, "10", "4"), "2.5000000000000000");
  EXPECT_EQ(result(divide_numeric, "100000", "3"), "33333.333333333333");
  EXPECT_EQ(result(divide_numeric, "2", "3"), "0.66666666666666666667");
  EXPECT_EQ(result(divide_numeric, "-2", "3"), "-0.66666666666666666667");
  EXPECT_EQ(result(divide_numeric, "0", "3"), "0.00000000000000000000");
  EXPECT_EQ(result(divide_numeric, "0.0001", "7"),
            "0.000014285714285714285714");
  EXPECT_EQ(result(divide_numeric, "1", "0"), "22012");
}

TEST(Numeric, ModuloHasTheSignOfTheFirst) {
  EXPECT_EQ(result(modulo_numeric, "-7.5", "2"), "-1.5");
  EXPECT_EQ(result(modulo_numeric, "7", "-2.50"), "2.00");
  EXPECT_EQ(result(modulo_numeric, "7", "0"), "22012");
}

TEST(Numeric, HalvesAreRoundedAwayFromZero) {
  Halt halt;
  EXPECT_EQ(to_string(round_numeric(number("2.5"), 0, halt)), "3");
  EXPECT_EQ(to_string(round_numeric(number("-2.5"), 0, halt)), "-3");
  EXPECT_EQ(to_string(round_numeric(number("1.005"), 2, halt)), "1.01");
  EXPECT_EQ(to_string(round_numeric(number("1.5"), 3, halt)), "1.500");
  EXPECT_EQ(to_string(round_numeric(number("1250"), -2, halt)), "1300");
  EXPECT_EQ(to_string(round_numeric(number("49"), -2, halt)), "0");
  EXPECT_EQ(to_string(floor_numeric(number("-1.5"))), "-2");
  EXPECT_EQ(to_string(ceil_numeric(number("-1.5"))), "-1");
  EXPECT_FALSE(halt.is_set());
}

TEST(Numeric, DigitsThatDoNotFitAreAnErrorOfOurs) {
  Halt halt;
  const Value large = number("90000000000000000000000000000000000000");
  (void)multiply_numeric(large, large, halt);
  ASSERT_TRUE(halt.is_error());
  EXPECT_TRUE(halt.error().is_ours);
}

TEST(Numeric, NumbersOfDifferentScaleCompareByValue) {
  EXPECT_EQ(compare(number("1.0"), number("1.00")), 0);
  EXPECT_LT(compare(number("0.1"), number("0.11")), 0);
  EXPECT_GT(compare(Value::integer(2), number("1.999")), 0);
  EXPECT_EQ(canonical(number("1.500")), canonical(number("1.5")));
  const Value large = number("99999999999999999999999999999999999999");
  EXPECT_GT(compare(large, number("0.00000001")), 0);
  EXPECT_LT(compare(number("0.00000001"), large), 0);
}

TEST(Cast, NumbersAreRoundedAndHaveToFit) {
  EXPECT_EQ(casted(number("2.5"), {TypeName::Integer}), "3");
  EXPECT_EQ(casted(number("-0.5"), {TypeName::Integer}), "-1");
  EXPECT_EQ(casted(number("32767.5"), {TypeName::SmallInt}), "22003");
  EXPECT_EQ(casted(number("99.995"), {TypeName::Numeric, 4, 2}), "22003");
  EXPECT_EQ(casted(number("99.994"), {TypeName::Numeric, 4, 2}), "99.99");
  EXPECT_EQ(casted(Value::integer(7), {TypeName::Numeric, 6, 2}), "7.00");
  EXPECT_EQ(casted(Value::integer(1LL << 40), {TypeName::Integer}), "22003");
}

TEST(Cast, TextsAreReadAsPostgresqlReadsThem) {
  EXPECT_EQ(casted(Value::text(" 12 "), {TypeName::Integer}), "12");
  EXPECT_EQ(casted(Value::text("1.5"), {TypeName::Integer}), "22P02");
  EXPECT_EQ(casted(Value::text("40000"), {TypeName::SmallInt}), "22003");
  EXPECT_EQ(casted(Value::text("1e2"), {TypeName::Numeric}), "100");
  EXPECT_EQ(casted(Value::text("x"), {TypeName::Numeric}), "22P02");
  EXPECT_EQ(casted(Value::text("ye"), {TypeName::Boolean}), "t");
  EXPECT_EQ(casted(Value::text("o"), {TypeName::Boolean}), "22P02");
  EXPECT_EQ(casted(Value::text("2024-02-30"), {TypeName::Date}), "22008");
  EXPECT_EQ(casted(Value::text("soon"), {TypeName::Date}), "22007");
  EXPECT_EQ(casted(Value::boolean(true), {TypeName::Text}), "true");
}

TEST(Cast, OnlyAnExplicitCastCutsATextShort) {
  const Type three{TypeName::Varchar, 3};
  const auto assigned = [&three](const char* text) {
    return casted(Value::text(text), three, CastContext::Assignment);
  };
  EXPECT_EQ(casted(Value::text("abcd"), three), "abc");
  EXPECT_EQ(assigned("abcd"), "22001");
  EXPECT_EQ(assigned("abc  "), "abc");
  EXPECT_EQ(assigned("äöü"), "äöü");
  EXPECT_EQ(casted(Value::text("äöüß"), three), "äöü");
}

TEST(Cast, TimestampsBefore2000AreOnTheRightDay) {
  const Value t = *parse_value("1999-12-31 23:59:59", TypeName::Timestamp);
  EXPECT_EQ(casted(t, {TypeName::Date}), "1999-12-31");
  const Value d = *parse_value("1999-12-31", TypeName::Date);
  EXPECT_EQ(casted(d, {TypeName::Timestamp}), "1999-12-31 00:00:00");
}

std::string liked(const char* text, const char* pattern,
                  const char* escape = "\\") {
  Halt halt;
  const Value value = like(text, pattern, escape, halt);
  return halt.is_set() ? halt.error().sqlstate : to_string(value);
}

TEST(Like, PercentAndUnderscoreMatchCharacters) {
  EXPECT_EQ(liked("abc", "a%"), "t");
  EXPECT_EQ(liked("abc", "%b%"), "t");
  EXPECT_EQ(liked("abc", "_b_"), "t");
  EXPECT_EQ(liked("abc", "b%"), "f");
  EXPECT_EQ(liked("", "%"), "t");
  EXPECT_EQ(liked("", "_"), "f");
  EXPECT_EQ(liked("aXbXc", "a%X%c"), "t");
  EXPECT_EQ(liked("mississippi", "%iss%ip%i"), "t");
  EXPECT_EQ(liked("mississippi", "%iss%ix%"), "f");
  EXPECT_EQ(liked("ë", "_"), "t");
  EXPECT_EQ(liked("aë", "%_ë"), "t");
}

TEST(Like, TheEscapeTakesTheNextCharacterLiterally) {
  EXPECT_EQ(liked("a%", "a\\%"), "t");
  EXPECT_EQ(liked("ab", "a\\%"), "f");
  EXPECT_EQ(liked("a_c", "a!_c", "!"), "t");
  EXPECT_EQ(liked("a\\c", "a\\c", ""), "t");
  EXPECT_EQ(liked("abc", "ab\\"), "22025");
  EXPECT_EQ(liked("xbc", "ab\\"), "f");
  EXPECT_EQ(liked("a", "a", "!!"), "22025");
}

}  // namespace
}  // namespace txscope::sql
