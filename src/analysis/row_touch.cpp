#include "analysis/row_touch.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "model/sql/builtin.h"
#include "model/sql/walk.h"

namespace txscope::analysis {
namespace {

using sql::Expr;
using sql::Op;
using Kind = RowTouch::Kind;
using Known = std::vector<std::optional<sql::Value>>;  ///< by slot

constexpr unsigned kMostNested = 8;

/// Slots that a routine assigns to; false: it has statements that are not
/// followed here.
class Assigned {
 public:
  explicit Assigned(const sql::Routine& routine)
      : assigned_(routine.variables.size()) {
    sql::for_each_pl(routine.body, [this](const sql::PlStatement& s) {
      std::visit([this](const auto& what) { note(what); }, s.what);
    });
  }
  [[nodiscard]] bool is_known() const { return is_known_; }
  [[nodiscard]] bool at(std::size_t slot) const { return assigned_[slot]; }

 private:
  void set(std::uint32_t slot) { assigned_[slot] = true; }
  void set(const std::vector<std::uint32_t>& slots) {
    for (const std::uint32_t slot : slots) set(slot);
  }
  void note(const sql::PlAssign& s) { set(s.slot); }
  void note(const sql::PlExecute& s) { set(s.into); }
  void note(const sql::PlCall& s) { set(s.into); }
  void note(const sql::PlForRange& s) { set(s.slot); }
  void note(const sql::PlForRows& s) {
    set(s.into);
    if (s.cursor) is_known_ = false;
  }
  void note(const sql::PlRowCount& s) { set(s.slot); }
  void note(const sql::PlIf&) {}
  void note(const sql::PlLoop&) {}
  void note(const sql::PlExit&) {}
  void note(const sql::PlLabelled&) {}
  void note(const sql::PlReturn&) {}
  void note(const sql::PlRaise&) {}
  template <class Other>
  void note(const Other&) {
    is_known_ = false;
  }

  std::vector<bool> assigned_;
  bool is_known_ = true;
};

bool is_plain(const sql::Value& value) {
  return value.kind() == sql::Kind::Integer || value.kind() == sql::Kind::Text;
}

class TouchWalk {
 public:
  TouchWalk(const sql::Application& application,
            const std::vector<bool>& own_numbers)
      : application_(application), own_numbers_(own_numbers) {}

  CallTouch run(const sql::Call& call) {
    Known arguments;
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      const bool is_open = i < call.open.size() && call.open[i];
      arguments.push_back(is_open ? std::nullopt
                                  : std::optional(call.arguments[i]));
    }
    routine(call.routine, arguments);
    return std::move(use_);
  }

 private:
  void routine(sql::RoutineId id, const Known& arguments) {
    const sql::Routine& routine = application_.at(id);
    const Assigned assigned(routine);
    if (!assigned.is_known() || ++nested_ > kMostNested ||
        routine.problem != nullptr) {
      use_.is_known = false;
      return;
    }
    Known known(routine.variables.size());
    for (std::size_t i = 0; i < arguments.size() && i + 1 < known.size(); ++i)
      if (!assigned.at(i + 1)) known[i + 1] = arguments[i];
    std::swap(known, known_);
    block(routine.body);
    std::swap(known, known_);
    --nested_;
  }
  void block(const sql::PlBlock& all) {
    for (const sql::PlStatement& s : all) {
      const bool is_loop = std::holds_alternative<sql::PlLoop>(s.what) ||
                           std::holds_alternative<sql::PlForRange>(s.what) ||
                           std::holds_alternative<sql::PlForRows>(s.what);
      const bool was_in_loop = in_loop_;
      in_loop_ |= is_loop;
      if (const auto* call = std::get_if<sql::PlCall>(&s.what)) {
        Known arguments;
        for (const Expr& e : call->arguments) arguments.push_back(value_of(e));
        routine(call->routine, arguments);
      }
      sql::for_each_part(
          s, [this](const Expr& e) { look(e); },
          [this](const sql::DbStatement& d) { statement(d); },
          [this](const sql::PlBlock& inside) { block(inside); });
      in_loop_ = was_in_loop;
    }
  }

  // Expressions.

