#include "read/sql/log_statements.h"

#include <algorithm>
#include <utility>

#include "read/sql/dialect.h"
#include "read/sql/routine_reader.h"
#include "read/sql/schema_reader.h"
#include "read/sql/sql.h"

namespace txscope {
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

/// A statement as the one of a procedure.
sql::Routine routine_of(sql::DbStatement statement, std::uint32_t parameters) {
  sql::Routine routine;
  routine.name = "statement";
  routine.parameters = parameters;
  routine.variables.resize(parameters + 1);
  sql::PlStatement execute;
  execute.at = statement.at;
  execute.what = sql::PlExecute{std::move(statement), {}, {}, false, false};
  routine.body.push_back(std::move(execute));
  return routine;
}

std::string last_word(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == ';' ||
                           text.back() == '\n' || text.back() == '"'))
    text.remove_suffix(1);
  const std::size_t at = text.find_last_of(" \t\n\"");
  return std::string(at == text.npos ? text : text.substr(at + 1));
}

/// SELECT f(...) and nothing else.
const PgQuery__FuncCall* only_call(const PgQuery__SelectStmt& select) {
  if (select.n_target_list != 1 || select.n_from_clause != 0 ||
      select.where_clause != nullptr ||
      select.target_list[0]->node_case != PG_QUERY__NODE__NODE_RES_TARGET)
    return nullptr;
  const sql::Node* value = select.target_list[0]->res_target->val;
  return value != nullptr && value->node_case == PG_QUERY__NODE__NODE_FUNC_CALL
             ? value->func_call
             : nullptr;
}

ReadStatement::Kind savepoint_kind(const PgQuery__TransactionStmt& node) {
  switch (node.kind) {
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_SAVEPOINT:
      return ReadStatement::Kind::Savepoint;
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_RELEASE:
      return ReadStatement::Kind::Release;
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_ROLLBACK_TO:
      return ReadStatement::Kind::RollbackTo;
    default: return ReadStatement::Kind::Nothing;
  }
}

}  // namespace

struct LogStatements::Parts {
  std::string file;
  sql::Dialect dialect = sql::Dialect::Postgresql;
  Application setup;
  sql::Catalog catalog;
  sql::TableUsers table_users;
  std::string definitions;  ///< tables and routines, for `program`
  /// All routines with their bodies; read when the first is called.
  mutable std::shared_ptr<const Application> program;

  void add(const std::string& written) {
    const std::string text = sql::in_our_dialect(written, dialect);
    sql::check_text(file, text);
    const Source source(file, text);
    Tokens tokens = sql::scan(source, text, 0);
    std::vector<sql::Token>& all = tokens.list;
    // One text may hold several statements.
    std::size_t from = 0;
    while (from < all.size()) {
      std::size_t to = from;
      while (to < all.size() && !all[to].is(";")) ++to;
      if (to > from) {
        const std::size_t length = all[to - 1].end() - all[from].offset;
        one(source, all,
            std::string_view(text).substr(all[from].offset, length),
            all[from].offset);
      }
      from = to + 1;
    }
  }

