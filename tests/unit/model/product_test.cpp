// The one table of products, of their levels and of their errors.

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "model/product/error_class.h"
#include "model/product/profile.h"

namespace txscope {
namespace {

TEST(Products, EveryAliasAndLevelNamesTheSameProfile) {
  for (const Profile& profile : profiles()) {
    const std::size_t colon = profile.name.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string own(profile.name.substr(colon + 1));
    std::set<std::string> levels = {own};
    for (const LevelAlias& alias : level_aliases())
      if (alias.meant == own) levels.emplace(alias.name);
    for (const ProductAlias& alias : product_aliases()) {
      if (alias.product != profile.product) continue;
      for (const std::string& level : levels) {
        const std::string name = std::string(alias.name) + ":" + level;
        const auto found = parse_profile(name);
        ASSERT_TRUE(found) << name;
        EXPECT_EQ(*found, &profile) << name;
      }
    }
  }
}

TEST(Products, SqlWordsNameTheLevelThatTheyBegin) {
  for (const Profile& profile : profiles()) {
    if (profile.sql.empty() ||
        profile.isolation == Isolation::RepeatableReadSnapshot)
      continue;
    const auto found = parse_profile(std::string(title(profile.product)) + ":" +
                                     std::string(profile.sql));
    ASSERT_TRUE(found) << profile.name;
    EXPECT_EQ(*found, &profile) << profile.name;
  }
  EXPECT_EQ((*parse_profile("PG:read uncommitted"))->name,
            "postgresql:read-committed");
}

TEST(Products, RowsStandInTheOrderOfTheirProducts) {
  for (std::size_t i = 0; i < products().size(); ++i)
    EXPECT_EQ(static_cast<std::size_t>(products()[i].product), i);
  for (const ProductRow& row : products()) {
    std::size_t defaults = 0;
    for (const Profile& profile : profiles())
      defaults += profile.product == row.product && profile.is_default ? 1 : 0;
    EXPECT_EQ(defaults, 1u) << row.name;
  }
}

TEST(Products, AStrongerLevelPromisesNoLess) {
  EXPECT_EQ(profile_for(Product::MariaDb, Base::ReadCommitted)->name,
            "mariadb:read-committed");
  EXPECT_EQ(profile_for(Product::MariaDb, Base::SnapshotIsolation)->name,
            "mariadb:repeatable-read+snapshot");
  EXPECT_EQ(profile_for(Product::PostgreSql, Base::SnapshotIsolation)->name,
            "postgresql:repeatable-read");
  EXPECT_EQ(profile_for(Product::Sqlite, Base::ReadCommitted), nullptr);
}

TEST(ErrorClasses, NoCodeMeansTwoThings) {
  std::set<std::string_view> codes;
  for (const ErrorRow& row : error_rows()) {
    EXPECT_TRUE(codes.insert(row.code).second) << row.code;
    if (row.number == 0) continue;
    EXPECT_EQ(find_error(std::int64_t{row.number}), &row) << row.code;
  }
}

TEST(ErrorClasses, SayWhatMayBeTriedAgain) {
  for (const char* code :
       {"40001", "40P01", "1213", "1020", "1205", "ORA-08177", "ORA-00060",
        "SQLITE_BUSY", "SQLITE_BUSY_SNAPSHOT"})
    EXPECT_TRUE(is_transient(code)) << code;
  for (const char* code :
       {"23505", "1062", "55P03", "57014", "25P02", "40002", "raised", ""})
    EXPECT_FALSE(is_transient(code)) << code;
}

TEST(ErrorClasses, SayWhatADatabaseMayAnswerAtAnyTime) {
  for (const char* code : {"40001", "40P01", "55P03", "57014", "57P01", "25P02",
                           "40002", "40000", "1205", "2013"})
    EXPECT_TRUE(is_always_possible(find_error(code)->is)) << code;
  for (const std::int64_t number : {1213, 1205, 1020, 5, 6, 261, 517, 2013})
    EXPECT_TRUE(is_always_possible(find_error(number)->is)) << number;
  for (const char* code : {"23505", "23503", "1062", "4025", "ORA-00001"})
    EXPECT_FALSE(is_always_possible(find_error(code)->is)) << code;
}

TEST(ErrorClasses, EveryProductHasAWordForBeingTooSlow) {
  for (const ProductRow& row : products()) {
    EXPECT_FALSE(error_of(row.product, ErrorClass::Serialization).code.empty());
    EXPECT_FALSE(error_of(row.product, ErrorClass::Unique).code.empty());
  }
  EXPECT_EQ(error_of(Product::MariaDb, ErrorClass::Deadlock).code, "1213");
}

}  // namespace
}  // namespace txscope
