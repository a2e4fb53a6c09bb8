#include "analysis/number_flow.h"

#include <algorithm>

#include "analysis/one_row.h"
#include "model/sql/builtin.h"
#include "model/sql/walk.h"

namespace txscope::analysis {

using sql::Op;

namespace {

bool is_integer(const sql::Type& type) {
  return type.name == sql::TypeName::SmallInt ||
         type.name == sql::TypeName::Integer ||
         type.name == sql::TypeName::BigInt;
}
/// Makes a text or JSON of any value, and never fails.
bool only_shows(sql::Builtin function) {
  switch (function) {
    case sql::Builtin::Concat:
    case sql::Builtin::ConcatWs:
    case sql::Builtin::Format:
    case sql::Builtin::BuildObject:
    case sql::Builtin::BuildArray:
    case sql::Builtin::ToJson:
    case sql::Builtin::RowToJson: return true;
    default: return false;
  }
}
bool shows(const sql::Type& type) {
  return type.name == sql::TypeName::Text || type.name == sql::TypeName::Json ||
         type.name == sql::TypeName::Jsonb;
}

}  // namespace

NumberFlow::NumberFlow(const sql::Application& application)
    : application_(application) {
  is_reached_.resize(application.routines.size());
  for (const sql::Table& table : application.schema.tables) {
    auto& columns = columns_.emplace_back();
    for (const sql::Column& column : table.columns) {
      columns.push_back(classes_.add());
      if (column.sequence)
        classes_.add_sequence(columns.back(), *column.sequence);
    }
  }
  for (const sql::Routine& routine : application.routines) {
    auto& slots = slots_.emplace_back();
    for (std::size_t i = 0; i < routine.variables.size(); ++i)
      slots.push_back(classes_.add());
    results_.push_back(classes_.add());
  }
}

void NumberFlow::add_constant(Class c, const sql::Value& value) {
  if (value.kind() == sql::Kind::Integer)
    classes_.add_constant(c, value.integer());
  else if (value.kind() == sql::Kind::Array ||
           value.kind() == sql::Kind::Range || value.kind() == sql::Kind::Row)
    for (const sql::Value& item : value.items()) add_constant(c, item);
}

void NumberFlow::assign(Class to, MaybeClass from) {
  if (from) classes_.join(to, *from);
}

void NumberFlow::use(MaybeClass c) {
  if (c) classes_.use(*c);
}

void NumberFlow::spoil(MaybeClass c) {
  if (c) classes_.spoil(*c);
}

void NumberFlow::test(const std::optional<Expr>& e) {
  if (e) test(*e);
}

NumberFlow::MaybeClass NumberFlow::joined(MaybeClass a, MaybeClass b) {
  if (!a) return b;
  if (b) classes_.join(*a, *b);
  return a;
}

std::vector<NumberFlow::MaybeClass> NumberFlow::of_table(TableId table) const {
  const auto& columns = columns_[table.index];
  return {columns.begin(), columns.end()};
}

NumberFlow::MaybeClass NumberFlow::converted(MaybeClass c,
                                             const sql::Type& from,
                                             const sql::Type& to) {
  if (from.name == to.name || (is_integer(from) && is_integer(to))) return c;
  if (!c || !shows(to)) {
    spoil(c);
    return unknown();
  }
  const Class made = classes_.add();
  classes_.derive(made, *c);
  return made;
}

NumberFlow::Class NumberFlow::variable(std::uint32_t index) {
  if (property_ == nullptr) return slots_[routine_][index];
  const sql::VariableRef& ref = property_->variables[index];
  const sql::Call& call = application_.sessions[ref.session].calls[ref.call];
  return slots_[call.routine.index][ref.slot];
}

NumberFlow::MaybeClass NumberFlow::walk(const Expr& e) {
  switch (e.op) {
    case Op::Constant: {
      const Class c = classes_.add();
      add_constant(c, e.value);
      return c;
    }
    case Op::Column: return column(e);
    case Op::Variable: return variable(e.index);
    case Op::Aggregate:
      return aggregates_[aggregates_.size() - 1 - e.level][e.index];
    case Op::Window: return unknown();
    case Op::And:
    case Op::Or:
    case Op::Not:
    case Op::IsTrue:
    case Op::IsFalse:
      for (const Expr& arg : e.args) test(arg);
      return std::nullopt;
    case Op::IsNull: walk(e.args[0]); return std::nullopt;
    case Op::Equal:
    case Op::NotEqual:
    case Op::IsDistinct:
    case Op::InList: use(join_all(e.args)); return std::nullopt;
    case Op::NullIf: {
      const MaybeClass c = join_all(e.args);
      use(c);
      return c;
    }
    case Op::Coalesce: return join_all(e.args);
    case Op::Case: return choice(e);
    case Op::Cast: return converted(walk(e.args[0]), e.args[0].type, e.type);
    case Op::Scalar: {
      const auto targets = walk(*e.query);
      return targets.empty() ? MaybeClass() : targets[0];
    }
    case Op::Exists: walk(*e.query); return std::nullopt;
    case Op::InQuery: in_query(e); return std::nullopt;
    case Op::Concat: return shown(e);
    case Op::Builtin: return builtin(e);
    case Op::Function: return call(e);
    default: return computed(e);
  }
}

NumberFlow::Class NumberFlow::unknown() {
  const Class c = classes_.add();
  classes_.spoil(c);
  return c;
}

NumberFlow::MaybeClass NumberFlow::computed(const Expr& e) {
  for (const Expr& arg : e.args) spoil(walk(arg));
  return unknown();
}

NumberFlow::MaybeClass NumberFlow::column(const Expr& e) {
  const Frame& frame = frames_[frames_.size() - 1 - e.level];
  return frame[e.relation][e.index];
}

NumberFlow::MaybeClass NumberFlow::join_all(const std::vector<Expr>& args) {
  MaybeClass all;
  for (const Expr& arg : args) all = joined(all, walk(arg));
  return all;
}

NumberFlow::MaybeClass NumberFlow::choice(const Expr& e) {
  MaybeClass all;
  const bool has_else = e.args.size() % 2 == 1;
  for (std::size_t i = 0; i < e.args.size(); ++i) {
    const bool is_last = has_else && i + 1 == e.args.size();
    if (i % 2 == 0 && !is_last)
      test(e.args[i]);
    else
      all = joined(all, walk(e.args[i]));
  }
  return all;
}

void NumberFlow::in_query(const Expr& e) {
  std::vector<MaybeClass> operands;
  for (const Expr& arg : e.args) operands.push_back(walk(arg));
  const auto targets = walk(*e.query);
  for (std::size_t i = 0; i < targets.size() && i < operands.size(); ++i)
    use(joined(operands[i], targets[i]));
}

NumberFlow::MaybeClass NumberFlow::shown(const Expr& e) {
  const Class made = classes_.add();
  for (const Expr& arg : e.args)
    if (const MaybeClass c = walk(arg)) classes_.derive(made, *c);
  return made;
}

NumberFlow::MaybeClass NumberFlow::builtin(const Expr& e) {
  const auto function = static_cast<sql::Builtin>(e.index);
  if (only_shows(function)) return shown(e);
  if (function == sql::Builtin::LastNumber) {
    const Class c = unknown();
    const auto count = application_.schema.sequences.size();
    for (std::uint32_t i = 0; i < count; ++i) classes_.add_sequence(c, i);
    return c;
  }
  if (function == sql::Builtin::NextNumber ||
      function == sql::Builtin::CurrentNumber) {
    const Class c = classes_.add();
    classes_.add_sequence(
        c, static_cast<std::uint32_t>(e.args[0].value.integer()));
    return c;
  }
  // An array is of the class of its items.
  if (function == sql::Builtin::MakeArray || function == sql::Builtin::MakeRow)
    return join_all(e.args);
  if (function == sql::Builtin::EqualsAny ||
      function == sql::Builtin::NotEqualAll) {
    use(join_all(e.args));
    return std::nullopt;
  }
  return computed(e);
}

void NumberFlow::reach(sql::RoutineId routine) {
  if (is_reached_[routine.index]) return;
  is_reached_[routine.index] = true;
  reached_.push_back(routine);
}

NumberFlow::MaybeClass NumberFlow::call(const Expr& e) {
  reach(sql::RoutineId(e.index));
  auto& slots = slots_[e.index];
  for (std::size_t i = 0; i < e.args.size(); ++i)
    assign(slots[1 + i], walk(e.args[i]));
  return results_[e.index];
}

std::vector<NumberFlow::MaybeClass> NumberFlow::walk(const sql::Query& query) {
  frames_.emplace_back();
  aggregates_.emplace_back();
  for (const sql::Relation& relation : query.relations) {
    auto columns =
        relation.query ? walk(*relation.query) : of_table(relation.table);
    frames_.back().push_back(std::move(columns));
  }
  for (const sql::Join& join : query.joins) test(join.on);
  test(query.where);
  for (const Expr& e : query.group_by) test(e);
  for (const sql::Aggregate& a : query.aggregates)
    aggregates_.back().push_back(aggregate(a, query));
  test(query.having);
  for (const sql::WindowCall& call : query.windows) {
    for_each_part(call, [this](const Expr& e) { spoil(walk(e)); });
  }
  // Which row is first, or next, is seen.
  if (!query.windows.empty() || query.distinct_on != 0) see_order(query);
  std::vector<MaybeClass> targets;
  for (const sql::Target& target : query.targets) {
    targets.push_back(query.set == sql::SetKind::None ? walk(target.expr)
                                                      : MaybeClass());
    if (query.is_distinct) use(targets.back());
  }
  for (const sql::SortKey& key : query.order_by) spoil(walk(key.expr));
  if (query.limit || query.offset) {
    if (query.limit) spoil(walk(*query.limit));
    if (query.offset) spoil(walk(*query.offset));
    if (!is_single(query)) see_order(query);
  }
  const bool locks = query.lock != sql::LockStrength::None;
  if (locks && !is_single(query)) see_order(query);
  if (query.set != sql::SetKind::None) combine(query, targets);
  aggregates_.pop_back();
  frames_.pop_back();
  return targets;
}

void NumberFlow::combine(const sql::Query& query,
                         std::vector<MaybeClass>& targets) {
  for (const auto& part : query.parts) {
    const auto columns = walk(*part);
    for (std::size_t i = 0; i < columns.size() && i < targets.size(); ++i) {
      targets[i] = joined(targets[i], columns[i]);
      if (!query.is_all) use(targets[i]);
    }
  }
  const bool is_values = query.set == sql::SetKind::Values;
  for (const auto& row : query.values) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const MaybeClass c = walk(row[i]);
      if (is_values && i < targets.size())
        targets[i] = joined(targets[i], c);
      else
        spoil(c);
    }
  }
  if (query.parts.empty() && !is_values)
    for (MaybeClass& target : targets) target = unknown();
}

