#include "read/sql/file/log_statements.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/ascii.h"
#include "model/sql/parts.h"
#include "model/sql/time_use.h"
#include "model/sql/walk.h"
#include "read/sql/file/log_shapes.h"
#include "read/sql/file/reader.h"
#include "read/sql/schema/generated_columns.h"
#include "read/sql/text/dialect.h"
#include "read/sql/text/harmless.h"
#include "read/sql/text/quotes.h"

namespace txscope::sql {
namespace {

using sql::Analyzer;
using sql::Application;
using sql::Failure;
using sql::ReadStatement;
using sql::Source;
using sql::Tokens;
using sql::Tree;

/// $1, $2, ...: of a type that the place decides.
class Parameters final : public sql::Names {
 public:
  std::optional<Found> find(std::span<const std::string>, Span,
                            bool) const override {
    return std::nullopt;
  }
  std::optional<Found> parameter(std::uint32_t number) const override {
    if (number > 60000) return std::nullopt;
    most_ = std::max(most_, number);
    return Found{number, {}};
  }
  [[nodiscard]] std::uint32_t most() const { return most_; }

 private:
  mutable std::uint32_t most_ = 0;
};

/// Whether something calls functions of the database's own in expressions.
class OwnCalls {
 public:
  template <class Node>
  void look(const Node& node) {
    sql::for_each_part(
        node, [this](const sql::Expr& e) { see(e); },
        [this](const sql::Query& q) { look(q); });
  }
  void see(const sql::Expr& e) {
    has_any |= e.op == sql::Op::Function;
    look(e);
  }

  bool has_any = false;
};

}  // namespace

struct LogStatements::Parts {
  std::string file;
  sql::Dialect dialect = sql::Dialect::Postgresql;
  Application setup;
  std::unique_ptr<sql::FileReader> reader;
  /// The setup's tables, without triggers: what a statement that fires none
  /// has to know.
  sql::Schema schema;
  std::set<std::string> own_routines;  ///< their names
  bool has_clock = false;
  bool routines_name_now = false;
  bool are_routines_timed = false;
  bool tables_call = false;  ///< their constraints call routines
  /// The setup with all its routines; made when the first is needed.
  mutable std::shared_ptr<const Application> program;

  [[nodiscard]] const sql::Catalog& catalog() const {
    return reader->catalog();
  }

  /// The texts of a setup are one file.
  void read_setup(const sql::LogHeader& header) {
    setup.file = file;
    has_clock = !header.clock.empty();
    if (has_clock) setup.source = "--@ now: " + header.clock + "\n";
    for (const std::string& text : header.setup)
      setup.source += sql::in_our_dialect(text, dialect) + ";\n";
    sql::check_text(file, setup.source);
    reader = std::make_unique<sql::FileReader>(setup, dialect);
    reader->read(false);
    if (!reader->errors().empty())
      throw Failure{std::move(reader->errors().front())};
    sql::number_parts(setup);
    schema = setup.schema;
    for (sql::Table& table : schema.tables) table.triggers.clear();
    sql::TimeUse times(schema, catalog().now);
    for (const sql::Routine& routine : setup.routines) {
      times.see(routine.body);
      own_routines.insert(routine.name);
    }
    OwnCalls calls;
    for (const sql::Table& table : schema.tables) {
      for (const sql::Check& check : table.checks) calls.see(check.condition);
      for (const sql::UniqueKey& key : table.partial)
        if (key.where) calls.see(*key.where);
    }
    tables_call = calls.has_any;
    routines_name_now = times.names_now();
    are_routines_timed = has_clock && times.tells_apart();
  }

  ReadStatement read(const std::string& written) const {
    ReadStatement result;
    Application& application = result.application;
    application.file = file;
    application.source = sql::in_our_dialect(written, dialect);
    while (!application.source.empty() && (application.source.back() == ';' ||
                                           application.source.back() == ' ' ||
                                           application.source.back() == '\n'))
      application.source.pop_back();
    try {
      sql::check_text(file, application.source);
      const Source source(file, application.source);
      const Tokens tokens = sql::scan(source, application.source, 0);
      const Tree tree =
          sql::parse_statement(source, tokens.list, application.source, 0);
      fill(tree, result);
    } catch (Failure& failure) {
      if (sql::is_mysql(dialect) && read_own(written, result)) return result;
      result.kind = sql::is_harmless(written, dialect, own_routines)
                        ? ReadStatement::Kind::Nothing
                        : ReadStatement::Kind::Unsupported;
      result.error = std::move(failure.error);
    }
    return result;
  }

