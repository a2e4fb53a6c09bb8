#include <algorithm>

#include "model/sql/value/parse_value.h"
#include "read/sql/file/harmless_block.h"
#include "read/sql/file/loop_of_names.h"
#include "read/sql/file/reader.h"
#include "read/sql/plpgsql/reader.h"
#include "read/sql/schema/schema_reader.h"
#include "read/sql/schema/types.h"
#include "read/sql/text/copy_command.h"

namespace txscope::sql {
namespace {

std::string function_name(const PgQuery__FuncCall& call) {
  return std::string(string_of(call.funcname[call.n_funcname - 1]));
}

/// The one function call that a SELECT consists of.
const PgQuery__FuncCall* lone_call(const PgQuery__SelectStmt& select) {
  const bool is_plain = select.n_target_list == 1 &&
                        select.n_from_clause == 0 &&
                        select.where_clause == nullptr &&
                        select.op == PG_QUERY__SET_OPERATION__SETOP_NONE;
  if (!is_plain) return nullptr;
  const Node* value = select.target_list[0]->res_target->val;
  return value->node_case == PG_QUERY__NODE__NODE_FUNC_CALL ? value->func_call
                                                            : nullptr;
}

/// Families of functions that ask or tell the server something.
bool is_of_server(std::string_view name) {
  constexpr std::string_view kBeginnings[] = {
      "pg_",     "has_",    "inet_", "txid_",    "lo_",
      "current", "obj_",    "col_",  "shobj_",   "to_",
      "set",     "version", "row_",  "database", "query_to_"};
  return std::any_of(
      std::begin(kBeginnings), std::end(kBeginnings),
      [&](std::string_view start) { return name.starts_with(start); });
}

DbStatement value_statement(Expr value, Span at) {
  auto query = std::make_shared<Query>();
  query->at = at;
  query->targets.push_back({"value", std::move(value)});
  DbStatement statement;
  statement.at = at;
  statement.is_expression = true;
  statement.what = Select(std::move(query));
  return statement;
}

/// One statement that defines something and of which nothing is read again
/// later from its tokens.
bool is_plain_definition(const std::vector<Token>& tokens) {
  const auto has = [&](std::string_view word) {
    return std::any_of(tokens.begin(), tokens.end(),
                       [&](const Token& t) { return t.is(word); });
  };
  if (tokens.size() < 2) return false;
  const auto end = std::find_if(tokens.begin(), tokens.end(),
                                [](const Token& t) { return t.is(";"); });
  if (end != tokens.end() && std::next(end) != tokens.end()) return false;
  const Token& first = tokens[0];
  const Token& what = tokens[1];
  if (first.is("grant") || first.is("revoke") || first.is("comment"))
    return true;
  if (first.is("alter") || first.is("drop"))
    return what.is("table") || what.is("policy") || what.is("trigger") ||
           what.is("index");
  if (!first.is("create")) return false;
  if (what.is("policy") || what.is("index") || what.is("unique")) return true;
  return what.is("trigger") && !has("when");
}

}  // namespace

/// --@ now: '...' must be known before anything else.
void FileReader::read_now() {
  catalog_.now = *parse_value("2030-01-01 12:00:00+00", TypeName::TimestampTz);
  auto& all = tokens_.annotations;
  for (auto comment = all.begin(); comment != all.end(); ++comment) {
    const Span span = source_.span(comment->offset, comment->length);
    std::string_view text = source_.text(span);
    text.remove_prefix(3);
    while (text.starts_with(' ')) text.remove_prefix(1);
    if (!text.starts_with("now:")) continue;
    text.remove_prefix(4);
    const auto is_edge = [](char c) {
      return c == ' ' || c == '\'' || c == ';';
    };
    while (!text.empty() && is_edge(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_edge(text.back())) text.remove_suffix(1);
    const auto value = parse_value(text, TypeName::TimestampTz);
    if (value) {
      catalog_.now = *value;
    } else {
      attempt([&] {
        source_.fail(span, "expected a timestamp after 'now:'",
                     "as in --@ now: 2030-01-01 12:00:00+00");
      });
    }
    all.erase(comment);
    return;
  }
}

void FileReader::truncate(const PgQuery__TruncateStmt& node, const Tree& tree) {
  for (const Node* item : list(node.n_relations, node.relations)) {
    const auto table =
        catalog_.table(catalog_.relation(qualified(*item->range_var)));
    if (!table) {
      source_.gap(tree.dotted_name(item->range_var->location),
                  "unknown table '" +
                      std::string(view(item->range_var->relname)) + "'");
    }
    Delete remove;
    remove.target.table = *table;
    remove.target.name = catalog_.schema.at(*table).name;
    remove.target.columns =
        static_cast<std::uint32_t>(catalog_.schema.at(*table).columns.size());
    remove.target.at = tree.whole();
    DbStatement statement;
    statement.at = tree.whole();
    statement.what = std::move(remove);
    application_.setup.push_back(std::move(statement));
  }
}

CopyFormat FileReader::copy_format(const Tree& tree,
                                   const PgQuery__CopyStmt& node) const {
  std::string refused;
  const auto format = sql::copy_format(node, refused);
  if (!format)
    source_.unsupported(tree.whole(), "COPY with the option " + refused + " is",
                        "use INSERT");
  return *format;
}

/// COPY ... FROM stdin as one INSERT.
void FileReader::copy(const Tree& tree, const PgQuery__CopyStmt& node) {
  const Span at = tree.whole();
  const auto data = std::find_if(
      psql_.copies.begin(), psql_.copies.end(), [&](const CopyData& c) {
        return c.statement_end >= at.offset + at.length &&
               c.statement_end <= at.offset + at.length + 16;
      });
  if (!node.is_from || node.relation == nullptr || data == psql_.copies.end()) {
    source_.unsupported(
        at, "COPY other than FROM stdin is",
        "use INSERT, or psql's \\copy, which reads a file here");
  }
  const CopyFormat format = copy_format(tree, node);
  const std::string name = catalog_.relation(qualified(*node.relation));
  const auto table = catalog_.table(name);
  if (!table || catalog_.broken.contains(name)) {
    source_.gap(at, "unknown table '" + name + "'");
  }
  const Table& into = catalog_.schema.at(*table);
  Insert insert;
  insert.target.table = *table;
  insert.target.name = into.name;
  insert.target.columns = static_cast<std::uint32_t>(into.columns.size());
  insert.target.at = at;
  for (const Node* item : list(node.n_attlist, node.attlist)) {
    const auto column = column_of(into, string_of(item));
    if (!column) source_.fail(at, "'" + name + "' has no such column");
    insert.columns.push_back(*column);
  }
  for (std::uint32_t i = 0; node.n_attlist == 0 && i < into.columns.size();
       ++i) {
    insert.columns.push_back(i);
  }
  std::string_view rest =
      source_.text().substr(data->from, data->to - data->from);
  if (format.has_header) (void)next_copy_row(rest, format);
  while (!rest.empty()) {
    const std::size_t offset =
        static_cast<std::size_t>(rest.data() - source_.text().data());
    const std::string_view line = rest.substr(0, rest.find('\n'));
    const auto fields = next_copy_row(rest, format);
    if (fields.size() != insert.columns.size()) {
      source_.fail(source_.span(offset, line.size()),
                   "expected " + std::to_string(insert.columns.size()) +
                       " values, not " + std::to_string(fields.size()));
    }
    std::vector<std::optional<Expr>> row;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const Type type = into.columns[insert.columns[i]].type;
      std::optional<Value> value = Value();
      if (!fields[i].is_null) value = parse_value(fields[i].text, bare(type));
      if (!value) {
        source_.gap(source_.span(offset, line.size()),
                    "'" + fields[i].text + "' is no " + to_string(type));
      }
      row.emplace_back(constant(*value, bare(type), at));
    }
    insert.rows.push_back(std::move(row));
  }
  if (insert.rows.empty()) return;
  DbStatement statement;
  statement.at = at;
  statement.what = std::move(insert);
  application_.setup.push_back(std::move(statement));
}

bool FileReader::set_sequence(const Tree& tree, const PgQuery__FuncCall& call) {
  const std::string name = function_name(call);
  if (name != "setval" || call.n_args < 2) return false;
  const Node* first = call.args[0];
  std::optional<std::uint32_t> sequence;
  if (first->node_case == PG_QUERY__NODE__NODE_FUNC_CALL &&
      first->func_call->n_args == 2) {
    // pg_get_serial_sequence('table', 'column')
    const auto table = sequence_named(*first);
    const auto id =
        table ? catalog_.table(catalog_.relation(*table)) : std::nullopt;
    const Node* column = first->func_call->args[1];
    if (id && column->node_case == PG_QUERY__NODE__NODE_A_CONST &&
        column->a_const->sval != nullptr) {
      const Table& found = catalog_.schema.at(*id);
      const auto number = column_of(found, view(column->a_const->sval->sval));
      if (number) sequence = found.columns[*number].sequence;
    }
  } else {
    const auto wanted = sequence_named(
        *tree.statement().select_stmt->target_list[0]->res_target->val);
    const auto found =
        wanted ? catalog_.sequence_ids.find(catalog_.relation(*wanted))
               : catalog_.sequence_ids.end();
    if (found != catalog_.sequence_ids.end()) sequence = found->second;
  }
  if (!sequence) source_.gap(tree.whole(), "unknown sequence in setval()");
  SetupStep step;
  step.before = application_.setup.size();
  step.sequence = *sequence;
  if (call.n_args > 2) {
    const Node* called = call.args[2];
    step.is_called = called->node_case != PG_QUERY__NODE__NODE_A_CONST ||
                     called->a_const->boolval == nullptr ||
                     called->a_const->boolval->boolval != 0;
  }
  Analyzer analyzer(tree, catalog_, nullptr);
  Expr value = analyzer.of_row(*call.args[1], nullptr);
  step.value = value_statement(
      cast(source_, std::move(value), {TypeName::BigInt}), tree.whole());
  application_.steps.push_back(std::move(step));
  return true;
}

/// ALTER SEQUENCE: RESTART is a setval(); OWNED BY and the like change nothing.
void FileReader::alter_sequence(const Tree& tree,
                                const PgQuery__AlterSeqStmt& node) {
  const auto found =
      catalog_.sequence_ids.find(catalog_.relation(qualified(*node.sequence)));
  for (const Node* item : list(node.n_options, node.options)) {
    const PgQuery__DefElem& option = *item->def_elem;
    const std::string_view name = view(option.defname);
    const bool is_number =
        option.arg != nullptr &&
        option.arg->node_case == PG_QUERY__NODE__NODE_INTEGER;
    const bool matters = name == "restart" || name == "increment" ||
                         name == "start" || name == "maxvalue";
    if (!matters || (name == "maxvalue" && !is_number)) continue;
    const bool is_few =
        name == "maxvalue" && option.arg->integer->ival < kFewNumbers;
    if (found == catalog_.sequence_ids.end() || is_few) {
      source_.unsupported(tree.whole(), "this ALTER SEQUENCE is",
                          "set it where the sequence is created");
    }
    Sequence& sequence = catalog_.schema.sequences[found->second];
    if (name == "restart") {
      SetupStep step;
      step.before = application_.setup.size();
      step.sequence = found->second;
      step.is_called = false;
      const std::int64_t from =
          is_number ? option.arg->integer->ival : sequence.start;
      step.value = value_statement(
          constant(Value::integer(from), {TypeName::BigInt}, tree.whole()),
          tree.whole());
      application_.steps.push_back(std::move(step));
    } else if (name == "increment") {
      const bool is_first =
          application_.setup.empty() && application_.steps.empty();
      if (!is_number || option.arg->integer->ival < 1 || !is_first) {
        source_.unsupported(tree.whole(), "another INCREMENT here is",
                            "set it where the sequence is created");
      }
      sequence.increment = option.arg->integer->ival;
    }
  }
}

void FileReader::select(const Tree& tree) {
  const PgQuery__SelectStmt& select = *tree.statement().select_stmt;
  const PgQuery__FuncCall* call = lone_call(select);
  if (call != nullptr && (set_sequence(tree, *call) || set_path(*call))) return;
  if (call != nullptr) {
    if (const Signature* own = Analyzer(tree, catalog_, nullptr).meant(*call)) {
      call_routine(tree, *call, *own);
      return;
    }
  }
  // Any other may only change something through a function of the file.
  const std::vector<Token>& tokens = tokens_.list;
  const Span whole = tree.whole();
  for (std::size_t i = token_at(tokens, whole.offset);
       i + 1 < tokens.size() && tokens[i].offset < whole.offset + whole.length;
       ++i) {
    if (!tokens[i].is_name() || !tokens[i + 1].is("(")) continue;
    for (const Signature* called : catalog_.all_named(tokens[i].word)) {
      if (!called->must_be_lifted()) continue;
      source_.unsupported(
          whole, "a SELECT that calls '" + tokens[i].word + "' here is",
          "call it alone: SELECT " + tokens[i].word + "(...)");
    }
  }
  look_for_functions(tree);
  ++left_out_["SELECT"];
}

/// A function that nobody knows may have changed anything; one of the server or
/// of an extension changes no tables of the file.
void FileReader::look_for_functions(const Tree& tree) {
  if (has_extension_) return;
  try {
    (void)Analyzer(tree, catalog_, nullptr).statement();
  } catch (Failure& failure) {
    // What else is wrong with it does not matter: it only reads.
    const bool is_known = failure.unknown_function.empty() ||
                          is_of_server(failure.unknown_function);
    if (is_known) return;
    failure.is_gap = false;
    throw;
  }
}

void FileReader::call(const Tree& tree) {
  const PgQuery__FuncCall& call = *tree.statement().call_stmt->funccall;
  const Signature* routine = Analyzer(tree, catalog_, nullptr).meant(call);
  if (routine == nullptr) {
    source_.fail(tree.whole(),
                 "unknown procedure '" + function_name(call) + "'");
  }
  call_routine(tree, call, *routine);
}

void FileReader::call_routine(const Tree& tree, const PgQuery__FuncCall& call,
                              const Signature& routine) {
  Analyzer analyzer(tree, catalog_, nullptr);
  settle_numbers(application_.setup.size());
  SetupStep step;
  step.before = application_.setup.size();
  step.call.emplace();
  step.call->label = routine.name;
  step.call->routine = routine.id;
  step.call->at = tree.whole();
  for (const Expr& e : analyzer.arguments(call, routine)) {
    if (e.op != Op::Constant) {
      source_.unsupported(e.at, "an argument that is not a constant here is");
    }
    step.call->arguments.push_back(e.value);
  }
  application_.steps.push_back(std::move(step));
}

void FileReader::do_block(const Tree& tree, const PgQuery__DoStmt& node) {
  (void)node;
  const std::vector<Token>& tokens = tokens_.list;
  std::size_t i = token_at(tokens, tree.whole().offset);
  while (i < tokens.size() && tokens[i].kind != TokenKind::String) ++i;
  if (i >= tokens.size()) source_.fail(tree.whole(), "expected a block");
  const Span whole = source_.span(tokens[i].offset, tokens[i].length);
  const std::string_view text = source_.text(whole);
  if (!text.starts_with('$')) {
    source_.unsupported(whole, "DO with this kind of quotes is",
                        "write it between $$ and $$");
  }
  const std::size_t quote = text.find('$', 1) + 1;
  const Span body =
      source_.span(whole.offset + quote, whole.length - 2 * quote);
  const Tokens inside = scan(source_, source_.text(body), body.offset);
  if (definitions_in(inside.list) || definitions_in_loops(inside.list, tree))
    return;
  if (changes_no_answer(source_, inside.list) && !calls_own(inside.list)) {
    ++left_out_["DO"];
    return;
  }
  RoutineBuilder builder(source_, catalog_);
  builder.routine.name = "DO";
  builder.routine.is_block = true;
  builder.routine.at = tree.whole();
  builder.routine.result = {TypeName::Void};
  catalog_.runs_now = true;
  try {
    builder.routine.body = read_body(builder, inside.list);
  } catch (...) {
    catalog_.runs_now = false;
    throw;
  }
  catalog_.runs_now = false;
  add_block(std::move(builder.routine));
}

/// What the setup runs once, here.
void FileReader::add_block(Routine block) {
  settle_numbers(application_.setup.size());
  SetupStep step;
  step.before = application_.setup.size();
  step.call.emplace();
  step.call->label = block.name;
  step.call->at = block.at;
  block_steps_.emplace_back(application_.steps.size(), blocks_.size());
  application_.steps.push_back(std::move(step));
  blocks_.push_back(std::move(block));
}

/// Whether a routine of the file that may write is called there.
bool FileReader::calls_own(const std::vector<Token>& tokens) const {
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (!tokens[i].is_name() || !tokens[i + 1].is("(")) continue;
    for (const Signature* called : catalog_.all_named(tokens[i].word))
      if (called->must_be_lifted() || called->problem != nullptr) return true;
  }
  return false;
}

/// Definitions for each of many names.  False: it is something else.
bool FileReader::definitions_in_loops(const std::vector<Token>& tokens,
                                      const Tree& tree) {
  const auto texts = texts_of_loops(source_, tokens);
  if (!texts) return false;
  struct Made {
    std::uint32_t at = 0;
    Tokens tokens;
  };
  std::vector<Made> all;
  for (const std::string& text : *texts) {
    Made made;
    made.at = source_.append(text, tree.whole());
    made.tokens = scan(source_, text, made.at);
    if (!is_plain_definition(made.tokens.list)) return false;
    all.push_back(std::move(made));
  }
  for (const Made& made : all) {
    const std::vector<Token>& list = made.tokens.list;
    const auto last = std::find_if(list.begin(), list.end(),
                                   [](const Token& t) { return t.is(";"); });
    const Span span = source_.span(made.at, std::prev(last)->end() - made.at);
    try {
      statement_at(span, list);
    } catch (Failure& failure) {
      // The block is left out, as others that cannot be run.
      failure.is_gap = true;
      throw;
    }
  }
  return true;
}

}  // namespace txscope::sql
