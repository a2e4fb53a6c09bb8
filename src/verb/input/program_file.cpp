#include "verb/input/program_file.h"

#include <filesystem>

#include "base/ascii.h"
#include "read/file_kind.h"
#include "read/input.h"
#include "read/sql/text/mysql_text.h"
#include "read/txn/txn.h"
#include "verb/input/wrong_call.h"

namespace txscope::verb {
namespace {

constexpr std::size_t kLargest = 1u << 26;  // bytes of a program

}  // namespace

Result<std::string> read_text(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return Error{Place{path, 0, 0, {}}, "this is a directory",
                 "name a file; a file with the lines \\ir a.sql, \\ir b.sql "
                 "combines several",
                 ""};
  }
  auto input = read::Input::open(path);
  if (!input) return input.error();
  std::string text;
  do {
    text += input->window();
    input->consume(input->window().size());
    if (text.size() > kLargest) {
      return Error{Place{path, 0, 0, {}}, "the program is larger than 64 MB",
                   "", ""};
    }
  } while (input->more());
  if (input->error()) return *input->error();
  if (auto other = misplaced(path, text, read::FileKind::Program))
    return *std::move(other);
  return text;
}

Result<std::string> text_of(const std::string& path,
                            const std::optional<std::string>& text) {
  if (text) return *text;
  return read_text(path);
}

Result<std::string> in_dialect(const std::string& path, std::string text,
                               const std::string& dialect) {
  if (!is_sql(path, text))
    return wrong_call("--dialect is for SQL", "leave it out for " + path);
  const auto wanted = sql::dialect_named(dialect);
  if (!wanted)
    return wrong_call("there is no dialect '" + dialect + "'",
                      "postgresql, mysql or mariadb");
  if (const auto said = sql::said_dialect(text)) {
    if (said->dialect == wanted) return text;
    return wrong_call(
        "the text names a dialect other than --dialect " + dialect,
        "it has a line --@ dialect: ...");
  }
  // Without a line more than the file has.
  const bool is_in_line = !text.empty() && text.back() != '\n';
  return text + (is_in_line ? "\n" : "") + "--@ dialect: " + dialect;
}

// `.txn` has no comment with dashes and no such words.
bool is_sql(const std::string& path, std::string_view text) {
  if (path.ends_with(".sql")) return true;
  if (path.ends_with(".txn")) return false;
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return false;
  text.remove_prefix(begin);
  std::string start = ascii::lower(text.substr(0, 6));
  for (const std::string_view word :
       {"--", "/*", "create", "insert", "begin;", "drop t"}) {
    if (start.starts_with(word)) return true;
  }
  return false;
}

Result<Program> read_program(const std::string& path, std::string text) {
  auto program = read::read_txn(path, std::move(text));
  const std::size_t dot = path.rfind('.');
  if (program || dot == std::string::npos || path.ends_with(".txn") ||
      path.find('/', dot) != std::string::npos) {
    return program;
  }
  Error error = program.error();
  error.hint =
      "a file named *" + path.substr(dot) +
      " is read as a .txn program; an application in SQL is named *.sql" +
      (error.hint.empty() ? "" : "; " + error.hint);
  return error;
}

}  // namespace txscope::verb