  void look(const Expr& e) {
    // What runs in it is not followed.
    if (e.op == Op::Function) use_.is_known = false;
    if (e.op == Op::Builtin &&
        sql::takes_number(static_cast<sql::Builtin>(e.index)))
      draw(static_cast<std::uint32_t>(e.args[0].value.integer()));
    sql::for_each_part(
        e, [this](const Expr& part) { look(part); },
        [this](const sql::Query& q) { look(q); });
  }
  void look(const sql::Query& query) {
    for (const sql::Relation& relation : query.relations) {
      if (relation.table == kNone<TableId>) continue;
      const bool locks = query.lock != sql::LockStrength::None;
      const bool is_single = query.relations.size() == 1;
      RowTouch use;
      use.kind = locks ? Kind::Lock : Kind::Read;
      use.table = relation.table;
      if (is_single) use.key = key_of(relation.table, query.where);
      use.strength = query.lock;
      add(use);
    }
    sql::for_each_part(
        query, [this](const Expr& e) { look(e); },
        [this](const sql::Query& q) { look(q); });
  }
  [[nodiscard]] std::optional<sql::Value> value_of(const Expr& e) const {
    if (e.op == Op::Constant) return e.value;
    if (e.op == Op::Variable && e.index < known_.size()) return known_[e.index];
    return std::nullopt;
  }
  /// The primary key of the one row that a condition allows.
  [[nodiscard]] std::optional<sql::Value> key_of(
      TableId table, const std::optional<Expr>& where) const {
    const sql::Table& shape = application_.schema.at(table);
    if (!where || !shape.has_primary_key ||
        shape.unique.front().columns.size() != 1) {
      return std::nullopt;
    }
    return key_in(*where, shape.unique.front().columns.front());
  }
  [[nodiscard]] std::optional<sql::Value> key_in(const Expr& e,
                                                 std::uint32_t column) const {
    if (e.op == Op::And) {
      for (const Expr& part : e.args)
        if (auto found = key_in(part, column)) return found;
    }
    if (e.op != Op::Equal) return std::nullopt;
    for (const std::size_t i : {0, 1}) {
      const Expr& one = e.args[i];
      if (one.op != Op::Column || one.level != 0 || one.relation != 0 ||
          one.index != column) {
        continue;
      }
      const auto value = value_of(e.args[1 - i]);
      if (value && is_plain(*value)) return value;
    }
    return std::nullopt;
  }

  // Statements.

