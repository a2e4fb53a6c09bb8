#include "read/sql/plpgsql/rooms/declarations.h"

#include <array>

#include "base/suggest.h"
#include "read/sql/plpgsql/rooms/rooms.h"
#include "read/sql/schema/types.h"

namespace txscope::sql::plpgsql {

void Declarations::declarations(PlBlock& out, bool is_nested) {
  while (!peek().is("begin")) {
    if (accept("declare")) continue;
    if (at_ >= tokens_.size()) expect("begin");
    declaration(out, is_nested);
  }
}

void Declarations::declaration(PlBlock& out, bool is_nested) {
  const Span where = here();
  const std::string variable = name("the name of a variable, or BEGIN");
  const bool is_constant = accept("constant");
  if (peek().is("alias")) {
    ++at_;
    expect("for");
    const std::size_t end = end_of_statement();
    const Span old = text(at_, end);
    const std::string_view word = source_.text(old);
    Binding alias;
    if (word.starts_with('$')) {
      const auto found = builder_.parameter(static_cast<std::uint32_t>(
          std::atoi(std::string(word.substr(1)).c_str())));
      if (!found) {
        source_.fail(old, "there is no parameter " + std::string(word));
      }
      alias.slot = found->slot;
    } else {
      const std::array<std::string, 1> plain = {at(at_).word};
      const Binding* found = builder_.binding(plain);
      if (found == nullptr) {
        source_.fail(old, "unknown variable '" + std::string(word) + "'");
      }
      alias = *found;
    }
    at_ = end + 1;
    builder_.declare(variable, alias, where);
    return;
  }
  if (peek().is("cursor") || peek().is("scroll") ||
      (peek().is("no") && at(at_ + 1).is("scroll"))) {
    cursor_declaration(variable, where);
    return;
  }
  scalar_declaration(variable, where, is_constant, out, is_nested);
}

void Declarations::cursor_declaration(const std::string& name, Span where) {
  if (accept("no")) expect("scroll");
  if (peek().is("scroll")) {
    source_.unsupported(here(), "SCROLL cursors are", "use FETCH NEXT");
  }
  expect("cursor");
  const std::size_t which = builder_.add_cursor(name, true);
  builder_.open_scope("");
  if (accept("(")) {
    do {
      const Span at_name = here();
      const std::string parameter = this->name("a parameter's name");
      const std::size_t end = find({",", ")"});
      const Type type = declared_type(at_, end);
      at_ = end;
      Binding binding;
      binding.slot = builder_.add_slot(parameter, type, at_name);
      builder_.declare(parameter, binding, at_name);
      builder_.cursor(which).parameters.push_back(
          {parameter, binding.slot, type});
    } while (accept(","));
    expect(")");
  }
  if (!accept("for")) expect("is");
  const std::size_t end = end_of_statement();
  const Span span = text(at_, end);
  const Tree tree =
      parse_statement(source_, tokens_, source_.text(span), span.offset);
  PlBlock before;
  DbStatement query = builder_.statement(tree, before);
  if (!before.empty() || !query.is_select()) {
    source_.unsupported(span, "a cursor for this is",
                        "a cursor is for a SELECT");
  }
  rooms_.cursors.check_no_lock(query, span);
  builder_.close_scope();
  Cursor& cursor = builder_.cursor(which);
  cursor.columns = RoutineBuilder::columns(query);
  cursor.query = std::move(query);
  at_ = end + 1;
  Binding binding;
  binding.kind = Binding::Kind::Cursor;
  binding.which = which;
  builder_.declare(name, binding, where);
}

void Declarations::add_row(const std::string& name, const Table& table,
                           Span at) {
  Binding binding;
  binding.kind = Binding::Kind::Record;
  binding.which = builder_.add_record();
  rooms_.declared_records.push_back(binding.which);
  Record& record = builder_.record(binding.which);
  record.has_shape = true;
  record.is_row = true;
  for (const Column& column : table.columns) {
    record.fields.push_back(
        {column.name,
         builder_.add_slot(name + "." + column.name, column.type, at),
         column.type});
  }
  builder_.declare(name, binding, at);
}

bool Declarations::row_declaration(const std::string& name, Span where,
                                   std::size_t from, std::size_t to) {
  if (to - from == 1 && at(from).is("record")) {
    Binding binding;
    binding.kind = Binding::Kind::Record;
    binding.which = builder_.add_record();
    rooms_.declared_records.push_back(binding.which);
    builder_.declare(name, binding, where);
    return true;
  }
  if (to - from == 1 && at(from).is("refcursor")) {
    Binding binding;
    binding.kind = Binding::Kind::Cursor;
    binding.which = builder_.add_cursor(name, false);
    builder_.declare(name, binding, where);
    return true;
  }
  // schema.table%ROWTYPE, schema.table
  const bool has_schema =
      at(from + 1).is(".") && ((to - from == 5 && at(from + 3).is("%")) ||
                               (to - from == 3 && at(from + 2).is_name()));
  QualifiedName wanted;
  if (has_schema && !at(to - 1).is("type")) {
    wanted.schema = at(from).word;
    from += 2;
  }
  const bool is_rowtype =
      to - from == 3 && at(from + 1).is("%") && at(from + 2).is("rowtype");
  const bool is_name = to - from == 1 && at(from).is_name();
  if (!is_rowtype && !is_name) return false;
  wanted.name = at(from).word;
  const std::string key = builder_.catalog().relation(wanted);
  const auto table = builder_.catalog().table(key);
  if (!table) {
    const TypeAlias* alias = builder_.catalog().type(key);
    if (alias != nullptr && !alias->fields.empty()) {
      Table shape;
      for (const auto& [field, type] : alias->fields) {
        Column column;
        column.name = field;
        column.type = type;
        shape.columns.push_back(std::move(column));
      }
      add_row(name, shape, where);
      return true;
    }
    if (!is_rowtype) return false;
    source_.fail(source_.span(at(from).offset, at(from).length),
                 "unknown table '" + at(from).word + "'",
                 suggestion(at(from).word, builder_.catalog().table_names()));
  }
  add_row(name, builder_.catalog().schema.at(*table), where);
  return true;
}

Type Declarations::declared_type(std::size_t from, std::size_t to) {
  const Span span = text(from, to);
  // schema.table.column%TYPE
  QualifiedName wanted;
  if (to - from == 7 && at(from + 1).is(".") && at(from + 3).is(".") &&
      at(from + 5).is("%")) {
    wanted.schema = at(from).word;
    from += 2;
  }
  // variable%TYPE
  if (to - from == 3 && at(from + 1).is("%") && at(from + 2).is("type")) {
    const std::array<std::string, 1> plain = {at(from).word};
    const auto found = builder_.find(plain, span, false);
    if (!found) {
      source_.fail(span, "unknown variable '" + plain[0] + "'",
                   suggestion(plain[0], builder_.candidates()));
    }
    return found->type;
  }
  // table.column%TYPE
  if (to - from == 5 && at(from + 3).is("%") && at(from + 4).is("type")) {
    const Catalog& catalog = builder_.catalog();
    wanted.name = at(from).word;
    const auto table = catalog.table(catalog.relation(wanted));
    if (!table) {
      source_.fail(span, "unknown table '" + at(from).word + "'",
                   suggestion(at(from).word, catalog.table_names()));
    }
    const Table& found = catalog.schema.at(*table);
    const auto column = column_of(found, at(from + 2).word);
    if (!column) {
      source_.fail(
          span,
          "'" + found.name + "' has no column '" + at(from + 2).word + "'",
          suggestion(at(from + 2).word, column_names(found)));
    }
    return found.columns[*column].type;
  }
  const Tree tree =
      parse_type(source_, tokens_, source_.text(span), span.offset);
  const Node& value =
      *tree.statement().select_stmt->target_list[0]->res_target->val;
  if (value.node_case != PG_QUERY__NODE__NODE_TYPE_CAST) {
    source_.fail(span, "expected a type");
  }
  return read_type(tree, builder_.catalog(), *value.type_cast->type_name);
}

void Declarations::scalar_declaration(const std::string& name, Span where,
                                      bool is_constant, PlBlock& out,
                                      bool is_nested) {
  const std::size_t from = at_;
  const std::size_t end = find({";", ":=", "=", "default", "not", "collate"});
  at_ = end;
  if (peek().is("collate")) source_.unsupported(here(), "COLLATE is");
  if (row_declaration(name, where, from, end)) {
    if (peek().is("not")) source_.unsupported(here(), "NOT NULL here is");
    if (accept(":=") || accept("=") || accept("default")) {
      const std::array<std::string, 1> plain = {name};
      const Binding target = *builder_.binding(plain);
      if (target.kind != Binding::Kind::Record)
        source_.unsupported(where, "an initial value of a cursor is");
      rooms_.assignments.row_assignment(target, where, where,
                                        end_of_statement(), out);
      return;
    }
    ++at_;
    return;
  }
  const Type type = declared_type(from, end);
  bool is_not_null = false;
  if (accept("not")) {
    expect("null");
    is_not_null = true;
  }
  // The initial value does not see the variable yet.
  std::optional<Expr> value;
  if (accept(":=") || accept("=") || accept("default")) {
    value = expression_until(end_of_statement(), out);
  }
  expect(";");
  Binding binding;
  binding.slot = builder_.add_slot(name, type, where);
  binding.is_constant = is_constant;
  builder_.routine.variables[binding.slot].is_constant = is_constant;
  builder_.routine.variables[binding.slot].is_not_null = is_not_null;
  builder_.declare(name, binding, where);
  if (is_not_null && !value) {
    source_.fail(where,
                 "'" + name + "' is NOT NULL and needs an initial value");
  }
  // A block that is entered again starts with fresh variables.
  if (!value && !is_nested) return;
  if (!value) value = constant({}, type, where);
  builder_.assign(binding.slot, std::move(*value), where, out);
}

}  // namespace txscope::sql::plpgsql
