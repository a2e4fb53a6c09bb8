#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "exec/sql/memory/database.h"
#include "read/sql/sql.h"
#include "support/fuzz.h"
#include "support/live_server.h"

// Random expressions over all types, evaluated by us and by PostgreSQL: the
// same text or the same SQLSTATE.
namespace txscope::test {
namespace {

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed) {}

  /// An expression whose type has this letter (kinds() lists them).
  std::string make(char kind, int depth) {
    if (depth <= 0 || pick(4) == 0) return leaf(kind);
    const std::vector<std::string>& all = forms().at(kind);
    std::string form = all[pick(all.size())];
    std::string text;
    for (std::size_t i = 0; i < form.size(); ++i) {
      if (form[i] == '$' && i + 1 < form.size() &&
          kinds().find(form[i + 1]) != std::string::npos) {
        text += make(form[++i], depth - 1);
      } else {
        text += form[i];
      }
    }
    return "(" + text + ")";
  }
  std::size_t pick(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_);
  }
  static const std::string& kinds() {
    static const std::string all = "tinfbdszvjagu";
    return all;
  }

 private:
  // t text, i integer, n numeric, f double, b boolean, d date, s timestamp,
  // z timestamptz, v interval, j jsonb, a integer[], g text[], u uuid
  static const std::map<char, std::vector<std::string>>& forms() {
    static const std::map<char, std::vector<std::string>> all = {
        {'t',
         {"$t || $t",
          "lower($t)",
          "upper($t)",
          "trim($t)",
          "btrim($t, 'ab')",
          "ltrim($t, 'a ')",
          "rtrim($t)",
          "left($t, $i % 5)",
          "right($t, $i % 5)",
          "substring($t, $i % 4, 2)",
          "substring($t from 2)",
          "replace($t, 'a', $t)",
          "concat($t, $i, $b)",
          "concat_ws('-', $t, $n, NULL)",
          "lpad($t, 5, 'xy')",
          "rpad($t, 4)",
          "repeat($t, 2)",
          "reverse($t)",
          "initcap($t)",
          "split_part($t, 'b', 1)",
          "regexp_replace($t, '[ab]+', '-')",
          "regexp_replace($t, 'a*', 'x', 'g')",
          "regexp_replace($t, '[^a-b]', '(\\&)\\\\', 'gi')",
          "regexp_replace($t, '^|b$', '.', 'g')",
          "array_to_string(regexp_split_to_array($t, '[ab]'), '|')",
          "array_to_string(regexp_split_to_array($t, 'b*'), '|')",
          "array_to_string(regexp_split_to_array($t, 'A|ab', 'i'), '|')",
          "(regexp_match($t, 'b|ba*'))[1]",
          "(regexp_match($t, 'B+', 'i'))[1]",
          "encode(convert_to(md5($t), 'UTF8'), 'hex')",
          "convert_from(decode(md5($t), 'escape'), 'UTF8')",
          "encode(int8send($i), 'hex')",
          "encode(set_byte(decode(md5($t), 'hex'), 3, $i), 'hex')",
          "md5($t)",
          "format('%s/%L/%I', $i, $t, $t)",
          "$j ->> 'a'",
          "$j #>> '{a,0}'",
          "coalesce($t, 'c')",
          "CASE WHEN $b THEN $t ELSE $t END",
          "array_to_string($g, ',')",
          "to_char($s, 'YYYY-MM-DD HH24:MI:SS')",
          "$i::text",
          "$v::text",
          "translate($t, 'ab', 'x')",
          "quote_literal($t)",
          "(ARRAY[$t, $t])[1]",
          "$g::text",
          "$a::text",
          "$f::text"}},
        {'i',
         {"$i + $i",
          "$i - $i",
          "length($t)",
          "position('a' in $t)",
          "strpos($t, $t)",
          "cardinality($a)",
          "array_length($a, 1)",
          "ascii($t)",
          "get_byte(decode(md5($t), 'hex'), abs($i) % 18)",
          "('x' || substr(md5($t), 1, 8))::bit(32)::int",
          "('x' || md5($t))::bit(20)::int",
          "substr(md5($t), 1, 1)::bit(4)::int",
          "jsonb_array_length($j)",
          "array_position($a, $i)",
          "$a[1]",
          "$a[$i % 3]",
          "num_nulls($t, $i)",
          "$f::int",
          "$n::int",
          "octet_length($t)",
          "$d - $d",
          "$i & $i",
          "$i | $i",
          "$i # $i",
          "$i << ($i & 7)",
          "$i >> ($i & 3)",
          "~ $i",
          "@ $i",
          "greatest($i, $i)"}},
        {'n',
         {"$n + $n", "$n * 2", "round($n, 1)", "trunc($n, 1)", "sign($n)",
          "extract(day from $s)", "extract(epoch from $v)",
          "extract(year from $d)", "extract(dow from $s)",
          "extract(week from $d)", "extract(second from $s)",
          "extract(quarter from $z)", "div($n, 3)", "abs($n)", "$i::numeric",
          "extract(doy from $d)", "extract(isodow from $d)"}},
        {'f',
         {"$f + $f", "$f * $f", "$f - $i", "$f / 3", "power($f, 2)",
          "sqrt(abs($f))", "$i::float8", "date_part('hour', $s)", "floor($f)",
          "ceil($f)", "round($f)", "$n::float8", "trunc($f)",
          "date_part('epoch', $v)"}},
        {'b',
         {"$i < $i",
          "$t = $t",
          "$s < $s",
          "$v > $v",
          "$i = ANY($a)",
          "$i <> ALL($a)",
          "$a @> $a",
          "$a && $a",
          "$g <@ $g",
          "$j @> $j",
          "$j ? 'a'",
          "$t LIKE '%a%'",
          "$t ILIKE '%A_'",
          "$t ~ '^a'",
          "$t ~* 'B$'",
          "$t !~ '[a-c]+'",
          "$t ~ '^(ab|b|[^x])+?c{0,2}$'",
          "$t !~* '^[[:alpha:]_]*\\.?\\d*$'",
          "$t ~ '(a|(b|c)){2,3}'",
          "$b AND $b",
          "NOT $b",
          "$d <= $d",
          "$f > $f",
          "$u = $u",
          "$a = $a",
          "starts_with($t, 'a')",
          "$t = ANY($g)",
          "$z >= $s",
          "$j = $j",
          "$a < $a"}},
        {'d', {"$d + 3", "$s::date", "$d - $i % 40", "$z::date"}},
        {'s',
         {"$s + $v", "$s - $v", "$d + $v", "date_trunc('month', $s)",
          "date_trunc('hour', $s)", "date_trunc('week', $s)", "$d::timestamp",
          "$z AT TIME ZONE 'UTC'", "$z::timestamp"}},
        {'z',
         {"$z + $v", "$s AT TIME ZONE 'utc'", "$s::timestamptz",
          "date_trunc('day', $z)", "to_timestamp($i)"}},
        {'v',
         {"$v + $v", "$v - $v", "$s - $s", "$v * 2", "$v * 1.5", "$v / 3",
          "- $v", "age($s, $s)", "make_interval(days => $i % 100)",
          "date_trunc('day', $v)", "$z - $z"}},
        {'j',
         {"jsonb_build_object('a', $i, $t, $t)",
          "jsonb_build_array($i, $t, $b, NULL)", "to_jsonb($t)", "to_jsonb($a)",
          "$j || $j", "$j -> 'a'", "$j -> 0", "$j - 'a'",
          "jsonb_set($j, '{a}', $j)", "$j #> '{a}'", "to_jsonb($s)",
          "to_jsonb($n)", "jsonb_build_object('x', $j, 'yy', $f)"}},
        {'a',
         {"ARRAY[$i, $i]", "array_append($a, $i)", "$a || $a", "$a || $i",
          "$i || $a", "array_remove($a, $i)", "$a[1:2]"}},
        {'g',
         {"ARRAY[$t, $t]", "string_to_array($t, 'b')", "$g || $t",
          "$a::text[]"}},
        {'u', {"$u"}},
    };
    return all;
  }
  std::string leaf(char kind) {
    static const std::map<char, std::vector<std::string>> kLeaves = {
        {'t', {"'abc'", "' a b '", "''", "'\u00e4b'", "NULL::text", "'A\"x'"}},
        {'i', {"0", "1", "-2", "7", "NULL::int", "42"}},
        {'n', {"1.50", "0.0", "-2.345", "100", "NULL::numeric"}},
        {'f',
         {"1.5::float8", "0::float8", "-2.25::float8", "1e20::float8",
          "NULL::float8", "0.1::float8"}},
        {'b', {"true", "false", "NULL::bool"}},
        {'d',
         {"DATE '2024-01-31'", "DATE '2023-12-30'", "DATE '2/29/2024'",
          "'7-4-2021'::date", "NULL::date"}},
        {'s',
         {"TIMESTAMP '2024-02-29 12:34:56.789'",
          "TIMESTAMP '2023-01-01 00:00:00'", "NULL::timestamp"}},
        {'z',
         {"TIMESTAMPTZ '2024-03-10 05:06:07+02'",
          "TIMESTAMPTZ '2022-11-30 23:59:59.5-07'", "NULL::timestamptz"}},
        {'v',
         {"INTERVAL '1 day'", "INTERVAL '2 hours 30 minutes'",
          "INTERVAL '-1 mon 5 days'", "INTERVAL '1 year 2 mons 3.5 secs'",
          "NULL::interval", "INTERVAL '36:00:00'"}},
        {'j',
         {"'{\"b\": 1, \"a\": [1, 2]}'::jsonb", "'[1, \"x\", null]'::jsonb",
          "'{}'::jsonb", "'\"s\"'::jsonb", "'1.50'::jsonb", "NULL::jsonb"}},
        {'a', {"ARRAY[1,2,3]", "'{}'::int[]", "ARRAY[1,NULL]", "NULL::int[]"}},
        {'g', {"ARRAY['a','b c']", "'{}'::text[]", "ARRAY['', NULL]"}},
        {'u', {"'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'::uuid", "NULL::uuid"}},
    };
    const auto& all = kLeaves.at(kind);
    return all[pick(all.size())];
  }

  std::mt19937_64 random_;
};

