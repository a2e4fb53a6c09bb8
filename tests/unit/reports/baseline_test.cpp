// Marks of people, read back.
#include <gtest/gtest.h>

#include "unit/reports/written.h"

namespace txscope {
namespace {

using nlohmann::json;
using test::Ran;
using test::run_command;
using test::TemporaryDirectory;

constexpr const char* kAnalyze = "txscope analyze examples/bank/bank.sql";

Ran in_tree(const std::string& command) {
  return run_command(command, test::source_dir());
}

/// The report with marks, as the page itself saves it.
std::string marked(std::string html, const std::string& mark,
                   std::size_t most) {
  const std::string none = "\"mark\":\"\"";
  for (std::size_t at = 0; most > 0; --most) {
    at = html.find(none, at);
    if (at == std::string::npos) break;
    html.replace(at, none.size(), "\"mark\":\"" + mark + "\"");
  }
  return html;
}

class Baseline : public testing::Test {
 protected:
  Baseline() {
    const Ran ran = in_tree(std::string(kAnalyze) + " --format html -o " +
                            directory.path() + "/r.html");
    EXPECT_EQ(ran.status, 1) << ran.output;
    html = directory.read("r.html");
  }
  Ran with(const std::string& text, const std::string& more = "") {
    return in_tree(std::string(kAnalyze) + " --baseline " +
                   directory.write("base.html", text) + " " + more);
  }
  TemporaryDirectory directory;
  std::string html;
};

TEST_F(Baseline, CountsWhatNobodyAccepted) {
  EXPECT_EQ(with(html).status, 1);
  EXPECT_EQ(with(marked(html, "bug", 9)).status, 1);
  EXPECT_EQ(with(marked(html, "accepted", 1)).status, 1) << "one of two";
}

TEST_F(Baseline, DoesNotCountWhatWasAcceptedOrFalse) {
  EXPECT_EQ(with(marked(html, "accepted", 9)).status, 0);
  EXPECT_EQ(with(marked(html, "false", 9)).status, 0);
}

TEST_F(Baseline, OfAnotherFindingForgivesNothing) {
  const std::string id = "lost-update-";
  std::string other = marked(html, "accepted", 9);
  for (std::size_t at = other.find("\"id\":\"" + id); at != std::string::npos;
       at = other.find("\"id\":\"" + id, at + 1))
    other.replace(at + 6, id.size(), "lost-uqdate-");
  EXPECT_EQ(with(other).status, 1);
}

TEST_F(Baseline, GoesIntoSarifAndComesBackFromThere) {
  const std::string file = directory.path() + "/r.sarif";
  const Ran ran =
      with(marked(html, "accepted", 9), "--format sarif -o " + file);
  EXPECT_EQ(ran.status, 0) << ran.output;
  const json log = json::parse(directory.read("r.sarif"));
  ASSERT_EQ(log["runs"][0]["results"].size(), 2u);
  for (const json& result : log["runs"][0]["results"]) {
    EXPECT_EQ(result["baselineState"], "unchanged");
    EXPECT_EQ(result["suppressions"][0]["status"], "accepted");
  }
  EXPECT_EQ(in_tree(std::string(kAnalyze) + " --baseline " + file).status, 0);
}

TEST_F(Baseline, TellsWhatIsNewAndWhatIsGone) {
  std::string other = html;
  const std::size_t at = other.find("\"id\":\"lost-update-");
  other.replace(at, 18, "\"id\":\"gone-update-");
  const std::string file = directory.path() + "/r.sarif";
  with(other, "--format sarif -o " + file);
  const json log = json::parse(directory.read("r.sarif"));
  std::multiset<std::string> states;
  for (const json& result : log["runs"][0]["results"])
    states.insert(result["baselineState"].get<std::string>());
  EXPECT_EQ(states, (std::multiset<std::string>{"absent", "new", "unchanged"}));
}

TEST_F(Baseline, ThatIsNoneIsRefusedBeforeAnythingRuns) {
  for (const char* text :
       {"", "hello", "{}",
        "{\"runs\":[{\"tool\":{\"driver\":{\"name\":"
        "\"other\"}},\"results\":[]}]}",
        "id=\"txscope-findings\">[1,2]</script>",
        "id=\"txscope-findings\">{\"tool\":\"txscope\",\"findings\":[{}]}"
        "</script>",
        "id=\"txscope-findings\">{\"tool\":"}) {
    const Ran ran = with(text);
    EXPECT_EQ(ran.status, 2) << text << "\n" << ran.output;
    EXPECT_TRUE(ran.said("base.html")) << ran.output;
  }
  EXPECT_EQ(in_tree(std::string(kAnalyze) + " --baseline /no/such").status, 2);
}

TEST(Fingerprints, SurviveMovedLines) {
  const TemporaryDirectory directory;
  const Ran ran = run_command(
      "cp " + test::source_dir() +
          "/examples/bank/bank.sql a.sql && (echo '-- moved'; echo; cat "
          "a.sql) > b.sql; for f in a b; do txscope explore $f.sql --format "
          "sarif -o $f.sarif; done",
      directory.path());
  const json a = json::parse(directory.read("a.sarif"));
  const json b = json::parse(directory.read("b.sarif"));
  const auto ids = [](const json& log) {
    std::vector<std::string> out;
    for (const json& result : log["runs"][0]["results"])
      out.push_back(result["partialFingerprints"]["txscopeFinding/v1"]);
    return out;
  };
  EXPECT_GT(ids(a).size(), 2u);
  EXPECT_EQ(ids(a), ids(b));
}

}  // namespace
}  // namespace txscope
