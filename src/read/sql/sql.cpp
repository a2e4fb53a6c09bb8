#include "read/sql/sql.h"

#include <algorithm>

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
    // What several sessions need is said once.
    for (std::size_t i = 0; i < errors.size(); ++i) {
      const auto is_again = [&](const Error& e) {
        return e.where == errors[i].where && e.what == errors[i].what;
      };
      errors.erase(
          std::remove_if(errors.begin() + static_cast<std::ptrdiff_t>(i + 1),
                         errors.end(), is_again),
          errors.end());
    }
    if (others != nullptr) others->assign(errors.begin() + 1, errors.end());
    return std::move(errors.front());
  } catch (sql::Failure& failure) {
    return std::move(failure.error);
  }
}

}  // namespace txscope
