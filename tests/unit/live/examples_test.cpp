// The applications of examples/ and tests/sql on the live servers: what happens
// there is among what the profiles allow; with enough interleavings, all of it.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "read/sql/sql.h"
#include "support/fuzz.h"
#include "support/live_judge.h"
#include "support/paths.h"

namespace txscope::test {
namespace {

struct Example {
  std::filesystem::path path;
  const Profile* level = nullptr;
};

void PrintTo(const Example& example, std::ostream* out) {
  *out << example.path.filename() << " at " << example.level->name;
}

std::vector<Example> examples() {
  namespace fs = std::filesystem;
  std::vector<fs::path> paths;
  for (const auto& entry :
       fs::recursive_directory_iterator(source_dir() + "/examples")) {
    // Those of verify have open values, those of robust names that occur twice,
    // those of bugs no sessions.
    const auto folder = entry.path().parent_path().filename();
    const auto above = entry.path().parent_path().parent_path().filename();
    const bool is_open = folder == "verify" || folder == "robust" ||
                         above == "bugs" || is_race_case(entry.path());
    if (entry.path().extension() == ".sql" && !is_open)
      paths.push_back(entry.path());
  }
  for (const auto& entry : fs::directory_iterator(source_dir() + "/tests/sql"))
    if (entry.path().extension() == ".sql") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<Example> result;
  for (const fs::path& path : paths)
    for (const Profile& level : profiles()) {
      // A server reads its own SQL; MariaDB reads much of PostgreSQL's, too.
      const bool is_mysql = path.parent_path().filename() == "mysql";
      if ((level.product == Product::PostgreSql && !is_mysql) ||
          level.product == Product::MariaDb)
        result.push_back({path, &level});
    }
  return result;
}

/// Where the profile is known not to say all that the server does.
bool is_known(const Example& example) {
  const std::string name =
      example.path.stem().string() + " at " + std::string(example.level->name);
  return name == "auction at mariadb:serializable";
}

class LiveExamples : public testing::TestWithParam<Example> {};

TEST_P(LiveExamples, DoNothingThatTheProfileForbids) {
  const Example& example = GetParam();
  const Product product = example.level->product;
  if (!live_server(product).server) GTEST_SKIP() << live_server(product).why;
  if (is_known(example)) GTEST_SKIP() << "a known difference";
  std::ifstream file(example.path);
  std::stringstream text;
  text << file.rdbuf();
  const auto application = sql::read_sql(example.path.string(), text.str());
  ASSERT_TRUE(application) << application.error().what;
  LiveOptions options;
  const bool is_long = fuzz_rounds(10) > 10;
  if (is_long)
    options.limit = static_cast<std::uint64_t>(fuzz_rounds(20));
  else
    options.random_runs = 3;
  const LiveDifference difference =
      compare_live(*application, *example.level, options);
  if (!difference.problem.empty()) {
    ASSERT_EQ(product, Product::MariaDb) << difference.problem;
    GTEST_SKIP() << "not MariaDB's SQL: " << difference.problem;
  }
  EXPECT_TRUE(difference.is_equal()) << to_string(difference);
}

INSTANTIATE_TEST_SUITE_P(
    Live, LiveExamples, testing::ValuesIn(examples()), [](const auto& test) {
      std::string name = test.param.path.stem().string() + "_" +
                         std::string(test.param.level->name);
      for (char& c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
      return name;
    });

}  // namespace
}  // namespace txscope::test
