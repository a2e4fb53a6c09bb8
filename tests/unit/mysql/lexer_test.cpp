#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "read/sql/mysql/lexer.h"
#include "read/sql/mysql/state.h"

namespace txscope::sql {
namespace {

Tokens scanned(const std::string& text) {
  const Source source("f.sql", text, nullptr, std::make_shared<MysqlState>());
  return scan_mysql(source, text, 0);
}

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> all;
  for (const Token& token : scanned(text).list) all.push_back(token.word);
  return all;
}

using Words = std::vector<std::string>;

TEST(MysqlLexer, KnowsItsNames) {
  EXPECT_EQ(words("SELECT `A b``c`, @x, @'y z', @@sql_mode, 2fa"),
            (Words{"select", "A b`c", ",", "@x", ",", "@y z", ",", "@@sql_mode",
                   ",", "2fa"}));
}

TEST(MysqlLexer, AKeywordBehindADotIsAName) {
  const Tokens all = scanned("t.select");
  EXPECT_FALSE(all.list[2].is_reserved);
}

TEST(MysqlLexer, KnowsItsTexts) {
  EXPECT_EQ(words(R"('a''b' "c""d" 'e\'f\n' _utf8mb4'g' N'h' '\%')"),
            (Words{"a'b", "c\"d", "e'f\n", "g", "h", "\\%"}));
}

TEST(MysqlLexer, SqlModeChangesTokens) {
  const Tokens all = scanned(
      "SELECT \"a\"; SET sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES';\n"
      "SELECT \"b\", 'c\\';");
  EXPECT_EQ(all.list[1].kind, TokenKind::String);
  EXPECT_EQ(all.list[9].kind, TokenKind::Quoted);
  EXPECT_EQ(all.list[11].word, "c\\");
}

TEST(MysqlLexer, KnowsItsNumbers) {
  EXPECT_EQ(words("1 1.5 .5 1e3 0x1F x'0a' b'101' t.5"),
            (Words{"1", "1.5", ".5", "1e3", "31", "10", "5", "t", ".", "5"}));
}

TEST(MysqlLexer, DashesNeedABlankToBeAComment) {
  EXPECT_EQ(words("SELECT 5--1"), (Words{"select", "5", "-", "-", "1"}));
  EXPECT_EQ(words("SELECT 5 -- 1\n# 2\n/* 3 */"), (Words{"select", "5"}));
}

TEST(MysqlLexer, ALineOfAnnotationIsOne) {
  const Tokens all =
      scanned("--@ session a: SELECT 1;\n--@   SELECT 2;\nSELECT 3;");
  ASSERT_EQ(all.annotations.size(), 1u);
  EXPECT_EQ(all.list.size(), 3u);
}

TEST(MysqlLexer, RunsTheCodeOfComments) {
  EXPECT_EQ(words("/*!40101 a */ b /*!80016 c */ /*M!100301 d */ /*! e */"),
            (Words{"a", "b", "d", "e"}));
}

TEST(MysqlLexer, TheDelimiterEndsStatements) {
  const Tokens all = scanned("a;\nDELIMITER $$\nb; END$$\ndelimiter ;\nc;");
  std::vector<bool> ends;
  for (const Token& token : all.list) ends.push_back(token.is_end);
  EXPECT_EQ(words("a;\nDELIMITER $$\nb; END$$\ndelimiter ;\nc;"),
            (Words{"a", ";", "b", ";", "end", ";", "c", ";"}));
  EXPECT_EQ(ends, (std::vector<bool>{false, true, false, false, false, true,
                                     false, true}));
}

}  // namespace
}  // namespace txscope::sql
