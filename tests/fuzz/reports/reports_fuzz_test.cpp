// Hostile names and values in every form: whatever a table, a value, a file or
// a message is called, it stays text.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <regex>
#include <set>

#include "fuzz/reports/foreign_markup.h"
#include "fuzz/reports/hostile_pieces.h"
#include "report/forms/forms.h"
#include "report/html/html.h"
#include "support/fuzz.h"
#include "support/xml.h"

namespace txscope {
namespace {

using report::document::Document;
using report::document::Finding;
using report::document::Step;

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed) {}

  std::string text() {
    std::string out;
    for (std::size_t n = 1 + random_() % 4; n > 0; --n)
      out += hostile_pieces()[random_() % hostile_pieces().size()];
    return out;
  }
  std::size_t below(std::size_t n) { return random_() % n; }

  Finding finding() {
    Finding out;
    out.id = text();
    out.kind = below(2) == 0 ? "lost-update" : text();
    out.title = text();
    out.level = text();
    out.place = {text(), below(3), static_cast<std::uint32_t>(below(3)), {}};
    out.facts = {{text(), text()}};
    out.rule =
        report::document::Rule{text(), text(), text(), text(), out.place};
    for (std::size_t n = 1 + below(3); n > 0; --n) out.lanes.push_back(text());
    for (std::size_t n = below(6); n > 0; --n) {
      Step step;
      step.kind = static_cast<Step::Kind>(below(7));
      step.lane = below(out.lanes.size());
      step.transaction = text();
      step.text = text();
      step.seen = text();
      step.code = text();
      step.place = {text(), below(9), 0, {}};
      step.notes = {text()};
      step.waits_for = {text()};
      step.state = {{text(),
                     {text(), text()},
                     {{{text(), text()}, {true, false}, text(), false}}}};
      out.steps.push_back(std::move(step));
    }
    if (out.steps.size() > 1)
      out.arrows = {{static_cast<report::document::Arrow::Kind>(below(3)), 0,
                     out.steps.size() - 1, text()}};
    out.sources = {{text(), 1, {text(), text()}}};
    out.end = {{text(), {text()}, {{{text()}, {}, "", false}}}};
    out.serial = {{text(), text(), false}};
    out.serial_says = text();
    out.cycle = {{text(), text(), text(), text(), text()},
                 {text(), text(), "rw", text(), text()}};
    out.mismatches = {{text(), text(), text()}};
    out.repairs = {{text(), text(), true, {{out.place, text(), text()}}}};
    out.scripts = {{text(), text()}};
    out.word = text();
    out.is_protocol = below(2) == 0;
    out.triage = {below(2) == 0 ? "new" : "", below(2) == 0 ? "accepted" : "",
                  text()};
    return out;
  }

  Document document() {
    Document out;
    out.verb = "explore";
    out.inputs = {text(), text()};
    out.version = "1";
    out.command = text();
    out.verdict = "VIOLATED";
    out.headline = text();
    out.lead = {text()};
    out.tone = report::document::Tone::Bad;
    out.grids = {
        {text(),
         text(),
         {text()},
         {{text(), {{text(), report::document::Tone::Bad, text(), text()}}}},
         below(2) == 0}};
    report::document::Overview overview;
    overview.title = text();
    overview.end = 10;
    overview.lanes = {{text(),
                       {{text(), 1, 2, text(), text(), text(), false},
                        {text(), 3, 4, text(), text(), "", true}}}};
    out.overviews = {overview};
    for (std::size_t n = 1 + below(2); n > 0; --n)
      out.findings.push_back(finding());
    out.questions = {{text(),
                      text(),
                      text(),
                      report::document::Tone::Bad,
                      text(),
                      {out.findings[0].id},
                      false,
                      out.findings[0].place},
                     {text(),
                      text(),
                      text(),
                      report::document::Tone::Open,
                      text(),
                      {},
                      false,
                      {}}};
    out.checked = {{text(), text()}};
    out.not_checked = {text()};
    out.notes = {text()};
    out.absent = {text()};
    return out;
  }

 private:
  std::mt19937_64 random_;
};

TEST(FuzzReports, HtmlHasNoTagButOurs) {
  const int rounds = fuzz_rounds(100);
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t seed = fuzz_seed(1) + static_cast<std::uint64_t>(round);
    const std::string page = report::html(Maker(seed).document());
    EXPECT_EQ(foreign_markup(page), "") << seed;
    // One end of each of ours: nothing has closed them early.
    EXPECT_EQ(page.find("</html>"), page.rfind("</html>")) << seed;
    EXPECT_EQ(page.find('\x1b'), std::string::npos) << seed;
    EXPECT_EQ(page.find('\0'), std::string::npos) << seed;
    const std::size_t data = page.find("id=\"txscope-findings\">");
    ASSERT_NE(data, std::string::npos);
    const std::size_t begin = data + 22;
    const std::string block =
        page.substr(begin, page.find("</script>", begin) - begin);
    EXPECT_TRUE(nlohmann::json::accept(block)) << seed << "\n" << block;
    if (testing::Test::HasFailure()) return;
  }
}

