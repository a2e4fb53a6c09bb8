#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/product/profile.h"
#include "model/sql/routine.h"
#include "model/sql/schema.h"
#include "model/workload.h"

namespace txscope::sql {

/// The level that a transaction of the file has for itself.
struct OwnLevel {
  const Profile* profile = nullptr;  ///< a row of the table
  Span at;                           ///< where the file says so
};

/// One transaction of a session: a routine with its arguments, constants.
struct Call {
  std::string label;  ///< the routine's name; with #2, #3 if used again
  RoutineId routine;
  std::vector<Value> arguments;
  /// Which of them are `?`, any value; their entries in `arguments` mean
  /// nothing.  Empty: none.
  std::vector<bool> open;
  /// Retries after a serialization failure or deadlock, at most.
  std::uint32_t retries = 0;
  /// A level of its own, by `--@ level` or its own BEGIN.
  std::optional<OwnLevel> level;
  Span at;
  /// Its arguments are not those of the text, or it has no text in the file.
  bool is_made = false;
  /// Of the session, by Application::settings; empty: all are NULL.
  std::vector<Value> settings = {};
};

/// Calls run in order; sessions run concurrently.
struct Session {
  std::string name;
  std::vector<Call> calls;
  Span at;
};

/// A variable of the transaction at `call` of `session`, after it finished.
struct VariableRef {
  std::uint32_t session = 0;
  std::uint32_t call = 0;
  std::uint32_t slot = 0;
};

/// What must be true in the end: a query without relations and one boolean
/// target, over the final committed state.  False and NULL are violations.  An
/// assertion may also name variables of finished transactions, as
/// session.label.variable: an Op::Variable is then an index into `variables`;
/// it is true if one of those transactions did not commit.
struct Property {
  PropertyKind kind = PropertyKind::Invariant;
  std::string name;
  DbStatement condition;
  std::vector<VariableRef> variables;
  Span at;  ///< the expression
};

/// A step of the setup that is more than one statement.
struct SetupStep {
  std::size_t before = 0;  ///< which statement of `setup` it runs
  /// CALL, DO, SELECT f(): a routine with constants; or
  std::optional<Call> call;
  /// setval(sequence, value, is_called): `value` is a Select of one value.
  std::uint32_t sequence = 0;
  DbStatement value;
  bool is_called = true;
};

/// `--@ open TABLE.COLUMN [WHERE condition]`: what the setup left in that
/// column of those rows stands for any value that the type and the
/// constraints allow.
struct OpenColumn {
  TableId table;
  std::uint32_t column = 0;
  /// SELECT of one constant FROM the table WHERE the condition.
  std::shared_ptr<const Query> rows;
  Span at;
};

/// An application in SQL: what `psql -f` makes of the file, and what the
/// annotations say runs on it.  All names are resolved, all types known.
struct Application {
  std::string file;
  std::string source;
  /// Null: `source` is the file's text.
  std::shared_ptr<const SourceMap> origin;
  Schema schema;
  /// The statements that fill the tables, in order; run once, by one session.
  std::vector<DbStatement> setup;
  std::vector<SetupStep> steps;  ///< by `before`
  /// The same file without annotations' effects: statements of DDL and setup as
  /// text, in order, for loading into a live database.
  std::vector<Span> load;
  std::vector<Routine> routines;
  /// Names of settings that the application asks its session for, and never
  /// sets itself: request.jwt.claims.
  std::vector<std::string> settings;
  std::vector<Session> sessions;
  std::vector<Property> properties;
  /// What a reader should know of how the file was read: statements that
  /// change no answer and were left out, routines that cannot run.
  std::vector<std::string> notes;
  std::vector<OpenColumn> open_columns;
  /// `--@ assume`: conditions on the initial state and on parameters of calls,
  /// which stand where a property has variables.  NULL counts as false.
  std::vector<Property> assumptions;
  std::optional<Span> arbitrary;  ///< the first `?` or `--@ open`
  std::size_t parts = 0;          ///< how many PartIds were given
  /// Rows came while the file had foreign keys switched off: nobody has ever
  /// looked whether they have parents.
  bool has_unchecked_rows = false;

  [[nodiscard]] const Routine& at(RoutineId r) const {
    return routines[r.index];
  }
  [[nodiscard]] std::string_view text(Span span) const {
    return std::string_view(source).substr(span.offset, span.length);
  }
  /// The whole line that a span starts on.
  [[nodiscard]] std::string_view line(Span span) const;
  [[nodiscard]] Place place(Span span) const;
};

/// A statement's text for a live database: variables replaced by the values of
/// their slots, INTO cut out, SELECT put before an expression.
[[nodiscard]] std::string text_with_values(const Application& application,
                                           const DbStatement& statement,
                                           std::span<const Value> slots);
/// The same with what `write` makes of each variable's slot in its place.
[[nodiscard]] std::string text_with(
    const Application& application, const DbStatement& statement,
    const std::function<std::string(std::uint32_t)>& write);

}  // namespace txscope::sql
