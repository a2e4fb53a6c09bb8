// Statements that go to the database, SET, CALL.

#include <algorithm>
#include <array>
#include <utility>

#include "base/suggest.h"
#include "read/sql/analyze/expression/expression_shape.h"
#include "read/sql/analyze/mariadb.h"
#include "read/sql/mysql/program.h"
#include "read/sql/mysql/state.h"
#include "read/sql/mysql/statement.h"
#include "read/sql/mysql/user_variables.h"
#include "read/sql/plpgsql/routine_parts.h"
#include "read/sql/schema/types.h"

namespace txscope::sql {

namespace {

/// For a query, or for a function, which may have some.
bool needs_database(const Expr& e) {
  return e.op == Op::Function || has_query(e) ||
         std::any_of(e.args.begin(), e.args.end(), needs_database);
}

}  // namespace

/// User variables need no declaration; they are NULL until they are set.
void MysqlProgram::declare_users(const std::vector<Token>& tokens,
                                 std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < to && i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (!is_user_variable(token)) continue;
    (void)place(source_.mysql()->name(token.word),
                source_.span(token.offset, token.length));
  }
}

Expr MysqlProgram::expression(std::size_t from, std::size_t to,
                              PlBlock& before) {
  if (from >= to) source_.fail(here(), "expected an expression");
  declare_users(from, to);
  return builder_.expression(tokens_, text(from, to), before);
}

MysqlProgram::Place MysqlProgram::place(const std::string& called, Span at) {
  const std::size_t dot = called.find('.');
  std::vector<std::string> parts = {called.substr(0, dot)};
  if (dot != std::string::npos) parts.push_back(called.substr(dot + 1));
  if (const Binding* found = builder_.binding(parts)) return {*found, at};
  if (const auto field = builder_.find(parts, at, false)) {
    Binding binding;
    binding.slot = field->slot;
    return {binding, at};
  }
  if (!called.starts_with('@'))
    source_.fail(at, "unknown variable '" + called + "'",
                 suggestion(called, builder_.candidates()));
  Binding binding = builder_.declare_by_use(called, at);
  builder_.routine.variables[binding.slot].type = kText;
  return {binding, at};
}

void MysqlProgram::assign(const Place& to, Expr value, Span at, PlBlock& out) {
  if (to.binding.kind != Binding::Kind::Scalar)
    source_.fail(to.at, "this cannot be assigned");
  texts_.forget(to.binding.slot);
  value = decided(source_, std::move(value));
  Type& type = builder_.routine.variables[to.binding.slot].type;
  const bool is_user =
      builder_.routine.variables[to.binding.slot].name.starts_with('@');
  // A user variable has the type of what it is given first.
  if (is_user && type == kText && !is_text(value.type.name))
    type = value.type.name == TypeName::Boolean ? kInteger : bare(value.type);
  if (!is_user) value = mariadb_strict(source_, std::move(value));
  PlAssign made;
  made.slot = to.binding.slot;
  made.value = mariadb_assigned(source_, std::move(value), type);
  emit(out, at, std::move(made));
}

void MysqlProgram::after_statement(Span at, PlBlock& out) {
  if (transaction_ == MysqlTransaction::None) emit(out, at, PlEnd{true});
}

void MysqlProgram::sql_statement(PlBlock& out) {
  const std::size_t end = find({";"});
  declare_users(at_, end);
  const Tree tree = parse(at_, end);
  at_ = end;
  run_sql(tree, out);
}

/// Whether the statement gives that name to something, or names a table that
/// has such a column: then it is we who do not know it.
bool MysqlProgram::may_know(const Tree& tree, std::string_view what) const {
  const std::size_t first = what.find('\'');
  const std::size_t last = what.rfind('\'');
  std::string_view column = what.substr(first + 1, last - first - 1);
  column.remove_prefix(column.rfind('.') + 1);
  const Tokens tokens =
      scan(source_, source_.text(tree.whole()), tree.whole().offset);
  const MysqlState& state = *source_.mysql();
  for (std::size_t i = 0; i < tokens.list.size(); ++i) {
    const Token& token = tokens.list[i];
    if (!token.is_name()) continue;
    const std::string name = state.name(token.word);
    const bool is_alias =
        i > 0 && tokens.list[i - 1].is("as") && name == column;
    if (is_alias || (state.has_column && state.has_column(name, column)))
      return true;
  }
  return false;
}

void MysqlProgram::run_sql(const Tree& tree, PlBlock& out) {
  const std::size_t first = out.size();
  try {
    run_statement(tree, out);
    for (std::size_t i = first; i < out.size(); ++i)
      if (auto* execute = std::get_if<PlExecute>(&out[i].what))
        execute->counts_changes = true;
  } catch (const Failure& failure) {
    // MySQL looks at names when a statement runs, and not before.
    if (!failure.error.what.starts_with("unknown column") ||
        may_know(tree, failure.error.what))
      throw;
    out.resize(first);
    PlRaise raise;
    raise.sqlstate = "42S22";
    raise.message = failure.error.what;
    emit(out, tree.whole(), std::move(raise));
    builder_.catalog().assumed.insert(
        "line " + std::to_string(failure.error.where.line) + ": " +
        failure.error.what + ": an error if it runs");
  }
}

