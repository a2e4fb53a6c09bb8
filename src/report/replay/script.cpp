#include "report/replay/script.h"

namespace txscope::report {
namespace {

constexpr std::pair<std::string_view, ScriptForm> kForms[] = {
    {"sql", ScriptForm::Sql},
    {"psql", ScriptForm::Psql},
    {"isolationtester", ScriptForm::IsolationTester},
    {"pytest", ScriptForm::Pytest}};

std::string with_semicolon(std::string sql) {
  while (!sql.empty() &&
         (sql.back() == ';' || sql.back() == '\n' || sql.back() == ' '))
    sql.pop_back();
  return sql + ";";
}

std::string end_query(const SentScript& script) {
  std::string text;
  if (!script.condition.empty())
    text += "SELECT (" + script.condition + ") AS \"" + script.condition_name +
            "\";\n";
  for (const auto& [table, rows] : script.finals)
    text += "SELECT * FROM " + table + ";\n";
  return text;
}

std::string setup_text(const SentScript& script) {
  std::string text;
  for (const std::string& one : script.setup)
    text += with_semicolon(one) + "\n";
  return text;
}

/// One line per statement, `prefix` says whose it is.
template <class Prefix>
std::string in_order(const SentScript& script, const Prefix& prefix) {
  std::string text;
  std::size_t number = 0;
  for (const SentScript::Sent& one : script.sent) {
    text += prefix(++number, one.session);
    if (!one.begin.empty()) text += with_semicolon(one.begin) + "\n";
    text += with_semicolon(one.sql);
    if (!one.comment.empty()) text += "  -- " + one.comment;
    text += "\n";
  }
  return text;
}

std::string sql_text(const SentScript& script) {
  return "-- " + script.title + "\n-- setup\n" + setup_text(script) +
         in_order(script,
                  [&](std::size_t number, std::size_t session) {
                    return "\n-- " + std::to_string(number) + ". " +
                           script.sessions[session] + "\n";
                  }) +
         "\n-- in the end\n" + end_query(script);
}

std::string psql_text(const SentScript& script) {
  std::string text = "-- " + script.title + "\n-- Open " +
                     std::to_string(script.sessions.size()) +
                     " terminals with psql on a scratch database:\n";
  for (std::size_t i = 0; i < script.sessions.size(); ++i)
    text += "--   terminal " + std::to_string(i + 1) + " is " +
            script.sessions[i] + "\n";
  text +=
      "-- and type the steps in this order.  What waits goes on by itself.\n"
      "\n-- terminal 1, before all\n" +
      setup_text(script);
  text += in_order(script, [](std::size_t number, std::size_t session) {
    return "\n-- step " + std::to_string(number) + ", terminal " +
           std::to_string(session + 1) + "\n";
  });
  return text + "\n-- terminal 1, in the end\n" + end_query(script);
}

/// Names of steps and sessions are in quotes there.
std::string tester_name(const std::string& name) {
  std::string text;
  for (const char c : name)
    if (c != '"') text += c;
  return text;
}

std::string tester_text(const SentScript& script) {
  const std::string there = "SET search_path = txscope_replay;\n";
  std::string text =
      "# " + script.title + "\n\nsetup\n{\nCREATE SCHEMA txscope_replay;\n" +
      there + setup_text(script) +
      "}\n\nteardown\n{\nDROP SCHEMA txscope_replay CASCADE;\n}\n";
  std::string order;
  std::vector<std::string> steps(script.sessions.size());
  std::vector<std::size_t> counts(script.sessions.size(), 0);
  const auto add = [&](std::size_t session, const std::string& sql) {
    const std::string name = tester_name(script.sessions[session]) +
                             std::to_string(++counts[session]);
    steps[session] += "step \"" + name + "\" { " + with_semicolon(sql) + " }\n";
    order += " \"" + name + "\"";
  };
  for (const SentScript::Sent& one : script.sent) {
    if (!one.begin.empty()) add(one.session, one.begin);
    add(one.session, one.sql);
  }
  for (std::size_t i = 0; i < steps.size(); ++i)
    text += "\nsession \"" + tester_name(script.sessions[i]) + "\"\nsetup { " +
            there.substr(0, there.size() - 1) + " }\n" + steps[i];
  text += "\nsession \"end\"\nsetup { " + there.substr(0, there.size() - 1) +
          " }\n";
  std::size_t number = 0;
  const auto look = [&](const std::string& sql) {
    const std::string name = "end" + std::to_string(++number);
    text += "step \"" + name + "\" { " + sql + " }\n";
    order += " \"" + name + "\"";
  };
  if (!script.condition.empty()) look("SELECT (" + script.condition + ");");
  for (const auto& [table, rows] : script.finals)
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

std::string python_rows(const SentScript::Rows& rows) {
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

std::string pytest_text(const SentScript& script) {
  std::string text = "\"\"\"" + script.title +
                     ": fails as long as this order of statements goes "
                     "through.\"\"\"\n" +
                     kPytestHead + "SETUP = [\n";
  for (const std::string& one : script.setup)
    text += "    " + python_text(one) + ",\n";
  text += "]\nSESSIONS = " + std::to_string(script.sessions.size()) +
          "\nSTEPS = [\n";
  for (const SentScript::Sent& one : script.sent) {
    const std::string session = "    (" + std::to_string(one.session) + ", ";
    if (!one.begin.empty())
      text += session + python_text(one.begin) + ", False),\n";
    text += session + python_text(one.sql) +
            (one.fails ? ", True),\n" : ", False),\n");
  }
  text += "]\n";
  text += kPytestBody;
  if (!script.condition.empty()) {
    text +=
        "        query = " + python_text("SELECT (" + script.condition + ")") +
        "\n        assert control.execute(query).fetchone()[0] is True\n";
    return text;
  }
  text += "        found = {\n";
  for (const auto& [table, rows] : script.finals)
    text += "            " + python_text(table) + ": sorted(" +
            python_rows(rows) + "),\n";
  return text +
         "        }\n"
         "        assert {table: rows_of(control, table) for table in found} "
         "!= found\n";
}

}  // namespace

Result<ScriptForm> parse_script_form(std::string_view name) {
  for (const auto& [text, form] : kForms)
    if (text == name) return form;
  return Error{Place{"txscope", 0, 0, {}},
               "--emit: there is no '" + std::string(name) + "'",
               "sql, psql, isolationtester or pytest", "", 0};
}

std::string written(const SentScript& script, ScriptForm form) {
  switch (form) {
    case ScriptForm::Sql: return sql_text(script);
    case ScriptForm::Psql: return psql_text(script);
    case ScriptForm::IsolationTester: return tester_text(script);
    case ScriptForm::Pytest: return pytest_text(script);
  }
  return "";
}

}  // namespace txscope::report
