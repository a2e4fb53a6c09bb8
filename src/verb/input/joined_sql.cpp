#include "verb/input/joined_sql.h"

#include <filesystem>

#include "read/sql/folder.h"
#include "verb/input/program_file.h"

namespace txscope::verb {

Result<JoinedSql> joined_sql(const std::vector<std::string>& inputs) {
  std::vector<std::string> files;
  for (const std::string& input : inputs) {
    auto found = sql_files(input);
    if (!found) return found.error();
    files.insert(files.end(), found->begin(), found->end());
  }
  if (files.size() == 1) {
    auto text = read_text(files.front());
    if (!text) return text.error();
    return JoinedSql{files.front(), std::move(*text)};
  }
  JoinedSql script;
  script.name = inputs.front();
  for (const std::string& file : files)
    script.text += "\\i '" +
                   std::filesystem::absolute(file).lexically_normal().string() +
                   "'\n";
  return script;
}

}  // namespace txscope::verb
