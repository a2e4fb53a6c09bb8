// Random inputs of every verb in which nothing, or only a part, can be checked:
// none is green for nothing, and a part is named.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/random.h"
#include "support/fuzz.h"
#include "txscope/audit.h"
#include "txscope/check.h"
#include "txscope/explore.h"
#include "txscope/model.h"
#include "txscope/robust.h"
#include "txscope/status.h"
#include "txscope/verify.h"
#include "txscope/write.h"

namespace txscope {
namespace {

using namespace verb;

const Budget kNoLimit = Budget::unlimited();

std::string number(Random& random, std::int64_t low, std::int64_t high) {
  return std::to_string(random.between(low, high));
}

void expect_not_green(const Result<Report>& report, const std::string& input) {
  if (!report) return;  // the input is at fault: status 2
  EXPECT_NE(status_of(*report), kHolds) << input << "\n" << text(*report);
  if (status_of(*report) != kUndecided) return;
  const std::string shown = text(*report);
  const bool is_said = shown.find("of nothing") != std::string::npos ||
                       shown.find("VACUOUS") != std::string::npos ||
                       shown.find("vacuous") != std::string::npos ||
                       shown.find("undecided") != std::string::npos;
  EXPECT_TRUE(is_said) << input << "\n" << shown;
}

void expect_read_but_not_green(const Result<Report>& report,
                               const std::string& input) {
  ASSERT_TRUE(report) << report.error().what << "\n" << input;
  expect_not_green(report, input);
}

// --- programs

enum class Lack { Rule, Commits, Execution, Moves };

/// A program over x in which something is missing; y is never written.
std::string program(Random& random, Lack lack) {
  std::string out = "var x\nvar y\n";
  const auto sessions = random.between(2, 3);
  for (std::int64_t s = 0; s < sessions; ++s) {
    out += "session {\n";
    const auto txns = random.between(1, 2);
    for (std::int64_t t = 0; t < txns; ++t) {
      out += "  txn {\n    r = read x\n";
      if (lack == Lack::Execution) out += "    assume r > 99\n";
      if (random.chance(0.5)) out += "    q = read y\n";
      out += "    write x = r + " + number(random, 1, 3) + "\n";
      if (random.chance(0.3))
        out += "    write x = " + number(random, 0, 9) + "\n";
      if (lack == Lack::Commits) out += "    abort\n";
      out += "  }\n";
    }
    out += "}\n";
  }
  if (lack == Lack::Rule) return out;
  const std::string over = lack == Lack::Moves ? "y" : "x";
  return out + "invariant \"r\" " + over + " >= 0\n";
}

TEST(VacuousFuzz, NoProgramOfNothingIsGreen) {
  Random random(fuzz_seed(1));
  for (int round = 0; round < fuzz_rounds(120); ++round) {
    const auto lack = static_cast<Lack>(random.below(4));
    const std::string source = program(random, lack);
    ExploreRequest explored;
    explored.input = "p.txn";
    explored.text = source;
    explored.level = random.chance(0.5) ? "" : "snapshot-isolation";
    expect_not_green(explore(explored, kNoLimit), source);
    VerifyRequest verified;
    verified.input = "p.txn";
    verified.text = source;
    verified.level = "causal";
    expect_not_green(verify(verified, kNoLimit), source);
    // Whether transactions are robust needs no rule.
    if (lack == Lack::Rule || lack == Lack::Moves) continue;
    RobustRequest asked;
    asked.input = "p.txn";
    asked.text = source;
    expect_not_green(robust(asked, kNoLimit), source);
  }
}

// --- open inputs, and variables without a value

/// Sessions with `?` of which none commits, or none meets another.
std::string open_program(Random& random, bool commits) {
  std::string out = "var a[4] = 0\n";
  out += "txn move(k, n) {\n  v = read a[k]\n";
  if (!commits)
    out += random.chance(0.5) ? "  if v + n >= v { abort } else { abort }\n"
                              : "  abort\n";
  out += "  write a[k] = v + " + number(random, 1, 3) + "\n}\n";
  const auto sessions = random.between(2, 3);
  for (std::int64_t s = 0; s < sessions; ++s)
    out += "session { move(" + std::to_string(s) + ", ?) }\n";
  return out + "invariant \"r\" a[0] >= 0\n";
}

TEST(VacuousFuzz, NoProgramOfNothingIsGreenForAllInputs) {
  Random random(fuzz_seed(5));
  for (int round = 0; round < fuzz_rounds(20); ++round) {
    const std::string source = open_program(random, false);
    VerifyRequest verified;
    verified.input = "p.txn";
    verified.text = source;
    verified.level = "causal";
    expect_read_but_not_green(verify(verified, kNoLimit), source);
    RobustRequest asked;
    asked.input = "p.txn";
    asked.text = random.chance(0.5) ? source : open_program(random, true);
    asked.method = "search";
    expect_read_but_not_green(robust(asked, kNoLimit), *asked.text);
  }
}

/// The rule names a variable that only a branch assigns which is never taken,
/// or one of a transaction that always aborts.
std::string program_without_values(Random& random) {
  const bool aborts = random.chance(0.5);
  std::string out = "var x\nsession a {\n  t: txn {\n    r = read x\n";
  out += aborts ? "    q = r\n"
                : "    if r > 99 { q = " + number(random, 1, 9) + " }\n";
  out += "    write x = r + 1\n";
  if (aborts) out += "    abort\n";
  out += "  }\n}\nsession b {\n  t: txn {\n    s = read x\n    write x = " +
         number(random, 1, 3) + "\n  }\n}\n";
  return out + "assert \"r\" a.t.q < 0\n";
}

TEST(VacuousFuzz, NoRuleOverWhatHasNoValueIsGreen) {
  Random random(fuzz_seed(6));
  for (int round = 0; round < fuzz_rounds(20); ++round) {
    const std::string source = program_without_values(random);
    ExploreRequest explored;
    explored.input = "p.txn";
    explored.text = source;
    explored.level = "snapshot-isolation";
    expect_read_but_not_green(explore(explored, kNoLimit), source);
    VerifyRequest verified;
    verified.input = "p.txn";
    verified.text = source;
    verified.level = "causal";
    expect_read_but_not_green(verify(verified, kNoLimit), source);
  }
}

// --- applications in SQL

enum class SqlLack { Seed, Commits, Moves, Meeting, Sessions };

std::string application(Random& random, SqlLack lack) {
  std::string out =
      "CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL);\n"
      "CREATE TABLE u (id int PRIMARY KEY, v int NOT NULL);\n";
  if (lack != SqlLack::Seed)
    out += "INSERT INTO t VALUES (1, 0), (2, 0), (3, 0);\n";
  out += "CREATE PROCEDURE p(i int) LANGUAGE plpgsql AS $$ BEGIN\n";
  if (random.chance(0.5))
    out +=
        "  UPDATE t SET v = v + " + number(random, 1, 3) + " WHERE id = i;\n";
  else
    out += "  DELETE FROM t WHERE id = i AND v >= 0;\n";
  if (lack == SqlLack::Commits)
    out += random.chance(0.5) ? "  INSERT INTO t VALUES (3, 1);\n"
                              : "  RAISE EXCEPTION 'no';\n";
  out += "END $$;\n";
  const auto sessions = lack == SqlLack::Sessions ? 1 : random.between(2, 3);
  for (std::int64_t s = 0; s < sessions; ++s) {
    const std::string row =
        lack == SqlLack::Meeting ? std::to_string(s + 1) : number(random, 1, 2);
    out += "--@ session s" + std::to_string(s) + ": CALL p(" + row + ");\n";
  }
  if (lack == SqlLack::Meeting || lack == SqlLack::Sessions) return out;
  return out + "--@ invariant ok: (SELECT count(*) FROM " +
         (lack == SqlLack::Moves ? "u" : "t") + " WHERE v < 0) = 0\n";
}

TEST(VacuousFuzz, NoApplicationOfNothingIsGreen) {
  Random random(fuzz_seed(2));
  constexpr const char* kLevels[] = {"postgresql:read-committed",
                                     "postgresql:serializable",
                                     "mariadb:repeatable-read", "serializable"};
  for (int round = 0; round < fuzz_rounds(80); ++round) {
    const auto lack = static_cast<SqlLack>(random.below(5));
    const std::string source = application(random, lack);
    ExploreRequest explored;
    explored.input = "p.sql";
    explored.text = source;
    explored.level = kLevels[random.below(4)];
    expect_not_green(explore(explored, kNoLimit),
                     std::string(explored.level) + "\n" + source);
    if (lack == SqlLack::Moves) continue;
    RobustRequest asked;
    asked.input = "p.sql";
    asked.text = source;
    asked.method = "search";
    if (random.chance(0.5)) asked.against = "postgresql:read-committed";
    expect_not_green(robust(asked, kNoLimit), source);
  }
}

std::string open_application(Random& random) {
  std::string out =
      "CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL);\n"
      "CREATE TABLE u (id int PRIMARY KEY, v int NOT NULL);\n";
  const auto lack = random.below(3);  // seed, commits, moves
  if (lack != 0) out += "INSERT INTO t VALUES (1, 0), (2, 0);\n";
  out +=
      "CREATE PROCEDURE p(n int) LANGUAGE plpgsql AS $$ BEGIN\n"
      "  UPDATE t SET v = v + n WHERE id = 1;\n";
  if (lack == 1) out += "  RAISE EXCEPTION 'no';\n";
  out += "END $$;\n--@ session a: CALL p(?);\n--@ session b: CALL p(";
  return out + (random.chance(0.5) ? "?" : "1") +
         ");\n--@ invariant ok: (SELECT count(*) FROM " +
         (lack == 2 ? "u" : "t") + " WHERE id = 9) = 0\n";
}

TEST(VacuousFuzz, NoApplicationOfNothingIsGreenForAllInputs) {
  Random random(fuzz_seed(7));
  constexpr const char* kLevels[] = {"snapshot-isolation",
                                     "postgresql:read-committed"};
  for (int round = 0; round < fuzz_rounds(12); ++round) {
    const std::string source = open_application(random);
    VerifyRequest verified;
    verified.input = "p.sql";
    verified.text = source;
    verified.level = kLevels[random.below(2)];
    expect_read_but_not_green(verify(verified, kNoLimit), source);
  }
}

// --- histories and logs

TEST(VacuousFuzz, NoHistoryOfNothingIsGreen) {
  Random random(fuzz_seed(3));
  for (int round = 0; round < fuzz_rounds(150); ++round) {
    const bool only_writes = random.chance(0.5);
    std::string source = "{\"txscope\":\"history\",\"version\":1}\n";
    const auto txns = random.between(only_writes ? 1 : 0, 4);
    for (std::int64_t t = 0; t < txns; ++t) {
      const std::string status = only_writes          ? "committed"
                                 : random.chance(0.5) ? "aborted"
                                                      : "unknown";
      source += "{\"session\":" + number(random, 1, 2) + ",\"status\":\"" +
                status + "\",\"ops\":[";
      source += "[\"w\",\"x\"," + std::to_string(t + 1) + "]";
      if (!only_writes) source += ",[\"r\",\"y\",null]";
      source += "]}\n";
    }
    CheckRequest request;
    request.inputs = {"h.jsonl"};
    request.text = source;
    expect_not_green(check(request, kNoLimit), source);
  }
}

TEST(VacuousFuzz, NoLogOfNothingIsGreen) {
  Random random(fuzz_seed(4));
  const std::string file =
      (std::filesystem::temp_directory_path() / "txscope_vacuous_log.jsonl")
          .string();
  for (int round = 0; round < fuzz_rounds(100); ++round) {
    std::string source =
        "{\"txscope\":\"log\",\"version\":1,\"dialect\":\"postgresql\","
        "\"level\":\"serializable\",\"setup\":[\"CREATE TABLE t (id int "
        "PRIMARY KEY, v int)\",\"INSERT INTO t VALUES (1, 0)\"]}\n";
    const bool is_unobserved = random.chance(0.3);
    const auto txns = random.between(0, 4);
    for (std::int64_t t = 0; t < txns; ++t) {
      const std::string status = is_unobserved        ? "committed"
                                 : random.chance(0.5) ? "aborted"
                                                      : "unknown";
      source += "{\"session\":" + number(random, 1, 2) + ",\"id\":\"t" +
                std::to_string(t) + "\",\"status\":\"" + status +
                "\",\"statements\":[{\"sql\":\"UPDATE t SET v = " +
                number(random, 0, 5) + " WHERE id = 1\"" +
                (is_unobserved ? "" : ",\"count\":1") + "}]}\n";
    }
    std::ofstream(file) << source;
    AuditRequest request;
    request.input = file;
    if (random.chance(0.3)) request.level = "all";
    expect_not_green(audit(request, kNoLimit), source);
  }
  std::filesystem::remove(file);
}

// --- specifications

TEST(VacuousFuzz, NoSpecificationOfNothingIsGreen) {
  Random random(fuzz_seed(5));
  const auto folder =
      std::filesystem::temp_directory_path() / "txscope_vacuous_spec";
  std::filesystem::create_directories(folder);
  for (int round = 0; round < fuzz_rounds(30); ++round) {
    const std::string source =
        "---- MODULE Nothing ----\nEXTENDS Naturals\nVARIABLE x\n"
        "Init == x = 0 /\\ x > " +
        number(random, 0, 3) + "\nNext == x' = (x + 1) % " +
        number(random, 2, 5) + "\nOk == x < 9\n====\n";
    std::ofstream(folder / "Nothing.tla") << source;
    std::ofstream(folder / "Nothing.cfg")
        << "INIT Init\nNEXT Next\n"
        << (random.chance(0.5) ? "INVARIANT Ok\n" : "");
    ModelRequest request;
    request.input = (folder / "Nothing.tla").string();
    expect_not_green(model(request, kNoLimit), source);
  }
  std::filesystem::remove_all(folder);
}

// --- a part

TEST(VacuousFuzz, APartThatIsNotCheckedIsNamed) {
  Random random(fuzz_seed(6));
  for (int round = 0; round < fuzz_rounds(60); ++round) {
    std::string source = program(random, Lack::Moves);
    source += "invariant \"s\" x >= 0\n";
    ExploreRequest request;
    request.input = "p.txn";
    request.text = source;
    request.level = "causal";
    const auto report = explore(request, kNoLimit);
    ASSERT_TRUE(report) << report.error().what;
    if (status_of(*report) != kHolds) continue;
    EXPECT_NE(text(*report).find("no transaction changes what r looks at"),
              std::string::npos)
        << source << text(*report);
  }
}

}  // namespace
}  // namespace txscope
