// Different verbs are asked about the same small applications; where two of
// them answer one question, they answer it alike.

#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <string>
#include <utility>

#include "base/random.h"
#include "support/fuzz.h"
#include "support/live_program.h"
#include "support/run_command.h"
#include "txscope/check.h"
#include "txscope/explore.h"
#include "txscope/robust.h"
#include "txscope/verify.h"

namespace txscope {
namespace {

using namespace verb;

const Budget kNoLimit = Budget::unlimited();

const char* outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::Holds: return "holds";
    case Outcome::Violated: return "violated";
    case Outcome::Undecided: break;
  }
  return "undecided";
}

/// By rule: what a report says of it at its one level.
std::map<std::string, Outcome> rules_of(const Report& report) {
  std::map<std::string, Outcome> out;
  for (const Finding& finding : report.findings)
    if (finding.about == About::Rule) out[finding.property] = finding.outcome;
  return out;
}

/// How often two answers were compared, and how often one was missing.
struct Compared {
  int alike = 0;
  int open = 0;  ///< undecided, or refused by one of the two

  void note(Outcome a, Outcome b, const std::string& about) {
    if (a == Outcome::Undecided || b == Outcome::Undecided) {
      ++open;
      return;
    }
    EXPECT_EQ(a, b) << outcome_name(a) << " and " << outcome_name(b) << "\n"
                    << about;
    ++alike;
  }
  /// No test is content with comparing nothing.
  void expect_mostly(double share) const {
    std::cout << alike << " compared, " << open << " open\n";
    EXPECT_GE(alike, share * (alike + open))
        << alike << " compared, " << open << " open";
    EXPECT_GT(alike, 0);
  }
};

constexpr const char kRules[] =
    "--@ invariant few: (SELECT count(*) FROM t) <= 3\n"
    "--@ invariant low: (SELECT coalesce(max(n), 0) FROM t) <= 25\n";

constexpr const char* kPostgresql[] = {"postgresql:read-committed",
                                       "postgresql:repeatable-read",
                                       "postgresql:serializable"};

Result<Report> explored(const std::string& text, const std::string& level) {
  ExploreRequest request;
  request.input = "p.sql";
  request.text = text;
  request.level = level;
  request.all = true;
  return explore(request, kNoLimit);
}

Result<Report> verified(const std::string& text, const std::string& level) {
  VerifyRequest request;
  request.input = "p.sql";
  request.text = text;
  request.level = level;
  return verify(request, kNoLimit);
}

/// A program whose sessions call procedures with constants, or with `?` that
/// an assumption fixes: a solver is asked only for the second.
struct Twin {
  std::string fixed;
  std::string open;
};

std::string statement(Random& random) {
  const std::string row = std::to_string(random.between(1, 2));
  switch (random.below(5)) {
    case 0: return "UPDATE t SET n = n + a WHERE id = " + row;
    case 1: return "UPDATE t SET n = a WHERE id = " + row + " AND n < 20";
    case 2: return "SELECT n INTO v FROM t WHERE id = " + row;
    case 3: return "UPDATE t SET n = v + a WHERE id = " + row;
    default:
      return "IF v > 9 THEN UPDATE t SET n = n - a WHERE id = " + row +
             "; END IF";
  }
}

Twin random_twin(Random& random) {
  std::string common =
      "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);\n"
      "INSERT INTO t VALUES (1, 10), (2, 20);\n";
  Twin twin;
  std::string assumed;
  const auto sessions = random.between(2, 3);
  for (std::int64_t s = 1; s <= sessions; ++s) {
    const std::string name = "p" + std::to_string(s);
    common += "CREATE PROCEDURE " + name +
              "(a int) LANGUAGE plpgsql AS $$ DECLARE v int := 0; BEGIN ";
    for (auto i = random.between(1, sessions == 2 ? 3 : 2); i > 0; --i)
      common += statement(random) + "; ";
    common += "END $$;\n";
    const std::string a = std::to_string(random.between(-3, 12));
    const std::string session = "--@ session s" + std::to_string(s) + ": CALL ";
    twin.fixed += session + name + "(" + a + ");\n";
    twin.open += session + name + "(?);\n";
    assumed += "--@ assume is" + std::to_string(s) + ": s" + std::to_string(s) +
               "." + name + ".a = " + a + "\n";
  }
  twin.fixed = common + twin.fixed + kRules;
  twin.open = common + twin.open + assumed + kRules;
  return twin;
}