NumberFlow::MaybeClass NumberFlow::aggregate(const sql::Aggregate& aggregate,
                                             const sql::Query& query) {
  if (!aggregate.argument) return unknown();
  const MaybeClass c = walk(*aggregate.argument);
  switch (aggregate.kind) {
    case sql::AggregateKind::Count:
      if (aggregate.is_distinct) use(c);
      return unknown();
    case sql::AggregateKind::CountRows:
    case sql::AggregateKind::BoolAnd:
    case sql::AggregateKind::BoolOr: use(c); return std::nullopt;
    case sql::AggregateKind::ArrayAgg:
    case sql::AggregateKind::StringAgg:
    case sql::AggregateKind::JsonAgg:
    case sql::AggregateKind::JsonObjectAgg: {
      const Class made = classes_.add();
      if (c) classes_.derive(made, *c);
      // Who looks at it sees the order of all rows.
      for_each_column(query,
                      [&](Class column) { classes_.derive(made, column); });
      return made;
    }
    default: spoil(c); return unknown();
  }
}

bool NumberFlow::is_single(const sql::Query& query) const {
  if (query.set != sql::SetKind::None) return false;
  if (query.is_grouped && query.group_by.empty()) return true;
  return query.relations.empty() ||
         (query.relations.size() == 1 && !query.relations[0].query &&
          has_key(query.relations[0].table, query.where));
}

bool NumberFlow::has_key(TableId table,
                         const std::optional<Expr>& where) const {
  return names_one_row(application_.schema.at(table), where);
}

void NumberFlow::see_order(const sql::Query& query) {
  for_each_column(query, [this](Class c) { classes_.spoil(c); });
}

void NumberFlow::see_order(TableId table) {
  for (const Class c : columns_[table.index]) classes_.spoil(c);
}

void NumberFlow::see_children(TableId parent) {
  const auto& tables = application_.schema.tables;
  for (std::size_t t = 0; t < tables.size(); ++t)
    for (const sql::ForeignKey& key : tables[t].foreign)
      if (key.parent == parent) see_order(TableId(t));
}

}  // namespace txscope::analysis
