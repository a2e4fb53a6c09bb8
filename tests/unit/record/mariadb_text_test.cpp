// Statements in MariaDB's words, and what a log calls them.

#include "db/proxy/mariadb_text.h"
#include "db/proxy/mariadb_own.h"

#include <gtest/gtest.h>

namespace txscope::db {
namespace {

MariadbNames shop() {
  MariadbNames names;
  names.database = "shop";
  for (const char* name : {"stock", "id", "n", "user", "Orders", "itemId"}) {
    std::string small = name;
    for (char& c : small) c = static_cast<char>(std::tolower(c));
    names.spelled[small] = name;
  }
  names.unseen = {"audited", "buy"};
  names.numbered = {{"orders", "id"}};
  return names;
}

LogWords words(std::string_view sql, MariadbMode mode = {}) {
  return log_words(mariadb_pieces(sql, mode), shop(), mode);
}

TEST(MariadbText, NamesAndStringsGetPostgresqlsQuotes) {
  EXPECT_EQ(words("SELECT `n` FROM `shop`.`stock` WHERE id=1").sql,
            "SELECT `n` FROM `stock` WHERE id = 1");
  EXPECT_EQ(words(R"(UPDATE stock SET n = "it's \"x\" \\ y" 'z')").sql,
            R"(UPDATE stock SET n = 'it''s "x" \\ yz')");
  MariadbMode ansi;
  ansi.ansi_quotes = true;
  EXPECT_EQ(words("SELECT \"n\" FROM stock", ansi).sql,
            "SELECT `n` FROM stock");
  MariadbMode plain;
  plain.no_backslash = true;
  EXPECT_EQ(words(R"(SELECT 'a\' FROM stock)", plain).sql,
            R"(SELECT 'a\\' FROM stock)");
}

TEST(MariadbText, NamesAreSpelledAsTheTablesSpellThem) {
  EXPECT_EQ(words("SELECT ITEMID, user FROM Orders").sql,
            "SELECT `itemId`, `user` FROM `Orders`");
}

TEST(MariadbText, OtherWordsForTheSame) {
  EXPECT_EQ(words("SELECT n FROM stock WHERE n <=> ? LIMIT 5, 10").sql,
            "SELECT n FROM stock WHERE n IS NOT DISTINCT FROM $1 LIMIT 10 "
            "OFFSET 5");
  EXPECT_EQ(words("SELECT n FROM stock LIMIT ?, ?").sql,
            "SELECT n FROM stock LIMIT $2 OFFSET $1");
  EXPECT_EQ(words("SELECT IFNULL(n, 0) FROM stock WHERE id = 1 && n > 2 "
                  "LOCK IN SHARE MODE")
                .sql,
            "SELECT coalesce(n, 0) FROM stock WHERE id = 1 AND n > 2 "
            "FOR SHARE");
  EXPECT_EQ(words("INSERT orders SET itemId = ?, n = (1 + 2) # so").sql,
            "INSERT INTO `Orders` (`itemId`, n) VALUES ($1, (1 + 2))");
  EXPECT_EQ(words("SELECT /* a */ n /*!50003 FROM stock */ -- b").sql,
            "SELECT n FROM stock");
}

TEST(MariadbText, AnInsertSaysWhichColumnTheServerNumbers) {
  EXPECT_EQ(words("INSERT INTO Orders (n) VALUES (1)").numbers, "id");
  EXPECT_EQ(words("INSERT INTO Orders (id, n) VALUES (1, 1)").numbers, "");
  EXPECT_EQ(words("INSERT INTO Orders (n) SELECT n FROM stock").numbers, "");
  EXPECT_EQ(words("INSERT INTO stock (n) VALUES (1)").numbers, "");
}

TEST(MariadbText, WhatIsNotSeenSaysWhichTables) {
  const LogWords upsert = words(
      "INSERT INTO stock (id, n) VALUES (1, 2) ON DUPLICATE KEY UPDATE n = 3");
  EXPECT_TRUE(upsert.is_unseen);
  EXPECT_EQ(upsert.sql, "INSERT INTO stock (id, n) VALUES (1, 2)");
  EXPECT_TRUE(words("INSERT IGNORE INTO stock (id) VALUES (1)").is_unseen);
  EXPECT_TRUE(words("REPLACE INTO stock (id) VALUES (1)").is_unseen);
  for (const char* any :
       {"UPDATE stock, orders SET n = 1", "DELETE stock FROM stock JOIN orders",
        "UPDATE audited SET n = 1", "CALL buy(1)"}) {
    EXPECT_TRUE(words(any).is_unseen) << any;
    EXPECT_EQ(words(any).sql, "") << any;
  }
}

TEST(MariadbText, WhatOnlyMariadbsWordsSayStaysAsItWasSent) {
  MariadbNames known;
  known.unseen = {"audited"};
  const auto own = [&](std::string_view text,
                       const std::vector<LoggedValue>& params = {}) {
    return own_words(mariadb_pieces(text, {}), known, params)
        .value_or("nothing");
  };
  EXPECT_EQ(own("INSERT IGNORE INTO `a b` VALUES (?, \"it's\", ?)",
                {{"5", ColumnType::Integer}, {"x\\y", ColumnType::Unknown}}),
            "INSERT IGNORE INTO `a b` VALUES (5, 'it''s', 'x\\\\y')");
  EXPECT_EQ(
      own("REPLACE INTO t VALUES (?)", {{std::nullopt, ColumnType::Text}}),
      "REPLACE INTO t VALUES (NULL)");
  EXPECT_EQ(own("DELETE a FROM a JOIN b"), "DELETE a FROM a JOIN b");
  for (const char* other :
       {"INSERT INTO t VALUES (1)", "UPDATE t SET v = 1 LIMIT 1",
        "REPLACE INTO audited VALUES (1)", "REPLACE INTO t VALUES (?)"})
    EXPECT_EQ(own(other), "nothing") << other;
}

TEST(MariadbText, StatementsEndAtSemicolonsWhereThereMayBeSeveral) {
  const auto count = [](std::string_view text, bool several) {
    return mariadb_statements(text, {}, several).size();
  };
  EXPECT_EQ(count("SELECT ';\\';'; SELECT `a;`; -- x;\n", true), 2u);
  EXPECT_EQ(count("SELECT 1; SELECT 2", false), 1u);
  EXPECT_EQ(count(" ; ", true), 0u);
}

}  // namespace
}  // namespace txscope::db
