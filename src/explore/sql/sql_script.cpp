#include "explore/sql/sql_script.h"

#include <algorithm>

#include "explore/sql/transactions.h"
#include "model/answer.h"

namespace txscope::explore {

SqlScript::SqlScript(const sql::Application& application,
                     const sql::Routines& routines)
    : application_(application), routines_(routines) {
  max_slots = 1;
  properties = application.properties.size();
  instances.emplace_back();
  for (std::size_t s = 0; s < application.sessions.size(); ++s) {
    first_of_session.emplace_back(instances.size());
    for (std::size_t c = 0; c < application.sessions[s].calls.size(); ++c) {
      instances.push_back(
          {static_cast<std::uint32_t>(s), static_cast<std::uint32_t>(c), 1, 1});
    }
  }
  first_of_session.emplace_back(instances.size());
}

void SqlScript::use(Universe& universe) {
  universe_ = &universe;
  initial = universe.initial();
  conditions.clear();
  for (std::size_t p = 0; p < properties; ++p) {
    const sql::Property& property = application_.properties[p];
    Condition condition;
    condition.property = PropertyId(p);
    condition.at = property.at;
    // An assertion, too, may look at the final state.
    condition.kind = PropertyKind::Invariant;
    const auto tables = tables_of(application_, property);
    for (std::size_t k = 0; k < initial.size(); ++k) {
      if (std::find(tables.begin(), tables.end(),
                    universe.table_of(KeyId(k))) != tables.end()) {
        condition.keys.push_back(static_cast<std::uint32_t>(k));
      }
    }
    conditions.push_back(std::move(condition));
  }
}

std::unique_ptr<exec::Runner> SqlScript::make_runner(
    std::uint64_t, const Budget& budget) const {
  return std::make_unique<Transactions>(routines_, *universe_, *this, budget);
}

std::string SqlScript::key_name(KeyId key) const {
  return universe_->name(key);
}

std::optional<std::string> SqlScript::value_name(std::int64_t version) const {
  if (version == Universe::kAbsent) return "absent";
  return row_text(universe_->row(version));
}

bool SqlScript::is_outgrown() const { return universe_->is_outgrown(); }

}  // namespace txscope::explore
