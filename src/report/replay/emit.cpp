#include "report/replay/emit.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace txscope {
namespace {

using Planned = StatementSchedule::Step;

constexpr std::pair<std::string_view, ScriptForm> kForms[] = {
    {"sql", ScriptForm::Sql},
    {"psql", ScriptForm::Psql},
    {"isolationtester", ScriptForm::IsolationTester},
    {"pytest", ScriptForm::Pytest}};

/// A statement that is really sent, once: a Wait and its end are one.
struct Sent {
  std::size_t session = 0;
  std::string sql;
  std::string begin;    ///< before it; empty: the transaction is open
  std::string comment;  ///< what it gave
  bool waits = false;
  bool fails = false;
};

std::string begin_of(const Profile& profile) {
  const std::string level = "ISOLATION LEVEL " + std::string(profile.sql);
  return profile.product == Product::PostgreSql
             ? "BEGIN " + level
             : "SET TRANSACTION " + level + "; START TRANSACTION";
}

std::string comment_of(const Planned& step) {
  switch (step.kind) {
    case Planned::Kind::Statement: return "gives " + step.seen;
    case Planned::Kind::Wait: return "waits";
    case Planned::Kind::Error: return "fails with " + step.code;
    case Planned::Kind::Commit:
    case Planned::Kind::Rollback: break;
  }
  return "";
}

/// Of what waits, the end is told where it was sent.
std::vector<Sent> sent_statements(const StatementSchedule& schedule) {
  std::vector<Sent> result;
  std::vector<bool> is_open(schedule.sessions.size(), false);
  std::vector<std::optional<std::size_t>> waiting(schedule.sessions.size());
  for (const Planned& step : schedule.steps) {
    if (step.is_outside) continue;
    if (auto& at = waiting[step.session]) {
      if (step.kind == Planned::Kind::Rollback) continue;
      result[*at].comment += ", then " + comment_of(step);
      result[*at].fails = step.kind == Planned::Kind::Error;
      if (step.kind == Planned::Kind::Commit) is_open[step.session] = false;
      at.reset();
      continue;
    }
    Sent one{step.session,
             step.sql,
             "",
             comment_of(step),
             step.kind == Planned::Kind::Wait,
             step.kind == Planned::Kind::Error};
    if (!is_open[step.session] && step.kind == Planned::Kind::Rollback)
      continue;
    if (!is_open[step.session]) one.begin = begin_of(schedule.profile_of(step));
    is_open[step.session] = step.kind != Planned::Kind::Commit &&
                            step.kind != Planned::Kind::Rollback;
    if (one.waits) waiting[step.session] = result.size();
    result.push_back(std::move(one));
  }
  return result;
}

std::string with_semicolon(std::string sql) {
  while (!sql.empty() &&
         (sql.back() == ';' || sql.back() == '\n' || sql.back() == ' '))
    sql.pop_back();
  return sql + ";";
}

std::string script_title(const StatementSchedule& schedule) {
  return "'" + schedule.name + "' at " + std::string(schedule.profile->name);
}

std::string end_query(const StatementSchedule& schedule) {
  std::string text;
  if (!schedule.condition.empty())
    text +=
        "SELECT (" + schedule.condition + ") AS \"" + schedule.name + "\";\n";
  for (const auto& [table, rows] : schedule.finals)
    text += "SELECT * FROM " + table + ";\n";
  return text;
}

std::string setup_text(const StatementSchedule& schedule) {
  std::string text;
  for (const std::string& one : schedule.setup)
    text += with_semicolon(one) + "\n";
  return text;
}

/// One line per statement, `prefix` says whose it is.
template <class Prefix>
std::string in_order(const StatementSchedule& schedule, const Prefix& prefix) {
  std::string text;
  std::size_t number = 0;
  for (const Sent& one : sent_statements(schedule)) {
    text += prefix(++number, one.session);
    if (!one.begin.empty()) text += with_semicolon(one.begin) + "\n";
    text += with_semicolon(one.sql);
    if (!one.comment.empty()) text += "  -- " + one.comment;
    text += "\n";
  }
  return text;
}

std::string sql_text(const StatementSchedule& schedule) {
  return "-- " + script_title(schedule) + "\n-- setup\n" +
         setup_text(schedule) +
         in_order(schedule,
                  [&](std::size_t number, std::size_t session) {
                    return "\n-- " + std::to_string(number) + ". " +
                           schedule.sessions[session] + "\n";
                  }) +
         "\n-- in the end\n" + end_query(schedule);
}

std::string psql_text(const StatementSchedule& schedule) {
  std::string text = "-- " + script_title(schedule) + "\n-- Open " +
                     std::to_string(schedule.sessions.size()) +
                     " terminals with psql on a scratch database:\n";
  for (std::size_t i = 0; i < schedule.sessions.size(); ++i)
    text += "--   terminal " + std::to_string(i + 1) + " is " +
            schedule.sessions[i] + "\n";
  text +=
      "-- and type the steps in this order.  What waits goes on by itself.\n"
      "\n-- terminal 1, before all\n" +
      setup_text(schedule);
  text += in_order(schedule, [](std::size_t number, std::size_t session) {
    return "\n-- step " + std::to_string(number) + ", terminal " +
           std::to_string(session + 1) + "\n";
  });
  return text + "\n-- terminal 1, in the end\n" + end_query(schedule);
}

/// Names of steps and sessions are in quotes there.
std::string tester_name(const std::string& name) {
  std::string text;
  for (const char c : name)
    if (c != '"') text += c;
  return text;
}

std::string tester_text(const StatementSchedule& schedule) {
  const std::string there = "SET search_path = txscope_replay;\n";
  std::string text =
      "# " + script_title(schedule) +
      "\n\nsetup\n{\nCREATE SCHEMA txscope_replay;\n" + there +
      setup_text(schedule) +
      "}\n\nteardown\n{\nDROP SCHEMA txscope_replay CASCADE;\n}\n";
  const std::vector<Sent> sent = sent_statements(schedule);
  std::string order;
  std::vector<std::string> steps(schedule.sessions.size());
  std::vector<std::size_t> counts(schedule.sessions.size(), 0);
  const auto add = [&](std::size_t session, const std::string& sql) {
    const std::string name = tester_name(schedule.sessions[session]) +
                             std::to_string(++counts[session]);
    steps[session] += "step \"" + name + "\" { " + with_semicolon(sql) + " }\n";
    order += " \"" + name + "\"";
  };
  for (const Sent& one : sent) {
    if (!one.begin.empty()) add(one.session, one.begin);
    add(one.session, one.sql);
  }
  for (std::size_t i = 0; i < steps.size(); ++i)
    text += "\nsession \"" + tester_name(schedule.sessions[i]) +
            "\"\nsetup { " + there.substr(0, there.size() - 1) + " }\n" +
            steps[i];
  text += "\nsession \"end\"\nsetup { " + there.substr(0, there.size() - 1) +
          " }\n";
  std::size_t number = 0;
  const auto look = [&](const std::string& sql) {
    const std::string name = "end" + std::to_string(++number);
    text += "step \"" + name + "\" { " + sql + " }\n";
    order += " \"" + name + "\"";
  };
  if (!schedule.condition.empty()) look("SELECT (" + schedule.condition + ");");
  for (const auto& [table, rows] : schedule.finals)
    look("SELECT * FROM " + table + ";");
  return text + "\npermutation" + order + "\n";
}

std::string python_text(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n')
      result += "\\n";
    else
      result += c;
  }
  return result + "\"";
}

