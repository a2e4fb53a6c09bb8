#pragma once

#include <map>
#include <set>
#include <string>

#include "lift/runs.h"
#include "lift/tables.h"

namespace txscope::lift {

/// What is changed in a log, and so which reads can see a difference.
class Relevance {
 public:
  Relevance(const Runs& runs, const Tables& tables,
            const std::set<std::string>& ignored);

  /// Somebody changes the table.
  [[nodiscard]] bool is_written(const std::string& table) const {
    return written_.count(table) != 0;
  }
  /// The columns of a table that a read sees and somebody changes; "*" stands
  /// for the rows that are there.  Empty: nothing.
  [[nodiscard]] std::set<std::string> seen(const sql::StatementShape& shape,
                                           const std::string& table) const;
  /// Whether a statement counts for a set of tables.
  [[nodiscard]] bool matters(const sql::StatementShape& shape,
                             const std::set<std::string>& of) const;
  /// The table that a statement writes; empty: none.
  [[nodiscard]] static std::string target(const sql::StatementShape& shape);

 private:
  struct Changes {
    std::set<std::string> columns;
    bool rows = false;  ///< some come and go
  };
  const Tables& tables_;
  std::map<std::string, Changes> written_;
};

}  // namespace txscope::lift
