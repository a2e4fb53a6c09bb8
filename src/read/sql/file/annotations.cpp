#include "read/sql/file/annotations.h"

#include <algorithm>
#include <array>

#include "base/suggest.h"
#include "model/product/profile.h"
#include "read/sql/analyze/finished_names.h"
#include "read/sql/schema/types.h"

namespace txscope::sql {
namespace {

constexpr std::array<std::string_view, 11> kKeywords = {
    "session", "transaction", "invariant", "assert",      "level",  "retry",
    "open",    "assume",      "now",       "search_path", "dialect"};
constexpr std::string_view kForms =
    "--@ session NAME: CALL p(1); ..., --@ transaction NAME: statement; ..., "
    "--@ invariant NAME: condition, "
    "--@ assert NAME: condition, --@ level NAME: LEVEL, --@ retry NAME: N, "
    "--@ open TABLE.COLUMN [WHERE condition], --@ assume NAME: condition";

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
bool in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

void AnnotationReader::read(const std::vector<Comment>& comments,
                            bool needs_sessions) {
  std::vector<Annotation> all;
  const auto attempt = [this](const auto& what) {
    try {
      what();
    } catch (Failure& failure) {
      script_.reset();
      errors_.push_back(std::move(failure.error));
    }
  };
  for (const Comment& comment : comments) {
    attempt([&] { all.push_back(split(comment)); });
  }
  blanked_ = source_.text();
  for (const Annotation& annotation : all) {
    blanked_.replace(annotation.whole.offset, annotation.whole.length,
                     annotation.blanked);
  }
  code_source_ = std::make_unique<Source>(source_, blanked_);
  // Sessions may call transactions.
  for (const Annotation& annotation : all) {
    if (annotation.keyword != "transaction") continue;
    attempt([&] { transaction(annotation); });
  }
  for (const Annotation& annotation : all) {
    if (annotation.keyword != "session") continue;
    attempt([&] { session(annotation); });
  }
  for (const Annotation& annotation : all) {
    attempt([&] { one(annotation); });
  }
  if (application_.sessions.empty() && errors_.empty() && needs_sessions) {
    attempt([this] { no_session(); });
  }
}

void AnnotationReader::one(const Annotation& annotation) {
  if (annotation.keyword == "invariant") {
    property(annotation, PropertyKind::Invariant);
  } else if (annotation.keyword == "assert") {
    property(annotation, PropertyKind::Assert);
  } else if (annotation.keyword == "level") {
    level(annotation);
  } else if (annotation.keyword == "retry") {
    retry(annotation);
  } else if (annotation.keyword == "open") {
    open(annotation);
  } else if (annotation.keyword == "assume") {
    assume(annotation);
  }
}

namespace {

/// A value that the type has, as it is written in a call.
std::string example_of(const Type& type) {
  if (type.name == TypeName::Array) return "'{}'";
  switch (kind_of(type.name)) {
    case Kind::Bool: return "true";
    case Kind::Integer:
    case Kind::Numeric: break;
    default: {
      const std::string name = to_string(bare(type));
      if (name.starts_with("timestamp") || name == "date")
        return "'2030-01-01'";
      if (name.starts_with("time")) return "'12:00'";
      if (name == "interval") return "'1 day'";
      if (name == "uuid") return "'00000000-0000-0000-0000-000000000001'";
      if (name.starts_with("json")) return "'{}'";
      if (name.starts_with("double") || name == "real") return "1";
      if (name == "text" || name.starts_with("character")) return "'a'";
      return "NULL";
    }
  }
  return "1";
}

std::string example_of(const Signature& routine) {
  std::string call =
      (routine.is_function ? "SELECT " : "CALL ") + routine.name + "(";
  for (std::size_t p = 0; p < routine.parameters.size(); ++p)
    call += (p == 0 ? "" : ", ") + example_of(routine.parameters[p].type);
  return call + ")";
}

}  // namespace

/// The file may be a plain one that nobody has written annotations for yet.
void AnnotationReader::no_session() {
  constexpr std::size_t kMost = 8;
  std::string example = "CALL withdraw(1, 100)";
  std::string names;
  std::size_t running = 0;
  for (const Signature& routine : catalog_.routines) {
    if (routine.problem != nullptr) continue;
    std::string call = routine.name + "(";
    for (std::size_t p = 0; p < routine.parameters.size(); ++p) {
      call += (p == 0 ? "" : ", ") + to_string(routine.parameters[p].type);
    }
    call += ")";
    if (++running == 1) example = example_of(routine);
    if (running <= kMost) names += (running == 1 ? "" : ", ") + call;
  }
  std::string hint =
      "say who runs what, as in --@ session alice: " + example + ";";
  if (running > 0) hint += "  The file has " + names;
  if (running > kMost) {
    hint += " and " + std::to_string(running - kMost) + " more";
  }
  const std::size_t end = source_.text().size();
  source_.fail(source_.span(end, 0), "the file has no session", hint);
}

AnnotationReader::Annotation AnnotationReader::split(
    const Comment& comment) const {
  Annotation result;
  result.whole = source_.span(comment.offset, comment.length);
  result.blanked = source_.text(result.whole);
  // The first --@, and those of the lines that go on.
  std::string& text = result.blanked;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t dashes = text.find("--@", i);
    if (dashes == std::string::npos) break;
    std::fill_n(text.begin() + static_cast<std::ptrdiff_t>(dashes), 3, ' ');
    i = text.find('\n', dashes);
    if (i == std::string::npos) break;
  }
  std::size_t at = 0;
  const auto skip = [&] {
    while (at < text.size() && is_space(text[at])) ++at;
  };
  const auto here = [&](std::size_t from) {
    return source_.span(comment.offset + from, at - from);
  };
  skip();
  std::size_t from = at;
  while (at < text.size() && in_name(text[at])) ++at;
  result.keyword = text.substr(from, at - from);
  if (std::find(kKeywords.begin(), kKeywords.end(), result.keyword) ==
      kKeywords.end()) {
    const std::vector<std::string> known(kKeywords.begin(), kKeywords.end());
    std::string hint = suggestion(result.keyword, known);
    if (hint.empty()) hint = "annotations are: " + std::string(kForms);
    source_.fail(here(from),
                 result.keyword.empty()
                     ? "expected an annotation after --@"
                     : "unknown annotation '" + result.keyword + "'",
                 hint);
  }
  skip();
  from = at;
  while (at < text.size() &&
         (in_name(text[at]) || text[at] == '.' || text[at] == '#' ||
          text[at] == '*' || text[at] == '-')) {
    ++at;
  }
  result.name = text.substr(from, at - from);
  result.name_at = here(from);
  skip();
  if (result.keyword == "open") {
    from = at;
    at = text.size();
    while (at > from && is_space(text[at - 1])) --at;
    result.content = here(from);
    return result;
  }
  if (result.keyword == "transaction" && at < text.size() && text[at] == '(') {
    from = ++at;
    for (int depth = 1; at < text.size(); ++at) {
      if (text[at] == '(') ++depth;
      if (text[at] == ')' && --depth == 0) break;
    }
    result.parameters = here(from);
    if (at < text.size()) ++at;
    skip();
  }
  if (result.name.empty() || at >= text.size() || text[at] != ':') {
    source_.fail(here(result.name.empty() ? at : from),
                 "expected a name and ':' after '" + result.keyword + "'",
                 "as in --@ " + result.keyword + " name: ...");
  }
  ++at;
  skip();
  from = at;
  at = text.size();
  while (at > from && is_space(text[at - 1])) --at;
  result.content = here(from);
  if (from == at) {
    source_.fail(result.whole, "there is nothing after '" + result.keyword +
                                   " " + result.name + ":'");
  }
  return result;
}

std::string_view AnnotationReader::piece(const Annotation& annotation,
                                         Span span) const {
  return std::string_view(annotation.blanked)
      .substr(span.offset - annotation.whole.offset, span.length);
}

void AnnotationReader::property(const Annotation& annotation,
                                PropertyKind kind) {
  if (!property_names_.insert(annotation.name).second) {
    source_.fail(annotation.name_at,
                 "'" + annotation.name + "' is given twice");
  }
  application_.properties.push_back(
      condition(annotation, kind, kind == PropertyKind::Assert));
}

void AnnotationReader::assume(const Annotation& annotation) {
  Property made = condition(annotation, PropertyKind::Assert, true);
  for (const VariableRef& ref : made.variables) {
    const Call& call = application_.sessions[ref.session].calls[ref.call];
    const Routine& routine = application_.at(call.routine);
    if (ref.slot >= 1 && ref.slot <= routine.parameters) continue;
    source_.fail(annotation.content,
                 "'" + routine.variables[ref.slot].name +
                     "' is not a parameter of '" + routine.name + "'",
                 "an assume speaks of the initial state and of parameters");
  }
  application_.assumptions.push_back(std::move(made));
}

/// `open accounts.balance WHERE id < 3`: the condition is read as that of a
/// query over the table, which has room before it in the file, since the table
/// was created there.
void AnnotationReader::open(const Annotation& annotation) {
  const std::size_t dot = annotation.name.rfind('.');
  const std::string table = annotation.name.substr(0, dot);
  const std::optional<TableId> id =
      catalog_.table(catalog_.relation(qualified(table)));
  if (dot == std::string::npos || !id) {
    source_.fail(annotation.name_at,
                 dot == std::string::npos ? "expected TABLE.COLUMN after 'open'"
                                          : "unknown table '" + table + "'",
                 "as in --@ open accounts.balance");
  }
  OpenColumn made;
  made.table = *id;
  made.at = annotation.whole;
  const Table& shape = catalog_.schema.at(*id);
  const std::string column = annotation.name.substr(dot + 1);
  std::vector<std::string> names;
  for (const Column& c : shape.columns) names.push_back(c.name);
  const auto found = std::find(names.begin(), names.end(), column);
  if (found == names.end()) {
    source_.fail(annotation.name_at,
                 "table '" + table + "' has no column '" + column + "'",
                 suggestion(column, names));
  }
  made.column = static_cast<std::uint32_t>(found - names.begin());
  if (shape.columns[made.column].is_always_generated ||
      shape.columns[made.column].sequence) {
    source_.fail(annotation.name_at, "'" + column + "' is generated",
                 "a column that the database fills cannot be open");
  }
  std::string where(piece(annotation, annotation.content));
  const std::string head = "SELECT 1 FROM " + table + " ";
  const std::string text = head + where;
  const auto offset =
      static_cast<std::uint32_t>(annotation.content.offset - head.size());
  const Tokens tokens = scan(source_, text, offset);
  const Tree tree = parse_statement(source_, tokens.list, text, offset);
  RoutineBuilder builder(source_, catalog_);
  PlBlock block;
  const DbStatement statement = builder.statement(tree, block);
  made.rows = std::get<Select>(statement.what);
  if (!application_.arbitrary) application_.arbitrary = made.at;
  application_.open_columns.push_back(std::move(made));
}

Property AnnotationReader::condition(const Annotation& annotation,
                                     PropertyKind kind, bool has_variables) {
  Property property;
  property.kind = kind;
  property.name = annotation.name;
  property.at = annotation.content;
  std::string text(piece(annotation, annotation.content));
  // A second call of p is called p#2, which is no name in SQL; p$2 is.
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    if (text[i] == '#' && in_name(text[i - 1]) && text[i + 1] >= '0' &&
        text[i + 1] <= '9') {
      text[i] = '$';
    }
  }
  const Tokens tokens = scan(source_, text, annotation.content.offset);
  if (!tokens.list.empty() &&
      (tokens.list.front().is("select") || tokens.list.front().is("with"))) {
    source_.fail(annotation.content,
                 annotation.keyword + " '" + annotation.name +
                     "' is a query, not a condition",
                 "put it in parentheses, as in (SELECT count(*) FROM t) = 0");
  }
  const Tree tree =
      parse_expression(source_, tokens.list, text, annotation.content.offset);
  const FinishedNames names(source_, application_, property);
  Analyzer analyzer(tree, catalog_, has_variables ? &names : nullptr);
  Expr e = analyzer.expression();
  if (!converts(e.type, kBoolean)) {
    source_.fail(annotation.content,
                 annotation.keyword + " '" + annotation.name +
                     "' must be boolean, not " + to_string(e.type),
                 "compare it with something, as in (SELECT ...) >= 0");
  }
  e = convert(source_, std::move(e), {TypeName::Boolean, 0, 0});
  auto query = std::make_shared<Query>();
  query->at = annotation.content;
  query->targets.push_back({"?column?", std::move(e)});
  property.condition.at = annotation.content;
  property.condition.is_expression = true;
  property.condition.what = Select(std::move(query));
  property.condition.mentions = analyzer.mentions();
  return property;
}