std::string python_rows(const StatementSchedule::Rows& rows) {
  std::string text = "[";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    text += i > 0 ? ", (" : "(";
    for (const auto& cell : rows[i])
      text += (cell ? python_text(*cell) : "None") + ", ";
    text += ")";
  }
  return text + "]";
}

constexpr const char* kPytestHead = R"py(
import os
import queue
import threading

import psycopg
import pytest

# A database to test in; all happens in a schema of its own.
URL = os.environ.get("TEST_DATABASE_URL", "")
SCHEMA = "txscope_replay"


def connect():
    return psycopg.connect(URL, autocommit=True, options="-c search_path=" + SCHEMA)


class Session(threading.Thread):
    """One connection; what it is told runs in order."""

    def __init__(self):
        super().__init__(daemon=True)
        self.todo, self.done, self.owed = queue.Queue(), queue.Queue(), []
        self.connection = connect()
        self.start()

    def run(self):
        for sql in iter(self.todo.get, None):
            try:
                self.connection.execute(sql)
                self.done.put(None)
            except psycopg.Error as error:
                self.done.put(error)

    def tell(self, sql, fails):
        self.todo.put(sql)
        self.owed.append(fails)

    def settle(self, seconds):
        """Takes the answers; what is not there by then waits for a lock."""
        while self.owed:
            try:
                error = self.done.get(timeout=seconds)
            except queue.Empty:
                return
            fails = self.owed.pop(0)
            if error is not None and not fails:
                raise error


