// A database is named as its own client names it, and a password is never
// repeated.

#include "db/address.h"

#include <gtest/gtest.h>

#include "db/isolation.h"

namespace txscope::db {
namespace {

TEST(Address, KnowsTheProductByItsScheme) {
  for (const auto& [uri, product] :
       std::vector<std::pair<std::string, Product>>{
           {"postgresql:///shop", Product::PostgreSql},
           {"postgres://ann@db.example:5433/shop", Product::PostgreSql},
           {"mariadb://localhost/shop", Product::MariaDb},
           {"mysql://localhost/shop", Product::MariaDb},
           {"sqlite:shop.db", Product::Sqlite},
           {"sqlite:///tmp/shop.db", Product::Sqlite}}) {
    const auto address = Address::parse(uri, false);
    ASSERT_TRUE(address) << uri << ": " << address.error().what;
    EXPECT_EQ(address->product(), product) << uri;
  }
  EXPECT_EQ(Address::parse("sqlite:///tmp/x", false)->path(), "/tmp/x");
  EXPECT_EQ(Address::parse("sqlite:x", false)->path(), "x");
}

TEST(Address, RefusesAPasswordOnTheCommandLineWithoutRepeatingIt) {
  for (const char* uri :
       {"postgresql://ann:hunter2@localhost/shop", "mysql://a:hunter2@h/d",
        "postgresql://ann@localhost/shop?password=hunter2",
        "oracle://ann:hunter2@localhost/shop", "ann:hunter2@localhost",
        "mariadb://a:hunter2%zz@h/d", "postgresql:ann:hunter2@host"}) {
    const auto address = Address::parse(uri, false);
    ASSERT_FALSE(address) << uri;
    EXPECT_EQ(address.error().what.find("hunter2"), std::string::npos);
    EXPECT_EQ(address.error().hint.find("hunter2"), std::string::npos);
  }
}

TEST(Address, TakesAPasswordFromTheEnvironmentAndHidesIt) {
  const auto address =
      Address::parse("postgresql://ann:hun%74er2@localhost:1/shop", true);
  ASSERT_TRUE(address);
  EXPECT_EQ(address->shown(), "postgresql://ann@localhost:1/shop");
  EXPECT_EQ(address->scrubbed("password hunter2 is wrong"),
            "password *** is wrong");
  const auto session = address->connect();  // nobody listens at port 1
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().what.find("hunter2"), std::string::npos)
      << session.error().what;
}

TEST(Isolation, IsNamedByProfileAliasOrPromise) {
  EXPECT_EQ(isolation(Product::PostgreSql, "pg:rr")->begin,
            "BEGIN ISOLATION LEVEL REPEATABLE READ");
  EXPECT_EQ(isolation(Product::PostgreSql, "pg:rr")->level,
            "postgresql:repeatable-read");
  EXPECT_EQ(isolation(Product::PostgreSql, "SI")->level, "snapshot-isolation");
  EXPECT_EQ(isolation(Product::PostgreSql, "")->level,
            "postgresql:read-committed");
  // What MariaDB calls REPEATABLE READ is no snapshot isolation, unless told.
  EXPECT_NE(isolation(Product::MariaDb, "snapshot-isolation")
                ->session.find("innodb_snapshot_isolation = ON"),
            std::string::npos);
  EXPECT_EQ(isolation(Product::Sqlite, "serializable")->begin, "BEGIN");
  EXPECT_FALSE(isolation(Product::PostgreSql, "mariadb:repeatable-read"));
  EXPECT_FALSE(isolation(Product::Sqlite, "read-committed"));
}

}  // namespace
}  // namespace txscope::db
