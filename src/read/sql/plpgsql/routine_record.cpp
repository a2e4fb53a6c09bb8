#include <algorithm>

#include "model/sql/value/composite.h"
#include "read/sql/plpgsql/routine_builder.h"
#include "read/sql/plpgsql/routine_parts.h"
#include "read/sql/schema/types.h"

namespace txscope::sql {

void RoutineBuilder::enter(bool is_loop) {
  path_.push_back(static_cast<std::uint32_t>(is_loop_.size()));
  is_loop_.push_back(is_loop);
}

/// Every way to this place leads through the record's last assignment.
bool RoutineBuilder::is_shaped_here(const Record& record) const {
  return record.shaped_in.size() <= path_.size() &&
         std::equal(record.shaped_in.begin(), record.shaped_in.end(),
                    path_.begin());
}

/// It does, and no loop leads back from here to where the old shape is used.
bool RoutineBuilder::may_reshape(const Record& record) const {
  if (!is_shaped_here(record)) return false;
  return std::none_of(
      path_.begin() + static_cast<std::ptrdiff_t>(record.shaped_in.size()),
      path_.end(), [this](std::uint32_t list) { return is_loop_[list]; });
}

void RoutineBuilder::shape(Record& record, const std::string& name,
                           const std::vector<Target>& columns, Span at) {
  const bool is_same =
      record.has_shape &&
      std::equal(columns.begin(), columns.end(), record.fields.begin(),
                 record.fields.end(),
                 [](const Target& column, const Record::Field& f) {
                   return column.name == f.name && column.expr.type == f.type;
                 });
  if (is_same) {
    if (record.has_had_others && !is_shaped_here(record)) {
      source_.unsupported(at,
                          "record '" + name + "' with another shape here is",
                          "declare a second record");
    }
    return;
  }
  if (record.has_shape) {
    if (!may_reshape(record)) {
      source_.unsupported(
          at, "record '" + name + "' with rows of different shapes here is",
          "declare a second record");
    }
    record.has_had_others = true;
    record.fields.clear();
  }
  record.has_shape = true;
  record.shaped_in = path_;
  for (const Target& column : columns) {
    const Type type = column.expr.type;
    record.fields.push_back(
        {column.name, add_slot(name + "." + column.name, type, at), type});
  }
}

void RoutineBuilder::open_parameters(PlBlock& block) {
  for (const auto& [slot, which] : row_parameters_) {
    const Variable parameter = routine.variables[slot];
    Record& made = records_[which];
    made.has_shape = true;
    made.is_row = true;
    std::vector<std::uint32_t> slots;
    for (const auto& [name, type] : composite(parameter.type).fields) {
      const std::uint32_t field =
          add_slot(parameter.name + "." + name, type, parameter.at);
      made.fields.push_back({name, field, type});
      slots.push_back(field);
    }
    spread(slot_value(slot, parameter.type, parameter.at), slots, parameter.at,
           block);
  }
}

std::uint32_t RoutineBuilder::lift_row(std::vector<Expr> fields, Type type,
                                       Span at) {
  const std::uint32_t slot = add_slot("", type, at);
  assign(slot, make_row(std::move(fields), type, at), at, *lifting_into_);
  return slot;
}

void RoutineBuilder::spread(Expr row, const std::vector<std::uint32_t>& slots,
                            Span at, PlBlock& block) {
  if (row.op != Op::Variable) {  // evaluated once
    const Type type = row.type;
    const std::uint32_t all = add_slot("", type, at);
    assign(all, std::move(row), at, block);
    row = slot_value(all, type, at);
  }
  for (std::size_t i = 0; i < slots.size(); ++i)
    assign(slots[i], field_of(row, i), at, block);
}

void RoutineBuilder::assign_row(const Binding& target, Span where, Expr row,
                                Span at, PlBlock& block) {
  std::vector<Target> columns;
  for (const auto& [name, type] : composite(row.type).fields)
    columns.push_back({name, constant({}, bare(type), at)});
  spread(std::move(row), into({{target, where}}, columns, where).slots, at,
         block);
}

Into RoutineBuilder::into(const std::vector<std::pair<Binding, Span>>& targets,
                          const std::vector<Target>& columns, Span at) {
  Into result;
  if (targets.size() == 1 && targets[0].first.kind == Binding::Kind::Record) {
    Record& record = records_[targets[0].first.which];
    const std::string name(source_.text(targets[0].second));
    if (!record.is_row) shape(record, name, columns, at);
    if (record.fields.size() != columns.size()) {
      source_.fail(at, "'" + name + "' has " +
                           std::to_string(record.fields.size()) +
                           " fields, but there are " +
                           std::to_string(columns.size()) + " columns");
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const Record::Field& field = record.fields[i];
      check_assignable(columns[i].expr.type, field.type,
                       name + "." + field.name, at);
      result.slots.push_back(field.slot);
      result.types.push_back(field.type);
    }
    return result;
  }
  // PL/pgSQL ignores columns for which there is no variable.
  if (targets.size() > columns.size()) {
    source_.fail(targets[0].second,
                 "INTO has " + std::to_string(targets.size()) +
                     (targets.size() == 1 ? " variable" : " variables") +
                     ", but there are " + std::to_string(columns.size()) +
                     " columns");
  }
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto& [binding, span] = targets[i];
    if (binding.kind != Binding::Kind::Scalar) {
      source_.fail(span, "a record must be alone after INTO");
    }
    settle_type(binding.slot, columns[i].expr.type);
    const Type type = routine.variables[binding.slot].type;
    check_assignable(columns[i].expr.type, type, source_.text(span), span);
    result.slots.push_back(binding.slot);
    result.types.push_back(type);
  }
  return result;
}

}  // namespace txscope::sql
