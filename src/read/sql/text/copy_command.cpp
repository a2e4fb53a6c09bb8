#include "read/sql/text/copy_command.h"

#include <pg_query.h>

#include <algorithm>

#include "base/ascii.h"
#include "read/sql/text/quotes.h"
#include "read/sql/text/tree.h"

namespace txscope::sql {
namespace {

bool is_utf8_name(std::string_view name) {
  return name == "UTF8" || name == "utf8" || name == "UTF-8" || name == "utf-8";
}

std::string option_text(const PgQuery__DefElem& option) {
  const PgQuery__Node* arg = option.arg;
  if (arg == nullptr) return "true";
  if (arg->node_case == PG_QUERY__NODE__NODE_STRING)
    return std::string(view(arg->string->sval));
  if (arg->node_case == PG_QUERY__NODE__NODE_BOOLEAN)
    return arg->boolean->boolval ? "true" : "false";
  if (arg->node_case == PG_QUERY__NODE__NODE_INTEGER)
    return std::to_string(arg->integer->ival);
  return "";
}

/// Whether a number may stand there without quotes and be the same text.
bool is_plain_number(std::string_view text) {
  constexpr std::size_t kMostDigits = 18;
  if (text.starts_with('-') && text != "-0") text.remove_prefix(1);
  return !text.empty() && text.size() <= kMostDigits &&
         (text == "0" || text[0] != '0') &&
         std::all_of(text.begin(), text.end(), ascii::is_digit);
}

std::string literal_of(const CopyField& field) {
  if (field.is_null) return "NULL";
  if (is_plain_number(field.text)) return field.text;
  return value_in_quotes(field.text);
}

std::optional<CopyCommand> command_of(const PgQuery__CopyStmt& node) {
  CopyCommand command;
  std::string refused;
  const auto format = copy_format(node, refused);
  const bool has_file = !view(node.filename).empty() || node.is_program;
  if (!format || has_file || node.where_clause != nullptr) return std::nullopt;
  command.format = *format;
  command.is_from = node.is_from;
  if (node.relation != nullptr) {
    if (!view(node.relation->schemaname).empty())
      command.table = name_in_quotes(view(node.relation->schemaname)) + ".";
    command.table += name_in_quotes(view(node.relation->relname));
  }
  for (const Node* item : list(node.n_attlist, node.attlist))
    command.columns.push_back(name_in_quotes(string_of(item)));
  return command;
}

}  // namespace

std::optional<CopyFormat> copy_format(const PgQuery__CopyStmt& node,
                                      std::string& refused) {
  CopyFormat made;
  std::optional<std::string> delimiter;
  std::optional<std::string> null;
  std::optional<std::string> escape;
  for (const PgQuery__Node* item : list(node.n_options, node.options)) {
    const PgQuery__DefElem& option = *item->def_elem;
    const std::string_view name = view(option.defname);
    const std::string value = option_text(option);
    const bool has_one = value.size() == 1;
    if (name == "format" && (value == "csv" || value == "text")) {
      made.is_csv = value == "csv";
    } else if (name == "header") {
      made.has_header = value != "false" && value != "off" && value != "0";
    } else if (name == "delimiter" && has_one) {
      delimiter = value;
    } else if (name == "null") {
      null = value;
    } else if (name == "quote" && has_one) {
      made.quote = value[0];
    } else if (name == "escape" && has_one) {
      escape = value;
    } else if (name != "freeze" &&
               !(name == "encoding" && is_utf8_name(value))) {
      refused = name;
      return std::nullopt;
    }
  }
  made.delimiter = delimiter ? (*delimiter)[0] : made.is_csv ? ',' : '\t';
  made.null = null ? *null : made.is_csv ? "" : "\\N";
  made.escape = escape ? (*escape)[0] : made.quote;
  return made;
}

std::optional<CopyCommand> copy_command(const std::string& sql) {
  const PgQueryProtobufParseResult parsed =
      pg_query_parse_protobuf(sql.c_str());
  std::optional<CopyCommand> command;
  PgQuery__ParseResult* tree =
      parsed.error != nullptr
          ? nullptr
          : pg_query__parse_result__unpack(
                nullptr, parsed.parse_tree.len,
                reinterpret_cast<const std::uint8_t*>(parsed.parse_tree.data));
  if (tree != nullptr && tree->n_stmts == 1 &&
      tree->stmts[0]->stmt != nullptr &&
      tree->stmts[0]->stmt->node_case == PG_QUERY__NODE__NODE_COPY_STMT)
    command = command_of(*tree->stmts[0]->stmt->copy_stmt);
  if (tree != nullptr) pg_query__parse_result__free_unpacked(tree, nullptr);
  pg_query_free_protobuf_parse_result(parsed);
  return command;
}

std::vector<std::vector<CopyField>> copied_rows(std::string_view data,
                                                const CopyFormat& format) {
  std::vector<std::vector<CopyField>> rows;
  if (format.has_header) (void)next_copy_row(data, format);
  while (!data.empty()) {
    const bool is_end = !format.is_csv &&
                        (data == "\\.\n" || data == "\\." || data == "\\.\r\n");
    if (is_end) break;
    rows.push_back(next_copy_row(data, format));
  }
  return rows;
}

std::vector<CopiedInsert> inserts_of(
    const CopyCommand& command,
    const std::vector<std::vector<CopyField>>& rows) {
  constexpr std::size_t kMostRows = 1000;
  std::string begin = "INSERT INTO " + command.table;
  for (std::size_t c = 0; c < command.columns.size(); ++c)
    begin += (c == 0 ? " (" : ", ") + command.columns[c];
  begin += command.columns.empty() ? " VALUES " : ") VALUES ";
  std::vector<CopiedInsert> inserts;
  for (const auto& row : rows) {
    if (inserts.empty() || inserts.back().rows == kMostRows)
      inserts.push_back({begin, 0});
    CopiedInsert& insert = inserts.back();
    insert.sql += insert.rows++ == 0 ? "(" : ", (";
    for (std::size_t f = 0; f < row.size(); ++f)
      insert.sql += (f == 0 ? "" : ", ") + literal_of(row[f]);
    insert.sql += ")";
  }
  return inserts;
}

}  // namespace txscope::sql
