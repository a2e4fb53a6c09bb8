// --@ transaction NAME(parameters): plain statements, as an application sends
// them, with $1, :name, %s, %(name)s or ? for their parameters.

#include <algorithm>
#include <cctype>

#include "read/sql/file/annotations.h"
#include "read/sql/schema/types.h"
#include "read/sql/shape/statement_shape.h"

namespace txscope::sql {
namespace {

bool is_mark_part(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Brings all ways to write a parameter into $1, $2, ..; names that were not
/// declared are declared by their use.
class ParameterMarks {
 public:
  explicit ParameterMarks(std::vector<std::string> names)
      : names_(std::move(names)) {}

  std::string rewrite(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
      const char c = text[at];
      const char next = at + 1 < text.size() ? text[at + 1] : '\0';
      const char before = at > 0 ? text[at - 1] : ' ';
      if (c == '\'' || c == '"') {
        const std::size_t end = std::min(text.find(c, at + 1), text.size() - 1);
        out += text.substr(at, end + 1 - at);
        at = end + 1;
      } else if (c == '?' && next != '|' && next != '&') {
        out += mark(++places_);
        ++at;
      } else if (c == '%' && next == 's' &&
                 (at + 2 >= text.size() || !is_mark_part(text[at + 2]))) {
        out += mark(++places_);
        at += 2;
      } else if (c == '%' && next == '(') {
        at = named(text, at + 2, ")s", out);
      } else if (c == ':' && next != ':' && next != '=' && before != ':' &&
                 is_mark_part(next)) {
        at = named(text, at + 1, "", out);
      } else if (c == '$' && std::isdigit(static_cast<unsigned char>(next))) {
        std::size_t number = 0;
        for (++at; at < text.size() && number < 10'000 &&
                   std::isdigit(static_cast<unsigned char>(text[at])) != 0;
             ++at)
          number = number * 10 + static_cast<std::size_t>(text[at] - '0');
        out += mark(number);
      } else {
        out += c;
        ++at;
      }
    }
    return out;
  }

  [[nodiscard]] std::size_t most() const {
    return std::max(most_, names_.size());
  }
  [[nodiscard]] std::string name(std::size_t number) const {
    return number <= names_.size() ? names_[number - 1]
                                   : "p" + std::to_string(number);
  }

 private:
  std::string mark(std::size_t number) {
    most_ = std::max(most_, number);
    return " $" + std::to_string(number) + " ";
  }

  std::size_t named(std::string_view text, std::size_t from,
                    std::string_view close, std::string& out) {
    std::size_t end = from;
    while (end < text.size() && is_mark_part(text[end])) ++end;
    const std::string name(text.substr(from, end - from));
    auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) found = names_.insert(names_.end(), name);
    out += mark(static_cast<std::size_t>(found - names_.begin()) + 1);
    return std::min(end + close.size(), text.size());
  }

  std::vector<std::string> names_;
  std::size_t places_ = 0;
  std::size_t most_ = 0;
};

/// The type of the column that a parameter meets first.
std::optional<Type> type_by_use(const std::vector<std::string>& statements,
                                std::size_t number, const Schema& schema) {
  const std::string mark = "$" + std::to_string(number);
  for (const std::string& text : statements) {
    const StatementShape shape = statement_shape(text, Dialect::Postgresql);
    for (const LiteralSlot& slot : shape.slots) {
      if (!slot.is_unknown ||
          shape.text.substr(slot.offset, slot.length) != mark)
        continue;
      if (slot.column.column.empty() && !shape.tables.empty())
        return Type{TypeName::BigInt, 0, 0};  // LIMIT and the like
      for (const Table& table : schema.tables) {
        const bool is_used = std::any_of(
            shape.tables.begin(), shape.tables.end(),
            [&](const TableUse& use) { return use.name == table.name; });
        if (!is_used ||
            (!slot.column.table.empty() && slot.column.table != table.name))
          continue;
        for (const Column& column : table.columns)
          if (column.name == slot.column.column) return bare(column.type);
      }
    }
  }
  return std::nullopt;
}

}  // namespace

/// (p_id integer, p_amount integer), or nothing.
void AnnotationReader::declared(const Annotation& annotation,
                                Signature& signature) const {
  if (annotation.parameters.length == 0) return;
  const Tokens scanned = scan(source_, piece(annotation, annotation.parameters),
                              annotation.parameters.offset);
  const std::vector<Token>& tokens = scanned.list;
  for (std::size_t from = 0; from < tokens.size();) {
    int depth = 0;
    std::size_t end = from;
    for (; end < tokens.size(); ++end) {
      if (tokens[end].is("(")) ++depth;
      if (tokens[end].is(")")) --depth;
      if (depth == 0 && tokens[end].is(",")) break;
    }
    const Span at = source_.span(tokens[from].offset, tokens[from].length);
    if (end < from + 2 || !tokens[from].is_name())
      source_.fail(at, "expected the name of a parameter and its type",
                   "as in (p_id integer, p_code text)");
    const Span type =
        source_.span(tokens[from + 1].offset,
                     tokens[end - 1].end() - tokens[from + 1].offset);
    const Tree tree =
        parse_type(source_, tokens, piece(annotation, type), type.offset);
    const Node& value =
        *tree.statement().select_stmt->target_list[0]->res_target->val;
    if (value.node_case != PG_QUERY__NODE__NODE_TYPE_CAST)
      source_.fail(type, "expected a type");
    Signature::Parameter parameter;
    parameter.name = tokens[from].word;
    parameter.type = read_type(tree, catalog_, *value.type_cast->type_name);
    signature.parameters.push_back(std::move(parameter));
    from = end + 1;
  }
}

