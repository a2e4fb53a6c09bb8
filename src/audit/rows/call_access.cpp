#include "audit/rows/call_access.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "analysis/footprint.h"
#include "audit/rows/key_condition.h"
#include "model/sql/walk.h"

namespace txscope::audit {
namespace {

using sql::Expr;
using sql::Op;
using sql::Value;
using Known = std::vector<std::optional<Value>>;

/// Calls inside of calls; deeper ones may do anything.
constexpr int kDeepest = 8;

void add_anything(const sql::Schema& schema, const analysis::Footprint& print,
                  std::vector<RowAccess>& all) {
  for (std::size_t t = 0; t < schema.tables.size(); ++t)
    if (print.writes[t]) add_any_write(schema, TableId(t), all);
}

/// Whether a trigger fires after this statement; none of those that fire before
/// it and may change the row.
bool fires_after(const sql::Trigger& trigger, const sql::DbStatement& by) {
  return (trigger.on_insert && std::holds_alternative<sql::Insert>(by.what)) ||
         (trigger.on_update &&
          (std::holds_alternative<sql::Update>(by.what) ||
           std::holds_alternative<sql::Insert>(by.what))) ||
         (trigger.on_delete && std::holds_alternative<sql::Delete>(by.what));
}

/// Whether it writes rows of its own table only, besides what AFTER triggers
/// write elsewhere.
bool is_simple(const sql::Application& application,
               const sql::DbStatement& by) {
  const sql::Relation* target = by.target();
  if (target == nullptr || !by.parts.empty() ||
      std::holds_alternative<sql::Merge>(by.what))
    return false;
  const sql::Schema& schema = application.schema;
  const auto& triggers = schema.at(target->table).triggers;
  for (const sql::Trigger& trigger : triggers) {
    if (trigger.is_before) return false;
    const auto print =
        analysis::footprint_of(application, sql::RoutineId(trigger.routine));
    if (print.writes[target->table.index]) return false;
  }
  if (triggers.empty() && !std::holds_alternative<sql::Delete>(by.what))
    return true;
  // What follows by foreign keys may fire triggers, too.
  return std::none_of(
      schema.tables.begin(), schema.tables.end(), [&](const sql::Table& child) {
        return std::any_of(child.foreign.begin(), child.foreign.end(),
                           [&](const sql::ForeignKey& key) {
                             return key.parent == target->table &&
                                    !child.triggers.empty() &&
                                    key.on_delete != sql::OnDelete::NoAction;
                           });
      });
}

/// The row and the column that a variable was read from.
struct Origin {
  TableId table;
  sql::Row key;
  std::uint32_t column = 0;
};

/// How often the text of a routine assigns to each of its variables.
std::vector<std::uint32_t> assignments(const sql::Routine& routine) {
  std::vector<std::uint32_t> counts(routine.variables.size(), 0);
  const auto one = [&](std::uint32_t slot) {
    if (slot < counts.size()) ++counts[slot];
  };
  const auto each = [&](const std::vector<std::uint32_t>& slots) {
    for (const std::uint32_t slot : slots) one(slot);
  };
  sql::for_each_pl(routine.body, [&](const sql::PlStatement& s) {
    if (const auto* assign = std::get_if<sql::PlAssign>(&s.what))
      one(assign->slot);
    else if (const auto* execute = std::get_if<sql::PlExecute>(&s.what))
      each(execute->into);
    else if (const auto* call = std::get_if<sql::PlCall>(&s.what))
      each(call->into);
    else if (const auto* range = std::get_if<sql::PlForRange>(&s.what))
      one(range->slot);
    else if (const auto* rows = std::get_if<sql::PlForRows>(&s.what))
      each(rows->into);
    else if (const auto* fetch = std::get_if<sql::PlFetch>(&s.what))
      each(fetch->into);
    else if (const auto* count = std::get_if<sql::PlRowCount>(&s.what))
      one(count->slot);
    else if (const auto* guarded = std::get_if<sql::PlTry>(&s.what))
      one(guarded->state_slot), one(guarded->message_slot);
  });
  return counts;
}

/// One routine with what is known of its variables.
struct Frame {
  const sql::Routine* routine = nullptr;
  Known known;  ///< by slot
  std::vector<std::optional<Origin>> origins;
};

/// With known variables as constants, and those read from the row that the
/// statement is about as its columns.
Expr bound(const Expr& e, const Frame& frame, const Origin* row) {
  if (e.op == Op::Variable && e.index < frame.known.size()) {
    if (frame.known[e.index]) {
      Expr constant = e;
      constant.op = Op::Constant;
      constant.value = *frame.known[e.index];
      return constant;
    }
    const auto& origin = frame.origins[e.index];
    if (row != nullptr && origin && origin->table == row->table &&
        origin->key == row->key) {
      Expr column = e;
      column.op = Op::Column;
      column.index = origin->column;
      column.level = column.relation = 0;
      return column;
    }
  }
  Expr copy = e;
  for (Expr& arg : copy.args) arg = bound(arg, frame, row);
  return copy;
}

std::optional<Expr> bound(const std::optional<Expr>& e, const Frame& frame,
                          const Origin* row) {
  if (!e) return std::nullopt;
  return bound(*e, frame, row);
}

class CallWalk {
 public:
  CallWalk(const sql::Application& application, std::vector<RowAccess>& all)
      : application_(application), all_(all) {}

