#include "read/sql/plpgsql/rooms/assignments.h"

#include <array>

#include "base/suggest.h"
#include "model/sql/builtin.h"
#include "read/sql/plpgsql/rooms/rooms.h"
#include "read/sql/schema/types.h"

namespace txscope::sql::plpgsql {

Binding Assignments::assignable(std::size_t& i, Span& where) {
  const std::size_t first = i;
  std::vector<std::string> parts;
  if (!at(i).is_name()) {
    source_.fail(
        i < tokens_.size() ? source_.span(at(i).offset, at(i).length) : here(),
        "expected a variable");
  }
  parts.push_back(at(i++).word);
  while (at(i).is(".") && at(i + 1).is_name()) {
    parts.push_back(at(i + 1).word);
    i += 2;
  }
  where = text(first, i);
  Binding result;
  const Binding* whole = builder_.binding(parts);
  if (whole != nullptr) {
    result = *whole;
  } else {
    const auto field = builder_.find(parts, where, false);
    if (!field && builder_.is_script && parts.size() == 1) {
      return builder_.declare_by_use(parts[0], where);
    }
    if (!field) {
      source_.fail(
          where, "unknown variable '" + std::string(source_.text(where)) + "'",
          suggestion(parts[0], builder_.candidates()));
    }
    result.slot = field->slot;
  }
  if (result.is_constant) {
    source_.fail(where, "'" + std::string(source_.text(where)) +
                            "' is a CONSTANT and cannot be assigned");
  }
  if (at(i).is("[")) source_.unsupported(where, "arrays are");
  return result;
}

Targets Assignments::targets(std::size_t& i, std::size_t end) {
  Targets result;
  do {
    if (!result.empty()) ++i;  // the comma
    Span where;
    Binding binding = assignable(i, where);
    if (binding.kind == Binding::Kind::Cursor) {
      source_.fail(where, "a cursor cannot be assigned");
    }
    result.emplace_back(binding, where);
  } while (i < end && at(i).is(","));
  return result;
}

/// array[position] := value
void Assignments::item_assignment(PlBlock& out) {
  const Span start = here();
  const std::array<std::string, 1> plain = {peek().word};
  const Binding* found = builder_.binding(plain);
  if (found == nullptr || found->kind != Binding::Kind::Scalar ||
      builder_.variable(found->slot).type.name != TypeName::Array) {
    source_.fail(start, "'" + plain[0] + "' is not an array");
  }
  if (found->is_constant) {
    source_.fail(start, "'" + plain[0] + "' is a CONSTANT");
  }
  const std::uint32_t slot = found->slot;
  const Type array = builder_.variable(slot).type;
  at_ += 2;
  const std::size_t close = find({"]"});
  Expr position =
      builder_.assigned(expression_until(close, out), kInteger, "subscript");
  ++at_;
  if (peek().is("[")) source_.unsupported(start, "an array of arrays is");
  if (!accept(":=") && !accept("=")) expect(":=");
  const std::size_t end = end_of_statement();
  Expr value = builder_.assigned(expression_until(end, out), element_of(array),
                                 plain[0]);
  Expr made;
  made.op = Op::Builtin;
  made.index = static_cast<std::uint32_t>(Builtin::ArraySet);
  made.type = array;
  made.at = start;
  Expr variable = slot_value(slot, array, start);
  made.args.push_back(std::move(variable));
  made.args.push_back(std::move(position));
  made.args.push_back(std::move(value));
  builder_.assign(slot, std::move(made), start, out);
  expect(";");
}

/// record := expression
void Assignments::row_assignment(const Binding& target, Span where, Span start,
                                 std::size_t end, PlBlock& out) {
  Expr row = builder_.expression(tokens_, text(at_, end), out);
  at_ = end + 1;
  if (row.op == Op::Constant && row.value.is_null()) {
    for (const Record::Field& field : builder_.record(target.which).fields)
      builder_.assign(field.slot, constant({}, field.type, where), start, out);
    return;
  }
  if (row.type.name != TypeName::Composite) {
    source_.fail(where, "cannot assign a value of type " + to_string(row.type) +
                            " to a record");
  }
  builder_.assign_row(target, where, std::move(row), start, out);
}

void Assignments::assignment(PlBlock& out) {
  if (at(at_ + 1).is("[")) return item_assignment(out);
  const Span start = here();
  Span where;
  const Binding target = assignable(at_, where);
  if (!accept(":=") && !accept("=")) expect(":=");
  const std::size_t end = end_of_statement();
  if (target.kind == Binding::Kind::Cursor) {
    source_.fail(where, "a cursor cannot be assigned", "use OPEN");
  }
  if (target.kind == Binding::Kind::Record) {
    // record := record
    Span from;
    std::size_t i = at_;
    const Binding* other = nullptr;
    if (end == at_ + 1 && at(at_).is_name()) {
      const std::array<std::string, 1> plain = {at(at_).word};
      other = builder_.binding(plain);
      from = text(i, end);
    }
    if (other == nullptr || other->kind != Binding::Kind::Record) {
      row_assignment(target, where, start, end, out);
      return;
    }
    std::vector<Target> columns;
    const Record& source = builder_.record(other->which);
    for (const Record::Field& field : source.fields) {
      Expr e = slot_value(field.slot, field.type, from);
      columns.push_back({field.name, std::move(e)});
    }
    if (!source.has_shape) {
      source_.fail(from, "this record is not assigned before it is used");
    }
    const Into into = builder_.into({{target, where}}, columns, start);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      builder_.assign(into.slots[c], std::move(columns[c].expr), start, out);
    }
    at_ = end + 1;
    return;
  }
  const Span span = text(at_, end);
  Expr value = builder_.expression(tokens_, span, out);
  at_ = end;
  expect(";");
  if (builder_.is_script) {
    value = decided(source_, std::move(value));
    builder_.settle_type(target.slot, value.type);
  }
  builder_.assign(target.slot, std::move(value), source_.span(start, span),
                  out);
}

}  // namespace txscope::sql::plpgsql
