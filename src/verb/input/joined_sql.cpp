#include "verb/input/joined_sql.h"

#include <filesystem>
#include <fstream>
#include <set>

#include "read/sql/folder.h"
#include "verb/input/program_file.h"

namespace txscope::verb {

namespace {

namespace fs = std::filesystem;

/// The files that a script includes with \i or \ir, where they exist: as psql
/// finds them, or in a folder above the script.
std::vector<fs::path> included_by(const std::string& file) {
  std::vector<fs::path> found;
  std::ifstream in(file);
  std::error_code none;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("\\i", 0) != 0) continue;
    std::size_t from = line.find_first_of(" \t");
    if (from == std::string::npos || line.compare(0, 3, "\\if") == 0) continue;
    from = line.find_first_not_of(" \t'", from);
    if (from == std::string::npos) continue;
    const std::string name =
        line.substr(from, line.find_first_of(" \t\r'", from) - from);
    if (fs::exists(name, none)) found.emplace_back(name);
    fs::path folder = fs::absolute(file, none).parent_path();
    for (int up = 0; up < 6; ++up, folder = folder.parent_path())
      if (fs::exists(folder / name, none)) {
        found.push_back(folder / name);
        break;
      }
  }
  return found;
}

/// Scripts that others of them include come with these.
void leave_to_others(std::vector<std::string>& files) {
  std::set<fs::path> included;
  std::error_code none;
  for (const std::string& file : files)
    for (const fs::path& other : included_by(file))
      if (const fs::path path = fs::canonical(other, none);
          path != fs::canonical(file, none))
        included.insert(path);
  std::erase_if(files, [&](const std::string& file) {
    return included.count(fs::canonical(file, none)) == 1;
  });
}

}  // namespace

Result<JoinedSql> joined_sql(const std::vector<std::string>& inputs) {
  std::vector<std::string> files;
  for (const std::string& input : inputs) {
    auto found = sql::sql_files(input);
    if (!found) return found.error();
    files.insert(files.end(), found->begin(), found->end());
  }
  if (files.size() > 1) leave_to_others(files);
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
