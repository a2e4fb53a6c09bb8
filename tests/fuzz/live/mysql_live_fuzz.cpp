// Random programs in MySQL's own syntax, all interleavings of their statements
// on the live MariaDB: what happens there is what its profiles say.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <string>
#include <vector>

#include "base/random.h"
#include "read/sql/read_as.h"
#include "support/fuzz.h"
#include "support/live_judge.h"

namespace txscope::test {
namespace {

/// Two sessions of one or two transactions over t(id, n, s).
class MysqlPrograms {
 public:
  explicit MysqlPrograms(Random& random) : random_(random) {}

  std::string make() {
    std::string text = table();
    text += "--@ session a: " + transaction() + "\n";
    text += "--@ session b: " + transaction();
    if (random_.chance(0.2)) text += " " + transaction();
    return text + "\n";
  }

  /// One session, whose statements run one after the other.
  std::string make_serial() {
    std::string text = table() + "--@ session a:";
    for (int i = 0; i < 8; ++i) text += " " + statement() + ";";
    return text + "\n";
  }

 private:
  std::string table() {
    has_unique_ = random_.chance(0.3);
    const std::string s = random_.chance(0.3)
                              ? "VARCHAR(10) COLLATE utf8mb4_bin DEFAULT 'x'"
                              : "VARCHAR(10) DEFAULT 'x'";
    return std::string(
               "CREATE TABLE `t` (`id` INT NOT NULL PRIMARY KEY, `n` INT ") +
           (has_unique_           ? "UNIQUE"
            : random_.chance(0.3) ? ", KEY (`n`)"
                                  : "") +
           ", `s` " + s + (random_.chance(0.3) ? ", UNIQUE (`s`)" : "") +
           ") ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;\n"
           "INSERT INTO `t` VALUES (1, 10, '5'), (2, 20, 'b')" +
           (random_.chance(0.5) ? ", (4, 40, NULL)" : "") + ";\n";
  }
  std::string transaction() {
    std::string text = "START TRANSACTION; " + statement() + "; ";
    if (random_.chance(0.7)) text += statement() + "; ";
    return text + "COMMIT;";
  }

  std::string statement() {
    switch (random_.below(17)) {
      case 0: return "SELECT n, s FROM t WHERE id = " + key() + lock();
      case 1: return "SELECT id, n FROM t WHERE " + condition() + lock();
      case 2: return "SELECT COUNT(*), SUM(n) FROM t WHERE " + condition();
      case 3: return "SELECT COUNT(*) FROM t" + lock();
      case 4:
      case 5: return "UPDATE t SET n = " + number() + " WHERE id = " + key();
      case 6:
        return "UPDATE t SET n = " + number() + " WHERE " + condition(true);
      case 7:
        return "UPDATE t SET s = CONCAT(IFNULL(s, ''), " + key() +
               ") WHERE id = " + key();
      case 8: return "DELETE FROM t WHERE id = " + key();
      case 9: return "INSERT INTO t VALUES " + row();
      case 12: return "REPLACE INTO t VALUES " + row();
      case 13:
        return "UPDATE t SET n = n + 1 WHERE " + condition(true) + order() +
               " LIMIT " + std::to_string(1 + random_.below(2));
      case 14:
        return "DELETE FROM t WHERE " + condition(true) + order() + " LIMIT 1";
      case 15: return "UPDATE t SET s = " + word() + " WHERE id = " + key();
      case 10: return "INSERT IGNORE INTO t SET id = " + key() + ", n = 30";
      case 11:
        return "INSERT INTO t (id, n) VALUES (" + key() + ", " + constant() +
               ") ON DUPLICATE KEY UPDATE n = n + VALUES(n)";
      default: return "DELETE FROM t WHERE " + condition(true);
    }
  }

  std::string row() {
    return "(" + key() + ", " + constant() + ", " + word() + ")" +
           (random_.chance(0.2) ? ", (" + key() + ", " + constant() + ", '1')"
                                : "");
  }
  std::string word() {
    constexpr std::array<const char*, 8> kWords = {
        "'y'", "'B'", "'b '", "'Bc'", "' b'", "'5'", "'X'", "'\u00e4'"};
    return kWords[random_.below(kWords.size())];
  }
  std::string order() {
    constexpr std::array<const char*, 4> kOrders = {
        "", " ORDER BY id", " ORDER BY id DESC", " ORDER BY s, id"};
    return kOrders[random_.below(kOrders.size())];
  }
  std::string key() { return std::to_string(1 + random_.below(4)); }
  std::string constant() { return std::to_string(10 * (1 + random_.below(4))); }
  std::string number() {
    switch (random_.below(8)) {
      case 0: return constant();
      case 1: return "n + 1";
      case 2: return "n DIV 3";
      case 3: return "IF(n > 15, n - 5, n + 5)";
      case 4: return "IFNULL(n, 0) + 10";
      case 5: return "n % 7";
      case 6: return "CASE WHEN n < 20 THEN 20 ELSE n / 2 END";
      default: return "GREATEST(n, 15)";
    }
  }
  /// A text that says no number is an error where rows are changed (1292);
  /// which row is met first, and so whether there is one, is the planner's.
  std::string condition(bool is_of_write = false) {
    switch (random_.below(11)) {
      case 0: return "n > " + constant();
      case 1: return "n BETWEEN 10 AND 20";
      case 2: return "id IN (" + key() + ", " + key() + ")";
      case 3: return is_of_write ? "s = '5'" : "s = 5";
      case 4: return "n <=> NULL";
      case 5: return "n MOD 20 = 0";
      case 6: return "id <= " + key() + " AND n";
      case 7: return "s = " + word();
      case 8: return "s > " + word();
      case 9: return "s IN (" + word() + ", " + word() + ")";
      default: return "s LIKE 'b%'";
    }
  }
  std::string lock() {
    const auto pick = random_.below(4);
    return pick == 0 ? " FOR UPDATE" : pick == 1 ? " LOCK IN SHARE MODE" : "";
  }

