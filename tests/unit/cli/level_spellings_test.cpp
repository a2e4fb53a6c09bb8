// A level has one meaning and many spellings, and every verb knows all of them:
// it answers to each as to the canonical name.

#include <gtest/gtest.h>

#include <cctype>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "model/level.h"
#include "model/product/profile.h"
#include "support/run_command.h"

namespace txscope {
namespace {

using test::run_command;
using test::TemporaryDirectory;
using Names = std::vector<std::string>;

std::string with(std::string text, char from, char to) {
  for (char& c : text)
    if (c == from) c = to;
  return text;
}

std::string upper(std::string text) {
  for (char& c : text)
    c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

/// Of a name: with `_`, and in capitals with spaces, as SQL has it.
void add_forms(const std::string& name, Names& to) {
  to.insert(to.end(),
            {name, with(name, '-', '_'), with(upper(name), '-', ' ')});
}

/// One spelling of each kind; all pairs are tried by the test of the table.
Names spellings(const Profile& profile) {
  Names names;
  const std::string whole(profile.name);
  add_forms(whole, names);
  const std::size_t colon = whole.find(':');
  if (colon == std::string::npos) return names;
  const std::string own = whole.substr(colon + 1);
  // MySQL, whose name comes with a note, has not all that MariaDB has.
  const bool is_mariadbs =
      profile.isolation == Isolation::RepeatableReadSnapshot;
  for (const ProductAlias& alias : product_aliases())
    if (alias.product == profile.product &&
        (!is_mariadbs || alias.note.empty()))
      names.push_back(std::string(alias.name) + ":" + own);
  for (const LevelAlias& alias : level_aliases())
    if (alias.meant == own)
      names.push_back(whole.substr(0, colon + 1) + std::string(alias.name));
  return names;
}

Names spellings(Base base) {
  Names names;
  add_forms(std::string(name(base)), names);
  for (const std::string_view alias : aliases(base)) names.emplace_back(alias);
  return names;
}

/// What a verb says to a level: its exit status, and of its report what does
/// not tell how it was called.
struct Said {
  int status = 0;
  std::string results;
  friend bool operator==(const Said&, const Said&) = default;
};

class LevelSpellings : public testing::Test {
 protected:
  void SetUp() override {
    directory_.write("h.jsonl",
                     "{\"txscope\":\"history\",\"version\":1}\n"
                     "{\"session\":\"a\",\"ops\":[[\"w\",\"x\",1]]}\n"
                     "{\"session\":\"b\",\"ops\":[[\"r\",\"x\",1]]}\n");
    directory_.write("p.txn",
                     "var x\nsession { txn { write x = 1 } }\n"
                     "session { txn { r = read x } }\n"
                     "invariant \"seen\" x <= 1\n");
    directory_.write("a.sql",
                     "CREATE TABLE t (k INT PRIMARY KEY, v INT);\n"
                     "INSERT INTO t VALUES (1, 0);\n"
                     "CREATE PROCEDURE up() LANGUAGE SQL AS $$\n"
                     "  UPDATE t SET v = v + 1 WHERE k = 1; $$;\n"
                     "--@ session a: CALL up();\n--@ session b: CALL up();\n"
                     "--@ invariant two: (SELECT v FROM t WHERE k = 1) <= 2\n");
    directory_.write(
        "log.jsonl",
        R"x({"txscope":"log","version":1,"dialect":"postgresql","setup":[)x"
        R"x("CREATE TABLE t (k INT PRIMARY KEY, v INT)",)x"
        R"x("INSERT INTO t VALUES (1,0)"]})x"
        "\n"
        R"x({"session":"s","id":"a","status":"committed","statements":[)x"
        R"x({"sql":"SELECT v FROM t WHERE k = 1","rows":[[0]]}]})x"
        "\n");
  }

  Said say(const std::string& call, const std::string& level) {
    const auto ran = run_command(
        "txscope " + call + "'" + level + "' --format json 2> error",
        directory_.path());
    Said said{ran.status, ""};
    const auto json = nlohmann::json::parse(ran.output, nullptr, false);
    // A message repeats what was said; that there is one is the same.
    if (!json.is_object() || !json.contains("results")) return said;
    for (const auto& result : json["results"]) {
      said.results +=
          result.at("level").dump() + " " + result.value("verdict", "") + "\n";
    }
    return said;
  }

  /// `call` ends in the option that takes the level.
  void all_alike(const std::string& call, const Names& names, int most_status) {
    const Said wanted = say(call, names.front());
    EXPECT_LE(wanted.status, most_status) << call << names.front();
    for (const std::string& name : names)
      EXPECT_EQ(say(call, name), wanted)
          << call << "'" << name << "' is not taken as " << names.front();
  }

  TemporaryDirectory directory_;
};

TEST_F(LevelSpellings, OfTheoryAreKnownToAllVerbs) {
  for (const Base base : all_bases()) {
    const Names names = spellings(base);
    all_alike("check h.jsonl --level ", names, 0);
    if (base == Base::ReadUncommitted) continue;
    all_alike("explore p.txn --level ", names, 1);
    all_alike("verify a.sql --level ", names, 3);
    // audit knows some of them; it says the same to all spellings.
    all_alike("audit log.jsonl --level ", names, 2);
  }
  all_alike("robust a.sql --no-repairs --against ",
            spellings(Base::SnapshotIsolation), 3);
}

TEST_F(LevelSpellings, OfProductsAreKnownToAllVerbs) {
  for (const Profile& profile : profiles()) {
    const Names names = spellings(profile);
    const bool is_postgresql = profile.product == Product::PostgreSql;
    all_alike("check h.jsonl --level ", names, 0);
    all_alike("audit log.jsonl --level ", names, profile.log_rule ? 1 : 2);
    all_alike("explore a.sql --level ", names, 1);
    if (!is_postgresql) continue;
    all_alike("verify a.sql --level ", names, 3);
    all_alike("robust a.sql --no-repairs --against ", names, 3);
  }
}

TEST_F(LevelSpellings, AreKnownInFilesAndLogs) {
  const std::string sql = directory_.read("a.sql");
  const std::string log = directory_.read("log.jsonl");
  const Profile& profile =
      profile_of(Product::PostgreSql, Isolation::RepeatableRead);
  for (const std::string& name : spellings(profile)) {
    directory_.write("own.sql", sql + "--@ level up: " + name + "\n");
    EXPECT_EQ(run_command("txscope explore own.sql --level postgresql",
                          directory_.path())
                  .status,
              0)
        << name;
    std::string claims = log;
    claims.insert(claims.find("\"setup\""), "\"level\":\"" + name + "\",");
    directory_.write("claims.jsonl", claims);
    const auto ran =
        run_command("txscope audit claims.jsonl", directory_.path());
    EXPECT_EQ(ran.status, 0) << name << "\n" << ran.output;
    EXPECT_TRUE(ran.said(std::string(profile.name))) << ran.output;
  }
}

TEST_F(LevelSpellings, AFileThatHasNoneSaysWhere) {
  directory_.write("own.sql",
                   directory_.read("a.sql") + "--@ level up: pg:rrr\n");
  const auto ran = run_command("txscope explore own.sql", directory_.path());
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(ran.said("own.sql:8:15: ")) << ran.output;
  EXPECT_TRUE(ran.said("unknown profile 'postgresql:rrr'")) << ran.output;
}

TEST_F(LevelSpellings, CheckDecidesWhatAProductPromises) {
  const auto ran =
      run_command("txscope check h.jsonl --level pg:rr", directory_.path());
  EXPECT_EQ(ran.status, 0);
  EXPECT_TRUE(
      ran.said("postgresql:repeatable-read promises snapshot-isolation"))
      << ran.output;
}

}  // namespace
}  // namespace txscope
