#include "read/sql/folder.h"

#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "base/ascii.h"

namespace txscope::sql {
namespace {

namespace fs = std::filesystem;

bool has_word(const std::string& name,
              std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(), [&](const char* word) {
    return name.find(word) != std::string::npos;
  });
}

/// Takes a version back.
bool is_undo(const fs::path& path) {
  const std::string name = ascii::lower(path.filename().string());
  if (name == "down.sql" || name == "rollback.sql") return true;
  for (const std::string_view end :
       {".down.sql", "_down.sql", "-down.sql", ".undo.sql", ".rollback.sql",
        "_rollback.sql"})
    if (name.ends_with(end)) return true;
  if (name.size() > 3 && name[0] == 'u' && ascii::is_digit(name[1]) &&
      name.find("__") != std::string::npos)
    return true;
  for (const fs::path& part : path.parent_path())
    if (ascii::lower(part.string()) == "down") return true;
  return false;
}

enum class Rank { Schema, Version, Other, Data, Last };

Rank rank_of(const std::string& path) {
  const std::string name = ascii::lower(fs::path(path).filename().string());
  if (name.rfind("r__", 0) == 0) return Rank::Last;
  const bool is_version =
      (!name.empty() && ascii::is_digit(name[0])) ||
      (name.size() > 1 && name[0] == 'v' && ascii::is_digit(name[1]));
  if (is_version) return Rank::Version;
  if (has_word(name, {"schema", "structure", "init", "tables", "ddl"}))
    return Rank::Schema;
  if (has_word(name, {"seed", "data", "fixture", "insert"})) return Rank::Data;
  return Rank::Other;
}

/// Digits count as numbers: V2 before V10.
bool natural_less(std::string_view a, std::string_view b) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (ascii::is_digit(a[i]) && ascii::is_digit(b[j])) {
      const auto number = [](std::string_view text, std::size_t& at) {
        while (at < text.size() && text[at] == '0') ++at;
        const std::size_t begin = at;
        while (at < text.size() && ascii::is_digit(text[at])) ++at;
        return text.substr(begin, at - begin);
      };
      const std::string_view x = number(a, i);
      const std::string_view y = number(b, j);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
      continue;
    }
    if (a[i] != b[j]) return a[i] < b[j];
    ++i;
    ++j;
  }
  return a.size() - i < b.size() - j;
}

/// The folder of a Sqitch project that `path` is below, if it is one: its plan
/// says what there is and in which order.
fs::path plan_above(const fs::path& path) {
  std::error_code none;
  fs::path folder = fs::absolute(path, none);
  for (int up = 0; up < 3 && folder.has_relative_path(); ++up) {
    if (fs::exists(folder / "sqitch.plan", none)) return folder / "sqitch.plan";
    folder = folder.parent_path();
  }
  return {};
}

/// The names of its changes.
std::vector<std::string> changes_of(const fs::path& plan) {
  std::vector<std::string> names;
  std::ifstream in(plan);
  for (std::string line; std::getline(in, line);) {
    const std::size_t end = line.find_first_of(" \t\r");
    const std::string name = line.substr(0, end);
    if (!name.empty() && name[0] != '%' && name[0] != '#' && name[0] != '@')
      names.push_back(name);
  }
  return names;
}

/// Files of a plan in its order, and no others: what reverts and verifies a
/// change has the name of the change.
void put_in_plan(const fs::path& plan, std::vector<std::string>& files) {
  std::error_code none;
  const fs::path deploy = plan.parent_path() / "deploy";
  std::vector<std::string> planned;
  for (const std::string& change : changes_of(plan)) {
    const fs::path path = deploy / (change + ".sql");
    const bool is_known =
        std::any_of(files.begin(), files.end(), [&](const std::string& file) {
          return fs::equivalent(file, path, none);
        });
    if (is_known && std::find(planned.begin(), planned.end(), path.string()) ==
                        planned.end())
      planned.push_back(path.string());
  }
  if (!planned.empty()) files = std::move(planned);
}

Error nothing(const std::string& name, std::string what, std::string hint) {
  return Error{Place{name, 0, 0, {}}, std::move(what), std::move(hint), ""};
}

}  // namespace

bool loads_before(const std::string& a, const std::string& b) {
  const Rank x = rank_of(a);
  const Rank y = rank_of(b);
  if (x != y) return x < y;
  return natural_less(a, b);
}

namespace {

/// The files that a pattern means, as a shell would have put them in its place;
/// ** goes through folders.
std::vector<std::string> matching(const std::string& pattern) {
  const std::size_t wild = pattern.find_first_of("*?[");
  const std::size_t slash = pattern.rfind('/', wild);
  const std::string base =
      slash == std::string::npos ? "." : pattern.substr(0, slash + 1);
  const bool goes_deep = pattern.find("**") != std::string::npos;
  std::vector<std::string> files;
  std::error_code problem;
  const auto options = fs::directory_options::skip_permission_denied;
  for (auto at = fs::recursive_directory_iterator(base, options, problem);
       !problem && at != fs::recursive_directory_iterator();
       at.increment(problem)) {
    std::string path = at->path().string();
    if (slash == std::string::npos) path = path.substr(2);  // without ./
    if (at->is_regular_file(problem) &&
        ::fnmatch(pattern.c_str(), path.c_str(),
                  goes_deep ? 0 : FNM_PATHNAME) == 0)
      files.push_back(path);
  }
  std::sort(files.begin(), files.end(), loads_before);
  return files;
}

}  // namespace

Result<std::vector<std::string>> sql_files(const std::string& name) {
  std::error_code problem;
  if (!fs::exists(name, problem) &&
      name.find_first_of("*?[") != std::string::npos) {
    auto found = matching(name);
    if (found.empty())
      return nothing(name, "there is no file of this name",
                     "patterns are *, ? and **");
    return found;
  }
  if (!fs::is_directory(name, problem)) return std::vector<std::string>{name};
  std::vector<std::string> files;
  const auto options = fs::directory_options::skip_permission_denied;
  for (auto at = fs::recursive_directory_iterator(name, options, problem);
       !problem && at != fs::recursive_directory_iterator();
       at.increment(problem)) {
    const std::string own = at->path().filename().string();
    if (at->is_directory(problem) && (own == "node_modules" || own[0] == '.')) {
      at.disable_recursion_pending();
      continue;
    }
    if (at->is_regular_file(problem) &&
        ascii::lower(at->path().extension().string()) == ".sql" &&
        !is_undo(fs::relative(at->path(), name)))
      files.push_back(at->path().string());
  }
  if (problem) return nothing(name, "cannot be read: " + problem.message(), "");
  if (files.empty())
    return nothing(name, "no .sql file is in this directory",
                   "name the files, or the folder that holds them");
  std::sort(files.begin(), files.end(), loads_before);
  if (const fs::path plan = plan_above(name); !plan.empty())
    put_in_plan(plan, files);
  return files;
}

}  // namespace txscope::sql
