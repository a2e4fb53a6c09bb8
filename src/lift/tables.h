#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lift/runs.h"
#include "model/sql/schema.h"

namespace txscope::lift {

struct LiftedColumn {
  std::string name;
  std::string type;       ///< of SQL: "integer"
  bool is_known = false;  ///< the schema has it
  /// Literals that were seen at it, in the order of the log, each once.
  std::vector<std::string> values;
  bool is_generated = false;  ///< numbers are drawn for it

  [[nodiscard]] bool is_integer() const;
  [[nodiscard]] bool is_number() const;
  [[nodiscard]] bool is_time() const;
};

struct LiftedTable {
  std::string name;
  bool is_known = false;  ///< the schema has it
  std::vector<LiftedColumn> columns;
  std::vector<std::string> key;  ///< primary; may be empty
  std::set<std::string> unique;  ///< columns that are unique by themselves

  [[nodiscard]] const LiftedColumn* find(const std::string& column) const;
  [[nodiscard]] LiftedColumn* find(const std::string& column);
};

/// The tables that a log is about: those of the schema as they are, others as
/// the statements let guess.  A column has the type of the literals that meet
/// it or columns that are compared with it; a key is `id`, or the one that has
/// the table's name in it.
class Tables {
 public:
  Tables(const sql::Schema* schema, const Runs& runs);

  [[nodiscard]] const LiftedTable* find(const std::string& name) const;
  [[nodiscard]] const std::map<std::string, LiftedTable>& all() const {
    return tables_;
  }
  /// With the table, if the statement has only one that has such a column.
  [[nodiscard]] sql::NamedColumn resolved(const sql::StatementShape& shape,
                                          const sql::NamedColumn& column) const;
  [[nodiscard]] const LiftedColumn* column(
      const sql::NamedColumn& column) const;
  /// What rows are told apart by: columns that mean the same (foreign keys,
  /// columns that are compared) have one name.  Empty: it is no key.
  [[nodiscard]] std::string domain(const sql::NamedColumn& column) const;

  /// CREATE TABLE of what the schema does not have.
  [[nodiscard]] std::string create_text(
      const std::set<std::string>& wanted) const;

 private:
  void take_schema(const sql::Schema& schema);
  void collect(const Runs& runs);
  void guess_keys(const Runs& runs);
  void guess_types();
  [[nodiscard]] std::string root(std::string name) const;
  void join(const sql::NamedColumn& a, const sql::NamedColumn& b);

  std::map<std::string, LiftedTable> tables_;
  std::map<std::string, std::string> joined_;  ///< "t.c" to one it means
  std::set<std::string> computed_;             ///< "t.c" that is counted with
  std::set<std::string> fractions_;            ///< by numbers like 0.5
};

/// A name as SQL has to write it.
[[nodiscard]] std::string name_text(const std::string& name);

}  // namespace txscope::lift
