#include "repair/kind.h"

#include <array>

#include "repair/kinds/changes.h"

namespace txscope::repair {
namespace {

bool is_race(const Problem& problem) {
  return problem.kind == Problem::Kind::Race && problem.application != nullptr;
}
bool is_race_of_server(const Problem& problem) {
  return is_race(problem) && problem.profile != nullptr;
}
bool is_race_of_postgres(const Problem& problem) {
  return is_race_of_server(problem) &&
         problem.profile->product == Product::PostgreSql && !problem.is_mysql;
}
/// MySQL's routines have neither FOUND nor RETURNING.
bool is_race_in_plpgsql(const Problem& problem) {
  return is_race_of_server(problem) && !problem.is_mysql;
}
bool has_row_locks(const Problem& problem) {
  return problem.application != nullptr && problem.profile != nullptr &&
         problem.profile->product != Product::Sqlite;
}
bool is_race_with_row_locks(const Problem& problem) {
  return is_race(problem) && has_row_locks(problem);
}
bool is_deadlock(const Problem& problem) {
  return problem.kind == Problem::Kind::Deadlock && has_row_locks(problem);
}
bool is_of_theory(const Problem& problem) {
  return problem.profile == nullptr && problem.kind == Problem::Kind::Race;
}
bool has_levels(const Problem& problem) { return !problem.levels.empty(); }

constexpr auto kKinds = std::to_array<Kind>({
    {"atomic-update", is_race_in_plpgsql, atomic_updates,
     "nothing: the UPDATE waited for the row before, too",
     "other statements that read the row first and write it later"},
    {"one-transaction", is_race_of_server, longer_transactions,
     "locks are held until the end", ""},
    {"skip-locked", is_race_with_row_locks, skipped_locks, "",
     "a locked row is skipped, even if it is released again"},
    {"unique", is_race, unique_keys,
     "the second transaction gets an error, which has to be handled",
     "rules about more than one row of the same values"},
    {"exclude", is_race_of_postgres, exclusions,
     "the second transaction gets an error, which has to be handled",
     "rules about more than two rows that overlap"},
    {"lock", has_row_locks, row_locks, "whoever comes second waits for the row",
     "rows that are not there yet are not locked, and readers without a lock "
     "do not wait"},
    {"lock-parent", has_row_locks, parent_locks,
     "all that belongs to the same row goes one after the other",
     "transactions that change these rows without that lock"},
    {"lock-order", is_deadlock, sorted_locks, "locks are held from the start",
     "transactions that lock the rows in another order elsewhere"},
    {"check", is_race_of_server, checks,
     "the second transaction gets an error, which has to be handled",
     "what was read earlier may be old"},
    {"write", is_of_theory, written_reads,
     "transactions that only read the row exclude each other, too", ""},
    {"foreign-key", is_race, foreign_keys, "rows without a parent are refused",
     ""},
    {"level", has_levels, levels, "",
     "transactions that stay at a weaker level"},
});

}  // namespace

std::span<const Kind> kinds() { return kKinds; }

}  // namespace txscope::repair