  Random& random_;
  bool has_unique_ = false;
};

LiveDifference compare(const std::string& text, const Profile& level) {
  const auto application =
      sql::read_sql_as("program.sql", text, true, sql::Dialect::Mariadb);
  LiveDifference none;
  if (!application) {
    none.problem = application.error().what;
    return none;
  }
  LiveOptions options;
  options.limit = 400;
  return compare_live(*application, level, options);
}

// Nothing but what statements mean.
TEST(MysqlSerialFuzz, ServerAndProfileGiveTheSameRowsCountsAndCodes) {
  const Profile& level = **parse_profile("mariadb:repeatable-read");
  if (!live_server(level.product).server)
    GTEST_SKIP() << live_server(level.product).why;
  Random random(fuzz_seed(7));
  const int rounds = fuzz_rounds(100);
  int differences = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::string text = MysqlPrograms(random).make_serial();
    const LiveDifference difference = compare(text, level);
    EXPECT_EQ(difference.problem, "") << text;
    if (difference.is_equal()) continue;
    ++differences;
    std::printf("%s%s\n", text.c_str(), to_string(difference).c_str());
  }
  EXPECT_LE(differences, rounds / 500);
}

/// Somebody else is the victim of a deadlock, or there is one where an index is
/// read in another order: the server's planner chooses it.
bool is_about_deadlocks(const LiveDifference& difference) {
  const auto has_victim = [](const std::string& outcome) {
    return outcome.find(" 1213") != std::string::npos;
  };
  return std::all_of(difference.missing.begin(), difference.missing.end(),
                     has_victim) &&
         std::all_of(difference.invented.begin(), difference.invented.end(),
                     has_victim);
}

class MysqlLiveFuzz : public testing::TestWithParam<const Profile*> {};

// One in 200 may differ, as LiveFuzz says of these levels, and one in 25 in who
// dies of a deadlock; a difference counts if it is there three times.
TEST_P(MysqlLiveFuzz, ServerAndProfileAllowTheSameOutcomes) {
  const Profile& level = *GetParam();
  if (!live_server(level.product).server)
    GTEST_SKIP() << live_server(level.product).why;
  Random random(fuzz_seed(static_cast<std::uint64_t>(level.isolation) + 71));
  const int rounds = fuzz_rounds(20);
  std::vector<std::string> differences;
  std::size_t deadlocks = 0;
  std::uint64_t interleavings = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::string text = MysqlPrograms(random).make();
    const LiveDifference difference = compare(text, level);
    EXPECT_EQ(difference.problem, "") << text;
    interleavings += difference.interleavings;
    const bool is_steady = !difference.is_equal() &&
                           !compare(text, level).is_equal() &&
                           !compare(text, level).is_equal();
    if (!is_steady) continue;
    if (is_about_deadlocks(difference))
      ++deadlocks;
    else
      differences.push_back(text + to_string(difference));
  }
  for (const std::string& difference : differences)
    std::printf("%s, %s\n", std::string(level.name).c_str(),
                difference.c_str());
  EXPECT_LE(static_cast<int>(differences.size()), 1 + rounds / 200);
  EXPECT_LE(static_cast<int>(deadlocks), 1 + rounds / 25);
  std::printf(
      "%zu of %d programs differ, %zu in deadlocks; %llu "
      "interleavings\n",
      differences.size(), rounds, deadlocks,
      static_cast<unsigned long long>(interleavings));
}

std::vector<const Profile*> levels_of_mariadb() {
  std::vector<const Profile*> result;
  for (const Profile& profile : profiles())
    if (profile.product == Product::MariaDb) result.push_back(&profile);
  return result;
}

std::string name_of_level(const testing::TestParamInfo<const Profile*>& test) {
  std::string name(test.param->name);
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(MariaDb, MysqlLiveFuzz,
                         testing::ValuesIn(levels_of_mariadb()), name_of_level);

}  // namespace
}  // namespace txscope::test
