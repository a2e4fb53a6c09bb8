// INSERT INTO t VALUES (...), (...), ...: of a long list of constants only the
// first row goes through PostgreSQL's parser, whose trees are large.

#include <limits>

#include "model/sql/parse_value.h"
#include "read/sql/file/reader.h"

namespace txscope::sql {
namespace {

constexpr std::size_t kManyRows = 20;

/// NULL, TRUE, FALSE, DEFAULT, a number with or without a sign, a text in plain
/// quotes: the token after it; or nothing.
std::optional<std::size_t> after_literal(const std::vector<Token>& tokens,
                                         std::size_t i, const Source& source) {
  if (i + 1 < tokens.size() && tokens[i].is("-") &&
      tokens[i + 1].kind == TokenKind::Number) {
    return i + 2;
  }
  const Token& token = tokens[i];
  if (token.kind == TokenKind::Number) return i + 1;
  if (token.is("null") || token.is("true") || token.is("false") ||
      token.is("default")) {
    return i + 1;
  }
  const bool is_plain =
      token.kind == TokenKind::String &&
      source.text(source.span(token.offset, 1)).starts_with('\'');
  if (is_plain) return i + 1;
  return std::nullopt;
}

}  // namespace

std::optional<FileReader::MoreRows> FileReader::rows_after_first(
    Span span, const std::vector<Token>& tokens) const {
  std::size_t i = token_at(tokens, span.offset);
  const std::size_t end = span.offset + span.length;
  const auto is_in = [&](std::size_t at) {
    return at < tokens.size() && tokens[at].offset < end;
  };
  if (!is_in(i + 1) || !tokens[i].is("insert") || !tokens[i + 1].is("into")) {
    return std::nullopt;
  }
  while (is_in(i) && !tokens[i].is("values")) ++i;
  MoreRows more;
  std::size_t rows = 0;
  for (++i; is_in(i) && tokens[i].is("(");) {
    do {
      if (!is_in(++i)) return std::nullopt;
      const auto next = after_literal(tokens, i, source_);
      if (!next || !is_in(*next)) return std::nullopt;
      i = *next;
    } while (tokens[i].is(","));
    if (!tokens[i].is(")")) return std::nullopt;
    ++i;
    if (++rows == 1) {
      more.first = source_.span(span.offset, tokens[i - 1].end() - span.offset);
      more.from = i;
    }
    if (!is_in(i) || !tokens[i].is(",")) break;
    ++i;
  }
  more.to = i;
  if (is_in(i) || rows < kManyRows) return std::nullopt;
  return more;
}

Expr FileReader::literal(const std::vector<Token>& tokens,
                         std::size_t& i) const {
  const bool is_negative = tokens[i].is("-");
  if (is_negative) ++i;
  const Token& token = tokens[i++];
  const Span at = source_.span(token.offset, token.length);
  if (token.is("null")) return constant({}, {TypeName::Unknown}, at);
  if (token.is("true") || token.is("false")) {
    return constant(Value::boolean(token.is("true")), kBoolean, at);
  }
  std::string text;
  if (token.kind == TokenKind::Number) {
    text = (is_negative ? "-" : "") + std::string(source_.text(at));
    if (const auto value = parse_value(text, TypeName::BigInt)) {
      const bool is_small = fits(value->integer(), TypeName::Integer);
      return constant(*value, {is_small ? TypeName::Integer : TypeName::BigInt},
                      at);
    }
    const auto value = parse_value(text, TypeName::Numeric);
    if (!value) {
      source_.fail(at, "this number has too many digits",
                   "at most 38 digits are supported");
    }
    return constant(*value, {TypeName::Numeric}, at);
  }
  const std::string_view quoted = source_.text(at);
  for (std::size_t c = 1; c + 1 < quoted.size(); ++c) {
    text += quoted[c];
    if (quoted[c] == '\'') ++c;  // doubled
  }
  return constant(Value::text(text), {TypeName::Unknown}, at);
}

void FileReader::add_rows(const MoreRows& more, Span span,
                          const std::vector<Token>& tokens) {
  DbStatement& statement = application_.setup.back();
  statement.at = span;
  application_.load.back() = span;
  auto& insert = std::get<Insert>(statement.what);
  const Table& table = catalog_.schema.at(insert.target.table);
  for (std::size_t i = more.from; i < more.to;) {
    i += 2;  // , (
    std::vector<std::optional<Expr>> row;
    for (;; ++i) {
      if (row.size() == insert.columns.size()) {
        source_.fail(source_.span(tokens[i].offset, tokens[i].length),
                     "VALUES lists must all be the same length");
      }
      const Column& column = table.columns[insert.columns[row.size()]];
      if (tokens[i].is("default")) {
        row.emplace_back(std::nullopt);
        ++i;
      } else {
        Expr value = literal(tokens, i);
        if (!assigns(value.type, column.type)) {
          source_.fail(value.at,
                       "column '" + column.name + "' is of type " +
                           to_string(column.type) +
                           " but the expression is of type " +
                           to_string(value.type),
                       "add a cast if that is meant");
        }
        row.emplace_back(assign(source_, std::move(value), column.type));
      }
      if (!tokens[i].is(",")) break;
    }
    if (row.size() != insert.columns.size()) {
      source_.fail(source_.span(tokens[i].offset, tokens[i].length),
                   "VALUES lists must all be the same length");
    }
    insert.rows.push_back(std::move(row));
    ++i;  // )
  }
}

}  // namespace txscope::sql
