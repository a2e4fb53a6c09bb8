#include "read/sql/plpgsql/rooms/transaction_steps.h"

#include <algorithm>
#include <utility>

#include "read/sql/plpgsql/rooms/rooms.h"

namespace txscope::sql::plpgsql {

/// SAVEPOINT name, RELEASE [SAVEPOINT] name, ROLLBACK TO [SAVEPOINT] name.
void TransactionSteps::savepoint(PlSavepoint::Kind kind, PlBlock& out) {
  const Span start = here();
  if (!builder_.is_script || rooms_.nesting > 1) {
    source_.unsupported(start, "a savepoint inside a routine or a block is",
                        "use BEGIN ... EXCEPTION ... END");
  }
  ++at_;
  if (kind == PlSavepoint::Kind::RollBackTo) expect("to");
  if (kind != PlSavepoint::Kind::Set) (void)accept("savepoint");
  PlSavepoint point;
  point.kind = kind;
  const Span where = here();
  point.name = name("the name of a savepoint");
  expect(";");
  const auto found = std::find(rooms_.savepoints.rbegin(),
                               rooms_.savepoints.rend(), point.name);
  if (kind == PlSavepoint::Kind::Set) {
    rooms_.savepoints.push_back(point.name);
  } else if (found == rooms_.savepoints.rend()) {
    source_.fail(where, "there is no savepoint '" + point.name + "' here");
  } else {
    rooms_.savepoints.erase(
        kind == PlSavepoint::Kind::Release ? found.base() - 1 : found.base(),
        rooms_.savepoints.end());
  }
  emit(out, start, std::move(point));
}

void TransactionSteps::set_constraints(PlBlock& out) {
  const std::size_t end = end_of_statement();
  const Span span = text(at_, end);
  const Tree tree =
      parse_statement(source_, tokens_, source_.text(span), span.offset);
  builder_.set_constraints(tree, out);
  at_ = end + 1;
}

}  // namespace txscope::sql::plpgsql
