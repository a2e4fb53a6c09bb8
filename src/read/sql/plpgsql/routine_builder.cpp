#include "read/sql/plpgsql/routine_builder.h"

#include <algorithm>
#include <array>

#include "base/suggest.h"
#include "read/sql/analyze/mariadb.h"
#include "read/sql/plpgsql/routine_parts.h"
#include "read/sql/schema/types.h"

namespace txscope::sql {
RoutineBuilder::RoutineBuilder(const Source& source, const Catalog& catalog)
    : source_(source), catalog_(catalog) {
  open_scope("");
  Binding found;
  found.slot = add_slot("found", kBoolean, {});
  scopes_[0].names.emplace("found", found);
}

std::uint32_t RoutineBuilder::add_slot(std::string name, Type type, Span at) {
  Variable variable;
  variable.name = std::move(name);
  variable.type = type;
  variable.at = at;
  routine.variables.push_back(std::move(variable));
  return static_cast<std::uint32_t>(routine.variables.size() - 1);
}

void RoutineBuilder::add_parameters(const Signature& signature) {
  scopes_[0].label = signature.name;
  for (const Signature::Parameter& parameter : signature.parameters) {
    Binding binding;
    binding.slot = add_slot(parameter.name, parameter.type, signature.at);
    ++routine.parameters;
    if (parameter.is_out) routine.out_slots.push_back(binding.slot);
    if (parameter.name.empty()) continue;
    if (parameter.type.name == TypeName::Composite && !parameter.is_out) {
      row_parameters_.emplace_back(binding.slot, add_record());
      binding.kind = Binding::Kind::Record;
      binding.which = row_parameters_.back().second;
    }
    if (!scopes_[0].names.emplace(parameter.name, binding).second &&
        parameter.name != "found") {
      source_.fail(signature.at,
                   "parameter '" + parameter.name + "' is given twice");
    }
    scopes_[0].names[parameter.name] = binding;
  }
}

void RoutineBuilder::add_columns(const Signature& signature) {
  if (signature.columns.empty() || !routine.out_slots.empty()) return;
  for (const auto& [name, type] : signature.columns) {
    routine.out_slots.push_back(add_slot("", type, signature.at));
  }
}

Binding RoutineBuilder::declare_by_use(const std::string& name, Span at) {
  Binding binding;
  binding.slot = add_slot(name, {}, at);
  scopes_[0].names.emplace(name, binding);
  return binding;
}

void RoutineBuilder::settle_type(std::uint32_t slot, const Type& type) {
  Variable& variable = routine.variables[slot];
  if (is_script && variable.type.name == TypeName::Unknown) {
    variable.type = type.name == TypeName::Unknown ? kText : bare(type);
  }
}

void RoutineBuilder::open_scope(std::string label) {
  scopes_.push_back({std::move(label), {}});
}

void RoutineBuilder::declare(const std::string& name, Binding binding,
                             Span at) {
  if (!scopes_.back().names.emplace(name, binding).second) {
    source_.fail(at, "'" + name + "' is declared twice in this block");
  }
}

std::size_t RoutineBuilder::add_cursor(const std::string& name, bool is_bound) {
  cursors_.emplace_back();
  cursors_.back().id = CursorId(routine.cursors.size());
  routine.cursors.push_back({name, is_bound});
  return cursors_.size() - 1;
}

const Binding* RoutineBuilder::binding(
    std::span<const std::string> name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (name.size() == 1) {
      const auto found = scope->names.find(name[0]);
      if (found != scope->names.end()) return &found->second;
    } else if (name.size() == 2 && scope->label == name[0]) {
      const auto found = scope->names.find(name[1]);
      if (found != scope->names.end()) return &found->second;
    }
  }
  return nullptr;
}

std::optional<Names::Found> RoutineBuilder::in_binding(
    const Binding& binding, std::span<const std::string> rest, Span at,
    bool is_column) const {
  if (binding.kind == Binding::Kind::Scalar) {
    if (!rest.empty()) return std::nullopt;
    return Found{binding.slot, routine.variables[binding.slot].type};
  }
  if (binding.kind == Binding::Kind::Cursor || rest.empty()) {
    if (is_column) return std::nullopt;
    source_.unsupported(at,
                        binding.kind == Binding::Kind::Cursor
                            ? "a cursor as a value is"
                            : "a whole record as a value is",
                        "name its fields one by one");
  }
  if (rest.size() != 1) return std::nullopt;
  const Record& record = records_[binding.which];
  if (record.has_had_others && !is_shaped_here(record)) {
    if (is_column) return std::nullopt;
    source_.unsupported(at, "a record that may have several shapes here is",
                        "declare a second record");
  }
  for (const Record::Field& field : record.fields) {
    if (field.name == rest[0]) return Found{field.slot, field.type};
  }
  if (is_column) return std::nullopt;
  if (!record.has_shape) {
    source_.fail(at, "this record is not assigned before it is used",
                 "its fields are those of the SELECT that is assigned to it "
                 "first");
  }
  std::vector<std::string> fields;
  for (const Record::Field& field : record.fields) fields.push_back(field.name);
  source_.fail(at, "this record has no field '" + rest[0] + "'",
               hint_among(rest[0], fields, "fields"));
}

