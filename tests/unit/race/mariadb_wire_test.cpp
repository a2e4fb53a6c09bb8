// The protocol of MariaDB and MySQL, as bytes that were written by hand from
// the manual.

#include <gtest/gtest.h>

#include "db/proxy/mariadb_answer.h"
#include "db/proxy/mariadb_login.h"
#include "db/proxy/mariadb_packet.h"
#include "db/proxy/mariadb_prepared.h"
#include "db/proxy/mariadb_values.h"
#include "race/reduce/mariadb_touches.h"
#include "race/wire/mariadb_lane.h"

namespace txscope {
namespace {

using namespace std::string_literals;
using Told = db::AnswerReader::Event::Kind;

std::vector<std::string> payloads(db::PacketSplitter& splitter,
                                  std::string_view bytes) {
  std::vector<std::string> result;
  splitter.feed(bytes, [&](const db::PacketSplitter::Packet& one) {
    result.emplace_back(one.payload);
  });
  return result;
}

TEST(MariadbWire, CutsAStreamIntoPayloads) {
  db::PacketSplitter splitter;
  const std::string bytes =
      db::packets_of("\x03SELECT 1", 0) + db::packets_of("\x01", 0);
  EXPECT_EQ(bytes.substr(0, 4), "\x09\0\0\0"s);
  std::vector<std::string> all;
  for (const char c : bytes)
    for (std::string& one : payloads(splitter, std::string(1, c)))
      all.push_back(std::move(one));
  EXPECT_EQ(all, (std::vector<std::string>{"\x03SELECT 1", "\x01"}));
}

TEST(MariadbWire, APayloadOf16MegabytesIsTwoPackets) {
  const std::string large(0xFFFFFF, 'x');
  const std::string bytes = db::packets_of(large, 0);
  EXPECT_EQ(bytes.size(), large.size() + 8);
  db::PacketSplitter splitter;
  EXPECT_EQ(payloads(splitter, bytes), std::vector<std::string>{large});
}

/// Protocol 10, "5.5.5-10.11", thread 7, all capabilities, a challenge.
std::string greeting() {
  return "\x0A"s + "5.5.5-10.11\0"s + "\x07\0\0\0"s + "12345678\0"s +
         "\xFE\xFF"s + "\x2D"s + "\x02\0"s + "\xFF\xFF"s + "\x15"s +
         "\0\0\0\0\0\0"s + "\x1F\0\0\0"s + "123456789012\0"s +
         "mysql_native_password\0"s;
}

TEST(MariadbWire, TheGreetingLosesWhatWouldHideStatements) {
  EXPECT_EQ(db::thread_of(greeting()), 7);
  const std::string plain = db::plain_greeting(greeting());
  ASSERT_EQ(plain.size(), greeting().size());
  const std::size_t at = 1 + 12 + 13;
  // Without SSL (bit 11) and compression (5); of the upper half without
  // DEPRECATE_EOF (24) to QUERY_ATTRIBUTES (27).
  EXPECT_EQ(plain.substr(at, 2), "\xDE\xF7"s);
  EXPECT_EQ(plain.substr(at + 5, 2), "\xFF\xF0"s);
  EXPECT_EQ(plain.substr(at + 14, 4), "\0\0\0\0"s);
  EXPECT_EQ(plain.substr(at + 18), greeting().substr(at + 18));
}

TEST(MariadbWire, TheClientGetsTheDatabaseThatItShall) {
  // PROTOCOL_41, SECURE_CONNECTION, PLUGIN_AUTH; no database.
  const std::string head = "\0\0\0\x01"s + "\x2D"s + std::string(23, '\0');
  const std::string reply = "\x00\x82\x08\x00"s + head + "ann\0"s + "\x03"s +
                            "abc"s + "mysql_native_password\0"s;
  EXPECT_EQ(db::with_database(reply, "copy", ""),
            "\x08\x82\x08\x00"s + head + "ann\0"s + "\x03"s + "abc"s +
                "copy\0"s + "mysql_native_password\0"s);
  const std::string other = "\x08\x82\x08\x00"s + head + "ann\0"s + "\x03"s +
                            "abc"s + "shop\0"s + "mysql_native_password\0"s;
  EXPECT_EQ(db::with_database(other, "copy", "root"),
            "\x08\x82\x08\x00"s + head + "root\0"s + "\x03"s + "abc"s +
                "copy\0"s + "mysql_native_password\0"s);
  // Cut off: as it came, for the server to refuse.
  EXPECT_EQ(db::with_database("\x08\x82", "copy", ""), "\x08\x82");
}

TEST(MariadbWire, AnAnswerEndsWhereItEnds) {
  const std::string ok = "\0\x01\0\x03\0\0\0"s;       // in a transaction
  const std::string eof = "\xFE\0\0\x02\0"s;          // autocommit
  const std::string more = "\xFE\0\0\x0A\0"s;         // another result
  const std::string error = "\xFF\xBD\x04#40001no"s;  // 1213
  db::AnswerReader reader;
  reader.expect(db::Command::Query);
  auto told = reader.take(ok);
  EXPECT_EQ(told.kind, Told::Done);
  EXPECT_TRUE(told.in_transaction);

  reader.expect(db::Command::Query);
  EXPECT_EQ(reader.take("\x01").kind, Told::More);  // one column
  EXPECT_EQ(reader
                .take("\x03"
                      "def")
                .kind,
            Told::Column);
  EXPECT_EQ(reader.take(eof).kind, Told::More);  // of the columns
  EXPECT_EQ(reader
                .take("\x01"
                      "5")
                .kind,
            Told::Row);
  EXPECT_EQ(reader.take(more).kind, Told::Result);
  EXPECT_EQ(reader.take(ok).kind, Told::Done);

  reader.expect(db::Command::Query);
  told = reader.take(error);
  EXPECT_EQ(told.kind, Told::Failed);
  EXPECT_EQ(told.code, 1213);
  EXPECT_EQ(told.sqlstate, "40001");

  reader.expect(db::Command::Query);
  EXPECT_EQ(reader
                .take("\xFB"
                      "file.csv")
                .kind,
            Told::File);
  EXPECT_EQ(reader.take(ok).kind, Told::Done);
}

TEST(MariadbWire, OfALargePayloadTheBeginningIsTold) {
  db::PacketSplitter splitter(2'000);
  const std::string large(40'000'000, 'x');
  const std::string bytes = db::packets_of("a", 3) + db::packets_of(large, 0) +
                            db::packets_of("b", 1);
  for (const std::size_t step : {std::size_t{7'777}, bytes.size()}) {
    std::vector<std::string> told;
    for (std::size_t at = 0; at < bytes.size(); at += step)
      splitter.feed(std::string_view(bytes).substr(at, step),
                    [&](const db::PacketSplitter::Packet& one) {
                      told.push_back((one.is_whole ? "" : "large ") +
                                     std::string(one.payload));
                    });
    EXPECT_EQ(
        told,
        (std::vector<std::string>{
            "a", "large " + large.substr(0, db::PacketSplitter::kBeginning),
            "b"}));
  }
}

TEST(MariadbWire, RowsAreReadInBothForms) {
  const std::vector<db::ColumnDefinition> columns = {{"n", 63, 0x03, 0, 0},
                                                     {"t", 45, 0xFD, 0, 0},
                                                     {"at", 63, 0x0C, 0, 3},
                                                     {"b", 63, 0x08, 32, 0},
                                                     {"d", 63, 0x0B, 0, 0}};
  using Row = std::vector<std::optional<std::string>>;
  EXPECT_EQ(db::row_values("\x01"
                           "7\xFB\x02"
                           "ab\x01"
                           "9\x01"
                           "x"s,
                           columns, false),
            (Row{"7", std::nullopt, "ab", "9", "x"}));
  // Nulls from bit 2 on: the second column.
  const std::string binary =
      "\0\x08\xFF\xFF\xFF\xFF"s + "\x04\xEE\x07\x01\x02"s +
      "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"s + "\x08\x01\x01\0\0\0\x02\x03\x04"s;
  EXPECT_EQ(db::row_values(binary, columns, true),
            (Row{"-1", std::nullopt, "2030-01-02 00:00:00.000",
                 "18446744073709551615", "-26:03:04"}));
  EXPECT_EQ(db::row_values("\x09"
                           "7"s,
                           columns, false),
            std::nullopt);
}

TEST(MariadbWire, TheClientSaysWhatItWants) {
  // Capabilities FOUND_ROWS (1), CONNECT_WITH_DB (3), SECURE_CONNECTION (15),
  // MULTI_STATEMENTS (16).
  const std::string login = "\x0A\x80\x01\0"s + std::string(4 + 1 + 23, '\0') +
                            "me\0"s +
                            "\x03"
                            "abc"s +
                            "shop\0"s;
  const db::LoginWish wish = db::login_wish(login);
  EXPECT_EQ(wish.database, "shop");
  EXPECT_TRUE(wish.finds_rows);
  EXPECT_TRUE(wish.has_statements);
  EXPECT_EQ(db::database_of_change("\x11me\0\x01xother\0"s), "other");
}

TEST(MariadbWire, AnExecuteSaysTheValues) {
  db::AnswerReader reader;
  reader.expect(db::Command::Prepare);
  // Number 9, one column, three parameters: two lists of definitions.
  EXPECT_EQ(reader.take("\0\x09\0\0\0\x01\0\x03\0\0\0\0"s).kind, Told::More);
  const std::string eof = "\xFE\0\0\x02\0"s;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(reader.take("def").kind, Told::More);
  EXPECT_EQ(reader.take(eof).kind, Told::More);
  EXPECT_EQ(reader.take("def").kind, Told::More);
  const auto told = reader.take(eof);
  EXPECT_EQ(told.kind, Told::Prepared);
  EXPECT_EQ(told.number, 9u);
  EXPECT_EQ(told.parameters, 3u);

  db::PreparedStatements prepared;
  prepared.add(9, "SELECT ?, ?, ?", 3);
  // A signed LONGLONG, NULL, a string.
  const auto run =
      prepared.run("\x17\x09\0\0\0\0\x01\0\0\0\x02\x01\x08\0\x06\0\xFD\0"s +
                   "\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF"s + "\x03tea"s);
  ASSERT_TRUE(run);
  ASSERT_EQ(run->params.size(), 3u);
  EXPECT_EQ(run->params[0], "-2");
  EXPECT_EQ(run->params[1], std::nullopt);
  EXPECT_EQ(run->params[2], "tea");
  EXPECT_FALSE(prepared.run("\x17\x01\0\0\0"s));
}

TEST(MariadbWire, WhatEndsATransactionIsNoStepOnlyWhereNothingIsOpen) {
  using race::is_silent_in_mariadb;
  EXPECT_TRUE(is_silent_in_mariadb("BEGIN", false));
  EXPECT_FALSE(is_silent_in_mariadb("BEGIN", true));
  EXPECT_FALSE(is_silent_in_mariadb(
      "START TRANSACTION WITH CONSISTENT SNAPSHOT", false));
  EXPECT_FALSE(is_silent_in_mariadb("SET autocommit = 1", true));
  EXPECT_TRUE(is_silent_in_mariadb("SET NAMES utf8mb4", true));
  EXPECT_TRUE(is_silent_in_mariadb("SELECT @@version", true));
  EXPECT_FALSE(is_silent_in_mariadb("SELECT n FROM a", true));
  EXPECT_FALSE(is_silent_in_mariadb("SELECT @@x FROM a", true));
}

TEST(MariadbWire, OnlyAPlainSelectIsIndependentOfLocks) {
  const auto reads = [](const char* sql) {
    const auto touches = race::touches_in_mariadb({sql, {}});
    const auto& all = touches.footprint->touches();
    return !touches.footprint->is_everything() && all.size() == 1 &&
           all.begin()->access == race::Footprint::Access::Reads;
  };
  EXPECT_TRUE(reads("SELECT n FROM a WHERE id = 1"));
  EXPECT_TRUE(reads("SELECT count(*) FROM a WHERE n IN (1, 2)"));
  EXPECT_TRUE(reads("SELECT 'for update' FROM a"));
  EXPECT_FALSE(reads("SELECT n FROM a FOR UPDATE"));
  EXPECT_FALSE(reads("SELECT n FROM a LOCK IN SHARE MODE"));
  EXPECT_FALSE(reads("SELECT n INTO @n FROM a"));
  EXPECT_FALSE(reads("SELECT @n := n FROM a"));
  EXPECT_FALSE(reads("SELECT get_lock('a', 1)"));
  EXPECT_FALSE(reads("SELECT take (1) FROM a"));
  EXPECT_FALSE(reads("SELECT /*! SQL_NO_CACHE */ n FROM a"));
  EXPECT_FALSE(reads("UPDATE a SET n = 1"));
}

}  // namespace
}  // namespace txscope
