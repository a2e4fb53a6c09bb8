// --@ session of a file in MySQL's syntax: statements as a connection sends
// them, cut into transactions.

#include <algorithm>
#include <array>

#include "model/sql/walk.h"
#include "read/sql/file/annotations.h"
#include "read/sql/mysql/program.h"
#include "read/sql/mysql/signature.h"
#include "read/sql/mysql/state.h"
#include "read/sql/mysql/statement.h"
#include "read/sql/mysql/user_variables.h"

namespace txscope::sql {

/// Statements from one to before another, which are one transaction, or share
/// user variables.
struct AnnotationReader::MysqlUnit {
  std::size_t from = 0;  ///< tokens
  std::size_t to = 0;
  std::size_t statements = 0;
  bool is_open = false;         ///< the last one leaves a transaction open
  bool is_manual = false;       ///< it begins with autocommit = 0
  std::set<std::string> reads;  ///< user variables
  std::set<std::string> writes;
};

/// What a statement does to user variables, and to the transaction.
void AnnotationReader::note_statement(const Annotation& annotation,
                                      const std::vector<Token>& tokens,
                                      std::size_t from, std::size_t to,
                                      MysqlUnit& unit) {
  const Token& first = tokens[from];
  const auto second_is = [&](std::string_view word) {
    return from + 1 < to && tokens[from + 1].is(word);
  };
  for (std::size_t i = from; i < to; ++i) {
    if (!is_user_variable(tokens[i])) continue;
    const bool is_set =
        first.is("set") && (i == from + 1 || tokens[i - 1].is(",")) &&
        i + 1 < to && (tokens[i + 1].is("=") || tokens[i + 1].is(":="));
    bool is_into = false;
    for (std::size_t k = i; k > from; --k) {
      if (tokens[k - 1].is("into")) is_into = true;
      if (!is_user_variable(tokens[k]) && !tokens[k].is(",")) break;
    }
    if (is_set || is_into || first.is("call"))
      unit.writes.insert(tokens[i].word);
    if (!is_set && !is_into) unit.reads.insert(tokens[i].word);
  }
  // What PREPARE names is known as long as user variables are.
  const bool prepares = first.is("prepare") && from + 1 < to;
  if (prepares) unit.writes.insert("prepare " + tokens[from + 1].word);
  if (first.is("execute") && from + 1 < to)
    unit.reads.insert("prepare " + tokens[from + 1].word);
  if (!is_autocommit_ && !first.is("set")) unit.is_open = true;
  if (first.is("start") || first.is("begin")) {
    unit.is_open = true;
  } else if (first.is("commit") || (first.is("rollback") && !second_is("to") &&
                                    !(second_is("work") && from + 2 < to &&
                                      tokens[from + 2].is("to")))) {
    unit.is_open = false;
  } else if (first.is("set")) {
    for (std::size_t i = from; i + 2 < to + 1 && i + 2 <= tokens.size(); ++i) {
      if (!tokens[i].word.ends_with("autocommit") || i + 2 >= tokens.size())
        continue;
      const Token& value = tokens[i + 2];
      is_autocommit_ = value.word == "1" || value.is("on") || value.is("true");
      unit.is_open = !is_autocommit_;
    }
  } else if (first.is("call")) {
    const Span span = source_.span(tokens[from].offset,
                                   tokens[to - 1].end() - tokens[from].offset);
    const Tree tree =
        parse_statement(source_, tokens, piece(annotation, span), span.offset);
    const PgQuery__FuncCall& call = *tree.statement().call_stmt->funccall;
    const Signature* routine = Analyzer(tree, catalog_, nullptr).meant(call);
    if (routine == nullptr) return;
    // An OUT argument is only written.
    for (std::size_t p = 0;
         p < std::min(call.n_args, routine->parameters.size()); ++p) {
      const Node& argument = *call.args[p];
      const bool is_plain =
          routine->parameters[p].is_out && !routine->parameters[p].is_in &&
          argument.node_case == PG_QUERY__NODE__NODE_COLUMN_REF;
      if (is_plain)
        unit.reads.erase(
            std::string(string_of(argument.column_ref->fields[0])));
    }
    if (catalog_.mysql_callee)
      unit.is_open = !is_autocommit_ ||
                     catalog_.mysql_callee(*routine, unit.is_open).after ==
                         MysqlTransaction::Open;
  }
}

void AnnotationReader::mysql_session(const Annotation& annotation,
                                     const std::vector<Token>& tokens) {
  is_autocommit_ = true;
  std::vector<MysqlUnit> units;
  bool goes_on = false;
  for (std::size_t from = 0; from < tokens.size();) {
    std::size_t to = from;
    while (to < tokens.size() && !tokens[to].is(";")) ++to;
    if (to > from && !only_shows_variables(tokens, from, to)) {
      if (!goes_on) {
        units.emplace_back();
        units.back().from = from;
        units.back().is_manual = !is_autocommit_;
      }
      MysqlUnit& unit = units.back();
      note_statement(annotation, tokens, from, to, unit);
      unit.to = to;
      ++unit.statements;
      goes_on = unit.is_open;
    }
    from = to + 1;
  }
  if (goes_on) {
    const Token& first = tokens[units.back().from];
    source_.fail(source_.span(first.offset, first.length),
                 "this transaction has no COMMIT",
                 "end it with COMMIT; or ROLLBACK;");
  }
  // What a later one reads comes from the one that wrote it.
  for (std::size_t i = 0; i < units.size(); ++i) {
    for (std::size_t k = i; k-- > 0;) {
      const bool needs =
          std::any_of(units[i].reads.begin(), units[i].reads.end(),
                      [&](const std::string& name) {
                        return units[k].writes.contains(name);
                      });
      if (!needs) continue;
      for (std::size_t m = k + 1; m <= i; ++m) {
        units[k].to = units[m].to;
        units[k].statements += units[m].statements;
        units[k].reads.insert(units[m].reads.begin(), units[m].reads.end());
        units[k].writes.insert(units[m].writes.begin(), units[m].writes.end());
      }
      units.erase(units.begin() + static_cast<std::ptrdiff_t>(k + 1),
                  units.begin() + static_cast<std::ptrdiff_t>(i + 1));
      i = k;
    }
  }
  for (const MysqlUnit& unit : units) mysql_unit(annotation, tokens, unit);
}

void AnnotationReader::mysql_unit(const Annotation& annotation,
                                  const std::vector<Token>& tokens,
                                  const MysqlUnit& unit) {
  const Span span =
      source_.span(tokens[unit.from].offset,
                   tokens[unit.to - 1].end() - tokens[unit.from].offset);
  if (unit.statements == 1 && tokens[unit.from].is("call")) {
    const Tree tree =
        parse_statement(source_, tokens, piece(annotation, span), span.offset);
    if (mysql_call(tree)) return;
  }
  if (unit.statements == 1 && tokens[unit.from].is("set")) {
    const bool is_server =
        std::none_of(tokens.begin() + static_cast<std::ptrdiff_t>(unit.from),
                     tokens.begin() + static_cast<std::ptrdiff_t>(unit.to),
                     is_user_variable);
    if (is_server) return mysql_setting(annotation, tokens, unit);
    if (unit.reads.empty()) return;  // nobody reads what it sets
  }
  if (tokens[unit.from].is("use") || tokens[unit.from].is("show")) return;
  RoutineBuilder builder(*code_source_, catalog_);
  builder.hide_found();
  builder.routine.at = span;
  const std::vector<Token> inner(
      tokens.begin() + static_cast<std::ptrdiff_t>(unit.from),
      tokens.begin() + static_cast<std::ptrdiff_t>(unit.to));
  MysqlProgram program(
      builder, inner,
      unit.is_manual ? MysqlTransaction::Open : MysqlTransaction::None);
  program.set_autocommit(!unit.is_manual);
  PlBlock body = program.read_statements();
  trim_commit(body);
  // Rolled back as a whole: the transaction ends there.
  const auto ends = [](const PlStatement& s) {
    return std::holds_alternative<PlEnd>(s.what);
  };
  if (!body.empty() && ends(body.back()) &&
      std::count_if(body.begin(), body.end(), ends) == 1) {
    PlRaise raise;
    raise.message = "ROLLBACK";
    raise.sqlstate = "00000";
    body.back().what = std::move(raise);
  }
  builder.routine.body = std::move(body);
  script_ = std::make_unique<RoutineBuilder>(std::move(builder));
  end_script(source_.span(span.offset + span.length, 0));
  // One that ends transactions in its middle is run like a procedure.
  Routine& made = application_.routines.back();
  for_each_pl(made.body, [&](const PlStatement& s) {
    if (ends(s) || std::holds_alternative<PlCall>(s.what))
      made.is_script = false;
  });
}

/// A CALL with constants, as a transaction by its name; false: it has others.
bool AnnotationReader::mysql_call(const Tree& tree) {
  const PgQuery__FuncCall& node = *tree.statement().call_stmt->funccall;
  const Signature* routine = Analyzer(tree, catalog_, nullptr).meant(node);
  if (routine == nullptr || routine->is_function) return false;
  if (routine->problem != nullptr) throw Failure{*routine->problem, true};
  if (node.n_args != routine->parameters.size()) return false;
  for (std::size_t p = 0; p < node.n_args; ++p) {
    const Signature::Parameter& parameter = routine->parameters[p];
    const bool is_name =
        node.args[p]->node_case == PG_QUERY__NODE__NODE_COLUMN_REF;
    if (is_name && (parameter.is_in || !parameter.is_out)) return false;
  }
  // The names of OUT arguments mean nothing to the call.
  RoutineBuilder names(source_, catalog_);
  for (std::size_t p = 0; p < node.n_args; ++p)
    if (node.args[p]->node_case == PG_QUERY__NODE__NODE_COLUMN_REF) {
      const std::string name(string_of(node.args[p]->column_ref->fields[0]));
      const std::array<std::string, 1> plain = {name};
      if (names.binding(plain) == nullptr)
        (void)names.declare_by_use(name, tree.whole());
    }
  Analyzer analyzer(tree, catalog_, &names);
  Call call;
  std::size_t p = 0;
  for (const Expr& e : analyzer.arguments(node, *routine, questions_)) {
    const Signature::Parameter& parameter = routine->parameters[p++];
    if (parameter.is_out && !parameter.is_in) {
      call.arguments.emplace_back();
      continue;
    }
    if (take_question(e, call)) continue;
    const auto value = constant_value(e);
    if (!value) return false;
    call.arguments.push_back(*value);
  }
  if (!call.open.empty()) call.open.resize(call.arguments.size());
  call.label = label(plain_label(*routine));
  call.routine = routine->id;
  call.at = tree.whole();
  call.level = script_level_;
  session_.calls.push_back(std::move(call));
  return true;
}

/// SET [SESSION] TRANSACTION ISOLATION LEVEL: of the transactions that follow.
void AnnotationReader::mysql_setting(const Annotation& annotation,
                                     const std::vector<Token>& tokens,
                                     const MysqlUnit& unit) {
  const Span span =
      source_.span(tokens[unit.from].offset,
                   tokens[unit.to - 1].end() - tokens[unit.from].offset);
  const Tree tree =
      parse_statement(source_, tokens, piece(annotation, span), span.offset);
  const PgQuery__VariableSetStmt& set = *tree.statement().variable_set_stmt;
  if (view(set.name).ends_with("TRANSACTION"))
    script_level_ = level_among(tree, list(set.n_args, set.args));
}

}  // namespace txscope::sql
