// The whole program with hostile inputs: names of tables, columns, routines,
// sessions, rules and files, values in rows, histories and logs.  Whatever they
// are, every form of the answer has them as text.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "fuzz/reports/foreign_markup.h"
#include "fuzz/reports/hostile_pieces.h"
#include "support/fuzz.h"
#include "support/run_command.h"
#include "support/xml.h"

namespace txscope {
namespace {

using nlohmann::json;
using test::TemporaryDirectory;

class HostileWriter {
 public:
  explicit HostileWriter(std::uint64_t seed) : random_(seed) {}

  /// Valid UTF-8 without NUL: what a database takes as a name or a value.
  std::string text() {
    std::string out;
    while (out.empty())
      for (std::size_t n = 1 + random_() % 3; n > 0; --n) {
        const std::string& piece =
            hostile_pieces()[random_() % hostile_pieces().size()];
        const bool is_taken = json(piece).is_string() && is_utf8(piece) &&
                              piece.find('\0') == std::string::npos;
        if (is_taken) out += piece;
      }
    return out;
  }
  std::string name() { return quoted(text() + std::to_string(++names_), '"'); }
  std::string value() { return quoted(text(), '\''); }

  static std::string quoted(const std::string& text, char quote) {
    std::string out(1, quote);
    for (const char c : text) out += std::string(c == quote ? 2 : 1, c);
    return out + quote;
  }
  /// NULL bytes and broken characters end in an error of the reader.
  static bool is_utf8(const std::string& text) {
    return json(text).dump(-1, ' ', false, json::error_handler_t::replace) ==
               json(text).dump(-1, ' ', false, json::error_handler_t::ignore) &&
           !text.empty();
  }