void AnnotationReader::transaction(const Annotation& annotation) {
  Signature signature;
  signature.name = annotation.name;
  signature.at = annotation.name_at;
  signature.touches_tables = true;
  signature.does_more = true;
  signature.result = {TypeName::Void, 0, 0};
  signature.id = RoutineId(application_.routines.size());
  for (const Routine& other : application_.routines)
    if (other.name == annotation.name)
      source_.fail(annotation.name_at,
                   "'" + annotation.name + "' is there already");
  declared(annotation, signature);
  std::vector<Span> places;
  std::vector<std::string> statements;
  split_statements(annotation, places);
  std::vector<std::string> names;
  for (const auto& parameter : signature.parameters)
    names.push_back(parameter.name);
  const bool is_declared = annotation.parameters.length != 0;
  ParameterMarks marks(names);
  for (const Span& place : places)
    statements.push_back(marks.rewrite(piece(annotation, place)));
  if (is_declared && marks.most() > signature.parameters.size())
    source_.fail(annotation.content,
                 "'" + marks.name(signature.parameters.size() + 1) +
                     "' is not a parameter of '" + annotation.name + "'",
                 "it has " + std::to_string(signature.parameters.size()) +
                     "; name all of them, or none");
  for (std::size_t n = signature.parameters.size() + 1; n <= marks.most();
       ++n) {
    const auto type = type_by_use(statements, n, catalog_.schema);
    if (!type)
      source_.fail(
          annotation.content,
          "no statement shows the type of parameter " + std::to_string(n),
          "say it: --@ transaction " + annotation.name +
              "(p1 integer, ..): ..");
    Signature::Parameter parameter;
    parameter.name = marks.name(n);
    parameter.type = *type;
    signature.parameters.push_back(std::move(parameter));
  }
  write_transaction(annotation, signature, places, statements);
}

/// Where the statements stand; BEGIN at the beginning and COMMIT at the end say
/// nothing that is not known.
void AnnotationReader::split_statements(const Annotation& annotation,
                                        std::vector<Span>& places) const {
  const Tokens scanned = scan(source_, piece(annotation, annotation.content),
                              annotation.content.offset);
  const std::vector<Token>& tokens = scanned.list;
  for (std::size_t from = 0; from < tokens.size();) {
    std::size_t end = from;
    while (end < tokens.size() && !tokens[end].is(";")) ++end;
    const bool is_first = places.empty();
    const bool is_last = end + 1 >= tokens.size();
    if (end > from) {
      const Token& first = tokens[from];
      const Span place =
          source_.span(first.offset, tokens[end - 1].end() - first.offset);
      const bool begins =
          first.is("begin") || (first.is("start") && end == from + 2);
      const bool ends = first.is("commit");
      if (first.is("rollback") || first.is("savepoint") ||
          (begins && (!is_first || end > from + 2)) || (ends && !is_last))
        source_.fail(place, "this cannot appear in --@ transaction",
                     "its statements are one transaction; a procedure can do "
                     "more");
      if (!begins && !ends) places.push_back(place);
    }
    from = end + 1;
  }
  if (places.empty())
    source_.fail(annotation.content, "'" + annotation.name + "' runs nothing");
}

void AnnotationReader::write_transaction(
    const Annotation& annotation, Signature& signature,
    const std::vector<Span>& places,
    const std::vector<std::string>& statements) {
  auto builder = std::make_unique<RoutineBuilder>(source_, catalog_);
  builder->add_parameters(signature);
  builder->is_script = true;
  builder->routine.at = annotation.whole;
  Routine routine;
  try {
    for (std::size_t i = 0; i < places.size(); ++i) {
      const std::uint32_t at = source_.append(statements[i], places[i]);
      const Tokens tokens = scan(source_, statements[i], at);
      const Tree tree =
          parse_statement(source_, tokens.list, statements[i], at);
      if (tree.statement().node_case == PG_QUERY__NODE__NODE_CALL_STMT)
        builder->call(tree, builder->routine.body);
      else
        builder->execute(tree, std::nullopt, {}, false, false,
                         builder->routine.body);
    }
    routine = std::move(builder->routine);
  } catch (Failure& failure) {
    if (!failure.is_gap) throw;
    routine = Routine();
    routine.problem = std::make_shared<const Error>(std::move(failure.error));
    signature.problem = routine.problem;
  }
  routine.name = annotation.name;
  routine.at = annotation.whole;
  routine.result = {TypeName::Void, 0, 0};
  if (catalog_.routines.size() == application_.routines.size())
    catalog_.add_routine(signature);
  application_.routines.push_back(std::move(routine));
}

}  // namespace txscope::sql