void MysqlProgram::run_statement(const Tree& tree, PlBlock& out) {
  if (tree.statement().node_case == PG_QUERY__NODE__NODE_SELECT_STMT) {
    const bool gives_rows = !tree.mysql()->into_at;
    if (gives_rows && transaction_ == MysqlTransaction::Nested)
      source_.fail(tree.whole(),
                   "a function or trigger cannot return a result set",
                   "use SELECT ... INTO");
    if (gives_rows) {
      builder_.execute(tree, std::nullopt, {}, false, false, out);
    } else {
      select_into(tree, out);
      return;  // it says itself where its transaction ends
    }
  } else {
    builder_.execute(tree, std::nullopt, {}, false, false, out);
  }
  after_statement(tree.whole(), out);
}

/// SELECT ... INTO: without a row the variables stay as they are.
void MysqlProgram::select_into(const Tree& tree, PlBlock& out) {
  const MysqlStatement& extra = *tree.mysql();
  const Span at = tree.whole();
  DbStatement statement = builder_.statement(tree, out);
  statement.into = extra.into_at;
  const std::vector<Target> columns = RoutineBuilder::columns(statement);
  std::vector<Place> places;
  for (const MysqlStatement::Target& target : extra.into)
    places.push_back(place(target.name, target.at));
  spread_record(places);
  if (columns.size() != places.size())
    source_.fail(*extra.into_at,
                 "the SELECT has " + std::to_string(columns.size()) +
                     " columns, and INTO " + std::to_string(places.size()) +
                     " variables");
  const auto& query = *std::get<Select>(statement.what);
  const bool is_plain =
      query.set == SetKind::None && query.relations.empty() && !query.where &&
      !query.is_grouped && !query.limit && !query.offset &&
      std::none_of(columns.begin(), columns.end(), [](const Target& target) {
        return needs_database(target.expr);
      });
  if (is_plain) {
    for (std::size_t i = 0; i < places.size(); ++i)
      assign(places[i], columns[i].expr, at, out);
    return;
  }
  const bool has_one_row = query.set == SetKind::None && query.is_grouped &&
                           query.group_by.empty() && !query.having &&
                           !query.limit && !query.offset;
  PlExecute execute;
  std::vector<Expr> values;
  for (const Target& column : columns) {
    const Type type = bare(column.expr.type);
    execute.into.push_back(builder_.add_slot("", type, at));
    execute.into_types.push_back(type);
    values.push_back(slot_value(execute.into.back(), type, at));
  }
  execute.statement = std::move(statement);
  execute.is_strict = execute.allows_none = !has_one_row;
  emit(out, at, std::move(execute));
  after_statement(at, out);
  PlBlock copies;
  for (std::size_t i = 0; i < places.size(); ++i)
    assign(places[i], std::move(values[i]), at, copies);
  if (has_one_row) {
    std::move(copies.begin(), copies.end(), std::back_inserter(out));
    return;
  }
  PlIf found;
  PlIf::Arm& arm = found.arms.emplace_back();
  arm.condition = slot_value(kFoundSlot, kBoolean, at);
  arm.body = std::move(copies);
  (void)not_found(found.otherwise);
  emit(out, at, std::move(found));
}

void MysqlProgram::do_statement(PlBlock& out) {
  const Span at = here();
  const std::size_t end = find({";"});
  Expr value = decided(source_, expression(at_ + 1, end, out));
  at_ = end;
  const std::uint32_t slot = builder_.add_slot("", value.type, at);
  if (value.type.name != TypeName::Void)
    builder_.assign(slot, std::move(value), at, out);
}

/// SET a = 1, @b = 2, NEW.c = 3, autocommit = 0
void MysqlProgram::set_statement(PlBlock& out) {
  const Span start = here();
  const std::size_t end = find({";"});
  declare_users(at_, end);
  const Tree tree = parse(at_, end);
  at_ = end;
  const PgQuery__VariableSetStmt& node = *tree.statement().variable_set_stmt;
  const std::string_view called = view(node.name);
  if (called.ends_with("TRANSACTION")) {
    builder_.catalog().assumed.insert(
        "SET TRANSACTION (line " + std::to_string(start.line) +
        "): its transactions run at the level that is explored");
    return;
  }
  for (const MysqlStatement::Assignment& each : tree.mysql()->assignments) {
    std::string to = each.name;
    const bool is_system = to.starts_with("@@");
    const std::size_t dot = to.find('.');
    if (to.starts_with("@@"))
      to = to.substr(dot == std::string::npos ? 2 : dot + 1);
    const std::array<std::string, 1> plain = {to};
    const bool is_field = !is_system && dot != std::string::npos;
    const bool is_local = to.starts_with('@') || is_field ||
                          (!is_system && builder_.binding(plain) != nullptr);
    constexpr std::array<std::string_view, 13> kSettings = {
        "autocommit",
        "sql_mode",
        "foreign_key_checks",
        "unique_checks",
        "sql_safe_updates",
        "time_zone",
        "group_concat_max_len",
        "max_sp_recursion_depth",
        "innodb_lock_wait_timeout",
        "lock_wait_timeout",
        "sql_notes",
        "sql_select_limit",
        "max_statement_time"};
    const bool is_setting =
        is_system ||
        std::find(kSettings.begin(), kSettings.end(), to) != kSettings.end();
    if (!is_local && is_setting) {
      set_server_variable(to, each.value.length > 0 ? each.value : start, out);
      continue;
    }
    const Place target = place(each.name, each.at);
    if (each.value.length == 0)
      source_.unsupported(each.at, "this value of a variable is");
    const auto made = prepares_ ? made_text(each.value, false, out) : nullptr;
    Expr value = builder_.expression(tokens_, each.value, out);
    assign(target, std::move(value), start, out);
    if (made != nullptr) texts_.know(target.binding.slot, made);
  }
}