 private:
  std::mt19937_64 random_;
  int names_ = 0;
};

/// A lost update, whatever it is about.
std::string hostile_application(HostileWriter& make) {
  const std::string table = make.name(), id = make.name(), what = make.name();
  const std::string routine = make.name(), variable = make.name();
  return "CREATE TABLE " + table + " (" + id + " integer PRIMARY KEY, " + what +
         " text);\nINSERT INTO " + table + " VALUES (1, " + make.value() +
         ");\nCREATE PROCEDURE " + routine +
         "(p text) LANGUAGE plpgsql AS $body$\nDECLARE " + variable +
         " text;\nBEGIN\n  SELECT " + what + " INTO " + variable + " FROM " +
         table + " WHERE " + id + " = 1;\n  UPDATE " + table + " SET " + what +
         " = " + variable + " || p WHERE " + id +
         " = 1;\nEND $body$;\n--@ session a: CALL " + routine + "(" +
         make.value() + ");\n--@ session b: CALL " + routine + "(" +
         make.value() + ");\n--@ invariant rule: (SELECT length(" + what +
         ") FROM " + table + ") < 0\n";
}

std::string hostile_history(HostileWriter& make) {
  const std::string key = make.text(), old = make.text();
  std::string out =
      json{{"txscope", "history"}, {"version", 1}, {"initial", {{key, old}}}}
          .dump() +
      "\n";
  for (int i = 0; i < 2; ++i)
    out +=
        json{{"session", make.text() + std::to_string(i)},
             {"id", make.text() + std::to_string(i)},
             {"ops",
              json::array(
                  {json::array({"r", key, old}),
                   json::array({"w", key, make.text() + std::to_string(i)})})}}
            .dump() +
        "\n";
  return out;
}

std::string hostile_log(HostileWriter& make) {
  const std::string table = make.name();
  std::string out =
      json{
          {"txscope", "log"},
          {"version", 1},
          {"database", make.text()},
          {"dialect", "postgresql"},
          {"level", "serializable"},
          {"setup",
           json::array(
               {"CREATE TABLE " + table + " (id INT PRIMARY KEY, v text)",
                "INSERT INTO " + table + " VALUES (1, " + make.value() + ")"})}}
          .dump() +
      "\n";
  return out +
         json{{"session", 1},
              {"id", make.text()},
              {"status", "committed"},
              {"start", 10},
              {"end", 20},
              {"statements",
               json::array({{{"sql", "SELECT v FROM " + table},
                             {"rows", json::array({json::array(
                                          {make.text() + "!"})})}}})}}
             .dump() +
         "\n";
}

/// Bytes that do something on a terminal, but line breaks and tabs.
bool has_control(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool is_line_end =
        c == '\n' || (c == '\r' && text.compare(i, 2, "\r\n") == 0);
    if ((c < 0x20 && !is_line_end && c != '\t') || c == 0x7f) return true;
    if (text.compare(i, 3, "\xe2\x80\xae") == 0) return true;  // bidi override
    if (c == 0xc2 && i + 1 < text.size() &&
        static_cast<unsigned char>(text[i + 1]) < 0xa0)
      return true;  // C1
  }
  return false;
}

/// What stands outside of quoted names of a graph in Graphviz's language.
std::string outside_of_quotes(const std::string& dot) {
  std::string out;
  bool is_quoted = false;
  for (std::size_t i = 0; i < dot.size(); ++i) {
    if (is_quoted && dot[i] == '\\') {
      ++i;
    } else if (dot[i] == '"') {
      is_quoted = !is_quoted;
    } else if (!is_quoted) {
      out += dot[i];
    }
  }
  return is_quoted ? "a quote is open" : out;
}

struct HostileRun {
  const char* call;
  const char* file;
  std::string (*make)(HostileWriter&);
  bool has_dot = true;
};

void PrintTo(const HostileRun& one, std::ostream* out) { *out << one.call; }

constexpr HostileRun kRuns[] = {
    {"explore --level postgresql:read-committed", "evil.sql",
     hostile_application},
    {"explore --level snapshot-isolation", "evil.sql", hostile_application},
    {"analyze", "evil.sql", hostile_application},
    {"robust --against causal", "evil.sql", hostile_application},
    {"check", "evil.jsonl", hostile_history},
    {"audit", "evil.log", hostile_log, false},
};

void expect_harmless(const TemporaryDirectory& directory, bool has_dot) {
  EXPECT_EQ(foreign_markup(directory.read("o.html")), "");
  EXPECT_TRUE(json::accept(directory.read("o.json")));
  EXPECT_TRUE(json::accept(directory.read("o.sarif")));
  EXPECT_TRUE(json::accept(directory.read("o.gitlab")));
  const std::string junit = directory.read("o.xml");
  EXPECT_EQ(test::parse_xml(junit).name, "testsuites") << junit;
  for (const char* file :
       {"o.txt", "o.md", "o.github", "o.lines", "o.dot", "o.html", "o.csv"})
    if (has_dot || std::string(file) != "o.dot") {
      EXPECT_FALSE(has_control(directory.read(file))) << file;
    }
  std::istringstream commands(directory.read("o.github"));
  for (std::string line; std::getline(commands, line);)
    EXPECT_TRUE(line.starts_with("::error ") ||
                line.starts_with("::warning ") || line.starts_with("::notice "))
        << line;
  if (!has_dot) return;
  const std::string graph = std::regex_replace(
      outside_of_quotes(directory.read("o.dot")), std::regex("->"), "");
  EXPECT_EQ(graph.find_first_of("<>&`'|"), std::string::npos) << graph;
  EXPECT_EQ(std::count(graph.begin(), graph.end(), '{'),
            std::count(graph.begin(), graph.end(), '}'));
}

class HostileInputs : public testing::TestWithParam<HostileRun> {};

TEST_P(HostileInputs, StayTextInEveryForm) {
  const auto& [call, file, make, has_dot] = GetParam();
  const int rounds = fuzz_rounds(6);
  int judged = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t seed = fuzz_seed(1) + static_cast<std::uint64_t>(round);
    SCOPED_TRACE(seed);
    const TemporaryDirectory directory;
    HostileWriter writer(seed);
    directory.write(file, make(writer));
    const std::string verb =
        std::string(call).substr(0, std::string(call).find(' '));
    const std::string options = std::string(call).substr(verb.size());
    const test::Ran ran = test::run_command(
        "txscope " + verb + " " + file + options +
            " --timeout 30s --format text -o o.txt --format html -o o.html "
            "--format json -o o.json --format markdown -o o.md --format sarif "
            "-o o.sarif --format junit -o o.xml --format github -o o.github "
            "--format gitlab -o o.gitlab --format lines -o o.lines "
            "--format csv -o o.csv" +
            (has_dot ? " --format dot -o o.dot" : ""),
        directory.path());
    EXPECT_FALSE(has_control(ran.output)) << ran.output;
    // What a reader refuses is told, and that has to be harmless as well.
    if (ran.status == 2) continue;
    ASSERT_TRUE(ran.status == 1 || ran.status == 3) << ran.output;
    judged += ran.status == 1 ? 1 : 0;
    expect_harmless(directory, has_dot);
    if (HasFailure()) return;
  }
  EXPECT_GE(judged, 1) << "none has come as far as a finding";
}

INSTANTIATE_TEST_SUITE_P(Verbs, HostileInputs, testing::ValuesIn(kRuns));

}  // namespace
}  // namespace txscope