std::optional<Names::Found> RoutineBuilder::find(
    std::span<const std::string> name, Span at, bool is_column) const {
  // A user variable of MySQL is known everywhere.
  if (seen_ && !name[0].starts_with('@')) return std::nullopt;
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto found = scope->names.find(name[0]);
    if (found != scope->names.end()) {
      if (auto result =
              in_binding(found->second, name.subspan(1), at, is_column)) {
        return result;
      }
    }
    if (name.size() > 1 && scope->label == name[0]) {
      const auto inner = scope->names.find(name[1]);
      if (inner != scope->names.end()) {
        return in_binding(inner->second, name.subspan(2), at, is_column);
      }
    }
  }
  return std::nullopt;
}

std::vector<Names::Found> RoutineBuilder::record(const std::string& name,
                                                 Span at) const {
  if (seen_) return {};
  const std::array<std::string, 1> plain = {name};
  const Binding* found = binding(plain);
  if (found == nullptr || found->kind != Binding::Kind::Record) return {};
  const Record& record = records_[found->which];
  if (!record.has_shape || (record.has_had_others && !is_shaped_here(record))) {
    source_.fail(at, "this record is not assigned before it is used");
  }
  std::vector<Found> fields;
  for (const Record::Field& field : record.fields) {
    fields.push_back({field.slot, field.type, field.name});
  }
  return fields;
}

std::optional<Expr> RoutineBuilder::is_no_record(const std::string& name,
                                                 Span at) const {
  if (!is_trigger || (name != "new" && name != "old")) return std::nullopt;
  return is_operation(name == "new" ? "DELETE" : "INSERT", at);
}

std::optional<Names::Found> RoutineBuilder::parameter(
    std::uint32_t number) const {
  if (seen_) {
    if (number == 0 || number > seen_->size()) return std::nullopt;
    return (*seen_)[number - 1];
  }
  if (number == 0 || number > routine.parameters) return std::nullopt;
  return Found{number, routine.variables[number].type};
}

std::vector<std::string> RoutineBuilder::candidates() const {
  std::vector<std::string> names;
  if (seen_) return names;
  for (const Scope& scope : scopes_) {
    for (const auto& [name, binding] : scope.names) names.push_back(name);
  }
  return names;
}

std::uint32_t RoutineBuilder::lift(const Signature& function,
                                   std::vector<Expr> arguments, Span at) {
  refuse_in_stable(at, "a call of '" + function.name + "', which is VOLATILE,");
  PlCall call;
  call.routine = function.id;
  call.arguments = std::move(arguments);
  if (function.returns_row()) {
    std::vector<Expr> fields;
    for (const auto& [name, type] : function.columns) {
      call.into.push_back(add_slot("", type, at));
      fields.push_back(slot_value(call.into.back(), type, at));
    }
    lifting_into_->push_back(make(at, std::move(call)));
    return lift_row(std::move(fields), function.row, at);
  }
  const std::uint32_t slot = add_slot("", function.result, at);
  if (function.result.name != TypeName::Void) call.into.push_back(slot);
  lifting_into_->push_back(make(at, std::move(call)));
  return slot;
}

std::uint32_t RoutineBuilder::lift_row_count(Span at) {
  PlRowCount count;
  count.slot = add_slot("", {TypeName::BigInt}, at);
  const std::uint32_t slot = count.slot;
  lifting_into_->push_back(make(at, count));
  return slot;
}

Expr RoutineBuilder::expression(const std::vector<Token>& tokens, Span text,
                                PlBlock& before) {
  const Tree tree =
      parse_expression(source_, tokens, source_.text(text), text.offset);
  Analyzer analyzer(tree, catalog_, this, this);
  lifting_into_ = &before;
  Expr e = analyzer.expression();
  if (!analyzer.looks_at_tables()) return e;
  refuse_record_test(analyzer);
  if (!analyzer.lifted().empty()) {
    source_.unsupported(
        text, "a query and a call of a VOLATILE function in one expression are",
        "assign one of them to a variable first");
  }
  e = decided(source_, std::move(e));
  auto query = std::make_shared<Query>();
  const Type type = e.type;
  query->at = text;
  query->targets.push_back({"?column?", std::move(e)});
  PlExecute execute;
  execute.statement.at = text;
  execute.statement.is_expression = true;
  execute.statement.what = Select(std::move(query));
  execute.statement.mentions = analyzer.mentions();
  analyzer.give_parts(execute.statement);
  if (execute.statement.locks_rows())
    refuse_in_stable(text, "FOR UPDATE or FOR SHARE");
  execute.is_expression = true;
  const std::uint32_t slot = add_slot("", type, text);
  execute.into = {slot};
  execute.into_types = {type};
  before.push_back(make(text, std::move(execute)));
  return slot_value(slot, type, text);
}