TEST(FuzzReports, MachinesReadWhatIsForThem) {
  const int rounds = fuzz_rounds(300);
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t seed = fuzz_seed(9) + static_cast<std::uint64_t>(round);
    const Document document = Maker(seed).document();
    EXPECT_TRUE(nlohmann::json::accept(report::forms::sarif(document))) << seed;
    EXPECT_TRUE(nlohmann::json::accept(report::forms::gitlab(document)))
        << seed;
    const test::XmlElement root =
        test::parse_xml(report::forms::junit(document));
    EXPECT_EQ(root.name, "testsuites") << seed << " " << root.text;
    if (testing::Test::HasFailure()) return;
  }
}

TEST(FuzzReports, CommandsEndWhereWeEndThem) {
  const int rounds = fuzz_rounds(300);
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t seed = fuzz_seed(5) + static_cast<std::uint64_t>(round);
    const Document document = Maker(seed).document();
    std::size_t expected = 2;  // the open question and the last line
    for (const Finding& finding : document.findings)
      expected += finding.triage.is_suppressed() ? 0 : 1;
    std::istringstream lines(report::forms::github(document));
    std::size_t count = 0;
    const std::regex command(
        "::(error|warning|notice) [a-z]+=[^,:\\r]*(,[a-z]+=[^,:\\r]*)*::"
        "[^\\r]*");
    for (std::string line; std::getline(lines, line); ++count)
      EXPECT_TRUE(std::regex_match(line, command)) << seed << " " << line;
    EXPECT_EQ(count, expected) << seed;
    std::istringstream plain(report::forms::lines(document));
    count = 0;
    for (std::string line; std::getline(plain, line); ++count)
      for (const char c : line)
        EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20) << seed;
    EXPECT_EQ(count, expected - 1) << seed;
    if (testing::Test::HasFailure()) return;
  }
}

TEST(FuzzReports, SpreadsheetsSeeNoFormula) {
  const int rounds = fuzz_rounds(300);
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t seed = fuzz_seed(3) + static_cast<std::uint64_t>(round);
    const std::string text = report::forms::csv(Maker(seed).document());
    // RFC 4180, field by field.
    bool is_quoted = false, is_begin = true;
    std::size_t fields = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (is_begin && c == '"' && !is_quoted) {
        is_quoted = true;
        EXPECT_EQ(std::string("=+-@").find(text[i + 1]), std::string::npos)
            << seed;
        is_begin = false;
        continue;
      }
      if (is_quoted) {
        if (c == '"' && i + 1 < text.size() && text[i + 1] == '"')
          ++i;
        else if (c == '"')
          is_quoted = false;
        continue;
      }
      if (is_begin) {
        EXPECT_EQ(std::string("=+-@").find(c), std::string::npos) << seed;
      }
      is_begin = c == ',' || c == '\n';
      fields += c == ',' ? 1 : 0;
    }
    EXPECT_FALSE(is_quoted) << seed;
    EXPECT_EQ(fields, 10u) << seed << "\n" << text;  // two lines of six fields
    if (testing::Test::HasFailure()) return;
  }
}

/// A line of a sequence diagram as we write it, whatever its texts are.
bool is_our_mermaid(const std::string& line) {
  // Plain letters, or a character by its number.
  const std::string words = "(?:[^\\x00-\\x1f<>;#:\"`{}|\\[\\]\\\\]|#[0-9]+;)*";
  static const std::regex ours(
      "sequenceDiagram|  participant S[0-9]+ as " + words +
      "|  participant D as database|  Note over (?:S[0-9]+|D): " + words +
      "|  S[0-9]+(?:->>|-x)D: " + words + "|  D(?:--x|-->>)S[0-9]+: " + words +
      "|  S[0-9]+->>S[0-9]+: " + words);
  return std::regex_match(line, ours);
}

TEST(FuzzReports, MarkdownHasNoMarkupOfOthers) {
  const int rounds = fuzz_rounds(300);
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t seed = fuzz_seed(7) + static_cast<std::uint64_t>(round);
    const std::string text = report::forms::markdown(Maker(seed).document());
    EXPECT_LT(text.size(), 65'000u);
    // Outside of code, the only tags are those that fold a run.
    bool is_code = false, is_mermaid = false;
    std::string fence;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t ticks = line.find_first_not_of('`');
      if (line.rfind("```", 0) == 0) {
        const std::string own =
            line.substr(0, ticks == std::string::npos ? line.size() : ticks);
        if (!is_code) {
          is_code = true;
          is_mermaid = line == "```mermaid";
          fence = own;
        } else if (line == fence) {
          is_code = false;
        }
        continue;
      }
      if (is_code) {
        if (is_mermaid) {
          EXPECT_TRUE(is_our_mermaid(line)) << seed << " " << line;
        }
        continue;
      }
      std::string rest =
          std::regex_replace(line, std::regex("(`+)[^]*?\\1"), "");
      for (const char* own :
           {"<details><summary>The run</summary>", "</details>"})
        if (rest == own) rest.clear();
      EXPECT_EQ(rest.find('<'), std::string::npos) << seed << " " << line;
      EXPECT_EQ(rest.find("]("), std::string::npos) << seed << " " << line;
      EXPECT_EQ(rest.find(" @"), std::string::npos) << seed << " " << line;
    }
    EXPECT_FALSE(is_code) << seed;
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace txscope
