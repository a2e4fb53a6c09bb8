#pragma once

#include <string>
#include <vector>

#include "audit/attempt/prepared.h"

namespace txscope::audit {

/// The tables whose rows are not known any more, because something unsupported
/// wrote them.  Statements that look at them tell nothing; what these write is
/// unknown, too.
class UnknownTables {
 public:
  explicit UnknownTables(const sql::Application& setup)
      : setup_(setup), is_unknown_(setup.schema.tables.size()) {}

  [[nodiscard]] bool empty() const { return count_ == 0; }
  /// After a statement that was not understood.
  void forget(const std::string& sql, const Error& why);
  /// After one of which nothing is known: it may have written anything.
  void forget_all() { add_all(); }
  /// Whether a text mentions a routine of the setup.
  [[nodiscard]] bool names_routine(const std::string& sql) const;
  /// After one that runs routines: they may look at anything.
  void meet_call();
  /// After a statement that touches them; whether there are more now.
  bool spread(const Prepared& prepared);
  /// Whether its outcome depends on them.
  [[nodiscard]] bool touches(const Prepared& prepared) const;

  [[nodiscard]] std::vector<std::string> names() const;
  void resume(const std::vector<std::string>& names);

 private:
  void add(TableId table);
  void add_all();
  /// Whether something unsupported may change rows.
  [[nodiscard]] bool may_write(const std::string& sql, const Error& why) const;

  const sql::Application& setup_;
  std::vector<bool> is_unknown_;
  std::size_t count_ = 0;
  bool has_calls_ = false;
};

}  // namespace txscope::audit
