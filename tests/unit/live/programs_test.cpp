// Small programs, each with something that engines do in their own way, run in
// all interleavings on the servers: the profiles allow exactly what happens.
// tests/sql/live/*.sql; a first line `-- at LEVEL, LEVEL` names the levels (by
// their beginning) that a program is for.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "read/sql/sql.h"
#include "support/live_judge.h"
#include "support/paths.h"

namespace txscope::test {
namespace {

struct Program {
  std::filesystem::path path;
  std::string text;
  const Profile* level = nullptr;
};

void PrintTo(const Program& program, std::ostream* out) {
  *out << program.path.filename() << " at " << program.level->name;
}

bool is_for(const std::string& text, std::string_view level) {
  if (text.rfind("-- at ", 0) != 0) return true;
  std::istringstream names(text.substr(6, text.find('\n') - 6));
  for (std::string name; names >> name;) {
    if (name.back() == ',') name.pop_back();
    if (level.substr(0, name.size()) == name) return true;
  }
  return false;
}

std::vector<Program> programs() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator(source_dir() + "/tests/sql/live"))
    if (entry.path().extension() == ".sql") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<Program> result;
  for (const auto& path : paths) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    for (const Profile& level : profiles())
      if ((level.product == Product::PostgreSql ||
           level.product == Product::MariaDb) &&
          is_for(text.str(), level.name))
        result.push_back({path, text.str(), &level});
  }
  return result;
}

class LivePrograms : public testing::TestWithParam<Program> {};

TEST_P(LivePrograms, HaveTheOutcomesThatTheProfileAllows) {
  const Program& program = GetParam();
  const Product product = program.level->product;
  if (!live_server(product).server) GTEST_SKIP() << live_server(product).why;
  const auto application = sql::read_sql(program.path.string(), program.text);
  ASSERT_TRUE(application) << application.error().what;
  const LiveDifference difference = compare_live(*application, *program.level);
  ASSERT_EQ(difference.problem, "");
  EXPECT_TRUE(difference.is_equal()) << to_string(difference);
}

INSTANTIATE_TEST_SUITE_P(
    Live, LivePrograms, testing::ValuesIn(programs()), [](const auto& test) {
      std::string name = test.param.path.stem().string() + "_" +
                         std::string(test.param.level->name);
      for (char& c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
      return name;
    });

}  // namespace
}  // namespace txscope::test
