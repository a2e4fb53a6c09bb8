// Hostile names and values in every form: whatever a table, a value, a file or
// a message is called, it stays text.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <regex>
#include <set>

#include "report/forms/forms.h"
#include "report/html/html.h"
#include "support/fuzz.h"
#include "support/xml.h"

namespace txscope {
namespace {

using document::Document;
using document::Finding;
using document::Step;

const std::vector<std::string>& pieces() {
  static const std::vector<std::string> all = {"<script>alert(1)</script>",
                                               "</script>",
                                               "</style>",
                                               "<!--",
                                               "-->",
                                               "]]>",
                                               "<img src=x onerror=alert(1)>",
                                               "\" onload=\"x",
                                               "' x='",
                                               "&amp;",
                                               "&",
                                               "<",
                                               ">",
                                               "`",
                                               "```",
                                               "|",
                                               "\n",
                                               "\r\n",
                                               "\t",
                                               "\\",
                                               "%0A::error::",
                                               "::error::x",
                                               "%",
                                               ",",
                                               ":",
                                               ";",
                                               "=1+1",
                                               "+cmd",
                                               "-2",
                                               "@SUM(A1)",
                                               "@someone",
                                               "#1",
                                               "[x](javascript:alert(1))",
                                               "![i](http://x/y)",
                                               "*b*",
                                               "_i_",
                                               "~~s~~",
                                               "\x1b[31m",
                                               "\x1b]0;t\x07",
                                               std::string("\0", 1),
                                               "\x7f",
                                               "\xe2\x80\xae",
                                               "\xe2\x80\xa8",
                                               "\xef\xbf\xbe",
                                               "\xff",
                                               "\xc0\xaf",
                                               "\xed\xa0\x80",
                                               "\xf0\x9f\x98\x80",
                                               "\xe4\xb8\xad",
                                               "e\xcc\x81",
                                               "end",
                                               "note over S0",
                                               "S0->>D: x",
                                               "participant D as y",
                                               "javascript:alert(1)",
                                               "${{ secrets.X }}",
                                               "{{constructor}}",
                                               "a",
                                               "accounts(1)",
                                               " "};
  return all;
}

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed) {}

