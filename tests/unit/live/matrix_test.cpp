// The matrices that `analyze` gives for the applications of examples/, on the
// real servers.  Of every pair that races the run is repeated there, statement
// by statement.  Every pair that is safe, or was tried, runs in interleavings
// by chance: whatever happens is an outcome that the engine has, and that is a
// serial one; what is safe for any number of calls runs with a third call.
// In short, some levels and pairs; with more rounds, all.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analyze/analyze.h"
#include "read/sql/sql.h"
#include "support/fuzz.h"
#include "support/live_judge.h"
#include "support/live_server.h"
#include "support/paths.h"
#include "support/run_command.h"
#include "txscope/explore.h"
#include "txscope/replay.h"
#include "txscope/write.h"
#include "verb/input/program_file.h"

namespace txscope::test {
namespace {

using analyze::Analysis;
using analyze::Cell;
using analyze::CellVerdict;
using nlohmann::json;

constexpr const char* kSerial = "as if one after the other";

bool is_long() { return fuzz_rounds(10) > 10; }

/// Without the sessions and the rules that the file has.
std::string without_questions(const std::string& text) {
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with("--@")) out += line + "\n";
  return out;
}

/// An application and its matrix at a level.
class Matrix {
 public:
  Matrix(const std::string& name, const Profile& level) : level_(level) {
    const auto text = verb::read_text(source_dir() + "/examples/" + name);
    EXPECT_TRUE(text) << name;
    text_ = text ? *text : "";
    auto application = sql::read_sql(name, text_, false);
    EXPECT_TRUE(application);
    application_ = std::move(*application);
    analyze::AnalyzeOptions options;
    options.profile = &level;
    auto found = analyze::analyze(application_, options, Budget::unlimited());
    EXPECT_TRUE(found);
    found_ = std::move(*found);
    text_ = without_questions(text_);
  }

  [[nodiscard]] const Profile& level() const { return level_; }
  [[nodiscard]] const Analysis& found() const { return found_; }
  [[nodiscard]] std::string name_of(const Cell& cell) const {
    return found_.name_of({cell.a, cell.b}) + " at " + found_.level;
  }

  /// The cells of some verdicts; in short a few of them.
  [[nodiscard]] std::vector<Cell> cells(
      std::initializer_list<CellVerdict> verdicts) const {
    std::vector<Cell> cells;
    for (const Cell& cell : found_.cells)
      if (std::count(verdicts.begin(), verdicts.end(), cell.verdict) > 0 &&
          cell.can_meet) {
        cells.push_back(cell);
      }
    if (is_long()) return cells;
    std::vector<Cell> some;
    for (std::size_t i = 0; i < cells.size(); i += 1 + cells.size() / 3)
      some.push_back(cells[i]);
    return some;
  }

  /// The pair with each choice of arguments, as an application of its own.
  [[nodiscard]] std::vector<std::string> texts_of(const Cell& cell) const {
    std::vector<std::string> texts;
    const auto& first = found_.types[cell.a].choices;
    const auto& second = found_.types[cell.b].choices;
    for (const std::string& before : ways_before(cell))
      for (const analyze::Arguments& one : first)
        for (const analyze::Arguments& other : second)
          texts.push_back(text_ + before + session("a", cell.a, one) +
                          session("b", cell.b, other));
    return texts;
  }
  /// MariaDB does not understand the procedures of these files, so the setup
  /// cannot call them there.
  [[nodiscard]] bool cannot_call_before(const Cell& cell) const {
    return level_.product == Product::MariaDb && ways_before(cell).size() > 1;
  }
  /// A call more, of the first of the two.
  [[nodiscard]] std::string third_call(const Cell& cell) const {
    return session("c", cell.a, found_.types[cell.a].choices.back());
  }

 private:
  /// Calls that lead to the state in which the pair goes wrong.
  [[nodiscard]] std::vector<std::string> ways_before(const Cell& cell) const {
    std::vector<std::string> ways = {""};
    for (const analyze::RaceFinding& finding : found_.findings) {
      if (finding.before.empty() ||
          std::count(finding.groups.begin(), finding.groups.end(),
                     analyze::Group{cell.a, cell.b}) == 0) {
        continue;
      }
      std::string& calls = ways.emplace_back();
      for (const std::string& call : finding.before) calls += call + ";\n";
    }
    return ways;
  }
  [[nodiscard]] std::string session(const std::string& name, std::size_t type,
                                    const analyze::Arguments& arguments) const {
    sql::Call call;
    call.label = found_.types[type].name;
    call.routine = found_.types[type].routine;
    call.arguments = arguments;
    call.is_made = true;
    return "--@ session " + name + ": " + call_text(application_, call) + ";\n";
  }

