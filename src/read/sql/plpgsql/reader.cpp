#include "read/sql/plpgsql/reader.h"

#include "read/sql/plpgsql/rooms/rooms.h"

namespace txscope::sql {
namespace {

/// A body as a whole.
class Body : public plpgsql::PlRoom {
 public:
  using PlRoom::PlRoom;

  [[nodiscard]] PlBlock read();
  [[nodiscard]] PlBlock read_statements();
};

PlBlock Body::read() {
  PlBlock body;
  std::string label;
  if (accept("<<")) {
    label = name("a label");
    expect(">>");
  }
  if (peek().is("#")) {
    ++at_;
    const std::string what = name("a directive");
    const std::string how = name("how it is meant");
    if (what != "variable_conflict" || how == "use_variable") {
      source_.unsupported(here(), "the directive #" + what + " " + how + " is",
                          "give variables names that no column has");
    }
    builder_.has_sql_rules = how == "use_column";
  }
  if (!peek().is("declare") && !peek().is("begin")) {
    source_.fail(here(), "expected DECLARE or BEGIN",
                 "a PL/pgSQL body is [DECLARE ...] BEGIN ... END");
  }
  rooms_.blocks.block(label, body);
  (void)accept(";");
  if (at_ < tokens_.size()) {
    source_.fail(here(), "unexpected '" + std::string(source_.text(here())) +
                             "' after the end of the routine");
  }
  return body;
}

PlBlock Body::read_statements() {
  PlBlock body;
  builder_.enter(false);
  while (at_ < tokens_.size()) rooms_.blocks.statement(body);
  builder_.leave();
  return body;
}

}  // namespace

PlBlock read_body(RoutineBuilder& builder, const std::vector<Token>& tokens) {
  plpgsql::Rooms rooms(builder, tokens);
  return Body(rooms).read();
}

PlBlock read_statements(RoutineBuilder& builder,
                        const std::vector<Token>& tokens) {
  plpgsql::Rooms rooms(builder, tokens);
  return Body(rooms).read_statements();
}

}  // namespace txscope::sql
