// What a product is called and which codes its errors have stands in one table,
// src/model/product.  This test reads the string literals of src/ and says
// which of them repeat it: where a new product would be forgotten.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/product/error_class.h"
#include "model/product/product.h"
#include "support/paths.h"

namespace txscope {
namespace {

namespace fs = std::filesystem;
using Files = std::vector<std::string>;

/// What may name them besides the table, with the reason.
const Files& allowed() {
  static const Files files = {
      "model/product/",                   // the table
      "report/dictionary/",               // explains words to people
      "engine/server/product_rules.cpp",  // a row of WriteRules per product
      "engine/postgres/",
      "engine/innodb/",
      "engine/server/sqlite.",
      "db/postgresql",
      "db/mariadb.",
      "db/sqlite.",
      "race/",                            // stands between clients and servers
      "read/sql/plpgsql/conditions.cpp",  // PL/pgSQL's names of conditions
      "read/sql/analyze/",                // current_user is "postgres"
      "read/sql/mysql/syntax/room.cpp",   // the server's own databases
      "verb/database/record_proxy.cpp",   // so is the user of a server of ours
  };
  return files;
}

bool is_allowed(const std::string& file) {
  for (const std::string& prefix : allowed())
    if (file.starts_with(prefix)) return true;
  return false;
}

/// The string literals of a line, without its comment.
std::vector<std::string> literals(const std::string& line) {
  std::vector<std::string> found;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line.compare(at, 2, "//") == 0) break;
    if (line.compare(at, 3, "'\"'") == 0) at += 2;
    if (line[at] != '"') continue;
    std::string text;
    for (++at; at < line.size() && line[at] != '"'; ++at) {
      if (line[at] == '\\' && at + 1 < line.size()) ++at;
      text += line[at];
    }
    found.push_back(text);
  }
  return found;
}

/// A name or code that the literal is, or that its level begins with.
std::string repeats(const std::string& literal) {
  for (const ErrorRow& row : error_rows())
    if (literal == row.code) return std::string(row.code);
  for (const ProductAlias& alias : product_aliases()) {
    const std::string name(alias.name);
    if (literal == name || literal == name + ":" ||
        (literal.starts_with(name + ":") &&
         literal.find(' ') == std::string::npos))
      return name;
  }
  return "";
}

TEST(Layers, ProductsAndTheirErrorsAreNamedInOneTable) {
  const fs::path src = fs::path(test::source_dir()) / "src";
  std::size_t seen = 0;
  for (const auto& file : fs::recursive_directory_iterator(src)) {
    const std::string name = fs::relative(file.path(), src).string();
    const std::string ending = file.path().extension().string();
    if (ending != ".cpp" && ending != ".h") continue;
    std::ifstream text(file.path());
    std::size_t number = 0;
    for (std::string line; std::getline(text, line);) {
      ++number;
      if (line.starts_with("#include")) continue;
      for (const std::string& literal : literals(line)) {
        const std::string repeated = repeats(literal);
        if (repeated.empty()) continue;
        ++seen;
        EXPECT_TRUE(is_allowed(name))
            << "src/" << name << ":" << number << " has \"" << literal
            << "\"; ask src/model/product for " << repeated;
      }
    }
  }
  EXPECT_GT(seen, 50u);  // those of the table at least
}

TEST(Layers, AllowsNoFileThatIsGone) {
  const fs::path src = fs::path(test::source_dir()) / "src";
  for (const std::string& prefix : allowed()) {
    bool is_there = false;
    for (const auto& file : fs::recursive_directory_iterator(src))
      is_there |= fs::relative(file.path(), src).string().starts_with(prefix);
    EXPECT_TRUE(is_there) << prefix;
  }
}

}  // namespace
}  // namespace txscope