namespace {

/// The pieces of a condition between its outermost ANDs, or its ORs; one: it
/// has neither, or BETWEEN and CASE, where the words mean something else.
std::vector<Span> pieces_of(const Source& source,
                            const std::vector<Token>& tokens, Span text,
                            std::string_view word) {
  std::vector<Span> pieces;
  int depth = 0;
  std::uint32_t from = text.offset;
  const std::uint32_t end = text.offset + text.length;
  for (std::size_t i = token_at(tokens, text.offset);
       i < tokens.size() && tokens[i].offset < end; ++i) {
    const Token& token = tokens[i];
    if (token.is("(") || token.is("[")) ++depth;
    if (token.is(")") || token.is("]")) --depth;
    if (token.is("between") || token.is("case")) return {text};
    if (depth != 0 || !token.is(word)) continue;
    pieces.push_back(source.span(from, token.offset - from));
    from = token.end();
  }
  pieces.push_back(source.span(from, end - from));
  return pieces;
}

/// What stands in parentheses around the whole.
Span unwrapped(const Source& source, const std::vector<Token>& tokens,
               Span text) {
  const std::size_t first = token_at(tokens, text.offset);
  const std::uint32_t end = text.offset + text.length;
  if (first >= tokens.size() || !tokens[first].is("(")) return text;
  int depth = 0;
  for (std::size_t i = first; i < tokens.size() && tokens[i].offset < end;
       ++i) {
    if (tokens[i].is("(")) ++depth;
    if (tokens[i].is(")")) --depth;
    if (depth > 0) continue;
    const bool is_last = i + 1 >= tokens.size() || tokens[i + 1].offset >= end;
    if (!is_last || tokens[first + 1].is("select")) return text;
    return source.span(tokens[first].end(),
                       tokens[i].offset - tokens[first].end());
  }
  return text;
}

Expr test_of(Op op, std::vector<Expr> args, Span at) {
  Expr e;
  e.op = op;
  e.type = kBoolean;
  e.at = at;
  e.args = std::move(args);
  return e;
}

}  // namespace

bool RoutineBuilder::has_lifted_call(const std::vector<Token>& tokens,
                                     Span text) const {
  const std::uint32_t end = text.offset + text.length;
  for (std::size_t i = token_at(tokens, text.offset);
       i + 1 < tokens.size() && tokens[i].offset < end; ++i) {
    if (!tokens[i].is_name() || !tokens[i + 1].is("(")) continue;
    for (const Signature* called : catalog_.all_named(tokens[i].word))
      if (called->must_be_lifted()) return true;
  }
  return false;
}

/// a AND f(b), a OR f(b), where f() has a place of its own in the order of
/// events: it is called only if `a` does not decide alone.
Expr RoutineBuilder::step_by_step(const std::vector<Token>& tokens,
                                  const std::vector<Span>& pieces, bool is_and,
                                  PlBlock& before, std::string_view what) {
  const Span at = pieces.front();
  const std::uint32_t slot = add_slot("", kBoolean, at);
  const auto so_far = [&] { return slot_value(slot, kBoolean, at); };
  assign(slot, condition(tokens, at, before, what), at, before);
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    PlIf::Arm arm;
    Expr decides =
        test_of(is_and ? Op::IsFalse : Op::IsTrue, {so_far()}, pieces[i]);
    arm.condition = test_of(Op::Not, {std::move(decides)}, pieces[i]);
    Expr value = condition(tokens, pieces[i], arm.body, what);
    assign(slot,
           test_of(is_and ? Op::And : Op::Or, {so_far(), std::move(value)},
                   pieces[i]),
           pieces[i], arm.body);
    PlIf next;
    next.arms.push_back(std::move(arm));
    before.push_back(make(pieces[i], std::move(next)));
  }
  return so_far();
}

