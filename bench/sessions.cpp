// How long many sessions take at an engine's level.
//
//   bench_sessions [most] [examples]      default 6, examples
//
// The applications of examples/bank, shop and tickets with two to `most`
// sessions of one call each, of which all are equal or all are different, at
// postgresql:read-committed; every outcome is counted.  One line for each:
// outcomes, states, seconds of the processor.  The aim is 3 s for six.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>

#include "engine/search/explore_profile.h"
#include "read/sql/sql.h"

namespace {

using namespace txscope;

constexpr std::size_t kMost = 8;

struct Example {
  const char* name;
  const char* equal;
  std::array<const char*, kMost> different;
};

constexpr std::array<Example, 3> kExamples = {{
    {"bank",
     "withdraw(1, 20)",
     {"withdraw(1, 150)", "deposit(1, 20)", "withdraw(2, 150)",
      "deposit(2, 20)", "deposit(1, 30)", "withdraw(1, 10)", "deposit(3, 10)",
      "withdraw(3, 20)"}},
    {"shop",
     "checkout('ann', 1, 1, 'WELCOME')",
     {"checkout('ann', 1, 1, 'WELCOME')", "checkout('ben', 1, 2, NULL)",
      "checkout('cem', 2, 1, 'WELCOME')", "deliver(1, 2)", "deliver(2, 1)",
      "checkout('dan', 2, 2, NULL)", "checkout('eve', 1, 3, NULL)",
      "deliver(1, 1)"}},
    {"tickets",
     "buy(7, 'ann')",
     {"buy(7, 'ann')", "buy(7, 'ben')", "buy(7, 'cem')", "buy(7, 'dan')",
      "buy(7, 'eve')", "buy(7, 'fay')", "buy(7, 'gil')", "buy(7, 'hal')"}},
}};

/// Without the sessions that the file has.
std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  for (std::string line; std::getline(file, line);)
    if (!line.starts_with("--@ session")) text += line + "\n";
  return text;
}

void measure(const Example& example, const std::string& text, std::size_t n,
             bool is_equal) {
  std::string whole = text;
  for (std::size_t s = 0; s < n; ++s)
    whole += "--@ session s" + std::to_string(s) + ": CALL " +
             (is_equal ? example.equal : example.different[s]) + ";\n";
  const auto application = sql::read_sql("bench.sql", whole);
  if (!application) {
    std::fprintf(stderr, "%s\n", application.error().what.c_str());
    std::exit(1);
  }
  engine::ProfileOptions options;
  options.all = true;
  options.explains = false;
  options.builtins = engine::SerialSense::Outcome;
  const std::clock_t start = std::clock();
  const auto answer = engine::explore_profile(
      *application, **parse_profile("postgresql:read-committed"), options,
      Budget::unlimited());
  if (!answer) std::exit(1);
  std::printf("%-8s %zu %-9s %9llu outcomes %10llu states %7.2f s\n",
              example.name, n, is_equal ? "equal" : "different",
              static_cast<unsigned long long>(answer->counts.histories),
              static_cast<unsigned long long>(answer->counts.explored),
              static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t most =
      argc > 1 ? std::strtoul(argv[1], nullptr, 10) : std::size_t{6};
  const std::string folder = argc > 2 ? argv[2] : "examples";
  for (const Example& example : kExamples) {
    const std::string name = example.name;
    const std::string text = text_of(folder + "/" + name + "/" + name + ".sql");
    for (const bool is_equal : {true, false})
      for (std::size_t n = 2; n <= most && n <= kMost; ++n)
        measure(example, text, n, is_equal);
  }
}
