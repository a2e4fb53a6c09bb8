// Procedures as the server runs them: the calls of every application, one after
// the other in all orders, give what our interpreter says.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "db/dialect.h"
#include "exec/sql/memory/database.h"
#include "read/sql/sql.h"
#include "support/fuzz.h"
#include "support/live_database.h"
#include "support/paths.h"

namespace txscope::test {
namespace {

std::vector<std::filesystem::path> applications() {
  namespace fs = std::filesystem;
  std::vector<fs::path> paths;
  for (const auto& entry :
       fs::recursive_directory_iterator(source_dir() + "/examples")) {
    // Those of verify have open values, those of robust names that occur twice,
    // those of bugs no sessions; those of mysql are not PostgreSQL's SQL.
    const auto folder = entry.path().parent_path().filename();
    const auto above = entry.path().parent_path().parent_path().filename();
    const bool is_open = folder == "verify" || folder == "robust" ||
                         folder == "mysql" || above == "bugs" ||
                         is_race_case(entry.path());
    if (entry.path().extension() == ".sql" && !is_open)
      paths.push_back(entry.path());
  }
  for (const char* folder : {"/tests/sql", "/tests/sql/calls"})
    for (const auto& entry : fs::directory_iterator(source_dir() + folder))
      if (entry.path().extension() == ".sql") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// All orders of the sessions' calls, as sessions; at most `limit`.
std::vector<std::vector<std::uint32_t>> orders(
    const sql::Application& application, std::size_t limit) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t s = 0; s < application.sessions.size(); ++s)
    order.insert(order.end(), application.sessions[s].calls.size(), s);
  std::vector<std::vector<std::uint32_t>> result;
  do {
    result.push_back(order);
  } while (result.size() < limit &&
           std::next_permutation(order.begin(), order.end()));
  return result;
}

/// Runs a call as the user wrote it, in a transaction of its own; the code of
/// its error.
std::string call_live(db::Session& session, const sql::Application& application,
                      const sql::Call& call) {
  const sql::Routine& routine = application.at(call.routine);
  std::string text(application.text(call.at));
  // A script on several lines of comments.
  for (std::size_t at; (at = text.find("--@")) != std::string::npos;)
    text.replace(at, 3, "   ");
  if (routine.is_function) text = "SELECT " + text;
  const db::Answer answer = session.execute(text);
  if (!answer.is_ok()) session.execute("ROLLBACK");
  return answer.code;
}

class LiveCalls : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(LiveCalls, DoSeriallyWhatOurInterpreterSays) {
  const Product product = Product::PostgreSql;
  if (!live_server(product).server) GTEST_SKIP() << live_server(product).why;
  std::ifstream file(GetParam());
  std::stringstream text;
  text << file.rdbuf();
  const auto application = sql::read_sql(GetParam().string(), text.str());
  ASSERT_TRUE(application) << application.error().what;
  LiveDatabase& database = live_database(product);
  std::vector<std::string> tables;
  for (const sql::Table& table : application->schema.tables)
    tables.push_back(table.name);
  ASSERT_EQ(database.load(db::load_texts(*application, product), tables), "");
  const Budget budget = Budget::unlimited();
  const sql::Routines routines(*application);
  const auto set_up = sql::MemoryDatabase::after_setup(routines, budget);
  const auto* initial = std::get_if<sql::MemoryDatabase>(&set_up);
  ASSERT_NE(initial, nullptr);
  for (const auto& order :
       orders(*application, static_cast<std::size_t>(fuzz_rounds(6)))) {
    const sql::SerialRun ours =
        sql::run_serially(*initial, *application, order, budget);
    ASSERT_EQ(database.reset(), "");
    std::vector<std::size_t> next(application->sessions.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      const sql::Call& call =
          application->sessions[order[i]].calls[next[order[i]]++];
      const std::string code =
          call_live(**database.session(0), *application, call);
      const auto& ran = ours.ran[i];
      std::string own = ran.kind == sql::Request::Kind::Failed
                            ? ran.process.error().sqlstate
                            : "";
      if (own == "00000") own.clear();  // a ROLLBACK of its own
      EXPECT_EQ(code, own) << application->text(call.at);
    }
    std::vector<std::vector<sql::Row>> rows;
    for (std::size_t t = 0; t < tables.size(); ++t)
      rows.push_back(ours.database.rows(TableId(t)));
    EXPECT_EQ(state_text(*application, *database.state()),
              rows_text(*application, rows));
  }
}

INSTANTIATE_TEST_SUITE_P(Live, LiveCalls, testing::ValuesIn(applications()),
                         [](const auto& test) {
                           std::string name =
                               test.param.parent_path().stem().string() + "_" +
                               test.param.stem().string();
                           for (char& c : name)
                             if (!std::isalnum(static_cast<unsigned char>(c)))
                               c = '_';
                           return name;
                         });

}  // namespace
}  // namespace txscope::test