  /// In MariaDB's own words, where PostgreSQL has none: writes in an order up
  /// to a LIMIT, of several tables, and what stands for an INSERT.
  bool read_own(const std::string& written, ReadStatement& result) const {
    ReadStatement own;
    own.application.file = file;
    own.application.source = written;
    const std::string& text = own.application.source;
    try {
      sql::check_text(file, text);
      const Source source(file, text, nullptr, own_words());
      const Tokens tokens = sql::scan(source, text, 0);
      const Tree tree = sql::parse_statement(source, tokens.list, text, 0);
      const auto kind = tree.statement().node_case;
      if (kind != PG_QUERY__NODE__NODE_INSERT_STMT &&
          kind != PG_QUERY__NODE__NODE_UPDATE_STMT &&
          kind != PG_QUERY__NODE__NODE_DELETE_STMT)
        return false;
      fill(tree, own);
    } catch (Failure&) {
      return false;
    }
    result = std::move(own);
    return true;
  }

  /// How the log's tables are spelled.
  [[nodiscard]] std::shared_ptr<sql::MysqlState> own_words() const {
    auto state = std::make_shared<sql::MysqlState>();
    for (const sql::Table& table : setup.schema.tables)
      state->spellings.emplace(ascii::lower(table.name), table.name);
    return state;
  }

  [[nodiscard]] const std::shared_ptr<const Application>& routines() const {
    if (program == nullptr)
      program = std::make_shared<const Application>(setup);
    return program;
  }

  /// Whether it is a call that runs statements of its own.
  bool call(const Tree& tree, const PgQuery__FuncCall& call,
            ReadStatement& result) const {
    const Parameters parameters;
    Analyzer analyzer(tree, catalog(), &parameters);
    analyzer.speak(dialect);
    const sql::Signature* found = analyzer.meant(call);
    if (found == nullptr || (found->is_function && !found->must_be_lifted()))
      return false;
    const sql::Signature& routine = *found;
    const sql::Routine& body = setup.routines[routine.id.index];
    if (body.problem) throw Failure{*body.problem};
    for (const sql::Routine& any : setup.routines) {
      sql::for_each_pl(any.body, [&](const sql::PlStatement& s) {
        if (std::holds_alternative<sql::PlSetConstraints>(s.what))
          tree.source().unsupported(tree.whole(),
                                    "a call where SET CONSTRAINTS is used is");
      });
      sql::for_each_statement(
          any.body, [&](const sql::DbStatement& s) { refuse_write(tree, s); });
    }
    result.arguments = analyzer.arguments(call, routine);
    result.kind = ReadStatement::Kind::Call;
    result.program = routines();
    result.routine = routine.id;
    result.is_timed = are_routines_timed;
    result.hides_answer = routine.is_set || !body.out_slots.empty();
    if (routines_name_now) refuse_without_clock(tree);
    return true;
  }

  /// Whether it calls a function whose body is one query: that is what runs,
  /// and its rows are compared.
  bool is_query(const Tree& tree, const PgQuery__FuncCall& call) const {
    const Parameters parameters;
    Analyzer analyzer(tree, catalog(), &parameters);
    analyzer.speak(dialect);
    const sql::Signature* found = analyzer.meant(call);
    return found != nullptr && found->query != nullptr;
  }

  void refuse_without_clock(const Tree& tree) const {
    if (!has_clock)
      tree.source().unsupported(
          tree.whole(), "the current time in a log that does not tell it is",
          "its first line needs \"settings\":{\"clock\":\"2030-01-31 "
          "18:00:00+01\"}, the server's time when the log begins");
  }

  /// Whether a change of the table, or of what follows it by foreign keys,
  /// fires triggers.
  [[nodiscard]] bool fires(TableId table) const {
    std::vector<bool> reached(setup.schema.tables.size());
    std::vector<std::uint32_t> open = {table.index};
    reached[table.index] = true;
    while (!open.empty()) {
      const std::uint32_t one = open.back();
      open.pop_back();
      if (!setup.schema.tables[one].triggers.empty()) return true;
      for (std::uint32_t t = 0; t < setup.schema.tables.size(); ++t)
        for (const sql::ForeignKey& key : setup.schema.tables[t].foreign)
          if (key.parent.index == one && !reached[t]) {
            reached[t] = true;
            open.push_back(t);
          }
    }
    return false;
  }

