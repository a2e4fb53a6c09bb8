#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "fuzz/sql_exec/draft.h"

namespace txscope::test {

/// Random SQL in the fragment that txscope reads.  Types are named as SQL does.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  struct Named {
    std::string name;
    std::string type;
  };
  struct TableInfo {
    std::string name;
    std::vector<Named> columns;
    std::vector<std::string> key;     ///< primary key
    std::vector<std::string> unique;  ///< columns
  };

  /// CREATE TABLE statements; then an INSERT for each of their first rows, some
  /// of which fail.
  std::vector<Draft> schema();
  std::vector<Draft> rows(std::size_t least = 0);
  /// CREATE FUNCTION statements, whose functions later queries call.
  std::vector<Draft> functions();
  /// A SELECT whose rows do not depend on how it is run.
  Draft query();
  /// A SELECT of one expression on one row, which may fail.
  Draft risky();
  /// INSERT, UPDATE or DELETE.
  Draft change();
  /// CREATE PROCEDURE `name`(INOUT a integer, INOUT b text) and the like.
  Draft routine(const std::string& name,
                const std::vector<std::string>& callable,
                const std::vector<std::string>& functions);
  /// CREATE FUNCTION `name`(integer, text) RETURNS integer, VOLATILE.
  Draft function(const std::string& name,
                 const std::vector<std::string>& functions);
  /// CREATE FUNCTION and CREATE TRIGGER on the first table, which write to the
  /// others.
  std::vector<Draft> triggers();
  /// A procedure's arguments, for CALL.
  std::string arguments();
  [[nodiscard]] const std::vector<TableInfo>& tables() const { return tables_; }

 private:
  using Names = std::vector<Named>;
  struct Function {
    std::string name;
    std::string type;
  };

  bool chance(double p) { return random_.chance(p); }
  std::size_t below(std::size_t n) { return random_.below(n); }
  const std::string& pick(const std::vector<std::string>& from) {
    return from[below(from.size())];
  }
  std::string any_type();
  std::string literal(const std::string& type);
  std::string fresh(const char* prefix) {
    return prefix + std::to_string(next_++);
  }

  Draft expr(const std::string& type, int depth);
  Draft leaf(const std::string& type);
  Draft integer(const std::string& type, int depth);
  Draft numeric(int depth);
  Draft boolean(int depth);
  Draft text(int depth);
  Draft date(int depth);
  Draft generic(const std::string& type, int depth);
  Draft scalar_query(const std::string& type, int depth);
  Draft from(std::size_t relations, int depth);
  Draft maybe_where(int depth);
  /// SELECT with these target types; `order`: all targets, so that LIMIT means
  /// something.
  Draft select(const std::vector<std::string>& types, int depth,
               bool is_ordered);
  Draft aggregate(const std::string& type, int depth);
  Draft own_aggregate(const std::string& type, int depth);
  std::string window_order(const Names& names, bool is_total,
                           std::string* sorted_by);
  std::string frame(const std::string& unit, const std::string& sorted_by,
                    bool may_fail);
  Draft window(const std::string& type, const Names& names, int depth,
               bool may_fail = false);
  Draft recursive_query();
  static Names qualified(const TableInfo& table);
  Draft row_values(const TableInfo& table, int key);
  Draft table(const std::string& name);
  Draft conflict_clause(const TableInfo& table);
  Draft returning(const TableInfo& table);

  Draft block(int depth, int length);
  Draft statement(int depth);
  Draft into_statement();
  Draft execute_statement();
  Draft call_of_function();
  Draft body();
  Draft for_rows(int depth);
  const Named& assignable();

  Random random_;
  std::vector<TableInfo> tables_;
  std::vector<Names> scopes_;  ///< innermost last
  Names variables_;
  std::vector<std::string> callable_;  ///< procedures
  std::vector<std::string> called_;    ///< VOLATILE functions
  std::vector<Function> functions_;
  bool is_in_function_ = false;
  bool is_risky_ = false;
  bool is_plain_ = false;  ///< aggregates have no DISTINCT
  /// The query that comes next is no subquery, of which PostgreSQL leaves out
  /// what nobody looks at.
  bool is_outermost_ = false;
  bool is_returning_ = true;  ///< DML may have RETURNING
  std::string records_;       ///< declarations of the routine
  std::vector<std::string> labels_;
  int loops_ = 0;
  int next_ = 0;
  int next_key_ = 100;
};

}  // namespace txscope::test
