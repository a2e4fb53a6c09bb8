#include "verb/input/log_input.h"

#include <filesystem>
#include <utility>

#include "read/file_kind.h"
#include "read/sql/text/definition.h"

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
    : reader_(std::move(reader)),
      header_(reader_.header()),
      statements_(std::make_unique<sql::LogStatements>(std::move(statements))) {
  input_.header = &header_;
  input_.setup = &statements_->setup();
  input_.read = [this](const std::string& sql) {
    sql::ReadStatement read = statements_->read(sql);
    has_met_definition_ |= read.kind == sql::ReadStatement::Kind::Unsupported &&
                           sql::definition_in(sql);
    return read;
  };
  input_.next = [this] {
    auto transaction = second_ ? second_->next() : reader_.next();
    if (definitions_ && transaction && *transaction)
      definitions_->mark(**transaction);
    return transaction;
  };
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

Result<bool> OpenLog::move_definitions() {
  logs::LogDefinitions definitions(header_);
  if (auto again = input_.again(); !again) return again.error();
  while (true) {
    auto transaction = input_.next();
    if (!transaction) return transaction.error();
    if (!*transaction) break;
    definitions.look(**transaction);
  }
  if (auto again = input_.again(); !again) return again.error();
  if (definitions.empty()) return false;
  sql::LogHeader header = header_;
  header.setup.insert(header.setup.end(), definitions.texts().begin(),
                      definitions.texts().end());
  // What cannot be read there is refused where it stands.
  auto statements = sql::LogStatements::open(input_.file, header);
  if (!statements) return false;
  header_ = std::move(header);
  statements_ = std::make_unique<sql::LogStatements>(std::move(*statements));
  input_.setup = &statements_->setup();
  definitions_ = std::move(definitions);
  return true;
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
