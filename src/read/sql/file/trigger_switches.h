#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "read/sql/schema/catalog.h"
#include "read/sql/text/tree.h"

namespace txscope::sql {

/// Triggers that the setup of a file switches off and on.
class TriggerSwitches {
 public:
  TriggerSwitches(const Source& source, Catalog& catalog,
                  const Application& application,
                  std::vector<std::string>& notes)
      : source_(source),
        catalog_(catalog),
        application_(application),
        notes_(notes) {}

  /// ALTER TABLE ... DISABLE and ENABLE TRIGGER.
  void alter_table(const Tree& tree, const PgQuery__AlterTableStmt& node);
  /// SET session_replication_role: of the session that loads the file.
  void set_role(const PgQuery__VariableSetStmt& node);
  /// At the end of the file.
  void settle() {
    end_replica();
    refuse_keys_off();
  }

 private:
  void end_replica();
  void refuse_keys_off();

  const Source& source_;
  Catalog& catalog_;
  const Application& application_;
  std::vector<std::string>& notes_;
  /// SET session_replication_role = replica: since which statement of the
  /// setup no trigger fires.
  std::optional<std::size_t> replica_since_;
  std::map<std::string, Error> keys_off_;  // DISABLE TRIGGER ALL, by table
};

}  // namespace txscope::sql
