#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "read/sql/mysql/known_texts.h"
#include "read/sql/mysql/transaction.h"
#include "read/sql/plpgsql/routine_builder.h"
#include "read/sql/plpgsql/routine_parts.h"
#include "read/sql/text/token_cursor.h"

namespace txscope::sql {

/// Reads stored programs of MySQL and MariaDB, and the statements of sessions,
/// into the statements of PL/pgSQL.
///
///   P1  A handler is decided where it is declared.  A block whose handlers
///       for errors all EXIT is one PlTry, which keeps its work; if one
///       CONTINUEs, each of the block's statements is.  NOT FOUND is no error
///       here: what raises it (FETCH, SELECT ... INTO) is followed by a test of
///       FOUND.
///   P3  Of a statement that fails nothing stays: what it asks of the database
///       is a sub-transaction, where an error may be caught.
///   P2  Without an open transaction a COMMIT follows each statement.
class MysqlProgram : private TokenCursor {
 public:
  MysqlProgram(RoutineBuilder& builder, const std::vector<Token>& tokens,
               MysqlTransaction entry)
      : TokenCursor(builder.source(), tokens, builder.routine.at, position_),
        builder_(builder),
        transaction_(entry),
        prepares_(std::any_of(
            tokens.begin(), tokens.end(),
            [](const Token& token) { return token.is("execute"); })) {}

  /// The body of a routine: one statement.
  [[nodiscard]] PlBlock read();
  /// Statements of a session, separated by ;
  [[nodiscard]] PlBlock read_statements();
  void set_autocommit(bool is_on) { is_autocommit_ = is_on; }
  /// How it leaves the transaction.
  [[nodiscard]] MysqlTransaction transaction() const { return transaction_; }

 private:
  static constexpr std::uint32_t kDeepest = 100;

  struct Label {
    std::string name;
    LabelId id;
    bool is_loop = false;
    std::vector<MysqlTransaction> left = {};  ///< how LEAVE goes out of it
  };
  /// DECLARE ... HANDLER FOR ... statement
  struct Handler {
    std::vector<std::string> conditions;  ///< SQLSTATEs; empty: SQLEXCEPTION
    bool is_for_errors = false;
    bool is_not_found = false;
    bool continues = false;
    std::size_t body = 0;  ///< its first token
  };
  struct HandlerLevel {
    std::vector<Handler> handlers;
    LabelId exit;
    bool by_statement = false;  ///< P1: one of them continues
  };
  struct Place {
    Binding binding;
    Span at;
  };

  // program.cpp
  void statement(PlBlock& out);
  void plain_statement(std::string_view word, PlBlock& out);
  [[noreturn]] void unsupported_statement(std::string_view word);
  void block(const std::string& label, PlBlock& out);
  void statements(PlBlock& out, std::initializer_list<std::string_view> ends);
  void declarations(PlBlock& out, HandlerLevel& level);
  void variable_declaration(PlBlock& out);
  void record_declaration(
      const std::vector<std::pair<std::string, Span>>& names);
  Type type_until(std::size_t end);
  [[nodiscard]] const Table& table_named(const std::string& name,
                                         Span at) const;
  [[nodiscard]] Type column_type(const std::string& table,
                                 const std::string& column, Span at) const;
  void end_label(const std::string& label);

  // program_handler.cpp
  void handler_declaration(HandlerLevel& level);
  void condition(Handler& handler);
  std::vector<std::string> condition_codes();
  /// The states of a name that DECLARE ... CONDITION gave, here.
  const std::vector<std::string>& declared_condition();
  void skip_one_statement();
  [[nodiscard]] bool is_caught() const;
  void protect(PlBlock& body, Span at) const;
  [[nodiscard]] bool is_if_statement(std::size_t i) const;
  [[nodiscard]] bool begins_statement(std::size_t i) const;
  void guard(PlBlock body, Span at, PlBlock& out);
  void run_handler(const Handler& handler, std::size_t level, PlBlock& out);
  /// Nothing: no way leads on behind them.
  std::optional<MysqlTransaction> add_handlers(PlTry& guarded,
                                               std::size_t level);
  /// What happens where no row is found; false: nothing does.
  bool not_found(PlBlock& out);

  // program_signal.cpp
  void signal(PlBlock& out, bool again);
  void get_diagnostics(PlBlock& out);