Expr RoutineBuilder::condition(const std::vector<Token>& tokens, Span text,
                               PlBlock& before, std::string_view what) {
  if (has_lifted_call(tokens, text)) {
    const Span inside = unwrapped(source_, tokens, text);
    for (const bool is_and : {false, true}) {
      const auto pieces =
          pieces_of(source_, tokens, inside, is_and ? "and" : "or");
      if (pieces.size() > 1)
        return step_by_step(tokens, pieces, is_and, before, what);
    }
  }
  Expr e = expression(tokens, text, before);
  if (source_.mysql() != nullptr)
    return mariadb_condition(decided(source_, std::move(e)));
  if (!converts(e.type, kBoolean)) {
    source_.fail(text, "the condition of " + std::string(what) +
                           " must be boolean, not " + to_string(e.type));
  }
  return convert(source_, std::move(e), kBoolean);
}

namespace {

bool is_json(TypeName type) {
  return type == TypeName::Json || type == TypeName::Jsonb;
}

}  // namespace

void RoutineBuilder::check_assignable(Type from, Type to, std::string_view name,
                                      Span at) const {
  // PL/pgSQL goes by way of text where there is no cast.
  if (assigns(from, to) || is_text(from.name) || is_json(from.name)) return;
  source_.fail(at,
               "'" + std::string(name) + "' is of type " + to_string(to) +
                   " but the value is of type " + to_string(from),
               "add a cast if that is meant");
}

Expr RoutineBuilder::assigned(Expr e, Type to, std::string_view name) const {
  check_assignable(e.type, to, name, e.at);
  if (is_json(e.type.name) && !assigns(e.type, to))
    e = cast(source_, std::move(e), kText);
  return sql::assign(source_, std::move(e), to);
}

void RoutineBuilder::assign(std::uint32_t slot, Expr value, Span at,
                            PlBlock& block) const {
  PlAssign assign;
  assign.slot = slot;
  const Variable& variable = routine.variables[slot];
  assign.value = assigned(std::move(value), variable.type,
                          variable.name.empty() ? "value" : variable.name);
  block.push_back(make(at, std::move(assign)));
}

DbStatement RoutineBuilder::statement(const Tree& tree, PlBlock& before) {
  Analyzer analyzer(tree, catalog_, this, this);
  lifting_into_ = &before;
  DbStatement statement = analyzer.statement();
  refuse_record_test(analyzer);
  if (statement.is_write()) {
    refuse_in_stable(tree.whole(), "INSERT, UPDATE or DELETE");
  } else if (statement.locks_rows()) {
    refuse_in_stable(tree.whole(), "FOR UPDATE or FOR SHARE");
  }
  if (!analyzer.lifted().empty() && analyzer.looks_at_tables() &&
      !std::holds_alternative<Insert>(statement.what)) {
    source_.unsupported(
        tree.whole(),
        "a query and a call of a VOLATILE function in one statement are",
        "assign one of them to a variable first");
  }
  return statement;
}

void RoutineBuilder::refuse_record_test(const Analyzer& analyzer) const {
  // The text of a trigger goes to nobody.
  if (!analyzer.record_test() || is_trigger) return;
  source_.unsupported(*analyzer.record_test(),
                      "a test of a whole record beside a query is",
                      "test one of its fields");
}

void RoutineBuilder::refuse_in_stable(Span at, std::string_view what) const {
  if (routine.volatility == Volatility::Volatile) return;
  source_.fail(
      at,
      std::string(what) + " is not allowed in a STABLE or IMMUTABLE function",
      "leave that word out of CREATE FUNCTION");
}

const std::vector<Target>& RoutineBuilder::columns(
    const DbStatement& statement) {
  if (const auto* select = std::get_if<Select>(&statement.what)) {
    return (*select)->targets;
  }
  return statement.returning;
}

Type routine_type(const Tree& tree, const Catalog& catalog,
                  const PgQuery__TypeName& type) {
  if (!type.pct_type) return read_type(tree, catalog, type);
  const Span at = tree.dotted_name(type.location);
  if (type.n_names < 2) {
    tree.source().unsupported(at, "this %TYPE is", "write table.column%TYPE");
  }
  const std::string table_name(string_of(type.names[type.n_names - 2]));
  const std::string column_name(string_of(type.names[type.n_names - 1]));
  const auto table = catalog.table(
      catalog.relation(qualified(list(type.n_names - 1, type.names))));
  if (!table) {
    tree.source().fail(at, "unknown table '" + table_name + "'",
                       hint_among(table_name, catalog.table_names(), "tables"));
  }
  const Table& found = catalog.schema.at(*table);
  const auto column = column_of(found, column_name);
  if (!column) {
    tree.source().fail(
        at, "'" + table_name + "' has no column '" + column_name + "'",
        suggestion(column_name, column_names(found)));
  }
  return found.columns[*column].type;
}

}  // namespace txscope::sql
