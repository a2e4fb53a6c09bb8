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

/// The constant that a value is, before the conversion to its column's type,
/// which comes with every INSERT.
std::optional<Value> constant_of(const std::optional<Expr>& e,
                                 const Type& column) {
  if (!e) return std::nullopt;
  if (e->op == Op::Constant) return e->value;
  const bool is_conversion = e->op == Op::Cast && e->index == 1 &&
                             e->type == column && e->args[0].op == Op::Constant;
  if (is_conversion) return e->args[0].value;
  return std::nullopt;
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

/// Rows that an INSERT gets one after the other; those of constants alone need
/// no expressions.
class FileReader::RowSink {
 public:
  /// Statements behind the last one of the setup are like it.
  RowSink(FileReader& reader, bool is_apart)
      : reader_(reader), is_apart_(is_apart) {
    blank_ = last();
    insert_of(blank_).rows.clear();
    insert_of(blank_).constants.reset();
  }
  ~RowSink() { flush(); }
  RowSink(const RowSink&) = delete;
  RowSink& operator=(const RowSink&) = delete;

  /// The rows that follow stand in another statement.
  void next_statement(Span at) {
    constexpr std::size_t kManyRows = 4096;
    if (is_apart_ || rows_ >= kManyRows) begin(at);
  }
  void add(std::vector<std::optional<Expr>> row) {
    ++rows_;
    const std::size_t before = constants_.size();
    for (std::size_t i = 0; i < row.size() && !is_general_; ++i) {
      const auto value = constant_of(row[i], type_of(i));
      if (!value) break;
      constants_.push_back(*value);
    }
    if (constants_.size() == before + row.size()) return;
    constants_.resize(before);
    // Their order counts: they may take numbers of a sequence.
    if (!is_general_) write_out(last().at);
    is_general_ = true;
    insert_of(last()).rows.push_back(std::move(row));
  }
  [[nodiscard]] DbStatement& last() {
    return reader_.application_.setup.back();
  }

 private:
  [[nodiscard]] const Type& type_of(std::size_t i) {
    const Insert& insert = insert_of(last());
    return reader_.catalog_.schema.at(insert.target.table)
        .columns[insert.columns[i]]
        .type;
  }
  static Insert& insert_of(DbStatement& statement) {
    return std::get<Insert>(statement.what);
  }
  void begin(Span at) {
    flush();
    reader_.application_.setup.push_back(blank_);
    last().at = at;
    rows_ = 0;
    is_general_ = false;
    if (reader_.keys_are_off_)
      reader_.rows_without_keys_.insert(reader_.application_.setup.size() - 1);
  }
  /// The constants so far as expressions.
  void write_out(Span at) {
    Insert& insert = insert_of(last());
    const std::size_t width = insert.columns.size();
    for (std::size_t i = 0; i < constants_.size(); ++i) {
      if (i % width == 0) insert.rows.emplace_back();
      insert.rows.back().emplace_back(
          constant(constants_[i], bare(type_of(i % width)), at));
    }
    constants_.clear();
  }
  void flush() {
    if (constants_.empty()) return;
    constants_.shrink_to_fit();
    insert_of(last()).constants =
        std::make_shared<const std::vector<Value>>(std::move(constants_));
    constants_ = {};
  }

  FileReader& reader_;
  const bool is_apart_;
  DbStatement blank_;  ///< without rows
  std::size_t rows_ = 0;
  bool is_general_ = false;  ///< some row of the statement is not of constants
  std::vector<Value> constants_;
};

/// What a constant becomes in its column; nothing: DEFAULT.
std::optional<Expr> FileReader::inserted_value(
    const Column& column, const ConstantRows::Constant& written,
    Span at) const {
  if (source_.mysql() != nullptr)
    return mysql_value(source_, column, written.text, at);
  if (is_default(written.text)) return std::nullopt;
  if (const auto value = typed(written.text, column.type))
    return assign(source_, constant(*value, bare(column.type), at),
                  column.type);
  Expr value = written_literal(source_, written.text, at);
  if (!assigns(value.type, column.type)) {
    source_.fail(source_.span(written.at, written.text.size()),
                 "column '" + column.name + "' is of type " +
                     to_string(column.type) +
                     " but the expression is of type " + to_string(value.type),
                 "add a cast if that is meant");
  }
  return assign(source_, std::move(value), column.type);
}

void FileReader::add_rows(const InsertedRows& more) {
  if (application_.setup.empty() ||
      !std::holds_alternative<Insert>(application_.setup.back().what))
    source_.unsupported(source_.span(more.from, 1), "this list of rows is");
  const Insert& first = std::get<Insert>(application_.setup.back().what);
  const std::vector<std::uint32_t> columns = first.columns;
  const Table& table = catalog_.schema.at(first.target.table);
  const bool is_apart = tells_statements_apart(catalog_, first.target.table);
  const std::size_t first_load = application_.load.size();
  const bool is_theirs = source_.mysql() != nullptr;
  ++added_rows_;
  RowSink sink(*this, is_apart);
  ConstantRows rows(source_.text(), more.from, more.to, more.head,
                    is_theirs ? Quoting::Mysql : Quoting::Standard);
  for (;;) {
    const ConstantRows::Next next = rows.next();
    if (next == ConstantRows::Next::End) break;
    if (next == ConstantRows::Next::Statement) {
      const Span whole = source_.span(rows.statement(), more.head);
      application_.load.push_back(whole);
      sink.next_statement(whole);
    }
    const Span at = source_.span(rows.at() - 1, 1);
    std::vector<std::optional<Expr>> row;
    row.reserve(columns.size());
    while (const auto written = rows.constant()) {
      if (row.size() == columns.size()) {
        source_.fail(source_.span(written->at, written->text.size()),
                     "VALUES lists must all be the same length");
      }
      row.push_back(
          inserted_value(table.columns[columns[row.size()]], *written, at));
    }
    if (row.size() != columns.size())
      source_.fail(at, "VALUES lists must all be the same length");
    sink.add(std::move(row));
    // Its text, for whoever loads it elsewhere.
    Span& loaded = application_.load.back();
    loaded.length = static_cast<std::uint32_t>(rows.at() - loaded.offset);
    if (sink.last().at.offset == loaded.offset ||
        application_.load.size() == first_load)
      sink.last().at.length = loaded.length;
  }
}

}  // namespace txscope::sql
