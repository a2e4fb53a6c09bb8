#include "exec/sql/routine/ready_application.h"

#include <utility>
#include <variant>

namespace txscope::sql {

Result<std::unique_ptr<const ReadyApplication>> ReadyApplication::make(
    const Application& application, std::uint64_t loop_bound,
    const Budget& budget) {
  std::unique_ptr<ReadyApplication> ready(
      new ReadyApplication(application, loop_bound));
  auto after = MemoryDatabase::after_setup(ready->routines_, budget);
  if (const auto* failure = std::get_if<SqlError>(&after)) {
    Error error;
    error.where = application.place(failure->at);
    error.what = "the setup fails: " + failure->message;
    error.hint = "SQLSTATE " + failure->sqlstate;
    error.source_line = std::string(application.line(failure->at));
    return error;
  }
  auto* database = std::get_if<MemoryDatabase>(&after);
  if (database == nullptr) return std::unique_ptr<const ReadyApplication>();
  ready->initial_ = std::make_unique<MemoryDatabase>(std::move(*database));
  return std::unique_ptr<const ReadyApplication>(std::move(ready));
}

}  // namespace txscope::sql