  void call(sql::RoutineId id, Known arguments, bool repeats) {
    if (++depth_ > kDeepest) {
      add_anything(application_.schema,
                   analysis::footprint_of(application_, id), all_);
    } else {
      const Frame frame = enter(application_.at(id), std::move(arguments));
      walk(frame, frame.routine->body, repeats);
    }
    --depth_;
  }

  /// What a statement of a client does, and the triggers that it fires.
  void run(const sql::DbStatement& statement,
           const sql::LogStatement& observed) {
    if (!is_simple(application_, statement))
      return add_anything(application_.schema,
                          analysis::footprint_of(application_, statement),
                          all_);
    write_accesses(application_.schema, statement, observed, all_);
    const bool is_one = observed.count && *observed.count <= 1;
    fire(statement, !is_one);
  }

  /// What a function returns: the value of a column of a row, if that is all
  /// that it ever returns and it changes nothing.
  [[nodiscard]] std::optional<Origin> result(sql::RoutineId id,
                                             Known arguments) const {
    const auto print = analysis::footprint_of(application_, id);
    if (std::find(print.writes.begin(), print.writes.end(), true) !=
        print.writes.end())
      return std::nullopt;
    const Frame frame = enter(application_.at(id), std::move(arguments));
    const Expr* value = nullptr;
    bool is_one = true;
    sql::for_each_pl(frame.routine->body, [&](const sql::PlStatement& s) {
      const auto* back = std::get_if<sql::PlReturn>(&s.what);
      if (back == nullptr || !back->value) return;
      is_one = is_one && value == nullptr;
      value = &*back->value;
    });
    if (value == nullptr || !is_one || value->op != Op::Variable ||
        value->index >= frame.origins.size())
      return std::nullopt;
    return frame.origins[value->index];
  }

 private:
  [[nodiscard]] Frame enter(const sql::Routine& routine,
                            Known arguments) const {
    Frame frame;
    frame.routine = &routine;
    frame.known.resize(routine.variables.size());
    frame.origins.resize(routine.variables.size());
    const auto counts = assignments(routine);
    const auto is_out = [&](std::uint32_t slot) {
      return std::find(routine.out_slots.begin(), routine.out_slots.end(),
                       slot) != routine.out_slots.end();
    };
    for (std::uint32_t slot = 1;
         slot <= routine.parameters && slot <= arguments.size() &&
         slot < counts.size();
         ++slot)
      if (counts[slot] == 0 && !is_out(slot))
        frame.known[slot] = std::move(arguments[slot - 1]);
    find_origins(frame, routine.body, counts);
    return frame;
  }

  /// Variables that one SELECT sets, outside of loops, to columns of a row.
  void find_origins(Frame& frame, const sql::PlBlock& block,
                    const std::vector<std::uint32_t>& counts) const {
    for (const sql::PlStatement& s : block) {
      if (const auto* execute = std::get_if<sql::PlExecute>(&s.what))
        find_origins(frame, *execute, counts);
      if (is_loop(s)) continue;
      sql::for_each_part(
          s, [](const Expr&) {}, [](const sql::DbStatement&) {},
          [&](const sql::PlBlock& inside) {
            find_origins(frame, inside, counts);
          });
    }
  }

  void find_origins(Frame& frame, const sql::PlExecute& execute,
                    const std::vector<std::uint32_t>& counts) const {
    const sql::DbStatement& statement = execute.statement;
    if (!statement.is_select() || statement.is_write()) return;
    const sql::Query& query = *std::get<sql::Select>(statement.what);
    if (query.relations.size() != 1 || query.relations[0].query != nullptr ||
        query.relations[0].table == kNone<TableId> || query.is_grouped ||
        query.set != sql::SetKind::None)
      return;
    const TableId id = query.relations[0].table;
    const sql::Table& table = application_.schema.at(id);
    std::vector<const Expr*> rest;
    const auto key =
        key_of(table, bound(query.where, frame, nullptr), {}, rest);
    if (!key) return;
    for (std::size_t i = 0; i < execute.into.size() && i < query.targets.size();
         ++i) {
      const std::uint32_t slot = execute.into[i];
      const Expr& target = query.targets[i].expr;
      // NULL, where there is no such row, cannot be written back.
      if (slot < counts.size() && counts[slot] == 1 &&
          target.op == Op::Column && target.level == 0 &&
          !table.columns[target.index].is_nullable)
        frame.origins[slot] = Origin{id, *key, target.index};
    }
  }