  void statement(const sql::DbStatement& d) {
    statement_ = &d;
    if (!d.parts.empty() || d.locks != nullptr || !d.checks.empty() ||
        d.sets_constraints) {
      use_.is_known = false;
    }
    sql::for_each_part(
        d, [this](const Expr& e) { look(e); },
        [this](const sql::Query& q) { look(q); });
    std::visit([this](const auto& what) { change(what); }, d.what);
    if (sql::chooses_rows(d)) use_.is_known = false;
    statement_ = nullptr;
  }
  void change(const sql::Select&) {}
  void change(const sql::Merge&) { use_.is_known = false; }
  void change(const sql::Update& update) {
    const TableId table = update.target.table;
    const sql::Table& shape = application_.schema.at(table);
    RowTouch use;
    use.kind = Kind::Update;
    use.table = table;
    use.key = key_of(table, update.where);
    for (const sql::SetColumn& set : update.set) {
      use.moves |= is_key(shape, set.column);
      for (const sql::ForeignKey& key : shape.foreign)
        if (std::count(key.columns.begin(), key.columns.end(), set.column) > 0)
          parent(key, value_of_set(set));
    }
    use.strength =
        use.moves ? sql::LockStrength::Update : sql::LockStrength::NoKeyUpdate;
    if (use.moves) {
      use.key = std::nullopt;
      children(table);
    }
    simple(shape);
    add(use);
  }
  void change(const sql::Delete& remove) {
    const TableId table = remove.target.table;
    RowTouch use;
    use.kind = Kind::Update;
    use.table = table;
    use.key = key_of(table, remove.where);
    use.moves = true;
    use.strength = sql::LockStrength::Update;
    children(table);
    simple(application_.schema.at(table));
    add(use);
  }
  void change(const sql::Insert& insert) {
    const TableId table = insert.target.table;
    const sql::Table& shape = application_.schema.at(table);
    RowTouch use;
    use.kind = Kind::Insert;
    use.table = table;
    use.strength = sql::LockStrength::Update;
    use.is_fresh = !insert.on_conflict && shape.partial.empty() &&
                   std::all_of(shape.unique.begin(), shape.unique.end(),
                               [&](const sql::UniqueKey& key) {
                                 return has_own_number(shape, key, insert);
                               });
    if (insert.on_conflict) use_.is_known = false;
    for (const sql::Column& column : shape.columns) {
      if (column.default_value) look(*column.default_value);
      if (column.sequence) draw(*column.sequence);
    }
    simple(shape);
    for (const sql::ForeignKey& key : shape.foreign) parents(key, insert);
    add(use);
  }
  void draw(std::uint32_t sequence) {
    if (sequence >= own_numbers_.size() || !own_numbers_[sequence])
      use_.draws.insert(sequence);
  }
  /// The parents that new rows name.
  void parents(const sql::ForeignKey& key, const sql::Insert& insert) {
    const auto given = std::find(insert.columns.begin(), insert.columns.end(),
                                 key.columns.front());
    if (key.columns.size() != 1 || insert.source != nullptr ||
        given == insert.columns.end()) {
      return parent(key, std::nullopt);
    }
    const auto at = static_cast<std::size_t>(given - insert.columns.begin());
    for (const auto& row : insert.rows)
      parent(key, row[at] ? value_of(*row[at]) : std::nullopt);
  }
  void parent(const sql::ForeignKey& key, std::optional<sql::Value> value) {
    if (value && value->is_null()) return;
    const sql::Table& shape = application_.schema.at(key.parent);
    RowTouch use;
    use.kind = Kind::Parent;
    use.table = key.parent;
    use.strength = sql::LockStrength::KeyShare;
    if (key.columns.size() == 1 && shape.has_primary_key && value &&
        is_plain(*value) &&
        key.parent_columns == shape.unique.front().columns) {
      use.key = std::move(value);
    }
    add(use);
  }
  [[nodiscard]] std::optional<sql::Value> value_of_set(
      const sql::SetColumn& set) const {
    return set.value ? value_of(*set.value) : std::nullopt;
  }
  [[nodiscard]] static bool is_key(const sql::Table& shape,
                                   std::uint32_t column) {
    for (std::size_t k = 0; k < shape.key_count(); ++k) {
      const auto& key = shape.key_at(k);
      for (const auto* columns : {&key.columns, &key.condition_columns})
        if (std::find(columns->begin(), columns->end(), column) !=
            columns->end())
          return true;
    }
    return false;
  }
  /// Every row of the statement gets a number that nobody else gets.
  [[nodiscard]] bool has_own_number(const sql::Table& shape,
                                    const sql::UniqueKey& key,
                                    const sql::Insert& insert) const {
    return std::any_of(
        key.columns.begin(), key.columns.end(), [&](std::uint32_t c) {
          const auto sequence = shape.columns[c].sequence;
          return sequence && *sequence < own_numbers_.size() &&
                 own_numbers_[*sequence] &&
                 std::find(insert.columns.begin(), insert.columns.end(), c) ==
                     insert.columns.end();
        });
  }
  /// Foreign keys that lead to a table whose rows go.
  void children(TableId table) {
    for (const sql::Table& child : application_.schema.tables)
      for (const sql::ForeignKey& key : child.foreign)
        if (key.parent == table) use_.is_known = false;
  }
  /// Nothing else happens when its rows change.
  void simple(const sql::Table& shape) {
    if (!shape.triggers.empty()) use_.is_known = false;
    for (std::size_t k = 0; k < shape.key_count(); ++k)
      if (shape.key_at(k).is_deferrable) use_.is_known = false;
    for (const sql::ForeignKey& key : shape.foreign)
      if (key.is_deferrable) use_.is_known = false;
    for (const sql::Check& check : shape.checks) look(check.condition);
  }
  void add(RowTouch use) {
    use.is_in_loop = in_loop_;
    use.statement = statement_;
    use_.all.push_back(std::move(use));
  }

  const sql::Application& application_;
  const std::vector<bool>& own_numbers_;
  CallTouch use_;
  Known known_;
  bool in_loop_ = false;
  unsigned nested_ = 0;
  const sql::DbStatement* statement_ = nullptr;
};

bool may_be_same_row(const RowTouch& a, const RowTouch& b) {
  if (a.table != b.table) return false;
  // A new number is none that a condition can name.
  const bool a_new = a.kind == Kind::Insert;
  const bool b_new = b.kind == Kind::Insert;
  if (a_new && b_new) return !a.is_fresh || !b.is_fresh;
  if (a_new && a.is_fresh && b.key) return false;
  if (b_new && b.is_fresh && a.key) return false;
  return !a.key || !b.key || *a.key == *b.key;
}

/// What one does is nothing to the other, even with the same row.
bool is_nothing_to(const RowTouch& a, const RowTouch& b) {
  if (a.kind == Kind::Read)
    return b.kind == Kind::Read || b.kind == Kind::Lock ||
           b.kind == Kind::Parent;
  if (a.kind == Kind::Parent)
    return b.kind == Kind::Parent ||
           ((b.kind == Kind::Update || b.kind == Kind::Lock) && !b.is_strong());
  return false;
}

/// Rows in which an order of locking is looked for; none: any row of a table.
using Node = std::pair<std::uint32_t, std::optional<sql::Value>>;

class LockGraph {
 public:
  explicit LockGraph(const std::vector<CallTouch>& calls) : calls_(calls) {
    for (const CallTouch& call : calls) {
      for (const RowTouch& use : call.all) {
        if (use.is_strong() && use.kind != Kind::Insert)
          strong_.insert(use.table.index);
        if (use.kind == Kind::Lock || use.kind == Kind::Update ||
            (use.kind == Kind::Insert && !use.is_fresh) ||
            use.kind == Kind::Parent) {
          if (!use.key) any_.insert(use.table.index);
        }
      }
    }
  }

