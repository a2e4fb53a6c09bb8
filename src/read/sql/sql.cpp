#include "read/sql/sql.h"

#include "read/sql/file_reader.h"

namespace txscope {

Result<sql::Application> read_sql(std::string file, std::string text,
                                  bool needs_sessions) {
  auto application =
      read_open_sql(std::move(file), std::move(text), needs_sessions);
  if (!application || !application->arbitrary) return application;
  const Span at = *application->arbitrary;
  return Error{application->place(at),
               std::string(application->text(at)) == "?"
                   ? "'?' (any value) cannot be explored"
                   : "'--@ open' (any value) cannot be explored",
               "explore needs concrete values; write a constant",
               std::string(application->line(at))};
}

Result<sql::Application> read_open_sql(std::string file, std::string text,
                                       bool needs_sessions) {
  sql::Application application;
  application.file = std::move(file);
  application.source = std::move(text);
  try {
    sql::check_text(application.file, application.source);
    sql::FileReader(application).read(needs_sessions);
  } catch (sql::Failure& failure) {
    return std::move(failure.error);
  }
  return application;
}

}  // namespace txscope
