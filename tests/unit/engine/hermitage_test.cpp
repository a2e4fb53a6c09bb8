// The anomalies of the Hermitage suite (Kleppmann), one interleaving each, as
// they were observed on PostgreSQL 15, MariaDB 10.11 and SQLite 3.40.

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "scenario.h"

namespace txscope::engine::test {
namespace {

const char* const kTables =
    "CREATE TABLE test (id int PRIMARY KEY, value int NOT NULL);"
    "INSERT INTO test VALUES (1, 10), (2, 20);"
    "CREATE PROCEDURE change_and_abort() LANGUAGE plpgsql AS $$ BEGIN"
    "  UPDATE test SET value = 101 WHERE id = 1;"
    "  RAISE EXCEPTION 'abort'; END; $$;";

struct Anomaly {
  const char* name;
  std::vector<std::string> sessions;
  const char* schedule;
  /// Also everything committed.
  std::function<bool(const Scenario&)> is_shown;
  /// Per profile of kProfiles: A shown, ok and blk not shown, without and with
  /// a wait; else the code of an abort.
  std::vector<const char*> expected;
};

const std::vector<std::string> kProfiles = {"postgresql:read-committed",
                                            "postgresql:repeatable-read",
                                            "postgresql:serializable",
                                            "mariadb:read-uncommitted",
                                            "mariadb:read-committed",
                                            "mariadb:repeatable-read",
                                            "mariadb:repeatable-read+snapshot",
                                            "mariadb:serializable",
                                            "sqlite"};

std::string put(int id, int value) {
  return "UPDATE test SET value = " + std::to_string(value) +
         " WHERE id = " + std::to_string(id) + "; ";
}
std::string get(int id) {
  return "SELECT * FROM test WHERE id = " + std::to_string(id) + "; ";
}
std::string txn(const std::string& body) {
  return "BEGIN; " + body + "COMMIT;";
}
const std::string kAll = "SELECT * FROM test; ";

const char* const kBusy = "SQLITE_BUSY";

std::vector<Anomaly> anomalies() {
  return {
      {"G0",
       {txn(put(1, 11) + put(2, 21)), txn(put(1, 12) + put(2, 22))},
       "abaabb",
       [](const Scenario& s) {
         return s.final != "test (1,11) (2,21)" &&
                s.final != "test (1,12) (2,22)";
       },
       {"blk", "40001", "40001", "blk", "blk", "blk", "blk", "blk", kBusy}},
      {"G1a",
       {"CALL change_and_abort();", txn(kAll + kAll)},
       "ababb",
       [](const Scenario& s) {
         return s.sees(1, 0, "101") || s.sees(1, 1, "101");
       },
       {"ok", "ok", "ok", "A", "ok", "ok", "ok", "blk", "ok"}},
      {"G1b",
       {txn(put(1, 101) + put(1, 11)), txn(kAll + kAll)},
       "abaabb",
       [](const Scenario& s) {
         return s.sees(1, 0, "101") || s.sees(1, 1, "101");
       },
       {"ok", "ok", "ok", "A", "ok", "ok", "ok", "blk", kBusy}},
      {"G1c",
       {txn(put(1, 11) + get(2)), txn(put(2, 22) + get(1))},
       "ababab",
       [](const Scenario& s) {
         return s.sees(0, 1, "22") && s.sees(1, 1, "11");
       },
       {"ok", "ok", "40001", "A", "ok", "ok", "ok", "1213", kBusy}},
      {"OTV",
       {txn(put(1, 11) + put(2, 19)), txn(put(1, 12) + put(2, 18)),
        txn(get(1) + get(2) + get(2) + get(1))},
       "aabacbcbccc",
       [](const Scenario& s) {
         return s.sees(2, 0, "12") && s.sees(2, 1, "19");
       },
       {"blk", "40001", "40001", nullptr, "blk", "blk", "blk", "blk", kBusy}},
      {"PMP read",
       {txn("SELECT * FROM test WHERE value = 30; "
            "SELECT * FROM test WHERE value % 3 = 0; "),
        txn("INSERT INTO test VALUES (3, 30); ")},
       "abbaa",
       [](const Scenario& s) { return s.sees(0, 1, "30"); },
       {"A", "ok", "ok", "A", "A", "ok", "ok", "blk", kBusy}},
      {"PMP write",
       {txn("UPDATE test SET value = value + 10; "),
        txn("SELECT * FROM test WHERE value = 20; "
            "DELETE FROM test WHERE value = 20; ")},
       "abbab",
       [](const Scenario& s) {
         return s.sees(1, 0, "(2,20)") &&
                s.final.find("(2,") != std::string::npos;
       },
       {"A", "40001", "40001", "blk", "A", "A", "1020", "blk", kBusy}},
      {"P4",
       {txn(get(1) + put(1, 11)), txn(get(1) + put(1, 11))},
       "ababab",
       [](const Scenario& s) {
         return s.sees(0, 0, "(1,10)") && s.sees(1, 0, "(1,10)");
       },
       {"A", "40001", "40001", "A", "A", "A", "1020", "1213", kBusy}},
      {"G-single",
       {txn(get(1) + get(2)), txn(get(1) + get(2) + put(1, 12) + put(2, 18))},
       "abbbbbaa",
       [](const Scenario& s) {
         return s.sees(0, 0, "10") && s.sees(0, 1, "18");
       },
       {"A", "ok", "ok", "A", "A", "ok", "ok", "blk", kBusy}},
      {"G-single with predicates",
       {txn("SELECT * FROM test WHERE value % 5 = 0; "
            "SELECT * FROM test WHERE value % 3 = 0; "),
        txn("UPDATE test SET value = 12 WHERE value = 10; ")},
       "abbaa",
       [](const Scenario& s) { return s.sees(0, 1, "12"); },
       {"A", "ok", "ok", "A", "A", "ok", "ok", "blk", kBusy}},
      {"G-single with a write",
       {txn(get(1) + "DELETE FROM test WHERE value = 20; "),
        txn(kAll + put(1, 12) + put(2, 18))},
       "abbbbaa",
       [](const Scenario& s) {
         return s.sees(0, 0, "10") &&
                s.final.find("(2,18)") != std::string::npos;
       },
       {"A", "40001", "40001", "A", "A", "A", "1020", "1213", kBusy}},
      {"G2-item",
       {txn("SELECT * FROM test WHERE id IN (1, 2); " + put(1, 11)),
        txn("SELECT * FROM test WHERE id IN (1, 2); " + put(2, 21))},
       "ababab",
       [](const Scenario&) { return true; },
       {"A", "A", "40001", "A", "A", "A", "A", "1213", kBusy}},
      {"G2",
       {txn("SELECT * FROM test WHERE value % 3 = 0; "
            "INSERT INTO test VALUES (3, 30); "),
        txn("SELECT * FROM test WHERE value % 3 = 0; "
            "INSERT INTO test VALUES (4, 42); ")},
       "ababab",
       [](const Scenario&) { return true; },
       {"A", "A", "40001", "A", "A", "A", "A", "1213", kBusy}},
      {"G2 of Fekete",
       {txn(kAll + put(1, 0)),
        txn("UPDATE test SET value = value + 5 WHERE id = 2; "), txn(kAll)},
       "abbccaa",
       [](const Scenario& s) {
         return s.sees(2, 0, "25") && s.sees(0, 0, "20");
       },
       {"A", "A", "40001", "A", "A", "A", "A", "1213", kBusy}},
  };
}

std::string verdict(const Anomaly& anomaly, const Scenario& scenario) {
  for (const std::string& end : scenario.ends)
    if (end != "committed" && end != "raised") return end;
  if (anomaly.is_shown(scenario)) return "A";
  return scenario.waits > 0 ? "blk" : "ok";
}

TEST(Hermitage, EveryProfileShowsWhatItsProductShowed) {
  for (const Anomaly& anomaly : anomalies()) {
    for (std::size_t p = 0; p < kProfiles.size(); ++p) {
      if (anomaly.expected[p] == nullptr) continue;
      const Scenario scenario = run_scenario(
          kProfiles[p], kTables, anomaly.sessions, anomaly.schedule);
      EXPECT_TRUE(scenario.is_over);
      EXPECT_EQ(verdict(anomaly, scenario), anomaly.expected[p])
          << anomaly.name << " at " << kProfiles[p] << ": " << scenario.final;
    }
  }
}

}  // namespace
}  // namespace txscope::engine::test
