#include "read/sql/plpgsql/rooms/returns.h"

#include <utility>

#include "model/sql/value/composite.h"
#include "read/sql/plpgsql/rooms/rooms.h"
#include "read/sql/schema/types.h"

namespace txscope::sql::plpgsql {

/// RETURN NEW, OLD or NULL, or whichever of NEW and OLD there is.
void Returns::return_from_trigger(Span start, PlBlock& out) {
  const std::size_t end = end_of_statement();
  const Span span = text(at_, end);
  const TriggerSlots slots;
  const auto give = [&](std::int64_t which, PlBlock& to) {
    builder_.assign(slots.result,
                    constant(Value::integer(which), kInteger, span), start, to);
  };
  const bool is_word = end == at_ + 1;
  const auto fields = is_word && peek().is_name()
                          ? builder_.record(peek().word, span)
                          : std::vector<Names::Found>();
  if (is_word && peek().is("new")) {
    give(1, out);
  } else if (is_word && peek().is("old")) {
    give(2, out);
  } else if (is_word && peek().is("null")) {
    give(0, out);
  } else if (end == at_ + 6 && peek().is("coalesce") && at(at_ + 2).is("new") &&
             at(at_ + 4).is("old")) {
    PlIf which;
    PlIf::Arm& arm = which.arms.emplace_back();
    arm.condition = is_operation("DELETE", span);
    give(2, arm.body);
    give(1, which.otherwise);
    emit(out, start, std::move(which));
  } else if (!fields.empty() &&
             fields.size() == builder_.record("new", span).size()) {
    // A record that is no NULL: the row is what it has.
    PlIf which;
    PlIf::Arm& arm = which.arms.emplace_back();
    arm.condition = is_operation("DELETE", span);
    give(2, arm.body);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      Expr value = slot_value(fields[i].slot, fields[i].type, span);
      builder_.assign(slots.new_row + static_cast<std::uint32_t>(i),
                      std::move(value), start, which.otherwise);
    }
    give(1, which.otherwise);
    emit(out, start, std::move(which));
  } else {
    source_.unsupported(span, "this value of a trigger's function is",
                        "RETURN NEW, OLD or NULL");
  }
  at_ = end;
  expect(";");
  emit(out, start, PlReturn{});
}

void Returns::return_statement(PlBlock& out) {
  const Span start = here();
  ++at_;
  if (peek().is("next") || peek().is("query")) {
    return_rows(start, out);
    return;
  }
  if (builder_.is_trigger) {
    return_from_trigger(start, out);
    return;
  }
  const Routine& routine = builder_.routine;
  const std::size_t end = end_of_statement();
  PlReturn result;
  const bool has_out = routine.is_function && !routine.out_slots.empty();
  if (end > at_) {
    const Span span = text(at_, end);
    if (!routine.is_function) {
      source_.fail(span, "RETURN in a procedure takes no value");
    }
    if (has_out && routine.result.name == TypeName::Void) {
      return_row(start, span, out);
      return;
    }
    if (has_out) {
      source_.fail(span,
                   "RETURN in a function with OUT parameters takes no value");
    }
    Expr value = builder_.expression(tokens_, span, out);
    if (routine.result.name == TypeName::Void) {
      // RETURN f(...) of another void function is all that there can be.
      if (value.type.name != TypeName::Void &&
          !(value.op == Op::Constant && value.value.is_null())) {
        source_.fail(span,
                     "RETURN in a function that returns void takes no "
                     "value");
      }
    } else {
      result.value =
          builder_.assigned(std::move(value), routine.result, "the result");
    }
  } else if (has_out && routine.result.name != TypeName::Void) {
    const std::uint32_t slot = routine.out_slots[0];
    result.value = slot_value(slot, builder_.variable(slot).type, start);
  } else if (routine.is_function && routine.result.name != TypeName::Void) {
    source_.fail(start, "RETURN needs a value",
                 "the function returns " + to_string(routine.result));
  }
  at_ = end;
  expect(";");
  emit(out, start, std::move(result));
}

/// RETURN QUERY and RETURN NEXT: what they do to the database, and the first
/// row for who wants it.
void Returns::return_rows(Span start, PlBlock& out) {
  const bool is_query = peek().is("query");
  ++at_;
  const std::size_t end = end_of_statement();
  const Routine& routine = builder_.routine;
  if (is_query) {
    const Span span = text(at_, end);
    PlExecute execute;
    execute.statement = rooms_.commands.query_until(end, out);
    const auto& columns = RoutineBuilder::columns(execute.statement);
    if (!routine.out_slots.empty()) {
      if (columns.size() != routine.out_slots.size()) {
        source_.fail(span,
                     "structure of query does not match function result "
                     "type");
      }
      for (std::size_t i = 0; i < columns.size(); ++i) {
        const std::uint32_t slot = routine.out_slots[i];
        builder_.check_assignable(columns[i].expr.type,
                                  builder_.variable(slot).type, "the result",
                                  span);
        execute.into.push_back(slot);
        execute.into_types.push_back(builder_.variable(slot).type);
      }
    }
    emit(out, source_.span(start, span), std::move(execute));
  } else if (end > at_) {
    const Span span = text(at_, end);
    if (routine.out_slots.size() == 1) {
      builder_.assign(routine.out_slots[0],
                      builder_.expression(tokens_, span, out), start, out);
    } else {
      copy_row(span, start, out);
    }
  }
  at_ = end + 1;
}

/// The fields of a record, or of any row, into the slots that the function
/// returns.
void Returns::copy_row(Span span, Span start, PlBlock& out) {
  const std::string name(source_.text(span));
  const auto fields = builder_.record(name, span);
  const Routine& routine = builder_.routine;
  if (fields.empty()) {
    Expr row = builder_.expression(tokens_, span, out);
    if (row.op == Op::Constant && row.value.is_null()) {
      for (const std::uint32_t slot : routine.out_slots)
        builder_.assign(slot, constant({}, builder_.variable(slot).type, span),
                        start, out);
      return;
    }
    const bool fits =
        row.type.name == TypeName::Composite &&
        composite(row.type).fields.size() == routine.out_slots.size();
    if (!fits) {
      source_.fail(span, "the function returns a row of " +
                             std::to_string(routine.out_slots.size()) +
                             " columns, and this is of type " +
                             to_string(row.type));
    }
    // PL/pgSQL converts between named types, and nothing of ROW(...).
    for (std::size_t i = 0; i < routine.out_slots.size(); ++i) {
      const Type given = bare(composite(row.type).fields[i].second);
      const Type wanted = bare(builder_.variable(routine.out_slots[i]).type);
      if (!composite(row.type).is_record() || given == wanted) continue;
      source_.fail(span,
                   "returned record type does not match expected record type: "
                   "column " +
                       std::to_string(i + 1) + " is of type " +
                       to_string(given) + ", not " + to_string(wanted),
                   "add a cast");
    }
    builder_.spread(std::move(row), routine.out_slots, start, out);
    return;
  }
  if (fields.size() != routine.out_slots.size()) {
    source_.unsupported(span, "returning this as a row is",
                        "return a record with the columns of the result");
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    Expr e = slot_value(fields[i].slot, fields[i].type, span);
    builder_.assign(routine.out_slots[i], std::move(e), start, out);
  }
}

/// RETURN record;
void Returns::return_row(Span start, Span span, PlBlock& out) {
  copy_row(span, start, out);
  at_ = end_of_statement() + 1;
  emit(out, start, PlReturn{});
}

}  // namespace txscope::sql::plpgsql
