#include "exec/sql/query/fold.h"

#include <algorithm>

#include "exec/sql/query/evaluation.h"
#include "model/sql/builtin.h"
#include "model/sql/mysql/function.h"
#include "model/sql/walk.h"

namespace txscope::sql {
namespace {

/// Whether NULL as one operand makes it NULL whatever the others are.
bool is_strict(const Expr& e) {
  if (e.op == Op::Builtin && mysql::is_of_mysql(e.index)) return false;
  if (e.op == Op::Builtin) return is_strict(static_cast<Builtin>(e.index));
  switch (e.op) {
    case Op::Not:
    case Op::Concat:
    case Op::Like:
    case Op::Lower:
    case Op::Upper:
    case Op::Length:
    case Op::Abs:
    case Op::Floor:
    case Op::Ceil:
    case Op::Round:
    case Op::Cast: return true;
    default: return e.op >= Op::Equal && e.op <= Op::Negate;
  }
}

/// Casts between texts and dates depend on settings: they wait for execution.
bool is_stable_cast(const Expr& e) {
  const auto is_time = [](TypeName name) {
    return name == TypeName::Date || name == TypeName::Timestamp ||
           name == TypeName::TimestampTz || name == TypeName::Time ||
           name == TypeName::Interval;
  };
  const auto is_text = [](TypeName name) {
    return name == TypeName::Text || name == TypeName::Varchar;
  };
  const TypeName from = e.args[0].type.name;
  const TypeName to = e.type.name;
  return (is_time(from) && is_text(to)) || (is_text(from) && is_time(to));
}

/// Functions that PostgreSQL calls STABLE are not evaluated by planning.
bool is_stable(Builtin function) {
  if (is_volatile(function)) return true;
  switch (function) {
    case Builtin::Setting:
    case Builtin::Concat:
    case Builtin::ConcatWs:
    case Builtin::Format:
    case Builtin::ToChar:
    case Builtin::BuildObject:
    case Builtin::BuildArray:
    case Builtin::ToJson:
    case Builtin::RowToJson:
    case Builtin::ArrayToString: return true;
    default: return false;
  }
}

class Folder {
 public:
  Folder(const Routines& routines, std::span<const Value> slots)
      : budget_(Budget::unlimited()),
        evaluation_(routines, nullptr, {}, budget_),
        slots_(slots) {
    evaluation_.do_not_fold();
  }

  void statement(const DbStatement& s) {
    targets(s.returning);
    std::visit([this](const auto& what) { visit(what); }, s.what);
  }
  /// The value, if it is constant.
  std::optional<Value> fold(const Expr& e) {
    if (evaluation_.halt().is_set()) return std::nullopt;
    switch (e.op) {
      case Op::Constant: return e.value;
      case Op::Variable:
        if (slots_.empty()) return std::nullopt;
        return slots_[e.index];
      case Op::Column:
      case Op::Aggregate:
      case Op::Window: return std::nullopt;
      case Op::And: return conjunction(e, false);
      case Op::Or: return conjunction(e, true);
      case Op::Case: return choice(e);
      case Op::Coalesce: return coalesce(e);
      case Op::NullIf: return null_if(e);
      case Op::Scalar:
      case Op::Exists:
      case Op::InQuery:
      case Op::Function:
        for (const Expr& arg : e.args) (void)fold(arg);
        if (e.query != nullptr) visit(*e.query);
        return std::nullopt;
      default: return operation(e);
    }
  }
  std::optional<SqlError> error() {
    if (!evaluation_.halt().is_error()) return std::nullopt;
    return evaluation_.halt().error();
  }

 private:
  void maybe(const std::optional<Expr>& e) {
    if (e) (void)fold(*e);
  }
  void targets(const std::vector<Target>& targets) {
    for (const Target& target : targets) (void)fold(target.expr);
  }
  void changes(const std::vector<SetColumn>& changes) {
    for (const SetColumn& change : changes) maybe(change.value);
  }

