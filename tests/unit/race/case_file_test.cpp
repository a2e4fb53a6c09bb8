// A race that is kept in files.

#include "race/plan/case_file.h"

#include <gtest/gtest.h>

#include "support/run_command.h"

namespace txscope::race {
namespace {

TEST(CaseFile, OfADirectoryIsItsCaseJson) {
  const test::TemporaryDirectory place;
  place.write("schema.sql", "CREATE TABLE t (id int PRIMARY KEY);");
  place.write("case.json",
              R"({"name": "two", "requests": [["true"], ["true"]]})");
  const auto read = read_case(place.path());
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->name, "two");
  EXPECT_EQ(read->schema, "CREATE TABLE t (id int PRIMARY KEY);");
  EXPECT_EQ(read->plan.requests.size(), 2u);
}

TEST(CaseFile, WithoutACaseJsonADirectoryIsNone) {
  const test::TemporaryDirectory place;
  const auto read = read_case(place.path());
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().where.file.find("case.json"), std::string::npos)
      << read.error().where.file << read.error().what;
}

}  // namespace
}  // namespace txscope::race