TEST(AgreeFuzz, VerifyWithFixedInputsSaysWhatExploreSays) {
  Random random(fuzz_seed(1));
  constexpr const char* kLevels[] = {"read-committed",
                                     "causal",
                                     "snapshot-isolation",
                                     "serializable",
                                     "postgresql:read-committed",
                                     "postgresql:repeatable-read"};
  Compared compared;
  for (int round = 0; round < fuzz_rounds(500); ++round) {
    const Twin twin = random_twin(random);
    const std::string level = kLevels[random.below(6)];
    const auto first = explored(twin.fixed, level);
    const auto second = verified(twin.open, level);
    ASSERT_TRUE(first) << first.error().what << "\n" << twin.fixed;
    ASSERT_TRUE(second) << second.error().what << "\n" << twin.open;
    const auto rules = rules_of(*second);
    for (const auto& [rule, outcome] : rules_of(*first))
      compared.note(outcome, rules.at(rule), level + "\n" + twin.open);
  }
  compared.expect_mostly(0.9);
}

TEST(AgreeFuzz, RobustByOutcomeIsWhatExploreCallsOneAfterTheOther) {
  Random random(fuzz_seed(2));
  Compared compared;
  for (int round = 0; round < fuzz_rounds(1100); ++round) {
    const std::string text =
        test::random_live_program(random, Product::PostgreSql).text();
    const std::string level = kPostgresql[random.below(3)];
    const auto first = explored(text, level);
    RobustRequest request;
    request.input = "p.sql";
    request.text = text;
    request.against = level;
    request.method = "search";
    request.notion = "outcome";
    request.no_repairs = true;
    const auto second = robust(request, kNoLimit);
    if (!first || !second) {
      ++compared.open;
      continue;
    }
    for (const Finding& finding : first->findings)
      if (finding.about == About::Serial)
        compared.note(finding.outcome, second->findings.front().outcome,
                      level + "\n" + text);
  }
  compared.expect_mostly(0.8);
}

/// The histories that `explore` writes are judged by `check`, which knows
/// nothing of programs.
TEST(AgreeFuzz, CheckFindsEveryExportedHistoryAtItsLevel) {
  Random random(fuzz_seed(3));
  constexpr const char* kLevels[] = {"read-committed", "causal",
                                     "snapshot-isolation", "serializable"};
  const test::TemporaryDirectory directory;
  const std::string file = directory.path() + "/h.jsonl";
  int histories = 0;
  for (int round = 0; round < fuzz_rounds(400); ++round) {
    const Twin twin = random_twin(random);
    ExploreRequest request;
    request.input = "p.sql";
    request.text = twin.fixed;
    request.level = kLevels[random.below(4)];
    request.histories = file;
    request.all = true;
    ASSERT_TRUE(explore(request, kNoLimit)) << twin.fixed;
    CheckRequest asked;
    asked.inputs = {file};
    asked.level = request.level;
    const auto judged = check(asked, kNoLimit);
    std::remove(file.c_str());
    ASSERT_TRUE(judged) << judged.error().what << "\n" << twin.fixed;
    for (const Finding& finding : judged->findings) {
      EXPECT_EQ(finding.outcome, Outcome::Holds) << request.level << "\n"
                                                 << finding.why << "\n"
                                                 << twin.fixed;
      ++histories;
    }
  }
  std::cout << histories << " histories judged\n";
  EXPECT_GT(histories, 0);
}

}  // namespace
}  // namespace txscope