def rows_of(connection, table):
    columns = connection.execute("SELECT * FROM " + table)
    return sorted(tuple(None if cell is None else as_text(cell) for cell in row)
                  for row in columns)


def as_text(cell):
    return ("t" if cell else "f") if isinstance(cell, bool) else str(cell)

)py";

constexpr const char* kPytestBody = R"py(

@pytest.mark.skipif(not URL, reason="TEST_DATABASE_URL names no database")
def test_the_schedule_does_not_go_through():
    with connect() as control:
        control.execute("DROP SCHEMA IF EXISTS " + SCHEMA + " CASCADE")
        control.execute("CREATE SCHEMA " + SCHEMA)
        for sql in SETUP:
            control.execute(sql)
        sessions = [Session() for _ in range(SESSIONS)]
        try:
            for session, sql, fails in STEPS:
                sessions[session].tell(sql, fails)
                sessions[session].settle(0.3)
            for session in sessions:
                session.settle(5)
        except psycopg.Error:
            return  # the database refused it
        finally:
            for session in sessions:
                session.connection.close()
)py";

std::string pytest_text(const StatementSchedule& schedule) {
  std::string text = "\"\"\"" + script_title(schedule) +
                     ": fails as long as this order of statements goes "
                     "through.\"\"\"\n" +
                     kPytestHead + "SETUP = [\n";
  for (const std::string& one : schedule.setup)
    text += "    " + python_text(one) + ",\n";
  text += "]\nSESSIONS = " + std::to_string(schedule.sessions.size()) +
          "\nSTEPS = [\n";
  for (const Sent& one : sent_statements(schedule)) {
    const std::string session = "    (" + std::to_string(one.session) + ", ";
    if (!one.begin.empty())
      text += session + python_text(one.begin) + ", False),\n";
    text += session + python_text(one.sql) +
            (one.fails ? ", True),\n" : ", False),\n");
  }
  text += "]\n";
  text += kPytestBody;
  if (!schedule.condition.empty()) {
    text += "        query = " +
            python_text("SELECT (" + schedule.condition + ")") +
            "\n        assert control.execute(query).fetchone()[0] is True\n";
    return text;
  }
  text += "        found = {\n";
  for (const auto& [table, rows] : schedule.finals)
    text += "            " + python_text(table) + ": sorted(" +
            python_rows(rows) + "),\n";
  return text +
         "        }\n"
         "        assert {table: rows_of(control, table) for table in found} "
         "!= found\n";
}

}  // namespace

std::optional<ScriptForm> parse_script_form(std::string_view name) {
  for (const auto& [text, form] : kForms)
    if (text == name) return form;
  return std::nullopt;
}

Result<std::string> emitted(const StatementSchedule& schedule,
                            ScriptForm form) {
  if (form != ScriptForm::Sql &&
      schedule.profile->product != Product::PostgreSql)
    return Error{{},
                 "this form runs on PostgreSQL only, not at " +
                     std::string(schedule.profile->name),
                 "say --emit sql, or --level postgresql:read-committed",
                 "",
                 0};
  switch (form) {
    case ScriptForm::Sql: return sql_text(schedule);
    case ScriptForm::Psql: return psql_text(schedule);
    case ScriptForm::IsolationTester: return tester_text(schedule);
    case ScriptForm::Pytest: return pytest_text(schedule);
  }
  return std::string();
}

}  // namespace txscope
