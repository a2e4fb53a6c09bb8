// Verifies the programs of Table 2 of "Symbolic verification of transactions
// under weak isolation", then programs that grow in transactions, in rows and
// in branches, and prints the time of each and the solver's share of it.
//
//     bench_verify [directory of the examples, default examples/verify]
//
// Columns: program, rules x levels, verdicts at serializable and at
// snapshot-isolation of the first rule, milliseconds of processor time, and how
// much of it the solver took (by the clock, so that on a busy machine it can be
// more than all).

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "read/sql/sql.h"
#include "read/txn/txn.h"
#include "verify/sql/verify_sql.h"
#include "verify/verify.h"

namespace {

using namespace txscope;

Result<verify::VerifyResult> run(const std::string& name, std::string text,
                                 const verify::VerifyOptions& options) {
  const Budget budget({std::chrono::seconds(60), std::nullopt});
  if (name.ends_with(".sql")) {
    const auto application = sql::read_open_sql(name, std::move(text));
    if (!application) return application.error();
    return verify::verify_sql(*application, options, budget);
  }
  const auto program = read::read_txn(name, std::move(text));
  if (!program) return program.error();
  return verify::verify(*program, options, budget);
}

double measure(const std::string& name, const std::string& text) {
  verify::VerifyOptions options;
  options.levels.assign(all_bases().begin() + 1, all_bases().end());
  const std::clock_t begin = std::clock();
  const auto result = run(name, text, options);
  const double took =
      static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  if (!result) {
    std::printf("%-28s %s\n", name.c_str(), result.error().what.c_str());
    return took;
  }
  const std::size_t rules = result->rows.size() / options.levels.size();
  const auto verdict = [&](std::size_t level) {
    return std::string(txscope::name(result->rows[level * rules].verdict));
  };
  std::printf("%-28s %5zu %10s %10s %9.1f %5.0f %%\n", name.c_str(),
              result->rows.size(), verdict(7).c_str(), verdict(6).c_str(),
              took * 1000, 100 * result->solver_seconds / took);
  return took;
}

std::string purchases(int n) {
  std::string text =
      "var sold = ?\nvar sold0 = ?\n"
      "assume sold >= 0 && sold <= 1000 && sold0 == sold\n"
      "txn purchase() { s = read sold; write sold = s + 1 }\n";
  for (int i = 0; i < n; ++i) text += "session { purchase() }\n";
  return text + "invariant \"all\" sold == sold0 + " + std::to_string(n) + "\n";
}

std::string transfers(int n) {
  std::string text =
      "var a[3] = ?\nassume a[0] >= 0 && a[1] >= 0 && a[2] >= 0 && "
      "a[0] <= 100 && a[1] <= 100 && a[2] <= 100\n"
      "txn take(i, n) { assume i >= 0 && i <= 2 && n >= 0 && n <= 100\n"
      "  x = read a[0]; y = read a[1]; z = read a[2]\n"
      "  if x + y + z >= n { v = read a[i]; write a[i] = v - n } }\n";
  for (int i = 0; i < n; ++i) text += "session { take(?, ?) }\n";
  return text + "invariant \"covered\" a[0] + a[1] + a[2] >= 0\n";
}

std::string rows(int n) {
  const std::string size = std::to_string(n);
  return "var on[" + size + "] = 1\ntxn leave(me) { assume me >= 0 && me < " +
         size + "\n  n = 0; for i in 0.." + size +
         " { v = read on[i]; n = n + v }\n  if n >= 2 { write on[me] = 0 } }\n"
         "session { leave(?); leave(?) }\nsession { leave(?) }\n"
         "invariant \"one\" on[0] + on[1] >= 0\n";
}

std::string branches(int n) {
  std::string text =
      "var x = ?\nvar y\nassume x >= 0 && x <= 1000\ntxn t() {\n"
      "  v = read x; k = 0\n";
  for (int i = 0; i < n; ++i) {
    text += "  if v % " + std::to_string(i + 2) + " == 0 { k = k + 1 }\n";
  }
  return text +
         "  write y = k; write x = v + 1 }\nsession { t() }\n"
         "session { t() }\ninvariant \"few\" y <= " +
         std::to_string(n) + "\n";
}

}  // namespace

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  const fs::path directory = argc > 1 ? argv[1] : "examples/verify";
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const auto extension = entry.path().extension();
    if (extension == ".txn" || extension == ".sql") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  double all = 0;
  for (const fs::path& file : files) {
    std::ifstream in(file);
    std::stringstream text;
    text << in.rdbuf();
    all += measure(file.filename().string(), text.str());
  }
  std::printf("%zu programs in %.2f s\n\n", files.size(), all);
  for (const int n : {2, 4, 6, 8, 10}) {
    measure("purchases " + std::to_string(n), purchases(n));
  }
  for (const int n : {2, 3, 4}) {
    measure("transfers " + std::to_string(n), transfers(n));
  }
  for (const int n : {2, 4, 8, 16}) {
    measure("rows " + std::to_string(n), rows(n));
  }
  for (const int n : {2, 4, 8, 16}) {
    measure("branches " + std::to_string(n), branches(n));
  }
  return 0;
}
