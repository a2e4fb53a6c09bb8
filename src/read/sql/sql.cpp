#include "read/sql/sql.h"

#include "read/sql/file_reader.h"

namespace txscope {

Result<sql::Application> read_sql(std::string file, std::string text,
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