  void visit(const Select& select) { visit(*select); }
  void visit(const Merge::Nothing&) {}
  void visit(const Merge& merge) {
    visit(*merge.joined);
    for (const Merge::Arm& arm : merge.arms) {
      maybe(arm.condition);
      std::visit([this](const auto& action) { visit(action); }, arm.action);
    }
  }
  void visit(const Query& q) {
    for (const Relation& relation : q.relations)
      if (relation.query != nullptr) visit(*relation.query);
    targets(q.targets);
    for (const Aggregate& aggregate : q.aggregates) maybe(aggregate.argument);
    for (const WindowCall& call : q.windows)
      for_each_part(call, [this](const Expr& e) { (void)fold(e); });
    for (const Join& join : q.joins) maybe(join.on);
    maybe(q.where);
    maybe(q.having);
    for (const Expr& e : q.group_by) (void)fold(e);
    for (const SortKey& key : q.order_by) (void)fold(key.expr);
    maybe(q.offset);
    maybe(q.limit);
    for (const auto& part : q.parts) visit(*part);
    for (const auto& row : q.values)
      for (const Expr& e : row) (void)fold(e);
  }
  void visit(const Insert& insert) {
    for (const auto& row : insert.rows)
      for (const auto& value : row) maybe(value);
    if (insert.source != nullptr) visit(*insert.source);
    if (!insert.on_conflict) return;
    changes(insert.on_conflict->set);
    maybe(insert.on_conflict->where);
  }
  void visit(const Update& update) {
    changes(update.set);
    maybe(update.where);
  }
  void visit(const Delete& remove) { maybe(remove.where); }

  std::optional<Value> conjunction(const Expr& e, bool is_or) {
    bool is_constant = true;
    bool has_null = false;
    for (const Expr& arg : e.args) {
      const std::optional<Value> value = fold(arg);
      is_constant &= value.has_value();
      if (!value) continue;
      has_null |= value->is_null();
      if (!value->is_null() && value->is_true() == is_or) return value;
    }
    if (!is_constant) return std::nullopt;
    return has_null ? Value() : Value::boolean(!is_or);
  }
  std::optional<Value> choice(const Expr& e) {
    bool is_constant = true;
    std::size_t i = 0;
    for (; i + 1 < e.args.size(); i += 2) {
      const std::optional<Value> condition = fold(e.args[i]);
      if (condition && !condition->is_true()) continue;
      const std::optional<Value> value = fold(e.args[i + 1]);
      if (condition) return is_constant ? value : std::nullopt;
      is_constant = false;
    }
    const std::optional<Value> otherwise =
        i < e.args.size() ? fold(e.args[i]) : Value();
    return is_constant ? otherwise : std::nullopt;
  }
  std::optional<Value> coalesce(const Expr& e) {
    bool is_constant = true;
    for (const Expr& arg : e.args) {
      const std::optional<Value> value = fold(arg);
      if (value && !value->is_null()) return is_constant ? value : std::nullopt;
      is_constant &= value.has_value();
    }
    return is_constant ? std::optional<Value>(Value()) : std::nullopt;
  }
  /// A NULL equals nothing: then it is the first operand.
  std::optional<Value> null_if(const Expr& e) {
    const std::optional<Value> first = fold(e.args[0]);
    const std::optional<Value> second = fold(e.args[1]);
    const bool has_null =
        (first && first->is_null()) || (second && second->is_null());
    if (has_null && first) return first;
    return first && second ? operation(e) : std::nullopt;
  }
  std::optional<Value> operation(const Expr& e) {
    std::vector<Value> values;
    bool has_null = false;
    for (const Expr& arg : e.args) {
      const std::optional<Value> value = fold(arg);
      if (value) values.push_back(*value);
      has_null |= value && value->is_null();
    }
    if (has_null && is_strict(e)) return Value();
    if (values.size() < e.args.size() || evaluation_.halt().is_set() ||
        (e.op == Op::Cast && is_stable_cast(e)) ||
        (e.op == Op::Builtin && is_stable(static_cast<Builtin>(e.index))))
      return std::nullopt;
    return evaluation_.eval(with_operands(e, values), Scope{});
  }