  const Profile& level_;
  std::string text_;
  sql::Application application_;
  Analysis found_;
};

std::string server_of(const Profile& level) {
  const std::string host = live_server(level.product).server->host();
  return level.product == Product::MariaDb
             ? "mariadb://root@/test?socket=" + host + "/socket"
             : "postgresql://postgres@/postgres?host=" + host;
}

/// Whether the server repeats the run in which the two do what no serial order
/// does; null: they do not.
json repeated(const std::string& text, const Profile& level) {
  const TemporaryDirectory place;
  verb::ExploreRequest explore;
  explore.input = place.write("pair.sql", text);
  explore.level = level.name;
  explore.all = true;
  const auto report = verb::explore(explore, Budget::unlimited());
  EXPECT_TRUE(report) << report.error().what << text;
  if (!report) return nullptr;
  verb::ReplayRequest replay;
  replay.input = place.write("found.json", verb::json(*report));
  replay.db = server_of(level);
  if (verb::json(*report).find("\"schedule\"") == std::string::npos)
    return nullptr;
  const auto done = verb::replay(replay, Budget::unlimited());
  EXPECT_TRUE(done) << done.error().what << text;
  if (!done) return nullptr;
  const json told = json::parse(verb::json(*done));
  for (const json& one : told["results"])
    if (one["property"] == kSerial) return one;
  return nullptr;
}

using MatrixAt = std::tuple<const char*, const Profile*>;

class LiveMatrix : public testing::TestWithParam<MatrixAt> {
 protected:
  [[nodiscard]] static const Profile& level() {
    return *std::get<1>(GetParam());
  }
  [[nodiscard]] static std::string why_not() {
    return live_server(level().product).server
               ? ""
               : live_server(level().product).why;
  }
};

TEST_P(LiveMatrix, EveryRaceHappensOnTheServer) {
  if (!why_not().empty()) GTEST_SKIP() << why_not();
  const Matrix matrix(std::get<0>(GetParam()), level());
  for (const Cell& cell : matrix.cells({CellVerdict::Race})) {
    json seen;
    for (const std::string& text : matrix.texts_of(cell))
      if (seen.is_null()) seen = repeated(text, level());
    ASSERT_FALSE(seen.is_null()) << matrix.name_of(cell);
    if (seen["verdict"] != "reproduced" && matrix.cannot_call_before(cell))
      continue;
    // MariaDB does not have UPDATE .. RETURNING.
    const bool is_unknown_there =
        seen.value("first_difference", "").find("1064") != std::string::npos;
    EXPECT_TRUE(seen["verdict"] == "reproduced" || is_unknown_there)
        << matrix.name_of(cell) << seen.dump(1);
  }
}

void attack(const std::string& what, const std::string& text,
            const Profile& level) {
  const auto application = sql::read_sql("pair.sql", text, true);
  ASSERT_TRUE(application) << application.error().what;
  LiveOptions how;
  how.random_runs = static_cast<std::uint64_t>(fuzz_rounds(4));
  const LiveDifference difference = compare_live(*application, level, how);
  if (difference.problem.find("1064") != std::string::npos) return;
  EXPECT_EQ(difference.problem, "") << what << "\n" << text;
  EXPECT_TRUE(difference.missing.empty()) << what << "\n"
                                          << text << to_string(difference);
  EXPECT_GT(difference.interleavings, 0u) << what;
}

// All outcomes of the engine are serial there; those of the server are among
// them.
TEST_P(LiveMatrix, NothingElseHappensWherePairsAreRight) {
  if (!why_not().empty()) GTEST_SKIP() << why_not();
  const Matrix matrix(std::get<0>(GetParam()), level());
  for (const Cell& cell :
       matrix.cells({CellVerdict::Safe, CellVerdict::Tried})) {
    const std::vector<std::string> texts = matrix.texts_of(cell);
    const std::size_t most = is_long() ? cell.tried : 1;
    for (std::size_t i = 0; i < texts.size() && i < most; ++i)
      attack(matrix.name_of(cell), texts[i], level());
    if (cell.verdict == CellVerdict::Safe)
      attack(matrix.name_of(cell), texts.front() + matrix.third_call(cell),
             level());
  }
}

std::vector<MatrixAt> matrices() {
  std::vector<MatrixAt> all;
  for (const char* file :
       {"auction/auction.sql", "bank/bank.sql", "courseware/courseware.sql",
        "on-call/on-call.sql", "playlist/playlist.sql", "rubis/rubis.sql",
        "seats/seats.sql", "shop/shop.sql", "smallbank/smallbank.sql",
        "tickets/tickets.sql", "tpcc/tpcc.sql", "twitter/twitter.sql"}) {
    for (const Profile& level : profiles()) {
      const bool has_server = level.product == Product::PostgreSql ||
                              level.product == Product::MariaDb;
      const bool is_default = level.name == "postgresql:read-committed" ||
                              level.name == "mariadb:repeatable-read";
      if (has_server && (is_default || is_long()))
        all.emplace_back(file, &level);
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(
    Examples, LiveMatrix, testing::ValuesIn(matrices()), [](const auto& one) {
      std::string name = std::get<0>(one.param);
      name.resize(name.find('/'));
      name += "_at_" + std::string(std::get<1>(one.param)->name);
      std::replace_if(
          name.begin(), name.end(),
          [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) == 0;
          },
          '_');
      return name;
    });

}  // namespace
}  // namespace txscope::test
