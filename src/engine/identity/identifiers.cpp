#include "engine/identity/identifiers.h"

#include <algorithm>
#include <variant>

#include "analysis/number_flow.h"

namespace txscope::engine {
namespace {

using sql::Expr;
using Class = analysis::NumberClasses::Class;

/// Whether a part of the syntax is there that is not followed here: a trigger,
/// whose function gets rows; the condition of a partial index; a lock whose key
/// is a number that means nothing else.
template <class Part>
bool is_beyond(const Part& part) {
  if constexpr (requires { part.triggers; }) {
    if (!part.triggers.empty()) return true;
  }
  if constexpr (requires { part.partial; }) {
    if (!part.partial.empty()) return true;
  }
  if constexpr (requires { part.locks; })
    return part.locks != nullptr || !part.parts.empty() ||
           std::holds_alternative<sql::Merge>(part.what) ||
           sql::chooses_rows(part);
  return false;
}

/// Walks everything that sessions may run.  Depth: the nesting of blocks,
/// queries and expressions, which the front end limits.
class Analysis : analysis::NumberFlow {
 public:
  using analysis::NumberFlow::NumberFlow;

  Identifiers run(const sql::MemoryDatabase& initial) {
    tables();
    rows(initial);
    for (const sql::Session& session : application_.sessions) {
      for (const sql::Call& call : session.calls) {
        reach(call.routine);
        auto& slots = slots_[call.routine.index];
        for (std::size_t i = 0; i < call.arguments.size(); ++i)
          add_constant(slots[1 + i], call.arguments[i]);
      }
    }
    for (const sql::Property& property : application_.properties)
      walk(property);
    while (!reached_.empty()) {
      routine_ = reached_.back().index;
      reached_.pop_back();
      walk(application_.routines[routine_].body);
    }
    classes_.finish();
    Identifiers result;
    const auto& sequences = application_.schema.sequences;
    for (std::uint32_t s = 0; s < sequences.size(); ++s) {
      result.sequences.push_back(
          knows_all_ && sequences[s].increment > 0 &&
          classes_.identifies(s, initial.sequences()[s]));
    }
    for (std::uint32_t s = 0; s < sequences.size(); ++s)
      result.shown.push_back(classes_.is_shown(s));
    blanks(result);
    return result;
  }

 private:
  using analysis::NumberFlow::walk;

  void blanks(Identifiers& result) const {
    for (std::size_t t = 0; t < columns_.size(); ++t) {
      auto& row = result.blank_columns.emplace_back();
      // Without a primary key rows come in the order of their values.
      const bool is_known =
          knows_all_ && application_.schema.tables[t].has_primary_key;
      for (const Class c : columns_[t])
        row.push_back(is_known && classes_.is_blank(c));
    }
    for (const sql::Session& session : application_.sessions) {
      auto& calls = result.blank_arguments.emplace_back();
      for (const sql::Call& call : session.calls) {
        auto& row = calls.emplace_back();
        const auto& slots = slots_[call.routine.index];
        for (std::size_t i = 0; i < call.arguments.size(); ++i)
          row.push_back(knows_all_ && classes_.is_blank(slots[1 + i]));
      }
    }
  }

  // What is always there.

