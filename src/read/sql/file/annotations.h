#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "read/sql/plpgsql/routine_builder.h"

namespace txscope::sql {

/// The `--@` comments of a file: transactions, sessions, invariants,
/// assertions, levels, retries.
class AnnotationReader {
 public:
  /// `application` has its routines already; scripts are added to them.
  /// What is wrong goes to `errors`, annotation by annotation.
  AnnotationReader(const Source& source, Catalog& catalog,
                   Application& application, std::vector<Error>& errors)
      : source_(source),
        catalog_(catalog),
        application_(application),
        errors_(errors) {}

  void read(const std::vector<Comment>& comments, bool needs_sessions);

 private:
  struct Annotation {
    std::string keyword;
    std::string name;
    Span name_at;
    Span parameters;  // of a transaction, without its parentheses
    Span content;
    Span whole;
    std::string blanked;  // the whole, without the --@ of later lines
  };

  void one(const Annotation& annotation);
  void no_session();
  [[nodiscard]] Annotation split(const Comment& comment) const;
  void session(const Annotation& annotation);
  // annotation_transaction.cpp
  void transaction(const Annotation& annotation);
  void declared(const Annotation& annotation, Signature& signature) const;
  void split_statements(const Annotation& annotation,
                        std::vector<Span>& places) const;
  void write_transaction(const Annotation& annotation, Signature& signature,
                         const std::vector<Span>& places,
                         const std::vector<std::string>& statements);
  void statement(const Tree& tree);
  std::optional<std::size_t> code(const Annotation& annotation,
                                  const std::vector<Token>& tokens,
                                  std::size_t from);
  [[nodiscard]] static std::size_t after_begin(const std::vector<Token>& tokens,
                                               std::size_t from);
  void read_level(const Annotation& annotation,
                  const std::vector<Token>& tokens, std::size_t from,
                  std::size_t to);
  void refuse_into(const Tree& tree) const;
  [[noreturn]] void fail_unended() const;
  void do_block(const std::vector<Token>& tokens, std::size_t from);
  void transaction_control(const Tree& tree,
                           const PgQuery__TransactionStmt& node);
  void call(const Tree& tree);
  [[nodiscard]] std::optional<OwnLevel> level_among(const Tree& tree,
                                                    NodeList options) const;
  // annotation_mysql.cpp
  struct MysqlUnit;
  void mysql_session(const Annotation& annotation,
                     const std::vector<Token>& tokens);
  void note_statement(const Annotation& annotation,
                      const std::vector<Token>& tokens, std::size_t from,
                      std::size_t to, MysqlUnit& unit);
  void mysql_unit(const Annotation& annotation,
                  const std::vector<Token>& tokens, const MysqlUnit& unit);
  bool mysql_call(const Tree& tree);
  void mysql_setting(const Annotation& annotation,
                     const std::vector<Token>& tokens, const MysqlUnit& unit);
  bool take_question(const Expr& e, Call& call);
  [[nodiscard]] static std::optional<Value> constant_value(const Expr& e);
  [[nodiscard]] static std::string plain_label(const Signature& routine) {
    return routine.name;
  }
  void begin_script(Span at);
  void end_script(Span end);
  /// The name, or name#2, ... if the session has used it.
  std::string label(const std::string& name);
  [[nodiscard]] Annotation without_question_marks(Annotation annotation);
  [[nodiscard]] bool is_open_function(const Tree& tree) const;
  [[nodiscard]] bool has_constants(const Tree& tree,
                                   const Signature& routine) const;
  /// `open` says which arguments are `?`; empty: none.
  std::vector<Value> constants(const Tree& tree, const Signature& routine,
                               std::vector<bool>& open);
  void property(const Annotation& annotation, PropertyKind kind);
  void assume(const Annotation& annotation);
  void open(const Annotation& annotation);
  [[nodiscard]] Property condition(const Annotation& annotation,
                                   PropertyKind kind, bool has_variables);
  void level(const Annotation& annotation);
  void retry(const Annotation& annotation);
  /// The calls that NAME means: a routine, session.label, or * for all.
  [[nodiscard]] std::vector<Call*> calls(const Annotation& annotation);
  [[nodiscard]] std::string_view piece(const Annotation& annotation,
                                       Span span) const;

  const Source& source_;
  Catalog& catalog_;
  Application& application_;
  std::vector<Error>& errors_;
  std::string blanked_;
  std::unique_ptr<Source> code_source_;
  std::set<std::string> session_names_;
  std::set<std::string> property_names_;
  // Of the session that is being read.
  Session session_;
  std::unique_ptr<RoutineBuilder> script_;  // after BEGIN
  std::optional<OwnLevel> script_level_;    // of BEGIN or SET TRANSACTION
  std::map<std::string, int> uses_;
  std::set<std::string> labels_;
  bool is_autocommit_ = true;        // MySQL's
  std::set<std::size_t> questions_;  // offsets of `?` that no call took yet
};

}  // namespace txscope::sql