  /// Why a log's tables cannot follow what is written there.
  void refuse_write(const Tree& tree, const sql::DbStatement& statement) const {
    const sql::Relation* target = statement.target();
    if (target == nullptr) return;
    const sql::Table& table = setup.schema.at(target->table);
    const auto is_any = [](const auto& list, const auto& test) {
      return std::any_of(list.begin(), list.end(), test);
    };
    const bool has_deferred_trigger =
        is_any(table.triggers, [](const auto& t) { return t.is_deferrable; });
    bool is_followed = false;
    for (const sql::Table& child : setup.schema.tables)
      is_followed |= is_any(child.foreign, [&](const sql::ForeignKey& key) {
        return key.parent == target->table &&
               key.on_update != sql::OnDelete::NoAction;
      });
    const bool is_update = std::holds_alternative<sql::Update>(statement.what);
    const char* what = has_deferred_trigger       ? "a DEFERRABLE trigger"
                       : is_update && is_followed ? "ON UPDATE CASCADE of a key"
                                                  : nullptr;
    if (what != nullptr)
      tree.source().unsupported(tree.whole(), std::string(what) + " of '" +
                                                  table.name + "' in a log is");
  }

  [[noreturn]] static void refuse(const Tree& tree) {
    const std::string_view text = tree.source().text();
    const std::size_t end = std::min(text.find_first_of(" \t\n("), text.size());
    tree.source().unsupported(
        tree.whole(),
        ascii::upper(text.substr(0, end)) + " in a transaction of a log is",
        "");
  }

  /// TRUNCATE deletes all rows and fires nothing.
  void truncate(const Tree& tree, const PgQuery__TruncateStmt& node,
                ReadStatement& result) const {
    std::vector<TableId> tables;
    for (const sql::Node* item : sql::list(node.n_relations, node.relations)) {
      const auto table =
          catalog().table(catalog().relation(sql::qualified(*item->range_var)));
      if (!table)
        tree.source().fail(tree.whole(), "the setup has no such table");
      tables.push_back(*table);
    }
    std::string text;
    for (std::size_t t = 0; t < tables.size(); ++t) {
      const sql::Table& table = setup.schema.at(tables[t]);
      if (const char* why = why_no_truncate(table, tables, node.restart_seqs))
        tree.source().unsupported(tree.whole(), why);
      const bool is_last = t + 1 == tables.size();
      const std::string remove =
          "DELETE FROM " + sql::name_in_quotes(table.name);
      if (!is_last)
        text += (t == 0 ? "WITH " : ", ") + ("t" + std::to_string(t)) +
                " AS (" + remove + ")";
      else
        text += (t == 0 ? "" : " ") + remove;
    }
    result = read(text);
  }

  [[nodiscard]] const char* why_no_truncate(const sql::Table& table,
                                            const std::vector<TableId>& all,
                                            bool restarts) const {
    for (const sql::Trigger& trigger : table.triggers)
      if (trigger.on_delete) return "TRUNCATE of a table with triggers is";
    for (const sql::Column& column : table.columns)
      if (restarts && column.sequence) return "TRUNCATE RESTART IDENTITY is";
    const auto is_in = [&all](TableId id) {
      return std::find(all.begin(), all.end(), id) != all.end();
    };
    for (std::size_t c = 0; c < setup.schema.tables.size(); ++c)
      for (const sql::ForeignKey& key : setup.schema.tables[c].foreign)
        if (is_in(key.parent) && !is_in(TableId(c)))
          return "TRUNCATE CASCADE is";
    return nullptr;
  }

  /// What COPY TO shows: the rows of its query, or all of its table.
  void copy(const Tree& tree, const PgQuery__CopyStmt& node,
            ReadStatement& result) const {
    if (node.is_from || !sql::view(node.filename).empty() || node.is_program)
      refuse(tree);
    if (node.query != nullptr) return fill(tree.part(*node.query), result);
    const auto table =
        catalog().table(catalog().relation(sql::qualified(*node.relation)));
    if (!table) tree.source().fail(tree.whole(), "the setup has no such table");
    std::string columns;
    const auto add = [&columns](std::string_view name) {
      columns += (columns.empty() ? "" : ", ") + sql::name_in_quotes(name);
    };
    for (const sql::Node* item : sql::list(node.n_attlist, node.attlist))
      add(sql::string_of(item));
    const sql::Table& shown = setup.schema.at(*table);
    for (const sql::Trigger& trigger : shown.triggers)
      if (node.n_attlist == 0 && trigger.name == sql::kGeneratesColumns)
        tree.source().unsupported(tree.whole(),
                                  "COPY of a table with generated columns is");
    for (const sql::Column& column : shown.columns)
      if (node.n_attlist == 0) add(column.name);
    const std::string_view where = sql::view(node.relation->schemaname);
    result = read("SELECT " + columns + " FROM " +
                  (where.empty() ? "" : sql::name_in_quotes(where) + ".") +
                  sql::name_in_quotes(sql::view(node.relation->relname)));
  }

