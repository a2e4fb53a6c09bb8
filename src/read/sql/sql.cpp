#include "read/sql/sql.h"

#include "read/sql/file_reader.h"

namespace txscope {

Result<sql::Application> read_sql(std::string file, std::string text,
                                  std::vector<Error>* others) {
  sql::Application application;
  application.file = std::move(file);
  application.source = std::move(text);
  try {
    sql::check_text(application.file, application.source);
    sql::FileReader reader(application);
    reader.read();
    std::vector<Error>& errors = reader.errors();
    if (errors.empty()) return application;
    if (others != nullptr) others->assign(errors.begin() + 1, errors.end());
    return std::move(errors.front());
  } catch (sql::Failure& failure) {
    return std::move(failure.error);
  }
}

}  // namespace txscope