  const Budget budget_;
  Evaluation evaluation_;
  std::span<const Value> slots_;
};

/// Whether evaluating it may fail, its operands aside.
bool fails(Op op) {
  return (op >= Op::Add && op <= Op::Negate) || op == Op::Like ||
         op == Op::Abs || op == Op::Round || op == Op::Cast ||
         op == Op::Builtin;
}

class Collector {
 public:
  void add(const Expr& e) {
    const Kind kind = kind_of(e);
    if (kind.is_known) {
      if (kind.has_variable && kind.may_fail) found.push_back(&e);
      return;
    }
    for (const Expr& arg : e.args) add(arg);
    if (e.query != nullptr) add(*e.query);
  }
  void add(const std::optional<Expr>& e) {
    if (e) add(*e);
  }
  void add(const std::vector<Target>& targets) {
    for (const Target& target : targets) add(target.expr);
  }
  void add(const std::vector<SetColumn>& changes) {
    for (const SetColumn& change : changes) add(change.value);
  }
  void add(const Select& select) { add(*select); }
  void add(const Query& q) {
    for (const Relation& relation : q.relations)
      if (relation.query != nullptr) add(*relation.query);
    add(q.targets);
    for (const Aggregate& aggregate : q.aggregates) add(aggregate.argument);
    for (const WindowCall& call : q.windows)
      for_each_part(call, [this](const Expr& e) { add(e); });
    for (const Join& join : q.joins) add(join.on);
    add(q.where);
    add(q.having);
    for (const Expr& e : q.group_by) add(e);
    for (const SortKey& key : q.order_by) add(key.expr);
    for (const auto& part : q.parts) add(*part);
    for (const auto& row : q.values)
      for (const Expr& e : row) add(e);
  }
  // VALUES are evaluated anyway.
  void add(const Insert& insert) {
    if (insert.source != nullptr) add(*insert.source);
    if (!insert.on_conflict) return;
    add(insert.on_conflict->set);
    add(insert.on_conflict->where);
  }
  void add(const Update& update) {
    add(update.set);
    add(update.where);
  }
  void add(const Delete& remove) { add(remove.where); }
  void add(const Merge::Nothing&) {}
  void add(const Merge& merge) {
    add(*merge.joined);
    for (const Merge::Arm& arm : merge.arms) {
      add(arm.condition);
      std::visit([this](const auto& action) { add(action); }, arm.action);
    }
  }

  std::vector<const Expr*> found;

 private:
  struct Kind {
    bool is_known = true;
    bool has_variable = false;
    bool may_fail = false;
  };
  static Kind kind_of(const Expr& e) {
    Kind kind;
    kind.is_known = e.op != Op::Column && e.op != Op::Aggregate &&
                    e.op != Op::Window && e.op != Op::Function &&
                    e.query == nullptr &&
                    !(e.op == Op::Builtin &&
                      is_of_session(static_cast<Builtin>(e.index))) &&
                    !(e.op == Op::Cast && is_stable_cast(e));
    kind.has_variable = e.op == Op::Variable;
    kind.may_fail = fails(e.op);
    for (const Expr& arg : e.args) {
      const Kind inner = kind_of(arg);
      kind.is_known &= inner.is_known;
      kind.has_variable |= inner.has_variable;
      kind.may_fail |= inner.may_fail;
    }
    return kind;
  }
};

}  // namespace

std::optional<SqlError> planning_error(const Routines& routines,
                                       const DbStatement& statement,
                                       std::span<const Value> slots) {
  Folder folder(routines, slots);
  folder.statement(statement);
  return folder.error();
}

std::optional<SqlError> planning_error(const Routines& routines,
                                       const Expr& expr) {
  Folder folder(routines, {});
  (void)folder.fold(expr);
  return folder.error();
}

std::optional<Value> folded(const Routines& routines, const Expr& expr,
                            std::span<const Value> slots) {
  Folder folder(routines, slots);
  const std::optional<Value> value = folder.fold(expr);
  return folder.error() ? std::nullopt : value;
}

Expr with_operands(const Expr& expr, std::span<const Value> operands) {
  Expr out = expr;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    Expr constant;
    constant.type = expr.args[i].type;
    constant.value = operands[i];
    out.args[i] = std::move(constant);
  }
  return out;
}

std::vector<const Expr*> foldable(const DbStatement& statement) {
  Collector collector;
  std::visit([&collector](const auto& what) { collector.add(what); },
             statement.what);
  collector.add(statement.returning);
  return std::move(collector.found);
}

}  // namespace txscope::sql