  void fill(const Tree& tree, ReadStatement& result) const {
    const sql::Node& node = tree.statement();
    switch (node.node_case) {
      case PG_QUERY__NODE__NODE_TRANSACTION_STMT:
        result.kind = savepoint_kind(*node.transaction_stmt);
        result.name = sql::view(node.transaction_stmt->savepoint_name);
        if (result.name.empty()) result.name = last_word(tree.source().text());
        return;
      case PG_QUERY__NODE__NODE_VARIABLE_SET_STMT:
        result.kind = ReadStatement::Kind::Nothing;
        return;
      case PG_QUERY__NODE__NODE_CALL_STMT:
        if (call(tree, *node.call_stmt->funccall, result)) return;
        tree.source().fail(tree.whole(), "the setup has no such procedure");
      case PG_QUERY__NODE__NODE_SELECT_STMT:
        if (const auto* function = only_call(*node.select_stmt);
            function != nullptr && call(tree, *function, result))
          return;
        if (const auto* function = call_as_rows(*node.select_stmt);
            function != nullptr && !is_query(tree, *function) &&
            call(tree, *function, result)) {
          result.hides_answer |= node.select_stmt->n_target_list != 1;
          return;
        }
        break;
      case PG_QUERY__NODE__NODE_INSERT_STMT:
      case PG_QUERY__NODE__NODE_UPDATE_STMT:
      case PG_QUERY__NODE__NODE_DELETE_STMT:
      case PG_QUERY__NODE__NODE_MERGE_STMT: break;
      case PG_QUERY__NODE__NODE_COPY_STMT:
        return copy(tree, *node.copy_stmt, result);
      case PG_QUERY__NODE__NODE_TRUNCATE_STMT:
        return truncate(tree, *node.truncate_stmt, result);
      case PG_QUERY__NODE__NODE_CLOSE_PORTAL_STMT:
        // Of a cursor whose rows the log's reader gave to its query.
        result.kind = ReadStatement::Kind::Nothing;
        return;
      default: refuse(tree);
    }
    const Parameters parameters;
    Analyzer analyzer(tree, catalog(), &parameters);
    analyzer.speak(dialect);
    sql::DbStatement statement = analyzer.statement();
    refuse_write(tree, statement);
    sql::TimeUse times(schema, catalog().now);
    times.see(statement);
    const auto fires_any = [this](const sql::DbStatement& one) {
      return one.target() != nullptr && fires(one.target()->table);
    };
    bool has_triggers = fires_any(statement);
    for (const sql::StatementPart& part : statement.parts) {
      refuse_write(tree, *part.statement);
      times.see(*part.statement);
      has_triggers |= fires_any(*part.statement);
    }
    if (times.names_now() || (has_triggers && routines_name_now))
      refuse_without_clock(tree);
    result.is_timed = has_clock && (times.tells_apart() ||
                                    (has_triggers && are_routines_timed));
    OwnCalls calls;
    calls.look(statement);
    // More than the rows of one table can be part of what they do.
    const bool has_parts = !statement.parts.empty() || tables_call ||
                           calls.has_any ||
                           std::holds_alternative<sql::Merge>(statement.what);
    if (has_triggers || has_parts) {
      result.kind = ReadStatement::Kind::Call;
      result.program = routines();
    } else {
      result.kind = ReadStatement::Kind::Sql;
      result.application.schema = schema;
    }
    result.application.routines.push_back(
        routine_of(std::move(statement), parameters.most()));
  }
};

LogStatements::LogStatements(std::unique_ptr<Parts> parts)
    : parts_(std::move(parts)) {}
LogStatements::LogStatements(LogStatements&&) noexcept = default;
LogStatements::~LogStatements() = default;

Result<LogStatements> LogStatements::open(const std::string& file,
                                          const sql::LogHeader& header) {
  auto parts = std::make_unique<Parts>();
  parts->file = file;
  parts->dialect = header.dialect;
  try {
    parts->read_setup(header);
  } catch (Failure& failure) {
    // Places in the setup's texts are not places in the file.
    failure.error.hint = failure.error.source_line.empty()
                             ? failure.error.hint
                             : failure.error.hint +
                                   (failure.error.hint.empty() ? "" : "; ") +
                                   "in the setup: " + failure.error.source_line;
    failure.error.source_line.clear();
    failure.error.where.line = 1;
    failure.error.where.column = 0;
    return std::move(failure.error);
  }
  return LogStatements(std::move(parts));
}

const Application& LogStatements::setup() const { return parts_->setup; }

ReadStatement LogStatements::read(const std::string& text) const {
  return parts_->read(text);
}

}  // namespace txscope::sql
