#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/span.h"
#include "read/sql/mysql/nodes.h"

namespace txscope::sql {

/// A statement in MySQL's syntax: its tree, and what PostgreSQL's trees have no
/// place for.
struct MysqlStatement {
  Nodes nodes;
  PgQuery__Node* root = nullptr;
  /// Statements that come with it: the indexes of a table.
  std::vector<PgQuery__Node*> more;

  bool ignores = false;          ///< INSERT, UPDATE, DELETE IGNORE
  bool replaces = false;         ///< REPLACE
  std::size_t default_rows = 0;  ///< VALUES (), ()
  std::string new_row;           ///< the name after VALUES (...) AS
  /// ORDER BY and LIMIT of UPDATE and DELETE.
  std::vector<PgQuery__Node*> order_by;
  PgQuery__Node* limit = nullptr;

  /// SELECT ... INTO: names as they are known here, with their places.
  struct Target {
    std::string name;  ///< "total", "@total", "new.total"
    Span at;
  };
  std::vector<Target> into;
  std::optional<Span> into_at;  ///< INTO and all of them

  /// SET of variables: each with its value.
  struct Assignment {
    std::string name;  ///< "total", "@total", "@@sql_mode", "new.total"
    Span at;
    Span value;  ///< empty: ON, DEFAULT and the like
  };
  std::vector<Assignment> assignments;

  bool takes_snapshot = false;  ///< START TRANSACTION WITH CONSISTENT SNAPSHOT
  /// The body of CREATE PROCEDURE, FUNCTION or TRIGGER.
  std::optional<Span> body;
  /// CREATE TRIGGER ... FOLLOWS or PRECEDES another one.
  std::string beside_trigger;
  bool precedes = false;
  bool is_or_replace = false;
  bool if_not_exists = false;
  /// What was read over: "partitions".
  std::vector<std::string> notes;
  /// AUTO_INCREMENT = n of ALTER TABLE.
  std::optional<std::int64_t> next_number;
};

}  // namespace txscope::sql
