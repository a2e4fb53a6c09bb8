// The pieces of the recording proxy: framing, texts of statements, values.

#include "db/proxy/wire.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/random.h"
#include "db/proxy/binary_value.h"
#include "db/proxy/statements.h"

namespace txscope::db {
namespace {

std::string framed(char type, const std::string& body) {
  const auto length = static_cast<std::uint32_t>(body.size() + 4);
  std::string message(1, type);
  for (int shift = 24; shift >= 0; shift -= 8)
    message += static_cast<char>(length >> shift & 255);
  return message + body;
}

TEST(Wire, MessagesAreTheSameHoweverTheBytesArrive) {
  Random random(3);
  for (int round = 0; round < 300; ++round) {
    std::string stream;
    std::vector<std::string> sent;
    for (int i = 0; i < 8; ++i) {
      const auto type = static_cast<char>('A' + random.below(26));
      const std::string body(random.below(5) == 0   ? 60 + random.below(100)
                             : random.below(9) == 0 ? 1000 + random.below(100)
                                                    : random.below(20),
                             static_cast<char>(random.below(256)));
      // Above the limit of 64 bytes only the beginning is told.
      sent.push_back(std::string(1, type) +
                     (body.size() + 5 > 64 ? "large" : "") +
                     body.substr(0, WireSplitter::kBeginning));
      stream += framed(type, body);
    }
    WireSplitter splitter(64);
    std::vector<std::string> got;
    for (std::size_t at = 0; at < stream.size();) {
      const std::size_t size =
          std::min<std::size_t>(1 + random.below(40), stream.size() - at);
      ASSERT_TRUE(splitter.feed(
          std::string_view(stream).substr(at, size), [&](const auto& message) {
            got.push_back(std::string(1, message.type) +
                          (message.is_whole ? "" : "large") +
                          std::string(message.body));
          }));
      at += size;
    }
    ASSERT_EQ(got, sent);
  }
}

TEST(Wire, ALengthThatIsNoneEndsTheListening) {
  WireSplitter splitter(64);
  EXPECT_FALSE(splitter.feed(std::string("Q\0\0\0\3xyz", 8),
                             [](const auto&) { FAIL(); }));
  EXPECT_FALSE(splitter.feed("more", [](const auto&) { FAIL(); }));
}

TEST(Statements, AreSplitWhereTheServerSplitsThem) {
  using List = std::vector<std::string_view>;
  EXPECT_EQ(split_statements("SELECT 1; ; SELECT ';' ;"),
            (List{"SELECT 1", "SELECT ';'"}));
  EXPECT_EQ(split_statements(" -- a; b\n/* ; /* ; */ ; */"), List{});
  EXPECT_EQ(split_statements("SELECT E'it\\'s;', 'it''s;', \"a;b\"; X"),
            (List{"SELECT E'it\\'s;', 'it''s;', \"a;b\"", "X"}));
  EXPECT_EQ(split_statements("DO $$ a; b $$; DO $x$ $$; $x$; SELECT $1;"),
            (List{"DO $$ a; b $$", "DO $x$ $$; $x$", "SELECT $1"}));
  EXPECT_EQ(
      split_statements("CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; "
                       "SELECT CASE WHEN true THEN 1 END; END; SELECT 2")
          .size(),
      2u);
  EXPECT_EQ(split_statements("SELECT 'open; SELECT 2").size(), 1u);
  EXPECT_EQ(first_words("/* x */ begin isolation level serializable", 4),
            (std::vector<std::string>{"BEGIN", "ISOLATION", "LEVEL",
                                      "SERIALIZABLE"}));
}

TEST(BinaryValue, IsTheTextThatTheServerWouldWrite) {
  const auto text = [](std::uint32_t oid, const std::string& bytes) {
    return from_binary(oid, bytes).value_or("none");
  };
  EXPECT_EQ(text(21, {"\xff\xfe", 2}), "-2");
  EXPECT_EQ(text(23, {"\0\0\1\0", 4}), "256");
  EXPECT_EQ(text(23, {"\0\0", 2}), "none");
  EXPECT_EQ(text(16, {"\1", 1}), "t");
  EXPECT_EQ(text(701, {"\x3f\xf8\0\0\0\0\0\0", 8}), "1.5");
  EXPECT_EQ(text(1082, {"\0\0\0\0", 4}), "2000-01-01");
  EXPECT_EQ(text(1114, {"\0\0\0\0\0\x0f\x42\x40", 8}), "2000-01-01 00:00:01");
  EXPECT_EQ(text(99999, "x"), "none");
  // Digits are groups of four: 12 | 3456 with a scale of 2 is 12.34 (56).
  EXPECT_EQ(text(1700, {"\0\2\0\0\0\0\0\4\0\x0c\x0d\x80", 12}), "12.3456");
  EXPECT_EQ(text(1700, {"\0\1\xff\xff\x40\0\0\5\0\x7b", 10}), "-0.01230");
  EXPECT_EQ(text(1700, {"\0\0\0\0\0\0\0\2", 8}), "0.00");
  EXPECT_EQ(text(1700, {"\0\0\0\0\xc0\0\0\0", 8}), "NaN");
  EXPECT_EQ(text(1700, {"\0\1\0\1\0\0\0\0\0\1", 10}), "10000");
  EXPECT_EQ(text(1700, {"\0\5\0\1", 4}), "none");
}

}  // namespace
}  // namespace txscope::db