  void one(const Source& source, const std::vector<sql::Token>& tokens,
           std::string_view text, std::uint32_t offset) {
    const Tree tree = sql::parse_statement(source, tokens, text, offset);
    const sql::Node& node = tree.statement();
    switch (node.node_case) {
      case PG_QUERY__NODE__NODE_CREATE_STMT:
        sql::SchemaReader(tree, catalog).create_table(*node.create_stmt);
        definitions += std::string(text) + ";\n";
        return;
      case PG_QUERY__NODE__NODE_INDEX_STMT:
        sql::SchemaReader(tree, catalog).create_index(*node.index_stmt);
        definitions += std::string(text) + ";\n";
        return;
      case PG_QUERY__NODE__NODE_CREATE_FUNCTION_STMT:
        // Nobody need call it.
        try {
          sql::RoutineText routine = sql::read_signature(tree, catalog);
          routine.signature.id = sql::RoutineId(catalog.routines.size());
          catalog.add_routine(routine.signature);
          table_users.add(catalog, routine);
          definitions += std::string(text) + ";\n";
        } catch (const Failure&) {
        }
        return;
      case PG_QUERY__NODE__NODE_INSERT_STMT:
      case PG_QUERY__NODE__NODE_UPDATE_STMT:
      case PG_QUERY__NODE__NODE_DELETE_STMT:
      case PG_QUERY__NODE__NODE_MERGE_STMT: {
        Analyzer analyzer(tree, catalog, nullptr);
        analyzer.speak(dialect);
        setup.setup.push_back(analyzer.statement());
        return;
      }
      case PG_QUERY__NODE__NODE_DROP_STMT:
      case PG_QUERY__NODE__NODE_TRANSACTION_STMT:
      case PG_QUERY__NODE__NODE_VARIABLE_SET_STMT:
      case PG_QUERY__NODE__NODE_VACUUM_STMT: return;
      default:
        source.unsupported(
            tree.whole(), "this statement in a setup is",
            "CREATE TABLE, INDEX, FUNCTION and PROCEDURE, INSERT, "
            "UPDATE, DELETE are read");
    }
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
      result.kind = ReadStatement::Kind::Unsupported;
      result.error = std::move(failure.error);
    }
    return result;
  }

  /// The routines of the setup.  They stand in it in the order of the
  /// catalog's, unless one replaces another.
  const Application& routines(const Tree& tree) const {
    if (program == nullptr) {
      auto read = read_sql(file, definitions, false);
      if (!read) throw Failure{read.error()};
      program = std::make_shared<const Application>(std::move(*read));
    }
    bool is_same =
        program->schema.tables.size() == catalog.schema.tables.size() &&
        program->routines.size() >= catalog.routines.size();
    for (std::size_t i = 0; is_same && i < catalog.routines.size(); ++i)
      is_same = program->routines[i].name == catalog.routines[i].name;
    if (!is_same)
      tree.source().unsupported(tree.whole(),
                                "a call where the setup replaces routines is");
    return *program;
  }

  /// Whether it is a call that runs statements of its own.
  bool call(const Tree& tree, const PgQuery__FuncCall& call,
            ReadStatement& result) const {
    const Parameters parameters;
    Analyzer analyzer(tree, catalog, &parameters);
    analyzer.speak(dialect);
    const sql::Signature* found = analyzer.meant(call);
    if (found == nullptr || (found->is_function && !found->must_be_lifted()))
      return false;
    const sql::Signature& routine = *found;
    const Application& all = routines(tree);
    if (const auto& problem = all.routines[routine.id.index].problem)
      throw Failure{*problem};
    if (!all.routines[routine.id.index].out_slots.empty())
      tree.source().unsupported(tree.whole(), "a call with OUT parameters is");
    result.arguments = analyzer.arguments(call, routine);
    result.kind = ReadStatement::Kind::Call;
    result.program = program;
    result.routine = routine.id;
    return true;
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
        break;
      case PG_QUERY__NODE__NODE_INSERT_STMT:
      case PG_QUERY__NODE__NODE_UPDATE_STMT:
      case PG_QUERY__NODE__NODE_DELETE_STMT: break;
      default: tree.source().unsupported(tree.whole(), "this statement is");
    }
    const Parameters parameters;
    Analyzer analyzer(tree, catalog, &parameters);
    analyzer.speak(dialect);
    sql::DbStatement statement = analyzer.statement();
    if (!statement.parts.empty())
      tree.source().unsupported(tree.whole(),
                                "a statement inside of another one is");
    result.kind = ReadStatement::Kind::Sql;
    result.application.schema = catalog.schema;
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
    for (const std::string& text : header.setup) parts->add(text);
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
  parts->setup.file = file;
  parts->setup.schema = parts->catalog.schema;
  return LogStatements(std::move(parts));
}

const Application& LogStatements::setup() const { return parts_->setup; }

ReadStatement LogStatements::read(const std::string& text) const {
  return parts_->read(text);
}

}  // namespace txscope