std::vector<Call*> AnnotationReader::calls(const Annotation& annotation) {
  std::vector<Call*> result;
  std::vector<std::string> known;
  for (Session& session : application_.sessions) {
    for (Call& call : session.calls) {
      const Routine& routine = application_.at(call.routine);
      const std::string full = session.name + "." + call.label;
      known.push_back(full);
      known.push_back(routine.name);
      if (annotation.name == "*" || annotation.name == full ||
          annotation.name == routine.name) {
        result.push_back(&call);
      }
    }
  }
  // Where nothing is called so, a session is meant with all it runs.
  for (Session& session : application_.sessions) {
    if (!result.empty() || session.name != annotation.name) continue;
    for (Call& call : session.calls) result.push_back(&call);
  }
  if (result.empty()) {
    std::string hint = suggestion(annotation.name, known);
    if (hint.empty()) {
      hint = "name a procedure, a session, session.procedure, or * for all";
    }
    source_.fail(annotation.name_at,
                 "no session runs '" + annotation.name + "'", hint);
  }
  return result;
}

void AnnotationReader::level(const Annotation& annotation) {
  const auto profile = parse_profile(piece(annotation, annotation.content));
  if (!profile) {
    source_.fail(annotation.content, profile.error().what,
                 profile.error().hint);
  }
  for (Call* call : calls(annotation))
    call->level = OwnLevel{*profile, annotation.content};
}

void AnnotationReader::retry(const Annotation& annotation) {
  const std::string_view text = piece(annotation, annotation.content);
  constexpr std::uint32_t kMost = 100;
  std::uint32_t count = 0;
  for (const char c : text) {
    if (c < '0' || c > '9' || count > kMost) {
      count = kMost + 1;
      break;
    }
    count = count * 10 + static_cast<std::uint32_t>(c - '0');
  }
  if (count > kMost) {
    source_.fail(annotation.content, "expected the number of retries, up to " +
                                         std::to_string(kMost));
  }
  for (Call* call : calls(annotation)) call->retries = count;
}

}  // namespace txscope::sql
