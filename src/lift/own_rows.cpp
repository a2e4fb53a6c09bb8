#include "lift/own_rows.h"

#include <set>
#include <string>
#include <utility>

#include "lift/relevance.h"

namespace txscope::lift {
namespace {

using Kind = sql::StatementShape::Kind;
using Role = sql::LiteralSlot::Role;
using Key = std::pair<std::string, std::string>;  ///< domain and value

class OwnRows {
 public:
  OwnRows(Runs& runs, const Tables& tables) : runs_(runs), tables_(tables) {}

  void run() {
    for (Run& run : runs_.runs) {
      // A test makes the rows that others know outside of tests.
      if (run.is_test) continue;
      inserted_.clear();
      own_.clear();
      seen_here_.clear();
      for (RunTransaction& transaction : run.transactions)
        for (RunStatement& step : transaction.steps) see(step);
      known_.insert(seen_here_.begin(), seen_here_.end());
    }
  }

 private:
  void see(RunStatement& step) {
    const sql::StatementShape& shape = *step.shape;
    bool has_own = false;
    bool has_other = false;
    for (const sql::LiteralSlot& slot : shape.slots) {
      if (slot.is_null || slot.is_unknown ||
          (slot.role != Role::Equals && slot.role != Role::Inserted))
        continue;
      const auto column = tables_.resolved(shape, slot.column);
      const std::string domain = tables_.domain(column);
      if (domain.empty()) continue;
      const Key key{domain, slot.value};
      if (inserted_.count(domain) != 0 && known_.count(key) == 0 &&
          seen_here_.count(key) == 0)
        own_.insert(key);
      seen_here_.insert(key);
      (own_.count(key) != 0 ? has_own : has_other) = true;
    }
    // A new row is found by any of its keys, others by all of them.
    step.is_own = has_own && (shape.kind != Kind::Inserts || !has_other);
    if (shape.kind != Kind::Inserts) return;
    const LiftedTable* table = tables_.find(Relevance::target(shape));
    if (table != nullptr && table->key.size() == 1)
      inserted_.insert(tables_.domain({table->name, table->key[0]}));
  }

  Runs& runs_;
  const Tables& tables_;
  std::set<Key> known_;      ///< of earlier requests
  std::set<Key> seen_here_;  ///< of this one
  std::set<Key> own_;
  std::set<std::string> inserted_;  ///< domains of which it has made one
};

}  // namespace

void mark_own_rows(Runs& runs, const Tables& tables) {
  OwnRows(runs, tables).run();
}

}  // namespace txscope::lift
