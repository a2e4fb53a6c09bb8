#pragma once

#include <vector>

#include "read/sql/routine_reader.h"

namespace txscope::sql {

/// Reads a whole file, statement by statement as psql does; bodies of routines
/// and annotations at the end, when everything they may name is known.
class FileReader {
 public:
  explicit FileReader(Application& application);

  void read(bool needs_sessions);

 private:
  void statement(std::size_t from, std::size_t to);
  void setup(const Tree& tree);
  void add_routine(const Tree& tree);
  void drop(const Tree& tree, const PgQuery__DropStmt& node);
  void transaction(const Tree& tree, const PgQuery__TransactionStmt& node);
  [[noreturn]] void refuse(const Tree& tree) const;
  [[nodiscard]] Tokens scan_file() const;

  Application& application_;
  Source source_;
  Tokens tokens_;
  Catalog catalog_;
  std::vector<RoutineText> texts_;
  TableUsers table_users_;
  bool is_in_transaction_ = false;
};

}  // namespace txscope::sql
