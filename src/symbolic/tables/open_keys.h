#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "symbolic/tables/universe_keys.h"

namespace txscope::symbolic {

/// The keys that an INSERT may have whose primary key depends on inputs.  They
/// are a bound of the answer, which names them: the keys that are there, those
/// that the program names, and new ones, as many as there are calls; of a
/// foreign key those of its parent, which is no bound, as all others fail.
class OpenKeys {
 public:
  OpenKeys(const sql::Application& application, const KeyUniverse& universe,
           std::size_t calls);

  struct Candidates {
    std::vector<sql::Value> values;
    bool is_all = false;  ///< no other value can be inserted
  };
  [[nodiscard]] Candidates of(TableId table, std::uint32_t column) const;

 private:
  void add_constants(const sql::Expr& e);
  void add_constants(const sql::Query& q);

  const sql::Application& application_;
  const KeyUniverse& universe_;
  std::size_t calls_;
  std::map<sql::Kind, std::set<sql::Value>> constants_;  ///< of the program
};

}  // namespace txscope::symbolic
