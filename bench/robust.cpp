// Proves and searches the applications of a folder, then generated ones that
// grow, and prints how long it takes.
//
//     bench_robust [folder, default examples/robust]
//
// Columns: the application; its transaction types; the obligations of the proof
// against snapshot isolation, the cycles it leaves, solver and total seconds of
// processor time; of the search of its sessions the answer and the seconds.

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "read/sql/sql.h"
#include "robust/proof/prover.h"
#include "robust/search_sql.h"

namespace {

using namespace txscope;

double seconds_since(std::clock_t start) {
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

/// Forms over `tables` tables: five transactions for every two of them, which
/// create, change, move, count and remove rows.
std::string forms(int tables) {
  std::string out;
  for (int t = 0; t < tables; ++t) {
    const std::string n = std::to_string(t);
    out += "CREATE TABLE t" + n +
           " (id int PRIMARY KEY, parent int, a int NOT NULL, b int NOT "
           "NULL);\n";
  }
  for (int t = 0; t + 1 < tables; t += 2) {
    const std::string n = std::to_string(t);
    const std::string m = std::to_string(t + 1);
    const auto add = [&](const std::string& name, const std::string& body) {
      out += "CREATE PROCEDURE " + name + n +
             "(x int, y int) LANGUAGE plpgsql AS $$ DECLARE v int; BEGIN " +
             body + " END $$;\n";
    };
    add("create", "INSERT INTO t" + n + " VALUES (x, y, 0, 0);");
    add("change", "SELECT a INTO v FROM t" + n + " WHERE id = x; UPDATE t" + n +
                      " SET a = v + y WHERE id = x;");
    add("move", "UPDATE t" + n + " SET parent = y WHERE id = x; UPDATE t" + m +
                    " SET b = b + 1 WHERE id = y;");
    add("count", "SELECT count(*) INTO v FROM t" + n + " WHERE parent = y;");
    add("remove", "DELETE FROM t" + n + " WHERE id = x;");
  }
  return out;
}

void run(const std::string& name, const std::string& text) {
  const auto application = sql::read_sql(name, text, false);
  if (!application) {
    std::printf("%-24s %s\n", name.c_str(), application.error().what.c_str());
    return;
  }
  const Budget budget = Budget::unlimited();
  const std::clock_t start = std::clock();
  robust::Prover prover(*application, robust::transaction_types(*application),
                        robust::Granularity::Result, false, budget);
  const auto open = prover.open_triples(robust::PivotLevel::Snapshot);
  const auto statistics = prover.statistics();
  std::printf(
      "%-24s %5zu types %6zu obligations %4zu open %7.2f s in the "
      "solver %7.2f s",
      name.c_str(), prover.names().size(),
      static_cast<std::size_t>(statistics.obligations), open.size(),
      statistics.solver_seconds, seconds_since(start));
  if (!application->sessions.empty()) {
    const std::clock_t begin = std::clock();
    const auto found = robust::search_sql(*application, {}, budget);
    std::printf(
        "  search %-10s %6.3f s",
        found ? std::string(robust::name(found->answer.answer)).c_str() : "",
        seconds_since(begin));
  }
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(
           argc > 1 ? argv[1] : "examples/robust")) {
    if (entry.path().extension() == ".sql") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    std::ifstream in(file);
    std::stringstream text;
    text << in.rdbuf();
    run(file.stem().string(), text.str());
  }
  for (const int tables : {4, 10, 20, 40}) {
    run("forms over " + std::to_string(tables) + " tables", forms(tables));
  }
}