  void tables() {
    for (std::size_t t = 0; t < columns_.size(); ++t) {
      const sql::Table& table = application_.schema.tables[t];
      if (is_beyond(table)) knows_all_ = false;
      frames_.push_back({of_table(TableId(t))});
      for (const sql::Check& check : table.checks) test(check.condition);
      frames_.pop_back();
      for (const sql::UniqueKey& key : table.unique)
        for (const std::uint32_t c : key.columns) classes_.use(columns_[t][c]);
      for (const sql::ForeignKey& key : table.foreign) {
        for (std::size_t i = 0; i < key.columns.size(); ++i) {
          const Class parent =
              columns_[key.parent.index][key.parent_columns[i]];
          classes_.join(columns_[t][key.columns[i]], parent);
        }
      }
      for (std::size_t c = 0; c < table.columns.size(); ++c) {
        if (table.columns[c].default_value)
          assign(columns_[t][c], walk(*table.columns[c].default_value));
      }
    }
  }
  void rows(const sql::MemoryDatabase& initial) {
    for (std::size_t t = 0; t < columns_.size(); ++t)
      for (const sql::Row& row : initial.rows(TableId(t)))
        for (std::size_t c = 0; c < row.size(); ++c)
          add_constant(columns_[t][c], row[c]);
  }
  void walk(const sql::Property& property) {
    property_ = &property;
    walk(property.condition);
    property_ = nullptr;
  }

  // Statements.

  /// The classes of its result's columns.
  std::vector<MaybeClass> walk(const sql::DbStatement& statement) {
    if (is_beyond(statement)) knows_all_ = false;
    auto columns = std::visit([this](const auto& what) { return walk(what); },
                              statement.what);
    if (!statement.is_select()) {
      columns.clear();
      frames_.push_back({of_table(statement.target()->table)});
      for (const sql::Target& target : statement.returning)
        columns.push_back(walk(target.expr));
      frames_.pop_back();
    }
    return columns;
  }
  std::vector<MaybeClass> walk(const sql::Select& select) {
    return walk(*select);
  }
  void set(TableId table, const std::vector<sql::SetColumn>& changes) {
    for (const sql::SetColumn& change : changes) {
      if (change.value)
        assign(columns_[table.index][change.column], walk(*change.value));
    }
  }
  std::vector<MaybeClass> walk(const sql::Insert& insert) {
    const TableId table = insert.target.table;
    auto& columns = columns_[table.index];
    frames_.emplace_back();
    for (const auto& row : insert.rows)
      for (std::size_t i = 0; i < row.size(); ++i)
        if (row[i]) assign(columns[insert.columns[i]], walk(*row[i]));
    for (std::size_t i = 0;
         insert.constants != nullptr && i < insert.constants->size(); ++i) {
      const std::uint32_t c = insert.columns[i % insert.columns.size()];
      sql::Expr e;
      e.type = application_.schema.at(table).columns[c].type;
      e.value = (*insert.constants)[i];
      assign(columns[c], walk(e));
    }
    frames_.pop_back();
    if (insert.source) {
      const auto given = walk(*insert.source);
      if (!is_single(*insert.source)) see_order(*insert.source);
      for (std::size_t i = 0; i < given.size(); ++i) {
        const std::uint32_t c = insert.columns[i];
        const sql::Type& to = application_.schema.at(table).columns[c].type;
        const sql::Type& from = insert.source->targets[i].expr.type;
        assign(columns[c], converted(given[i], from, to));
      }
    }
    if (insert.on_conflict) {
      frames_.push_back({of_table(table), of_table(table)});
      set(table, insert.on_conflict->set);
      test(insert.on_conflict->where);
      frames_.pop_back();
    }
    return {};
  }
  std::vector<MaybeClass> walk(const sql::Update& update) {
    const TableId table = update.target.table;
    frames_.push_back({of_table(table)});
    set(table, update.set);
    test(update.where);
    frames_.pop_back();
    if (!has_key(table, update.where)) see_order(table);
    const bool changes_key = std::any_of(
        update.set.begin(), update.set.end(), [&](const auto& change) {
          const auto& keys = application_.schema.at(table).unique;
          return std::any_of(keys.begin(), keys.end(), [&](const auto& key) {
            return std::find(key.columns.begin(), key.columns.end(),
                             change.column) != key.columns.end();
          });
        });
    if (changes_key) see_children(table);
    return {};
  }
  std::vector<MaybeClass> walk(const sql::Delete& remove) {
    const TableId table = remove.target.table;
    frames_.push_back({of_table(table)});
    test(remove.where);
    frames_.pop_back();
    if (!has_key(table, remove.where)) see_order(table);
    see_children(table);
    return {};
  }
  std::vector<MaybeClass> walk(const sql::Merge&) { return {}; }  // is_beyond
  /// Rows that a routine gets, the first or all of them in their order.
  void take(const sql::DbStatement& statement,
            const std::vector<std::uint32_t>& into,
            const std::vector<sql::Type>& types) {
    const auto columns = walk(statement);
    const auto* select = std::get_if<sql::Select>(&statement.what);
    if (!into.empty() && select != nullptr && !is_single(**select))
      see_order(**select);
    for (std::size_t i = 0; i < into.size() && i < columns.size(); ++i) {
      const Expr& from = select != nullptr ? (*select)->targets[i].expr
                                           : statement.returning[i].expr;
      assign(slots_[routine_][into[i]],
             converted(columns[i], from.type, types[i]));
    }
  }

