#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "model/sql/statement_log.h"
#include "model/sql/statement_shape.h"

namespace txscope::lift {

/// One statement of a run.
struct RunStatement {
  std::uint64_t line = 0;
  const sql::StatementShape* shape = nullptr;
  const std::vector<sql::Row>* rows = nullptr;  ///< null: not told
  bool is_own = false;  ///< about a row that its request made (own_rows.h)
};

struct RunTransaction {
  std::vector<RunStatement> steps;
};

/// What one request did: its transactions, in order.
struct Run {
  std::string route;  ///< may be empty
  std::uint64_t line = 0;
  bool is_test = false;  ///< what it did was rolled back at the end
  std::vector<RunTransaction> transactions;
};

/// A log taken apart.  Runs point into `shapes` and into the log.
struct Runs {
  std::deque<sql::StatementShape> shapes;
  std::vector<Run> runs;
  std::uint64_t statements = 0;
  std::uint64_t rolled_back = 0;  ///< transactions that left nothing behind
  std::uint64_t failed = 0;       ///< statements
  std::uint64_t unwrapped = 0;    ///< transactions of tests
  std::uint64_t cut_by_tag = 0;   ///< runs that a request's id ended
  std::uint64_t cut_by_gap = 0;
  /// Statements that nobody could read: by what is wrong, the first line.
  std::map<std::string, std::uint64_t> unreadable_writes;
  std::map<std::string, std::uint64_t> unreadable_reads;
  /// Levels that transactions asked for, and how many did.
  std::map<std::string, std::uint64_t> levels;
  std::uint64_t transactions = 0;
};

struct RunOptions {
  std::int64_t gap = 2'000'000;  ///< microseconds
  /// One user at a time was at work: a request is what lies between two pauses
  /// of the whole log, on whatever connections.
  bool one_user = false;
};

/// Takes a log apart: a session is a connection; a request ends where its id
/// changes (a tag of the framework, a trace), where the connection is closed,
/// or behind a pause longer than the gap outside of a transaction;
/// without times, or where connections are not told apart, behind every
/// transaction.  BEGIN, COMMIT, SET autocommit and
/// savepoints make transactions; every other statement is one of its own.
///
/// What was rolled back is left out.  A transaction that is rolled back and has
/// savepoints in it is one of a test that undoes what it did (Django's
/// TestCase, transactional tests of Rails): the outermost savepoints that it
/// released are its transactions.
[[nodiscard]] Runs take_apart(const sql::StatementLog& log,
                              const RunOptions& options);

}  // namespace txscope::lift