/// Arguments with queries: each is a value that the database gives.
void MysqlProgram::read_arguments(const Signature& callee,
                                  std::vector<Expr>& arguments,
                                  std::size_t from, std::size_t end,
                                  PlBlock& out) {
  at_ = from;
  while (!is("(")) ++at_;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::size_t first = ++at_;
    at_ = std::min(find({",", ")"}), end);
    const Signature::Parameter& parameter = callee.parameters[i];
    if (!parameter.is_in || parameter.is_out) continue;
    const Span where = text(first, at_);
    Expr value = decided(source_, expression(first, at_, out));
    const std::uint32_t slot =
        builder_.add_slot("", bare(parameter.type), where);
    builder_.assign(slot,
                    mariadb_assigned(source_, std::move(value), parameter.type),
                    where, out);
    arguments[i] = slot_value(slot, bare(parameter.type), where);
  }
  at_ = end;
}

void MysqlProgram::call(PlBlock& out) {
  const Span start = here();
  const std::size_t begin = at_;
  const std::size_t end = find({";"});
  declare_users(at_, end);
  const Tree tree = parse(at_, end);
  at_ = end;
  texts_.forget_all();  // it may set user variables
  const PgQuery__FuncCall& node = *tree.statement().call_stmt->funccall;
  const std::string called(string_of(node.funcname[node.n_funcname - 1]));
  Analyzer analyzer(tree, builder_.catalog(), &builder_, &builder_);
  const Signature* found = analyzer.meant(node);
  if (found == nullptr || found->is_function) {
    std::vector<std::string> names;
    for (const Signature& other : builder_.catalog().routines)
      if (!other.is_function) names.push_back(other.name);
    source_.fail(tree.at(node.location), "unknown procedure '" + called + "'",
                 suggestion(called, names));
  }
  builder_.lift_into(out);
  PlCall made;
  const bool is_open = transaction_ != MysqlTransaction::None;
  MysqlCallee callee{found->id, transaction_};
  const auto& of_file = builder_.catalog().mysql_callee;
  if (of_file && transaction_ != MysqlTransaction::Nested)
    callee = of_file(*found, is_open);
  made.routine = callee.routine;
  std::vector<Expr> arguments = analyzer.arguments(node, *found);
  std::vector<std::pair<Place, std::uint32_t>> copies;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Signature::Parameter& parameter = found->parameters[i];
    if (!parameter.is_out) continue;
    const Node& given = *node.args[i];
    const bool is_name = given.node_case == PG_QUERY__NODE__NODE_COLUMN_REF;
    if (!is_name)
      source_.fail(arguments[i].at,
                   "the argument of an OUT parameter must be a variable");
    std::string to;
    for (const Node* part :
         list(given.column_ref->n_fields, given.column_ref->fields))
      to += (to.empty() ? "" : ".") + std::string(string_of(part));
    const Place target = place(to, arguments[i].at);
    made.into.push_back(builder_.add_slot("", parameter.type, start));
    copies.emplace_back(target, made.into.back());
    if (!parameter.is_in)
      arguments[i] = constant({}, parameter.type, arguments[i].at);
  }
  if (analyzer.looks_at_tables()) {
    read_arguments(*found, arguments, begin, end, out);
    // The server is done with them before the procedure begins.
    after_statement(start, out);
  }
  made.arguments = std::move(arguments);
  emit(out, tree.whole(), std::move(made));
  for (const auto& [to, slot] : copies)
    assign(to, slot_value(slot, builder_.variable(slot).type, start), start,
           out);
  if (transaction_ != callee.after) ++changes_;
  transaction_ = callee.after;
  after_statement(start, out);
}

void MysqlProgram::return_statement(PlBlock& out) {
  const Span start = here();
  ++at_;
  const std::size_t end = find({";"});
  const Routine& routine = builder_.routine;
  if (!routine.is_function || builder_.is_trigger)
    source_.fail(start, "RETURN is allowed only in a function");
  Expr value = decided(source_, expression(at_, end, out));
  at_ = end;
  PlReturn made;
  made.value = mariadb_assigned(source_, std::move(value), routine.result);
  emit(out, start, std::move(made));
}

}  // namespace txscope::sql
