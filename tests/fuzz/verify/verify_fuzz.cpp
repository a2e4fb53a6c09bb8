#include <gtest/gtest.h>

#include <map>

#include "explore/explore.h"
#include "read/txn/txn.h"
#include "support/fuzz.h"
#include "support/random_program.h"
#include "verify/verify.h"

namespace txscope {
namespace {

using testing::RandomProgram;
using testing::RandomProgramOptions;

const std::vector<Base> kLevels(all_bases().begin() + 1, all_bases().end());

/// What enumeration says, by level and property.
struct Enumerated {
  std::map<std::pair<Base, std::string>, bool> is_violated;
  std::map<Base, bool> has_history;
};

/// Adds what `explore` finds in one program without open inputs.
bool add_explored(const std::string& text, Enumerated& all) {
  const auto program = read::read_txn("fuzz.txn", text);
  if (!program) return false;
  explore::ExploreOptions options;
  options.levels = kLevels;
  options.all = true;
  options.explains = false;
  const Budget budget({std::chrono::seconds(5), std::nullopt});
  const auto result = explore::explore(*program, options, budget);
  if (!result) return false;
  for (const Answer& level : *result) {
    if (!level.is_complete) return false;
    all.has_history[*level.base] |= level.counts.histories > 0;
    for (const PropertyAnswer& row : level.properties) {
      all.is_violated[{*level.base, program->at(row.property).name}] |=
          row.violating > 0;
    }
    all.is_violated[{*level.base, "errors"}] |= level.counts.faulted > 0;
  }
  return true;
}

std::string_view expected(const Enumerated& all, Base level,
                          const std::string& property) {
  if (all.is_violated.at({level, property})) return "violated";
  return all.has_history.at(level) ? "holds" : "vacuous";
}

std::string difference(const std::string& open, const Enumerated& all) {
  const auto program = read::read_txn("fuzz.txn", open);
  if (!program) return "";
  verify::VerifyOptions options;
  options.levels = kLevels;
  const auto result = verify::verify(*program, options, Budget::unlimited());
  if (!result) return result.error().what;
  for (const verify::VerifyRow& row : result->rows) {
    const std::string_view want = expected(all, *row.base, row.property);
    if (verdict_word(row) == want) continue;
    return row.property + " at " + row.level + ": " +
           std::string(verdict_word(row)) + " " + row.why + ", not " +
           std::string(want);
  }
  return "";
}

std::string wrong_with_constants(const RandomProgram& p) {
  Enumerated all;
  if (!add_explored(p.text(), all)) return "";
  return difference(p.text(), all);
}

/// x and y become inputs with three and two values.
std::string wrong_with_inputs(const RandomProgram& p) {
  Enumerated all;
  RandomProgram fixed = p;
  for (int x = 0; x < 3; ++x) {
    for (int y = 0; y < 2; ++y) {
      fixed.declarations[0] = "var x = " + std::to_string(x);
      fixed.declarations[1] = "var y = " + std::to_string(y);
      if (!add_explored(fixed.text(), all)) return "";
    }
  }
  RandomProgram open = p;
  open.declarations[0] = "var x = ?";
  open.declarations[1] = "var y = ?";
  open.declarations.emplace_back("assume x >= 0 && x <= 2");
  open.declarations.emplace_back("assume y == 0 || y == 1");
  return difference(open.text(), all);
}

void fuzz(std::uint64_t seed, int rounds, const RandomProgramOptions& options,
          std::string (*wrong)(const RandomProgram&)) {
  Random random(fuzz_seed(seed));
  for (int i = 0; i < rounds; ++i) {
    const RandomProgram program = testing::random_program(random, options);
    if (wrong(program).empty()) continue;
    const RandomProgram small =
        testing::shrink(program, [&](const RandomProgram& p) {
          return p.declarations.size() == program.declarations.size() &&
                 !wrong(p).empty();
        });
    FAIL() << "seed " << seed << ", round " << i << ": " << wrong(small) << "\n"
           << small.text();
  }
}

TEST(VerifyFuzz, AgreesWithExploreOnConstants) {
  fuzz(1, fuzz_rounds(60), {}, wrong_with_constants);
}

TEST(VerifyFuzz, AgreesWithExploreOnProgramsThatFault) {
  RandomProgramOptions options;
  options.has_faults = true;
  fuzz(2, fuzz_rounds(40), options, wrong_with_constants);
}

TEST(VerifyFuzz, IsTheUnionOfExploreOverAllInputs) {
  RandomProgramOptions options;
  options.sessions = 3;
  options.txns = 4;
  fuzz(3, fuzz_rounds(40), options, wrong_with_inputs);
}

TEST(VerifyFuzz, IsTheUnionOfExploreWhereProgramsFault) {
  RandomProgramOptions options;
  options.txns = 4;
  options.has_faults = true;
  fuzz(4, fuzz_rounds(30), options, wrong_with_inputs);
}

}  // namespace
}  // namespace txscope
