#include "db/record/write_log.h"

#include <functional>

#include "db/record/json_text.h"
#include "db/record/passwords.h"

namespace txscope::db {
namespace {

void append_field(std::string& out, std::string_view name) {
  if (out.back() != '{') out += ',';
  out += '"';
  out += name;
  out += "\":";
}

void append_text_field(std::string& out, std::string_view name,
                       std::string_view text) {
  append_field(out, name);
  append_json_text(out, text);
}

void append_number_field(std::string& out, std::string_view name,
                         std::int64_t number) {
  append_field(out, name);
  out += std::to_string(number);
}

template <class List, class Write>
void append_list_field(std::string& out, std::string_view name,
                       const List& list, const Write& write) {
  append_field(out, name);
  out += '[';
  bool is_first = true;
  for (const auto& one : list) {
    if (!is_first) out += ',';
    is_first = false;
    write(one);
  }
  out += ']';
}

void append_text_list(std::string& out, std::string_view name,
                      const std::vector<std::string>& texts) {
  append_list_field(out, name, texts, [&](const std::string& text) {
    append_json_text(out, without_passwords(text).value_or(text));
  });
}

void append_type(std::string& out, ColumnType type) {
  const std::string_view name = log_name(type);
  if (name.empty())
    out += "null";
  else
    append_json_text(out, name);
}

/// `types`, only if JSON does not tell one of them.
template <class List>
void append_types(std::string& out, std::string_view name, const List& list) {
  bool is_needed = false;
  for (const auto& one : list) is_needed |= !log_name(one.type).empty();
  if (!is_needed) return;
  append_list_field(out, name, list,
                    [&](const auto& one) { append_type(out, one.type); });
}

void append_rows(std::string& out, const std::vector<Column>& columns,
                 const std::vector<std::vector<Cell>>& rows) {
  out += '[';
  for (std::size_t r = 0; r < rows.size(); ++r) {
    out += r > 0 ? ",[" : "[";
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      if (c > 0) out += ',';
      append_json_cell(out, rows[r][c], columns[c].type);
    }
    out += ']';
  }
  out += ']';
}

void append_error(std::string& out, const Answer& answer) {
  append_field(out, "error");
  out += '{';
  if (!answer.sqlstate.empty())
    append_text_field(out, "sqlstate", answer.sqlstate);
  if (answer.number != 0) append_number_field(out, "code", answer.number);
  append_text_field(out, "message", answer.message);
  out += '}';
}

void append_statement(std::string& out, const LoggedStatement& statement) {
  out += '{';
  const auto hidden = without_passwords(statement.sql);
  append_text_field(out, "sql", hidden ? *hidden : statement.sql);
  if (!statement.params.empty()) {
    append_list_field(out, "params", statement.params,
                      [&](const LoggedValue& one) {
                        append_json_cell(out, one.value, one.type);
                      });
    append_types(out, "param_types", statement.params);
  }
  if (!statement.opaque.empty())
    append_text_field(out, "opaque", statement.opaque);
  append_number_field(out, "start", statement.start);
  append_number_field(out, "end", statement.end);
  const Answer& answer = statement.answer;
  if (!answer.is_ok()) {
    // A message may quote what it complains about.
    Answer told = answer;
    if (hidden) told.message = "hidden";
    append_error(out, told);
    out += '}';
    return;
  }
  if (statement.has_count)
    append_number_field(out, "count", static_cast<std::int64_t>(answer.count));
  if (statement.has_rows) {
    append_list_field(out, "columns", answer.columns,
                      [&](const Column& c) { append_json_text(out, c.name); });
    append_types(out, "types", answer.columns);
    append_field(out, "rows");
    append_rows(out, answer.columns, answer.rows);
  }
  out += '}';
}

std::string_view status_name(LoggedTransaction::Status status) {
  switch (status) {
    case LoggedTransaction::Status::Committed: return "committed";
    case LoggedTransaction::Status::Aborted: return "aborted";
    case LoggedTransaction::Status::Unknown: return "unknown";
  }
  return "";
}

std::string line_start(const LoggedTransaction& transaction) {
  std::string out = "{";
  append_number_field(out, "session",
                      static_cast<std::int64_t>(transaction.session));
  append_text_field(out, "id", transaction.id);
  append_text_field(out, "status", status_name(transaction.status));
  append_number_field(out, "start", transaction.start);
  if (transaction.status != LoggedTransaction::Status::Unknown)
    append_number_field(out, "end", transaction.end);
  return out;
}

void append_operation(std::string& out, const LoggedOperation& operation) {
  using Kind = LoggedOperation::Kind;
  constexpr const char* kNames[] = {"r", "w", "append", "rl"};
  out += "[\"";
  out += kNames[static_cast<std::size_t>(operation.kind)];
  out += "\"," + std::to_string(operation.key) + ",";
  if (operation.kind == Kind::ReadList) {
    out += '[';
    for (std::size_t i = 0; i < operation.list.size(); ++i)
      out += (i > 0 ? "," : "") + std::to_string(operation.list[i]);
    out += ']';
  } else {
    out += operation.value ? std::to_string(*operation.value) : "null";
  }
  out += ']';
}

void append_initial(std::string& out, const LogHeader& header) {
  append_field(out, "initial");
  out += '{';
  for (const LogHeader::Table& table : header.initial) {
    if (out.back() != '{') out += ',';
    append_json_text(out, table.name);
    out += ':';
    append_rows(out, table.columns, table.rows);
  }
  out += '}';
}

}  // namespace

std::string header_line(const LogHeader& header) {
  std::string out = "{";
  if (header.is_history) {
    append_text_field(out, "txscope", "history");
    append_number_field(out, "version", 1);
    append_text_field(out, "model", header.has_lists ? "list" : "register");
    return out + "}\n";
  }
  append_text_field(out, "txscope", "log");
  append_number_field(out, "version", 1);
  append_text_field(out, "database", header.database);
  append_text_field(out, "dialect", header.dialect);
  append_text_field(out, "level", header.level);
  if (!header.settings.empty()) {
    append_field(out, "settings");
    out += '{';
    for (const auto& [name, value] : header.settings) {
      if (out.back() != '{') out += ',';
      append_json_text(out, name);
      out += ':';
      append_json_text(out, value);
    }
    out += '}';
  }
  if (!header.schema.empty() || !header.initial.empty()) {
    append_text_list(out, "schema", header.schema);
    append_initial(out, header);
  } else {
    append_text_list(out, "setup", header.setup);
  }
  return out + "}\n";
}

std::string log_line(const LoggedTransaction& transaction) {
  std::string out = line_start(transaction);
  if (transaction.commit)
    append_number_field(out, "commit", *transaction.commit);
  if (!transaction.level.empty())
    append_text_field(out, "level", transaction.level);
  if (transaction.error) append_error(out, *transaction.error);
  append_list_field(out, "statements", transaction.statements,
                    [&](const LoggedStatement& statement) {
                      append_statement(out, statement);
                    });
  return out + "}\n";
}

std::string history_line(const LoggedTransaction& transaction) {
  std::string out = line_start(transaction);
  append_list_field(out, "ops", transaction.operations,
                    [&](const LoggedOperation& operation) {
                      append_operation(out, operation);
                    });
  return out + "}\n";
}

}  // namespace txscope::db
