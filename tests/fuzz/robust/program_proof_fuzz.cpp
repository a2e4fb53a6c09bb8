// Proofs of `.txn` programs against the search: where one says robust, the
// sessions of the program, and other ones of the same transactions, show
// nothing.

#include <gtest/gtest.h>

#include "base/random.h"
#include "read/txn/txn.h"
#include "robust/proof/program_proof.h"
#include "robust/search.h"
#include "support/fuzz.h"

namespace txscope::robust {
namespace {

std::string random_block(Random& random, int depth);

std::string random_place(Random& random) {
  switch (random.below(4)) {
    case 0: return "x";
    case 1: return "y";
    case 2: return "a[p]";
    default: return "a[" + std::to_string(random.below(2)) + "]";
  }
}

std::string random_value(Random& random) {
  switch (random.below(5)) {
    case 0: return "0";
    case 1: return "1";
    case 2: return "v";
    case 3: return "v + 1";
    default: return "w";
  }
}

std::string random_statement(Random& random, int depth) {
  const std::string local = random.chance(0.5) ? "v" : "w";
  switch (random.below(depth > 0 ? 8 : 5)) {
    case 0:
    case 1: return local + " = read " + random_place(random);
    case 2:
    case 3:
      return "write " + random_place(random) + " = " + random_value(random);
    case 4: return local + " = " + random_value(random);
    case 5:
    case 6:
      return "if v " + std::string(random.chance(0.5) ? ">" : "==") + " " +
             random_value(random) + " { " + random_block(random, depth - 1) +
             " } else { " + random_block(random, depth - 1) + " }";
    default:
      return random.chance(0.3)
                 ? "abort"
                 : "for i in 0..2 { " + random_block(random, depth - 1) + " }";
  }
}

std::string random_block(Random& random, int depth) {
  std::string out;
  const std::size_t n = 1 + random.below(3);
  for (std::size_t i = 0; i < n; ++i)
    out += (i > 0 ? "; " : "") + random_statement(random, depth);
  return out;
}

std::string random_client(Random& random, std::size_t types) {
  std::string out;
  std::size_t left = 4;
  for (std::size_t s = 0; s < 2 + random.below(2); ++s) {
    out += "session { ";
    for (std::size_t t = 0; t < 1 + random.below(2) && left > 0; ++t, --left) {
      out += "t" + std::to_string(random.below(types)) + "(" +
             std::to_string(random.below(2)) + "); ";
    }
    out += "}\n";
  }
  return out;
}

void prove_programs(Granularity granularity, int wanted) {
  const std::uint64_t seed = fuzz_seed(20260306);
  const int rounds = fuzz_rounds(wanted);
  const Budget budget = Budget::unlimited();
  int proved = 0;
  int refuted = 0;
  for (int round = 0; round < rounds; ++round) {
    Random random(seed + static_cast<std::uint64_t>(round));
    const std::size_t types = 1 + random.below(3);
    std::string text = "var x\nvar y = 1\nvar a[2]\n";
    for (std::size_t t = 0; t < types; ++t) {
      text += "txn t" + std::to_string(t) + "(p) { v = 0; w = 1; v = read " +
              random_place(random) + "; " + random_block(random, 2) + "; " +
              random_block(random, 1) + "; write " + random_place(random) +
              " = " + random_value(random) + " }\n";
    }
    const auto program =
        read::read_txn("random.txn", text + "session { t0(0) }");
    ASSERT_TRUE(program) << program.error().what << text;
    RobustResult asked;
    asked.granularity = granularity;
    const RobustResult found = prove_program(*program, asked, 1000, budget);
    if (found.answer == Outcome::Violated) ++refuted;
    if (found.answer != Outcome::Holds) continue;
    ++proved;
    for (int i = 0; i < 12; ++i) {
      const std::string whole = text + random_client(random, types);
      const auto client = read::read_txn("random.txn", whole);
      ASSERT_TRUE(client) << whole;
      const auto code = exec::compile(*client);
      ASSERT_TRUE(code) << whole;
      for (const Notion notion : {Notion::Trace, Notion::Outcome}) {
        SearchQuestion question;
        question.notion = notion;
        question.granularity = granularity;
        ASSERT_NE(search(*code, question, budget).answer, Outcome::Violated)
            << name(notion) << ", seed "
            << seed + static_cast<std::uint64_t>(round) << "\n"
            << whole;
      }
    }
  }
  std::printf("proved %d of %d, %d refuted by a client\n", proved, rounds,
              refuted);
  if (rounds >= 50) {
    EXPECT_GT(proved, rounds / 20);
    EXPECT_GT(refuted, rounds / 20);
  }
}

TEST(RobustProgramProofFuzz, NoSessionsContradictAProofByRows) {
  prove_programs(Granularity::Row, 150);
}
TEST(RobustProgramProofFuzz, NoSessionsContradictAProofByResults) {
  prove_programs(Granularity::Result, 150);
}

}  // namespace
}  // namespace txscope::robust