  [[nodiscard]] static bool is_loop(const sql::PlStatement& s) {
    return std::holds_alternative<sql::PlLoop>(s.what) ||
           std::holds_alternative<sql::PlForRange>(s.what) ||
           std::holds_alternative<sql::PlForRows>(s.what);
  }

  void walk(const Frame& frame, const sql::PlBlock& block, bool repeats) {
    for (const sql::PlStatement& s : block) {
      if (const auto* inner = std::get_if<sql::PlCall>(&s.what)) {
        Known arguments;
        for (const Expr& e : inner->arguments)
          arguments.push_back(constant(bound(e, frame, nullptr), {}));
        call(inner->routine, std::move(arguments), repeats);
      }
      sql::for_each_part(
          s, [](const Expr&) {},
          [&](const sql::DbStatement& statement) {
            write(frame, statement, repeats);
          },
          [&](const sql::PlBlock& inside) {
            walk(frame, inside, repeats || is_loop(s));
          });
    }
  }

  /// The triggers of a statement; `repeats`: each may fire more than once.
  void fire(const sql::DbStatement& statement, bool repeats) {
    const TableId table = statement.target()->table;
    for (const sql::Trigger& trigger : application_.schema.at(table).triggers)
      if (fires_after(trigger, statement))
        call(sql::RoutineId(trigger.routine), {}, repeats && trigger.is_row);
  }

  void write(const Frame& frame, const sql::DbStatement& statement,
             bool repeats) {
    if (!statement.is_write()) return;
    if (!is_simple(application_, statement))
      return add_anything(application_.schema,
                          analysis::footprint_of(application_, statement),
                          all_);
    sql::DbStatement copy;
    copy.what =
        std::visit([&](const auto& what) { return with_values(frame, what); },
                   statement.what);
    const std::size_t before = all_.size();
    write_accesses(application_.schema, copy, {}, all_);
    const std::size_t end = all_.size();
    // How many rows it changes is not known.
    fire(statement, true);
    if (!repeats) return;
    for (std::size_t i = before; i < end; ++i)
      for (Change& change : all_[i].changes)
        if (change.kind == Change::Kind::Add)
          change.kind = Change::Kind::Unknown;
  }

  using What = decltype(sql::DbStatement::what);
  [[nodiscard]] What with_values(const Frame&, const sql::Select& s) const {
    return s;
  }
  [[nodiscard]] What with_values(const Frame&, const sql::Merge& m) const {
    return m;
  }
  [[nodiscard]] What with_values(const Frame& frame, sql::Insert insert) const {
    for (auto& row : insert.rows)
      for (auto& value : row) value = bound(value, frame, nullptr);
    return insert;
  }
  [[nodiscard]] What with_values(const Frame& frame, sql::Delete remove) const {
    remove.where = bound(remove.where, frame, nullptr);
    return remove;
  }
  [[nodiscard]] What with_values(const Frame& frame, sql::Update update) const {
    update.where = bound(update.where, frame, nullptr);
    std::vector<const Expr*> rest;
    const auto key = key_of(application_.schema.at(update.target.table),
                            update.where, {}, rest);
    const Origin row{update.target.table, key.value_or(sql::Row()), 0};
    for (sql::SetColumn& set : update.set)
      set.value = bound(set.value, frame, key ? &row : nullptr);
    return update;
  }

  const sql::Application& application_;
  std::vector<RowAccess>& all_;
  int depth_ = 0;
};

}  // namespace

void add_call(const Prepared& prepared, const sql::LogStatement& observed,
              std::vector<RowAccess>& all) {
  const sql::Application& application = prepared.routines->application();
  Known arguments;
  for (const Expr& e : prepared.arguments)
    arguments.push_back(constant(e, observed));
  CallWalk walk(application, all);
  if (prepared.is_function() && observed.rows && observed.rows->size() == 1 &&
      (*observed.rows)[0].size() == 1 && !(*observed.rows)[0][0].is_null()) {
    if (const auto origin = walk.result(prepared.routine, arguments)) {
      RowAccess seen;
      seen.kind = RowAccess::Kind::Seen;
      seen.table = origin->table;
      seen.key = origin->key;
      seen.columns.emplace_back(origin->column, (*observed.rows)[0][0]);
      all.push_back(std::move(seen));
    }
  }
  walk.call(prepared.routine, std::move(arguments), false);
}

void add_triggering(const Prepared& prepared, const sql::LogStatement& observed,
                    std::vector<RowAccess>& all) {
  CallWalk(prepared.routines->application(), all)
      .run(*prepared.statement, observed);
}

}  // namespace txscope::audit