  // program_control.cpp
  void if_statement(PlBlock& out);
  void case_statement(PlBlock& out);
  void loop_statement(const std::string& label, PlBlock& out);
  void leave_statement(PlBlock& out, bool is_iterate);
  Expr condition_until(std::initializer_list<std::string_view> words,
                       PlBlock& before, std::string_view what);
  Label new_label(const std::string& name, bool is_loop);
  void join(MysqlTransaction other);
  void close_label();
  [[nodiscard]] static bool goes_away(const PlBlock& body);

  // program_statement.cpp
  void sql_statement(PlBlock& out);
  void run_sql(const Tree& tree, PlBlock& out);
  [[nodiscard]] bool may_know(const Tree& tree, std::string_view what) const;
  void run_statement(const Tree& tree, PlBlock& out);
  void select_into(const Tree& tree, PlBlock& out);
  void set_statement(PlBlock& out);
  void call(PlBlock& out);
  void return_statement(PlBlock& out);
  void after_statement(Span at, PlBlock& out);
  void read_arguments(const Signature& callee, std::vector<Expr>& arguments,
                      std::size_t from, std::size_t end, PlBlock& out);
  void do_statement(PlBlock& out);
  Place place(const std::string& name, Span at);
  void assign(const Place& to, Expr value, Span at, PlBlock& out);
  void declare_users(const std::vector<Token>& tokens, std::size_t from,
                     std::size_t to);
  void declare_users(std::size_t from, std::size_t to) {
    declare_users(tokens_, from, to);
  }

  // program_transaction.cpp
  void transaction_statement(PlBlock& out);
  void end(bool is_commit, Span at, PlBlock& out);
  void take_snapshot(Span at, PlBlock& out) const;
  void truncate(PlBlock& out);
  void set_server_variable(std::string_view name, Span value, PlBlock& out);

  // program_cursor.cpp
  void cursor_declaration(const std::string& name, Span at);
  DbStatement cursor_query(std::size_t end, Span at);
  Cursor& cursor_here();
  void cursor_arguments(const Cursor& cursor, Span at, PlBlock& out);
  void open_cursor(PlBlock& out);
  void fetch(PlBlock& out);
  void close_cursor(PlBlock& out);
  void spread_record(std::vector<Place>& places);
  Binding new_record(const std::string& name,
                     const std::vector<std::pair<std::string, Type>>& fields,
                     Span at);
  void for_statement(const std::string& label, PlBlock& out);
  PlForRows for_rows(LabelId label, const std::string& name, Span at,
                     bool is_cursor, PlBlock& out);
  PlForRange for_range(LabelId label, const std::string& name, Span at,
                       PlBlock& out);
  void loop_body(PlBlock& body);

  // program_prepared.cpp
  std::shared_ptr<const MadeText> made_text(Span of, bool is_once,
                                            PlBlock& out);
  void add_text(MadeText& made, std::size_t from, std::size_t to, PlBlock& out);
  std::shared_ptr<const MadeText> text_here(std::size_t end, PlBlock& out);
  void prepare(PlBlock& out);
  void execute_text(PlBlock& out);
  void deallocate();
  void run_text(const MadeText& made, const std::vector<Names::Found>& given,
                Span at, PlBlock& out);
  void check_joined(const MadeText::Piece& piece, char quote,
                    bool is_behind_minus, Span at) const;

  // Tokens.
  std::string name(std::string_view what);
  [[nodiscard]] Span text(std::size_t from, std::size_t to) const;
  [[nodiscard]] std::size_t find(
      std::initializer_list<std::string_view> words) const;
  [[nodiscard]] Tree parse(std::size_t from, std::size_t to) const;
  Expr expression(std::size_t from, std::size_t to, PlBlock& before);
  template <class What>
  void emit(PlBlock& out, Span at, What what) const {
    out.push_back(make(at, std::move(what)));
  }

  std::size_t position_ = 0;
  RoutineBuilder& builder_;
  MysqlTransaction transaction_;
  bool is_autocommit_ = true;
  bool is_session_ = false;    // statements of a client, no routine
  std::uint32_t changes_ = 0;  // how often it was begun or ended
  std::uint32_t nesting_ = 0;
  std::vector<Label> labels_;
  std::vector<HandlerLevel> handlers_;
  std::size_t handled_ = 0;  // levels of handlers that are in force
  std::vector<std::pair<std::string, std::vector<std::string>>> conditions_;
  std::vector<PlRaise::Again> handling_;
  std::vector<std::string> savepoints_;
  bool prepares_ = false;  // PREPARE or EXECUTE is in it
  KnownTexts texts_;
};

}  // namespace txscope::sql
