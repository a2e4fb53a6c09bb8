#include "verb/input/log_input.h"

#include <filesystem>
#include <utility>

#include "read/file_kind.h"

namespace txscope::verb {
namespace {

Result<logs::LogReader> open_reader(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_fifo(path, ignored))
    return Error{Place{path, 0, 0, {}}, "a log cannot be read from a pipe",
                 "audit may have to read it twice", ""};
  if (std::filesystem::is_directory(path, ignored))
    return Error{Place{path, 0, 0, {}}, "this is a directory",
                 "name a log, one file", ""};
  auto input = read::Input::open(path);
  if (!input) return input.error();
  if (auto other = misplaced(path, input->head(), read::FileKind::Log))
    return *std::move(other);
  return logs::LogReader::open(std::move(*input));
}

}  // namespace

OpenLog::OpenLog(logs::LogReader reader, sql::LogStatements statements,
                 std::string path)
    : reader_(std::move(reader)), statements_(std::move(statements)) {
  input_.header = &reader_.header();
  input_.setup = &statements_.setup();
  input_.read = [this](const std::string& sql) {
    return statements_.read(sql);
  };
  input_.next = [this] { return second_ ? second_->next() : reader_.next(); };
  input_.again = [this, path]() -> Result<Done> {
    auto opened = open_reader(path);
    if (!opened) return opened.error();
    second_.emplace(std::move(*opened));
    return Done{};
  };
  input_.digest = [this] {
    return second_ ? second_->digest() : reader_.digest();
  };
  input_.file = std::move(path);
}

Result<std::unique_ptr<OpenLog>> OpenLog::open(const std::string& path) {
  return of(path, open_reader(path));
}

Result<std::unique_ptr<OpenLog>> OpenLog::follow(
    const std::string& path, std::function<bool()> is_over) {
  auto input = read::Input::follow(path, std::move(is_over));
  if (!input) return input.error();
  return of(path, logs::LogReader::open(std::move(*input)));
}

Result<std::unique_ptr<OpenLog>> OpenLog::of(const std::string& path,
                                             Result<logs::LogReader> reader) {
  if (!reader) return reader.error();
  auto statements = sql::LogStatements::open(path, reader->header());
  if (!statements) return statements.error();
  return std::unique_ptr<OpenLog>(
      new OpenLog(std::move(*reader), std::move(*statements), path));
}

bool OpenLog::is_cut() const {
  return second_ ? second_->is_cut() : reader_.is_cut();
}

bool is_log(const std::string& path) {
  if (path == "-" || !std::filesystem::is_regular_file(path)) return false;
  auto input = read::Input::open(path);
  return input && read::says_it_is(input->head(), "log");
}

}  // namespace txscope::verb
