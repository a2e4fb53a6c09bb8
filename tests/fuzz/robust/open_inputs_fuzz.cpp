// Programs with open inputs: the choices that the solver gives are those for
// which the search says "not robust", no more and no fewer.

#include <gtest/gtest.h>

#include <cstdio>
#include <set>

#include "exec/code.h"
#include "explore/explore.h"
#include "read/txn/txn.h"
#include "robust/search.h"
#include "support/fuzz.h"
#include "support/random_program.h"
#include "verify/unserial_inputs.h"

namespace txscope::robust {
namespace {

using testing::RandomProgram;
using testing::RandomProgramOptions;
using Inputs = std::set<std::string>;  // "x = 1, y = 0, "

struct Searched {
  Inputs odd;      ///< not robust
  Inputs faulted;  ///< with an error at the level
};

std::string words(const std::vector<verify::InputValue>& values) {
  std::string out;
  for (const verify::InputValue& v : values)
    out += v.name + " = " + v.text + ", ";
  return out;
}

/// x and y take three and two values.  Nothing if some run is not decided.
std::optional<Searched> by_search(const RandomProgram& p, Base level) {
  Searched out;
  RandomProgram fixed = p;
  for (int x = 0; x < 3; ++x) {
    for (int y = 0; y < 2; ++y) {
      fixed.declarations[0] = "var x = " + std::to_string(x);
      fixed.declarations[1] = "var y = " + std::to_string(y);
      const auto program = read::read_txn("fuzz.txn", fixed.text());
      if (!program) return std::nullopt;
      const auto code = exec::compile(*program);
      if (!code) return std::nullopt;
      const std::string name =
          words({{"x", std::to_string(x), x}, {"y", std::to_string(y), y}});
      SearchQuestion question;
      question.against = level;
      const auto found = search(*code, question, Budget::unlimited());
      if (found.answer == Outcome::Undecided) return std::nullopt;
      if (found.answer == Outcome::Violated) out.odd.insert(name);
      explore::ExploreOptions options;
      options.levels = {level};
      options.all = true;
      options.explains = false;
      const auto all = explore::explore(*program, options, Budget::unlimited());
      if (!all || !all->front().is_complete) return std::nullopt;
      if (all->front().counts.faulted > 0) out.faulted.insert(name);
    }
  }
  return out;
}

struct ChoiceTally {
  int asked = 0;
  int odd = 0;
};

std::string wrong_choices(const RandomProgram& p, Base level,
                          ChoiceTally& tally) {
  const auto searched = by_search(p, level);
  if (!searched) return "";
  RandomProgram open = p;
  open.declarations[0] = "var x = ?";
  open.declarations[1] = "var y = ?";
  open.declarations.emplace_back("assume x >= 0 && x <= 2");
  open.declarations.emplace_back("assume y == 0 || y == 1");
  const auto program = read::read_txn("fuzz.txn", open.text());
  if (!program) return "";
  const Budget budget = Budget::unlimited();
  auto inputs = verify::UnserialInputs::make(*program, level, Notion::Trace,
                                             1000, budget);
  if (!inputs) return inputs.error().what;
  Inputs given;
  while (const auto choice = (*inputs)->next()) {
    if (!given.insert(words(choice->values)).second) return "given twice";
  }
  if (!(*inputs)->is_exhausted()) return "not exhausted";
  ++tally.asked;
  tally.odd += searched->odd.empty() ? 0 : 1;
  for (const std::string& input : searched->odd) {
    if (given.count(input) == 0) return "missing: " + input;
  }
  for (const std::string& input : given) {
    if (searched->odd.count(input) == 0 && searched->faulted.count(input) == 0)
      return "too much: " + input;
  }
  return "";
}

void compare(std::uint64_t seed, int rounds,
             const RandomProgramOptions& options) {
  Random random(fuzz_seed(seed));
  const auto levels = all_bases();
  ChoiceTally tally;
  for (int i = 0; i < fuzz_rounds(rounds); ++i) {
    const RandomProgram program = testing::random_program(random, options);
    // From read-committed to snapshot-isolation.
    const Base level = levels[1 + random.below(levels.size() - 2)];
    const std::string problem = wrong_choices(program, level, tally);
    if (problem.empty()) continue;
    const RandomProgram small =
        testing::shrink(program, [&](const RandomProgram& p) {
          return p.declarations.size() == program.declarations.size() &&
                 !wrong_choices(p, level, tally).empty();
        });
    FAIL() << "round " << i << " at " << name(level) << ": "
           << wrong_choices(small, level, tally) << "\n"
           << small.text();
  }
  std::printf("%d programs, %d of them not robust for some input\n",
              tally.asked, tally.odd);
}

TEST(RobustOpenInputsFuzz, TheChoicesAreThoseThatTheSearchFinds) {
  RandomProgramOptions options;
  options.txns = 4;
  compare(41, 60, options);
}

TEST(RobustOpenInputsFuzz, AlsoWhereProgramsFault) {
  RandomProgramOptions options;
  options.txns = 4;
  options.has_faults = true;
  compare(42, 30, options);
}

}  // namespace
}  // namespace txscope::robust
