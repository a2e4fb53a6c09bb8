#include "model/workload.h"

#include "model/program.h"
#include "model/sql/application.h"

namespace txscope {
namespace {

/// begin t1: transfer(1, 20)
std::string begin_text(const Program& program, const Call& call) {
  const Transaction& transaction = program.at(call.transaction);
  std::string text = "begin " + call.label;
  if (transaction.name == call.label && transaction.parameters == 0) {
    return text;
  }
  text += ": " + transaction.name + "(";
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    if (i > 0) text += ", ";
    const auto* number = std::get_if<std::int64_t>(&call.arguments[i]);
    text += number != nullptr ? std::to_string(*number) : "?";
  }
  return text + ")";
}

/// Of a script only BEGIN, its statements follow anyway.
std::string begin_text(const sql::Application& application,
                       const sql::Call& call) {
  const std::string text = call_text(application, call);
  const bool is_script = text.size() >= 5 && (text[0] == 'B' || text[0] == 'b');
  return is_script ? "BEGIN" : text;
}

template <class Source>
void copy_sessions(const Source& source, Workload& out) {
  out.file = source.file;
  out.source = source.source;
  if constexpr (requires { source.origin; }) out.origin = source.origin;
  for (const auto& session : source.sessions) {
    Workload::Session copy{session.name, {}, session.at};
    for (const auto& call : session.calls) {
      copy.calls.push_back({call.label, begin_text(source, call), call.at});
    }
    out.sessions.push_back(std::move(copy));
  }
}

}  // namespace

std::string call_text(const sql::Application& application,
                      const sql::Call& call) {
  if (!call.is_made) {
    std::string text = one_line(application.text(call.at));
    while (text.ends_with(';')) text.pop_back();
    return text;
  }
  const sql::Routine& routine = application.at(call.routine);
  std::string text;
  for (std::size_t i = 0; i < call.settings.size(); ++i)
    if (!call.settings[i].is_null())
      text += "SET " + application.settings[i] + " = " +
              to_literal(call.settings[i]) + "; ";
  text += (routine.is_function ? "SELECT " : "CALL ") + routine.name + "(";
  for (std::size_t i = 0; i < call.arguments.size(); ++i)
    text += (i > 0 ? ", " : "") + to_literal(call.arguments[i]);
  return text + ")";
}

std::string_view name(PropertyKind kind) {
  switch (kind) {
    case PropertyKind::Invariant: return "invariant";
    case PropertyKind::Assert: return "assert";
    case PropertyKind::Exists: return "exists";
  }
  return "";
}

std::string_view line_at(std::string_view all, Span span) {
  if (span.offset > all.size()) return {};
  const std::size_t before = span.offset == 0
                                 ? std::string_view::npos
                                 : all.rfind('\n', span.offset - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  std::size_t end = all.find('\n', span.offset);
  if (end == std::string_view::npos) end = all.size();
  if (end > begin && all[end - 1] == '\r') --end;
  return all.substr(begin, end - begin);
}

std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool is_space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!is_space) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

std::size_t Workload::call_count() const {
  std::size_t count = 0;
  for (const Session& session : sessions) count += session.calls.size();
  return count;
}

std::vector<CallRef> Workload::calls() const {
  std::vector<CallRef> all;
  for (std::uint32_t s = 0; s < sessions.size(); ++s) {
    for (std::uint32_t c = 0; c < sessions[s].calls.size(); ++c) {
      all.push_back({s, c});
    }
  }
  return all;
}

Workload workload_of(const Program& program) {
  Workload out;
  out.language = Workload::Language::Txn;
  copy_sessions(program, out);
  out.properties = program.properties;
  return out;
}

namespace sql {

Workload workload_of(const Application& application) {
  Workload out;
  out.language = Workload::Language::Sql;
  copy_sessions(application, out);
  for (const Property& property : application.properties) {
    out.properties.push_back({property.kind, property.name, property.at});
  }
  for (const Table& table : application.schema.tables) {
    Workload::Table& copy = out.tables.emplace_back();
    copy.name = table.name;
    for (const Column& column : table.columns)
      copy.columns.push_back(column.name);
  }
  return out;
}

}  // namespace sql
}  // namespace txscope