  std::string text() {
    std::string out;
    for (std::size_t n = 1 + random_() % 4; n > 0; --n)
      out += pieces()[random_() % pieces().size()];
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
    out.rule = document::Rule{text(), text(), text(), text(), out.place};
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
      out.arrows = {{static_cast<document::Arrow::Kind>(below(3)), 0,
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
    out.tone = document::Tone::Bad;
    out.grids = {{text(),
                  text(),
                  {text()},
                  {{text(), {{text(), document::Tone::Bad, text(), text()}}}},
                  below(2) == 0}};
    document::Overview overview;
    overview.title = text();
    overview.end = 10;
    overview.lanes = {{text(),
                       {{text(), 1, 2, text(), text(), text(), false},
                        {text(), 3, 4, text(), text(), "", true}}}};
    out.overviews = {overview};
    for (std::size_t n = 1 + below(2); n > 0; --n)
      out.findings.push_back(finding());
    out.questions = {
        {text(),
         text(),
         text(),
         document::Tone::Bad,
         text(),
         {out.findings[0].id},
         false,
         out.findings[0].place},
        {text(), text(), text(), document::Tone::Open, text(), {}, false, {}}};
    out.checked = {{text(), text()}};
    out.not_checked = {text()};
    out.notes = {text()};
    out.absent = {text()};
    return out;
  }

 private:
  std::mt19937_64 random_;
};

/// The tags of a page, outside of our own styles and scripts, with their
/// attributes' names: what an attacker would add to.
std::set<std::string> tags_of(std::string html) {
  // The first of them ends where the styles do.
  const std::size_t head = html.rfind("</style>\n</head>");
  if (head == std::string::npos) return {"no head"};
  html.erase(0, head + 8);
  html =
      std::regex_replace(html, std::regex("<script[^>]*>[^<]*</script>"), "");
  const std::size_t own = html.find("<script>");
  if (own != std::string::npos) html.erase(own);
  std::set<std::string> tags;
  static const std::regex tag("<(/?[a-zA-Z!][^\\s>/]*)([^>]*)>");
  for (std::sregex_iterator at(html.begin(), html.end(), tag), end; at != end;
       ++at) {
    tags.insert((*at)[1]);
    const std::string inner = (*at)[2];
    static const std::regex attribute("\\s([a-zA-Z-]+)(?:=\"([^\"<>]*)\")?");
    std::string rest = std::regex_replace(inner, attribute, "");
    if (rest != "" && rest != "/") tags.insert("broken: " + inner);
    for (std::sregex_iterator a(inner.begin(), inner.end(), attribute), last;
         a != last; ++a) {
      tags.insert("@" + (*a)[1].str());
      if ((*a)[1] == "href" && (*a)[2].str().substr(0, 1) != "#")
        tags.insert("link: " + (*a)[2].str());
    }
  }
  return tags;
}

const std::set<std::string>& our_tags() {
  static const std::set<std::string> all = {
      "!DOCTYPE", "html",  "head",    "meta",    "title",   "body",   "a",
      "header",   "p",     "strong",  "span",    "h1",      "code",   "button",
      "div",      "nav",   "h2",      "ol",      "li",      "main",   "section",
      "table",    "thead", "tr",      "th",      "tbody",   "td",     "svg",
      "path",     "rect",  "label",   "input",   "article", "dl",     "dt",
      "dd",       "ul",    "h3",      "h4",      "del",     "ins",    "pre",
      "output",   "mark",  "caption", "details", "summary", "defs",   "marker",
      "circle",   "text",  "g",       "br",      "form",    "select", "option",
      "footer"};
  return all;
}

TEST(FuzzReports, HtmlHasNoTagButOurs) {
  const int rounds = fuzz_rounds(100);
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t seed = fuzz_seed(1) + static_cast<std::uint64_t>(round);
    const std::string page = html(Maker(seed).document());
    for (const std::string& tag : tags_of(page)) {
      if (tag.front() == '@') {
        EXPECT_NE(tag.substr(0, 3), "@on") << tag << " seed " << seed;
        EXPECT_NE(tag, "@src") << seed;
        EXPECT_NE(tag, "@style") << seed;
        continue;
      }
      const std::string name = tag.front() == '/' ? tag.substr(1) : tag;
      EXPECT_TRUE(our_tags().contains(name) || name == "title")
          << tag << " seed " << seed;
    }
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
    EXPECT_TRUE(nlohmann::json::accept(forms::sarif(document))) << seed;
    EXPECT_TRUE(nlohmann::json::accept(forms::gitlab(document))) << seed;
    const test::XmlElement root = test::parse_xml(forms::junit(document));
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
    std::istringstream lines(forms::github(document));
    std::size_t count = 0;
    const std::regex command(
        "::(error|warning|notice) [a-z]+=[^,:\\r]*(,[a-z]+=[^,:\\r]*)*::"
        "[^\\r]*");
    for (std::string line; std::getline(lines, line); ++count)
      EXPECT_TRUE(std::regex_match(line, command)) << seed << " " << line;
    EXPECT_EQ(count, expected) << seed;
    std::istringstream plain(forms::lines(document));
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
    const std::string text = forms::csv(Maker(seed).document());
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

TEST(FuzzReports, MarkdownHasNoMarkupOfOthers) {
  const int rounds = fuzz_rounds(300);
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t seed = fuzz_seed(7) + static_cast<std::uint64_t>(round);
    const std::string text = forms::markdown(Maker(seed).document());
    EXPECT_LT(text.size(), 65'000u);
    // Outside of code, the only tags are those that fold a run.
    bool is_code = false;
    std::string fence;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t ticks = line.find_first_not_of('`');
      if (line.rfind("```", 0) == 0) {
        const std::string own =
            line.substr(0, ticks == std::string::npos ? line.size() : ticks);
        if (!is_code) {
          is_code = true;
          fence = own;
        } else if (line == fence) {
          is_code = false;
        }
        continue;
      }
      if (is_code) continue;
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
