// INSERT INTO t VALUES (...), (...), ...: of very many constants only the first
// row goes through PostgreSQL's parser, whose trees are large.

#include <algorithm>

#include "model/sql/value/parse_value.h"
#include "read/sql/analyze/mariadb.h"
#include "read/sql/file/reader.h"
#include "read/sql/mysql/lexer.h"
#include "read/sql/schema/types.h"
#include "read/sql/text/constant_rows.h"

namespace txscope::sql {
namespace {

/// A number as PostgreSQL's lexer types it.
Expr written_number(const Source& source, std::string_view written, Span at) {
  std::string text;
  for (const char c : written)  // - 5
    if (c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E' ||
        (c >= '0' && c <= '9'))
      text += c;
  if (const auto value = parse_value(text, TypeName::BigInt)) {
    const bool is_small = fits(value->integer(), TypeName::Integer);
    return constant(*value, {is_small ? TypeName::Integer : TypeName::BigInt},
                    at);
  }
  const auto value = parse_value(text, TypeName::Numeric);
  if (!value) {
    source.fail(at, "this number has too many digits",
                "at most 38 digits are supported");
  }
  return constant(*value, {TypeName::Numeric}, at);
}

Expr written_literal(const Source& source, std::string_view written, Span at) {
  const char first = static_cast<char>(written[0] | ' ');
  if (first == 'n') return constant({}, {TypeName::Unknown}, at);
  if (first == 't' || first == 'f')
    return constant(Value::boolean(first == 't'), kBoolean, at);
  if (written[0] != '\'') return written_number(source, written, at);
  written = written.substr(1, written.size() - 2);
  if (written.find('\'') == std::string_view::npos)
    return constant(Value::text(written), {TypeName::Unknown}, at);
  std::string text;
  for (std::size_t c = 0; c < written.size(); ++c) {
    text += written[c];
    if (written[c] == '\'') ++c;  // doubled
  }
  return constant(Value::text(text), {TypeName::Unknown}, at);
}

/// '2024-01-31' as a value of a type that is none of texts, which nobody has to
/// keep as the text that it is.
std::optional<Value> typed(std::string_view written, const Type& type) {
  if (written[0] != '\'' || is_text(type.name)) return std::nullopt;
  written = written.substr(1, written.size() - 2);
  if (written.find('\'') != std::string_view::npos) return std::nullopt;
  return parse_value(written, bare(type));
}

bool is_default(std::string_view written) { return (written[0] | ' ') == 'd'; }

/// In MySQL's syntax; nothing: the column's next number, or its default.
std::optional<Expr> mysql_value(const Source& source, const Column& column,
                                std::string_view written, Span at) {
  const bool is_plain = written.find('\\') == std::string_view::npos;
  if (is_default(written)) return std::nullopt;
  if (is_plain)
    if (const auto value = typed(written, column.type))
      return assign(source, constant(*value, bare(column.type), at),
                    column.type);
  Expr value = is_plain ? written_literal(source, written, at)
                        : constant(Value::text(unquoted_mysql_text(written)),
                                   {TypeName::Unknown}, at);
  const bool is_none =
      value.value.is_null() ||
      (value.value.kind() == Kind::Integer && value.value.integer() == 0);
  if (column.sequence && is_none) return std::nullopt;
  return mariadb_assigned(source, std::move(value), column.type);
}

/// Whether rows of two statements may not be those of one.
bool tells_statements_apart(const Catalog& catalog, TableId table) {
  const Table& into = catalog.schema.at(table);
  return std::any_of(catalog.triggers.begin(), catalog.triggers.end(),
                     [&](const TriggerText& t) { return t.table == table; }) ||
         std::any_of(into.foreign.begin(), into.foreign.end(),
                     [&](const ForeignKey& k) { return k.parent == table; });
}

}  // namespace

const InsertedRows* FileReader::more_rows_of(Span statement) const {
  const auto found =
      std::lower_bound(psql_.inserts.begin(), psql_.inserts.end(),
                       statement.offset + statement.length,
                       [](const InsertedRows& rows, std::uint32_t end) {
                         return rows.from < end;
                       });
  const bool is_it = found != psql_.inserts.end() &&
                     found->from == statement.offset + statement.length;
  return is_it ? &*found : nullptr;
}

void FileReader::add_rows(const InsertedRows& more) {
  DbStatement* statement = &application_.setup.back();
  auto* insert = std::get_if<Insert>(&statement->what);
  const std::string_view text = source_.text();
  if (insert == nullptr)
    source_.unsupported(source_.span(more.from, 1), "this list of rows is");
  const Table& table = catalog_.schema.at(insert->target.table);
  const bool is_apart = tells_statements_apart(catalog_, insert->target.table);
  const std::size_t first_load = application_.load.size();
  std::optional<DbStatement> next_one;
  if (is_apart) {
    next_one = *statement;
    std::get<Insert>(next_one->what).rows.clear();
  }
  ++added_rows_;
  const bool is_theirs = source_.mysql() != nullptr;
  ConstantRows rows(text, more.from, more.to, more.head,
                    is_theirs ? Quoting::Mysql : Quoting::Standard);
  for (;;) {
    const ConstantRows::Next next = rows.next();
    if (next == ConstantRows::Next::End) break;
    if (next == ConstantRows::Next::Statement) {
      const std::size_t from = rows.statement();
      const Span whole = source_.span(from, more.head);
      application_.load.push_back(whole);
      if (is_apart) {
        application_.setup.push_back(*next_one);
        if (keys_are_off_)
          rows_without_keys_.insert(application_.setup.size() - 1);
        statement = &application_.setup.back();
        statement->at = whole;
        insert = &std::get<Insert>(statement->what);
      }
    }
    const Span at = source_.span(rows.at() - 1, 1);
    std::vector<std::optional<Expr>> row;
    row.reserve(insert->columns.size());
    while (const auto written = rows.constant()) {
      if (row.size() == insert->columns.size()) {
        source_.fail(source_.span(written->at, written->text.size()),
                     "VALUES lists must all be the same length");
      }
      const Column& column = table.columns[insert->columns[row.size()]];
      if (is_theirs) {
        row.push_back(mysql_value(source_, column, written->text, at));
        continue;
      }
      if (is_default(written->text)) {
        row.emplace_back(std::nullopt);
        continue;
      }
      if (const auto value = typed(written->text, column.type)) {
        row.emplace_back(assign(
            source_, constant(*value, bare(column.type), at), column.type));
        continue;
      }
      Expr value = written_literal(source_, written->text, at);
      if (!assigns(value.type, column.type)) {
        source_.fail(source_.span(written->at, written->text.size()),
                     "column '" + column.name + "' is of type " +
                         to_string(column.type) +
                         " but the expression is of type " +
                         to_string(value.type),
                     "add a cast if that is meant");
      }
      row.emplace_back(assign(source_, std::move(value), column.type));
    }
    if (row.size() != insert->columns.size())
      source_.fail(at, "VALUES lists must all be the same length");
    insert->rows.push_back(std::move(row));
    // Its text, for whoever loads it elsewhere.
    Span& loaded = application_.load.back();
    loaded.length = static_cast<std::uint32_t>(rows.at() - loaded.offset);
    if (is_apart || application_.load.size() == first_load)
      statement->at.length = loaded.length;
  }
}

}  // namespace txscope::sql
