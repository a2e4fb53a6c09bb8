// HTML says what JSON says, needs nothing, and takes names for names.
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>

#include "unit/reports/written.h"

namespace txscope {
namespace {

using nlohmann::json;
using test::in_html;
using test::run_command;
using test::TemporaryDirectory;
using test::Written;

/// What JSON has for programs, and a page in words of its own or not at all:
/// verdicts in words, names of ways, places by file and line, rows by name.
const std::set<std::string> kForPrograms = {
    "verdict",     "kind", "strategy", "place", "order", "key",    "for_update",
    "lock_before", "file", "aborts",   "what",  "input", "format", "retry_on"};

/// Every text of an answer, from whatever the verb calls it.
void collect(const json& value, const std::string& name,
             std::set<std::string>& texts) {
  if (kForPrograms.contains(name)) return;
  if (value.is_array())
    for (const json& one : value) collect(one, name, texts);
  if (value.is_object())
    for (const auto& [field, inner] : value.items())
      collect(inner, field, texts);
  if (!value.is_string()) return;
  // Of a diff each line by itself, without sign and number.
  std::istringstream lines(value.get<std::string>());
  const std::regex sign("^[+-] *[0-9]*: ");
  for (std::string line; name == "diff" && std::getline(lines, line);)
    texts.insert(std::regex_replace(line, sign, ""));
  if (name != "diff") texts.insert(value.get<std::string>());
}

std::string one_line(const std::string& text) {
  return std::regex_replace(text, std::regex("\\s+"), " ");
}

// A program, an application, and one at a product's level.
TEST(Robust, DrawsWhoReadsFromWhomAndWhatIsOverwritten) {
  for (const char* call :
       {"robust examples/bank/bank.sql",
        "robust examples/bank/bank.sql --against postgresql:repeatable-read",
        "robust examples/programs/on_call.txn"}) {
    const test::Ran ran = run_command(
        std::string("txscope ") + call + " --format html", test::source_dir());
    ASSERT_EQ(ran.status, 1) << call;
    EXPECT_TRUE(ran.said("class=\"arrow overwritten")) << call;
  }
}

// Each withdraws after a look at the rows of both: either misses the other's
// change, also the one whose statement was sent after that change.
TEST(Robust, DrawsAWriteThatWasThereButNotToBeSeen) {
  const test::Ran ran =
      run_command("txscope robust examples/bank/bank.sql --format html",
                  test::source_dir());
  const std::string first =
      ran.output.substr(0, ran.output.find("2. Not robust"));
  std::size_t drawn = 0;
  for (std::size_t at = 0; (at = first.find("<svg class=\"arrow overwritten",
                                            at)) != std::string::npos;
       ++at)
    ++drawn;
  EXPECT_GE(drawn, 2u) << "as many as the cycle has edges";
}

class Reports : public testing::TestWithParam<const char*> {};

TEST_P(Reports, HaveEveryStepAndValueThatJsonHas) {
  const TemporaryDirectory directory;
  const Written written = test::write_both(directory, GetParam());
  std::set<std::string> texts;
  collect(written.json["results"], "", texts);
  ASSERT_GT(texts.size(), 3u) << "nothing was compared";
  const std::string page = one_line(written.html);
  for (std::string text : texts) {
    if (text.empty()) continue;
    text = in_html(one_line(text));
    std::string title = text;
    title[0] = static_cast<char>(std::toupper(title[0]));
    EXPECT_TRUE(page.find(text) != std::string::npos ||
                page.find(title) != std::string::npos)
        << text;
  }
}

TEST_P(Reports, AskNobodyForAnything) {
  const TemporaryDirectory directory;
  const Written written = test::write_both(directory, GetParam());
  EXPECT_NE(written.html.find("default-src 'none'"), std::string::npos);
  // Only places of the page itself are linked.
  const std::regex address("(?:href|src|action|data)\\s*=\\s*\"([^\"]*)\"");
  for (std::sregex_iterator
           at(written.html.begin(), written.html.end(), address),
       end;
       at != end; ++at)
    EXPECT_EQ((*at)[1].str().substr(0, 1), "#") << (*at)[0];
  EXPECT_EQ(written.html.find("url(http"), std::string::npos);
  EXPECT_EQ(written.html.find("@import"), std::string::npos);
  // The policy would refuse them.
  EXPECT_EQ(written.html.find(" style=\""), std::string::npos);
  EXPECT_FALSE(std::regex_search(written.html, std::regex(" on[a-z]+=\"")));
}

TEST_P(Reports, LinkOnlyToWhatIsThere) {
  const TemporaryDirectory directory;
  const Written written = test::write_both(directory, GetParam());
  std::set<std::string> ids;
  const std::regex id(" id=\"([^\"]*)\"");
  for (std::sregex_iterator at(written.html.begin(), written.html.end(), id),
       end;
       at != end; ++at)
    EXPECT_TRUE(ids.insert((*at)[1]).second) << "twice: " << (*at)[1];
  const std::regex link("href=\"#([^\"]*)\"");
  std::size_t links = 0;
  for (std::sregex_iterator at(written.html.begin(), written.html.end(), link),
       end;
       at != end; ++at, ++links)
    EXPECT_TRUE(ids.contains((*at)[1])) << (*at)[0];
  EXPECT_GT(links, 0u);
}

INSTANTIATE_TEST_SUITE_P(
    Verbs, Reports,
    testing::Values(
        "check examples/histories/lost-update.jsonl",
        "check examples/histories/write-skew.jsonl",
        "check examples/histories/stale-read.jsonl",
        "explore examples/bank/bank.sql",
        "explore examples/bank/bank.sql --all --level all",
        "explore examples/tickets/tickets.sql",
        "explore examples/mysql/wallet.sql",
        "explore examples/programs/long_fork.txn --all",
        "explore examples/programs/store_buffering.txn",
        "analyze examples/shop/shop.sql",
        "robust examples/smallbank/smallbank.sql",
        "robust examples/programs/on_call.txn",
        "robust examples/bank/bank.sql --against postgresql:repeatable-read",
        "verify examples/verify/courseware_slots.sql",
        "verify examples/verify/courseware_slots.txn",
        "model examples/tla/Percolator.tla --config "
        "examples/tla/PercolatorImpatient.cfg",
        "model examples/tla/SnapshotStore.tla --config "
        "examples/tla/SnapshotStoreSkew.cfg",
        "analyze examples/bank/bank.sql",
        "verify examples/verify/simplebank.sql --level snapshot-isolation",
        "robust examples/bank/bank.sql",
        "audit examples/logs/lost-update.jsonl",
        "model examples/tla/TwoPhase.tla --config "
        "examples/tla/TwoPhaseCareless.cfg"));

TEST(HtmlReport, ShowsWhichNumbersBreakARule) {
  const TemporaryDirectory directory;
  const Written written =
      test::write_both(directory,
                       "explore examples/bank/bank.sql --level "
                       "postgresql:read-committed");
  // 120 + 100 + 50, and 250 - 150 + 20: what PostgreSQL computes of the rows
  // that the report lists.
  EXPECT_NE(written.html.find("270 = 120"), std::string::npos);
}

TEST(HtmlReport, HasAScriptForMariadb) {
  const test::Ran ran = run_command(
      "txscope explore examples/tickets/tickets.sql"
      " --level mariadb:repeatable-read --format html",
      test::source_dir());
  EXPECT_TRUE(ran.said("what each session sends, in this order"));
  EXPECT_TRUE(ran.said(
      "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; START TRANSACTION;"));
}

TEST(HtmlReport, TakesNamesForNames) {
  const TemporaryDirectory directory;
  directory.write("evil.sql", R"(
CREATE TABLE "<script>alert(1)</script>" (
  id integer PRIMARY KEY, "<img src=x onerror=alert(2)>" text);
INSERT INTO "<script>alert(1)</script>" VALUES (1, '</style><b>"&amp;''');
CREATE PROCEDURE "</title><svg/onload=alert(3)>"() LANGUAGE plpgsql AS $$
DECLARE v text;
BEGIN
  SELECT "<img src=x onerror=alert(2)>" INTO v
    FROM "<script>alert(1)</script>" WHERE id = 1;
  UPDATE "<script>alert(1)</script>"
    SET "<img src=x onerror=alert(2)>" = v || '<i>' WHERE id = 1;
END $$;
--@ session a: CALL "</title><svg/onload=alert(3)>"();
--@ session b: CALL "</title><svg/onload=alert(3)>"();
)");
  const test::Ran ran = run_command(
      "txscope analyze evil.sql --format html -o r.html --format markdown -o "
      "r.md --format sarif -o r.sarif",
      directory.path());
  ASSERT_EQ(ran.status, 1) << ran.output;
  const std::string html = directory.read("r.html");
  for (const char* tag :
       {"<script>alert", "<img", "<svg/", "<u>", "<i>", "</style><b>"}) {
    EXPECT_EQ(html.find(tag), std::string::npos) << tag;
  }
  EXPECT_NE(html.find("&lt;script&gt;alert(1)&lt;/script&gt;"),
            std::string::npos);
  EXPECT_TRUE(json::accept(directory.read("r.sarif")));
}

TEST(HtmlReport, OfNothingIsNotGreen) {
  const TemporaryDirectory directory;
  directory.write("empty.sql", "CREATE TABLE t (id integer PRIMARY KEY);\n");
  const test::Ran ran = run_command(
      "txscope analyze empty.sql --format html -o r.html "
      "--format junit -o r.xml",
      directory.path());
  EXPECT_EQ(ran.status, 3) << ran.output;
  const std::string html = directory.read("r.html");
  EXPECT_NE(html.find("class=\"verdict open\">VACUOUS"), std::string::npos);
  EXPECT_NE(directory.read("r.xml").find("<error"), std::string::npos);
}

TEST(HtmlReport, OfTenThousandTransactionsIsSmall) {
  const TemporaryDirectory directory;
  const test::Ran ran = run_command(
      "txscope generate --transactions 10000 --plant write-skew -o h.jsonl && "
      "txscope check h.jsonl --format html -o r.html",
      directory.path());
  ASSERT_EQ(ran.status, 1) << ran.output;
  EXPECT_LT(directory.read("r.html").size(), 20u << 20);
  EXPECT_NE(directory.read("r.html").find("class=\"strip\""),
            std::string::npos);
}

}  // namespace
}  // namespace txscope
