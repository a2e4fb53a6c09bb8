#include "read/sql/file/trigger_switches.h"

#include <algorithm>

namespace txscope::sql {
namespace {

struct Switch {
  bool is_on = false;
  bool is_all = false;    ///< ALL or USER, else one by its name
  bool has_keys = false;  ///< ALL: foreign keys, too
};

std::optional<Switch> switch_of(PgQuery__AlterTableType type) {
  switch (type) {
    case PG_QUERY__ALTER_TABLE_TYPE__AT_EnableTrig:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_EnableAlwaysTrig:
      return Switch{true, false, false};
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DisableTrig:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_EnableReplicaTrig:
      return Switch{false, false, false};
    case PG_QUERY__ALTER_TABLE_TYPE__AT_EnableTrigAll:
      return Switch{true, true, true};
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DisableTrigAll:
      return Switch{false, true, true};
    case PG_QUERY__ALTER_TABLE_TYPE__AT_EnableTrigUser:
      return Switch{true, true, false};
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DisableTrigUser:
      return Switch{false, true, false};
    default: return std::nullopt;
  }
}

void turn(Trigger& trigger, bool is_on, std::size_t position) {
  const bool was_off =
      !trigger.off.empty() && trigger.off.back().to == Trigger::kForever;
  if (is_on && was_off) trigger.off.back().to = position;
  if (!is_on && !was_off) trigger.off.push_back({position});
}

}  // namespace

void TriggerSwitches::alter_table(const Tree& tree,
                                  const PgQuery__AlterTableStmt& node) {
  const std::string table = catalog_.relation(qualified(*node.relation));
  const auto id = catalog_.table(table);
  if (!id) return;
  const std::size_t position = application_.setup.size();
  for (const Node* item : list(node.n_cmds, node.cmds)) {
    const PgQuery__AlterTableCmd& command = *item->alter_table_cmd;
    const auto wanted = switch_of(command.subtype);
    if (!wanted) continue;
    bool is_found = wanted->is_all;
    for (TriggerText& text : catalog_.triggers) {
      const bool is_it =
          text.table == *id && text.generated.empty() &&
          (wanted->is_all || text.trigger.name == view(command.name));
      if (!is_it) continue;
      is_found = true;
      turn(text.trigger, wanted->is_on, position);
    }
    if (!is_found) {
      source_.gap(tree.whole(), "'" + table + "' has no trigger '" +
                                    std::string(view(command.name)) + "'");
    }
    if (!wanted->has_keys) continue;
    keys_off_.erase(table);
    if (wanted->is_on) continue;
    try {
      source_.unsupported(tree.whole(),
                          "DISABLE TRIGGER ALL, which switches foreign keys "
                          "off, is",
                          "DISABLE TRIGGER USER leaves them on");
    } catch (Failure& failure) {
      keys_off_.emplace(table, std::move(failure.error));
    }
  }
}

/// Where they stay off, a table with foreign keys is another one.
void TriggerSwitches::refuse_keys_off() {
  for (const auto& [table, why] : keys_off_) {
    const auto id = catalog_.table(table);
    if (!id) continue;
    const auto& tables = catalog_.schema.tables;
    const bool has_keys =
        !catalog_.schema.at(*id).foreign.empty() ||
        std::any_of(tables.begin(), tables.end(), [&](const Table& other) {
          return std::any_of(
              other.foreign.begin(), other.foreign.end(),
              [&](const ForeignKey& key) { return key.parent == *id; });
        });
    if (!has_keys) continue;
    notes_.push_back("'" + table + "' cannot be used: " + why.what + " (line " +
                     std::to_string(why.where.line) + ")");
    catalog_.broken.emplace(table, why);
  }
}

void TriggerSwitches::set_role(const PgQuery__VariableSetStmt& node) {
  if (view(node.name) != "session_replication_role") return;
  bool is_replica = false;
  for (const Node* item : list(node.n_args, node.args))
    is_replica |= item->node_case == PG_QUERY__NODE__NODE_A_CONST &&
                  item->a_const->sval != nullptr &&
                  view(item->a_const->sval->sval) == "replica";
  if (!is_replica)
    end_replica();
  else if (!replica_since_)
    replica_since_ = application_.setup.size();
}

void TriggerSwitches::end_replica() {
  if (!replica_since_) return;
  for (TriggerText& text : catalog_.triggers)
    text.trigger.off.insert(text.trigger.off.begin(),
                            {*replica_since_, application_.setup.size()});
  replica_since_.reset();
}

}  // namespace txscope::sql
