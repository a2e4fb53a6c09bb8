#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "read/sql/plpgsql/routine_builder.h"
#include "read/sql/plpgsql/routine_parts.h"
#include "read/sql/text/token_cursor.h"

namespace txscope::sql {

/// Reads the body of a PL/pgSQL routine: recursive descent over the tokens for
/// its statements, PostgreSQL's parser for the SQL in them.
class PlReader : private TokenCursor {
 public:
  PlReader(RoutineBuilder& builder, const std::vector<Token>& tokens)
      : TokenCursor(builder.source(), tokens, builder.routine.at),
        builder_(builder) {}

  /// [<<label>>] [DECLARE ...] BEGIN ... END [;]
  [[nodiscard]] PlBlock read();
  /// Statements, as in the middle of a body.
  [[nodiscard]] PlBlock read_statements();

 private:
  static constexpr std::uint32_t kDeepest = 100;  // blocks and statements

  struct Label {
    std::string name;
    LabelId id;
    bool is_loop = false;
  };
  using Targets = std::vector<std::pair<Binding, Span>>;

  // block.cpp
  void block(const std::string& label, PlBlock& out);
  void reset_records(PlBlock& out, Span at);
  void statements(PlBlock& out, bool is_loop = false);
  void statement(PlBlock& out);
  bool simple_statement(std::string_view word, PlBlock& out);
  bool set_setting();
  [[noreturn]] void unsupported_statement(std::string_view word);

  // handler.cpp
  void handlers(PlBlock body, Span start, PlBlock& out);
  std::vector<std::string> conditions();
  void stacked_diagnostics(Span start, PlBlock& out);
  void savepoint(PlSavepoint::Kind kind, PlBlock& out);
  void set_constraints(PlBlock& out);
  void return_from_trigger(Span start, PlBlock& out);

  // declare.cpp
  void declarations(PlBlock& out, bool is_nested);
  void declaration(PlBlock& out, bool is_nested);
  void cursor_declaration(const std::string& name, Span at);
  void scalar_declaration(const std::string& name, Span at, bool is_constant,
                          PlBlock& out, bool is_nested);
  bool row_declaration(const std::string& name, Span at, std::size_t from,
                       std::size_t to);
  Type declared_type(std::size_t from, std::size_t to);
  void add_row(const std::string& name, const Table& table, Span at);

  // control.cpp
  void if_statement(PlBlock& out);
  void case_statement(PlBlock& out);
  void loop_statement(const std::string& label, PlBlock& out);
  void while_statement(const std::string& label, PlBlock& out);
  void for_statement(const std::string& label, PlBlock& out);
  void foreach_statement(const std::string& label, PlBlock& out);
  void for_range(const Label& label, std::size_t name, std::size_t dots,
                 std::size_t loop, PlBlock& out, Span at);
  void for_query(const Label& label, const Targets& targets, PlBlock& out,
                 Span at);
  void for_cursor(const Label& label, std::size_t name, PlBlock& out, Span at);
  void exit_statement(PlBlock& out, bool is_continue);
  PlBlock loop_body(const Label& label);
  Label new_label(const std::string& name, bool is_loop);

  // statement.cpp, assign.cpp, cursor.cpp, lock.cpp
  void assignment(PlBlock& out);
  void item_assignment(PlBlock& out);
  void row_assignment(const Binding& target, Span where, Span start,
                      std::size_t end, PlBlock& out);
  void sql_statement(PlBlock& out);
  void perform(PlBlock& out);
  [[nodiscard]] bool is_of_others(const Tree& tree) const;
  void call(PlBlock& out);
  void return_statement(PlBlock& out);
  void return_rows(Span start, PlBlock& out);
  void return_row(Span start, Span span, PlBlock& out);
  void copy_row(Span span, Span start, PlBlock& out);
  void get_diagnostics(PlBlock& out);
  void open_cursor(PlBlock& out);
  void fetch(PlBlock& out);
  void close_cursor(PlBlock& out);
  void open_bound(Cursor& cursor, Span at, PlBlock& out);
  std::optional<Span> cut_into(std::size_t from, std::size_t to,
                               Targets& targets, bool& is_strict);
  Targets targets(std::size_t& i, std::size_t end);
  Binding assignable(std::size_t& i, Span& at);
  Cursor& cursor_at(std::size_t i);
  void check_no_lock(const DbStatement& query, Span at) const;

  // execute.cpp, known_text.cpp
  /// A statement that EXECUTE makes, and what it sees.
  struct Command {
    /// How a value gets into the text: %L, quote_literal(), %s, ||.
    enum class Place : std::uint8_t { Literal, Quoted, Formatted, Joined };
    std::string text;
    std::uint32_t at = 0;  ///< its offset
    Tokens tokens;
    std::vector<Names::Found> values;  ///< $1, $2, ...
    /// Where values go into the text while it is made: three blanks.
    std::vector<std::pair<std::size_t, Names::Found>> holes;
    std::optional<Span> into;
    Targets targets;
    bool is_strict = false;
  };
  void execute_text(PlBlock& out);
  Command read_command(std::size_t end, PlBlock& out);
  DbStatement statement_of(const Command& command, PlBlock& out);
  void add_text(Command& command, std::size_t from, std::size_t to,
                PlBlock& out);
  void add_format(Command& command, std::size_t from, std::size_t to,
                  PlBlock& out);
  void add_value(Command& command, Command::Place place, std::size_t from,
                 std::size_t to, PlBlock& out);
  [[nodiscard]] std::optional<std::string> known_text(const std::string& name,
                                                      std::size_t use) const;
  [[nodiscard]] std::optional<std::string> fixed_text(std::size_t from,
                                                      std::size_t to) const;
  void trim_text(std::size_t& from, std::size_t& to) const;
  [[nodiscard]] std::vector<std::size_t> parts(
      std::size_t from, std::size_t to, std::string_view separator) const;
  /// The query in the tokens up to `end`, or that of EXECUTE there.
  DbStatement query_until(std::size_t end, PlBlock& out);

  // raise.cpp
  void raise(PlBlock& out);
  void assertion(PlBlock& out);
  void raise_message(PlRaise& raise, PlBlock& out);
  void raise_options(PlRaise& raise, PlBlock& out);
  void set_sqlstate(PlRaise& raise, std::string_view code, Span where) const;
  std::string constant_text(std::size_t i);

  // Tokens.
  std::string name(std::string_view what);
  /// The first of `words` from here on that stands in no parentheses.
  [[nodiscard]] std::size_t find(
      std::initializer_list<std::string_view> words) const;
  [[nodiscard]] std::size_t end_of_statement() const { return find({";"}); }
  /// The text of tokens [from, to).
  [[nodiscard]] Span text(std::size_t from, std::size_t to) const;
  Expr expression_until(std::size_t end, PlBlock& before);
  template <class What>
  void emit(PlBlock& out, Span at, What what) const {
    out.push_back(make(at, std::move(what)));
  }

  RoutineBuilder& builder_;
  std::vector<Label> labels_;  // of blocks and loops around, innermost last
  std::vector<std::size_t> declared_records_;  // of the block we are in
  std::vector<PlRaise::Again> handling_;       // the handlers that we are in
  std::vector<std::string> savepoints_;        // of a script, so far
  std::uint32_t nesting_ = 0;
};

/// The SQLSTATE of a condition name (unique_violation); empty: unknown.
[[nodiscard]] std::string_view sqlstate_of(std::string_view condition);

}  // namespace txscope::sql