struct Said {
  std::string text;  ///< or "error CODE"
  bool is_gap = false;
};

Said ours(const std::string& expression) {
  const auto read = sql::read_sql(
      "x.sql", "--@ session s: SELECT (" + expression + ")::text;\n");
  if (!read) return {read.error().what, true};
  const sql::Routines routines(*read);
  const Budget budget = Budget::unlimited();
  sql::MemoryDatabase database(routines);
  const auto ran = database.run(read->sessions[0].calls[0], budget);
  if (ran.kind == sql::Request::Kind::Failed) {
    const sql::SqlError& error = ran.process.error();
    return {"error " + error.sqlstate, error.is_ours};
  }
  if (ran.last.rows.empty()) return {"no row", true};
  return {to_string(ran.last.rows[0][0]), false};
}

TEST(FuzzBuiltins, SameAsPostgresql) {
  LiveServer& live = live_postgresql();
  if (!live.server) GTEST_SKIP() << live.why;
  const auto session = live.connect();
  ASSERT_NE(session, nullptr);
  ASSERT_TRUE(session->execute("SET TimeZone = 'UTC'").is_ok());
  Maker maker(fuzz_seed(11));
  int compared = 0;
  std::map<std::string, int> gaps;
  const int rounds = fuzz_rounds(1500);
  for (int i = 0; i < rounds; ++i) {
    const char kind = Maker::kinds()[maker.pick(Maker::kinds().size())];
    const std::string expression = maker.make(kind, 3);
    const Said mine = ours(expression);
    if (mine.is_gap) {
      ++gaps[mine.text.substr(0, 60)];
      continue;
    }
    const db::Answer answer =
        session->execute("SELECT (" + expression + ")::text");
    const std::string theirs = !answer.is_ok()
                                   ? "error " + answer.code
                                   : answer.rows.at(0).at(0).value_or("NULL");
    EXPECT_EQ(mine.text, theirs) << expression;
    ++compared;
    if (testing::Test::HasFailure() && i > 4000) break;
  }
  EXPECT_GT(compared, rounds / 2);
  if (std::getenv("TXSCOPE_FUZZ_VERBOSE") != nullptr)
    for (const auto& [what, count] : gaps)
      std::printf("%5d %s\n", count, what.c_str());
}

}  // namespace
}  // namespace txscope::test