  [[nodiscard]] bool has_order() {
    for (const CallTouch& call : calls_) {
      if (!call.is_known) return false;
      std::map<Node, sql::LockStrength> held;
      for (const RowTouch& use : call.all) {
        if (!waits(use)) continue;
        const Node node = node_of(use);
        // Several rows of one table, in no known order.
        const bool is_many = !node.second;
        if (is_many && (use.is_in_loop || !use.key)) {
          if (use.kind != Kind::Insert || use.is_in_loop) return false;
        }
        for (const auto& [before, strength] : held) {
          // Two that have the weaker lock both wait for the stronger one.
          if (before == node && (!node.second || strength < use.strength))
            return false;
          if (before != node) after_[before].insert(node);
        }
        if (use.is_in_loop && in_other_order(call, use, node)) return false;
        held.try_emplace(node, use.strength);
      }
    }
    std::set<Node> open;
    std::set<Node> done;
    return std::all_of(after_.begin(), after_.end(), [&](const auto& entry) {
      return is_acyclic(entry.first, open, done);
    });
  }

 private:
  [[nodiscard]] bool waits(const RowTouch& use) const {
    switch (use.kind) {
      case Kind::Read: return false;
      case Kind::Lock:
      case Kind::Update: return true;
      case Kind::Insert: return !use.is_fresh;
      case Kind::Parent: return strong_.count(use.table.index) > 0;
    }
    return true;
  }
  [[nodiscard]] Node node_of(const RowTouch& use) const {
    if (any_.count(use.table.index) > 0) return {use.table.index, std::nullopt};
    return {use.table.index, use.key};
  }
  /// The second round of a loop locks what is before this, too.
  [[nodiscard]] bool in_other_order(const CallTouch& call, const RowTouch& use,
                                    const Node& node) const {
    return std::any_of(call.all.begin(), call.all.end(),
                       [&](const RowTouch& other) {
                         return other.is_in_loop && &other != &use &&
                                waits(other) && node_of(other) != node;
                       });
  }
  bool is_acyclic(const Node& at, std::set<Node>& open, std::set<Node>& done) {
    if (done.count(at) > 0) return true;
    if (!open.insert(at).second) return false;
    const auto next = after_.find(at);
    if (next != after_.end())
      for (const Node& node : next->second)
        if (!is_acyclic(node, open, done)) return false;
    open.erase(at);
    done.insert(at);
    return true;
  }

  const std::vector<CallTouch>& calls_;
  std::set<std::uint32_t> strong_;  ///< tables whose rows are locked strongly
  std::set<std::uint32_t> any_;     ///< tables of which some row is not known
  std::map<Node, std::set<Node>> after_;
};

}  // namespace

CallTouch row_touches(const sql::Application& application,
                      const sql::Call& call,
                      const std::vector<bool>& own_numbers) {
  return TouchWalk(application, own_numbers).run(call);
}

bool can_meet(const CallTouch& a, const CallTouch& b) {
  if (!a.is_known || !b.is_known) return true;
  // Who comes first gets the smaller number.
  for (const std::uint32_t sequence : a.draws)
    if (b.draws.contains(sequence)) return true;
  for (const RowTouch& one : a.all)
    for (const RowTouch& other : b.all)
      if (may_be_same_row(one, other) && !is_nothing_to(one, other) &&
          !is_nothing_to(other, one)) {
        return true;
      }
  return false;
}

bool may_write(const CallTouch& call, const RowTouch& of) {
  return !call.is_known ||
         std::any_of(call.all.begin(), call.all.end(),
                     [&](const RowTouch& use) {
                       const bool writes =
                           use.kind == Kind::Update || use.kind == Kind::Insert;
                       return writes && may_be_same_row(use, of);
                     });
}

bool cannot_deadlock(const std::vector<CallTouch>& calls) {
  return LockGraph(calls).has_order();
}

}  // namespace txscope::analysis
