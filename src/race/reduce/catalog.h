#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/session.h"
#include "model/product/product.h"

namespace txscope::race {

/// What must be known of a database to say what a statement touches.
struct Catalog {
  Product product = Product::PostgreSql;
  struct Table {
    /// Only rows, keys and checks: no triggers, rules, policies, partitions,
    /// and no defaults but what is harmless.
    bool is_plain = false;
    /// The column that identifies a row, if one alone does and it is a whole
    /// number or a text.
    std::string key;
    bool key_is_number = false;
    std::set<std::string> special;  ///< an index changes with them
    std::set<std::string> unique;   ///< each alone identifies a row
    /// Some statement shows its rows in the order in which they are stored.
    bool shows_order = false;
    std::set<std::string> parents;    ///< that its foreign keys refer to
    std::set<std::string> children;   ///< whose foreign keys refer to it
    std::set<std::string> sequences;  ///< that its defaults draw from
    std::set<std::string> generated;  ///< columns with numbers of a sequence
    /// A column of a foreign key -> "table.column", of keys of one column.
    std::map<std::string, std::string> references;
  };
  /// By the name that a statement uses: without "public.".
  std::map<std::string, Table> tables;
  /// Of the system, without side effects in any of their variants.
  std::set<std::string> harmless_functions;
  bool has_deferred = false;   ///< constraints that are looked at by COMMIT
  bool has_operators = false;  ///< of the user; or casts, or t.f for f(t)
  /// Of a transaction that says nothing; "serializable", too, where every step
  /// notices every other for another reason.
  std::string isolation;
  /// Of MariaDB: such a transaction has no snapshot of its own.
  bool reads_committed = false;

  [[nodiscard]] static Result<Catalog> read(db::Session& session,
                                            Product product);
};

}  // namespace txscope::race