  // Routines.

  void walk(const sql::PlBlock& block) {
    for (const sql::PlStatement& statement : block)
      std::visit([this](const auto& what) { walk_pl(what); }, statement.what);
  }
  /// What is not known may look at anything.
  template <class Other>
  void walk_pl(const Other&) {
    knows_all_ = false;
  }
  void walk_pl(const sql::PlAssign& s) {
    assign(slots_[routine_][s.slot], walk(s.value));
  }
  void walk_pl(const sql::PlExecute& s) {
    take(s.statement, s.into, s.into_types);
  }
  void walk_pl(const sql::PlCall& s) {
    reach(s.routine);
    auto& slots = slots_[s.routine.index];
    for (std::size_t i = 0; i < s.arguments.size(); ++i)
      assign(slots[1 + i], walk(s.arguments[i]));
    const sql::Routine& callee = application_.at(s.routine);
    for (std::size_t i = 0; i < s.into.size(); ++i) {
      const Class to = slots_[routine_][s.into[i]];
      if (i < callee.out_slots.size())
        classes_.join(to, slots[callee.out_slots[i]]);
      if (callee.is_function) classes_.join(to, results_[s.routine.index]);
    }
  }
  void walk_pl(const sql::PlIf& s) {
    for (const sql::PlIf::Arm& arm : s.arms) {
      walk(arm.before);
      test(arm.condition);
      walk(arm.body);
    }
    walk(s.otherwise);
  }
  void walk_pl(const sql::PlLoop& s) {
    walk(s.before);
    test(s.condition);
    walk(s.body);
  }
  void walk_pl(const sql::PlForRange& s) {
    spoil(walk(s.from));
    spoil(walk(s.to));
    if (s.step) spoil(walk(*s.step));
    classes_.spoil(slots_[routine_][s.slot]);
    walk(s.body);
  }
  void walk_pl(const sql::PlForRows& s) {
    if (s.cursor) knows_all_ = false;
    take(s.query, s.into, s.into_types);
    walk(s.body);
  }
  void walk_pl(const sql::PlExit&) {}
  void walk_pl(const sql::PlLabelled& s) { walk(s.body); }
  void walk_pl(const sql::PlReturn& s) {
    if (s.value) assign(results_[routine_], walk(*s.value));
  }
  void walk_pl(const sql::PlRaise& s) {
    for (const Expr& argument : s.arguments) walk(argument);
  }
  void walk_pl(const sql::PlRowCount& s) {
    classes_.spoil(slots_[routine_][s.slot]);
  }

  bool knows_all_ = true;
};

}  // namespace

Identifiers identifiers_of(const sql::Application& application,
                           const sql::MemoryDatabase& initial) {
  return Analysis(application).run(initial);
}

std::vector<bool> identifying_sequences(const sql::Application& application,
                                        const sql::MemoryDatabase& initial) {
  if (application.schema.sequences.empty()) return {};
  return identifiers_of(application, initial).sequences;
}

}  // namespace txscope::engine
