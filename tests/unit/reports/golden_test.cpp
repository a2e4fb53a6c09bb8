// Every form of a few answers, as people have read it and found it good:
// tests/golden has a folder per answer and a file per form.  After a wanted
// change of what is said,
//   TXSCOPE_RENEW_GOLDEN=1 build/release/tests/test_reports
//   --gtest_filter=*Golden*
// writes them anew; `git diff tests/golden` is then what a reviewer reads.
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "unit/reports/written.h"

namespace txscope {
namespace {

using test::Ran;
using test::run_command;

struct Form {
  const char* format;
  const char* file;
};

constexpr Form kForms[] = {
    {"text", "report.txt"},    {"html", "report.html"},
    {"markdown", "report.md"}, {"sarif", "report.sarif"},
    {"junit", "report.xml"},   {"github", "github.txt"},
    {"gitlab", "gitlab.json"}, {"csv", "report.csv"},
    {"lines", "lines.txt"},    {"dot", "report.dot"},
};

struct GoldenCase {
  const char* name;
  const char* call;
  bool has_dot = true;
};

void PrintTo(const GoldenCase& one, std::ostream* out) { *out << one.name; }

constexpr GoldenCase kCases[] = {
    {"check", "check lost-update.jsonl"},
    {"explore", "explore counter.sql --level postgresql:read-committed"},
    {"verify", "verify withdraw.sql --level snapshot-isolation"},
    {"robust", "robust counter.sql --against causal"},
    {"audit", "audit log.jsonl", false},
    {"model", "model Counter.tla"},
    {"analyze", "analyze counter.sql"},
};

void replace_all(std::string& text, const std::string& from,
                 const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos;
       at += to.size())
    text.replace(at, from.size(), to);
}

/// Without what stands between two marks, which stay.
void cut_between(std::string& text, const std::string& begin,
                 const std::string& end) {
  for (std::size_t at = 0; (at = text.find(begin, at)) != std::string::npos;) {
    at += begin.size();
    const std::size_t last = text.find(end, at);
    ASSERT_NE(last, std::string::npos) << begin;
    text.erase(at, last - at);
  }
}

/// What a release, a new style or a new script changes is not looked at.
std::string stable(std::string text, const std::string& format) {
  if (format == "html") {
    cut_between(text, "content=\"default-src 'none'", "\"");
    cut_between(text, "<style>", "</style>");
    cut_between(text, "<script>", "</script>");
  }
  // On a slow machine `model` tells how long it took.
  if (format == "text")
    text = std::regex_replace(text, std::regex("; [0-9.]+ s, [0-9,]+ states/s"),
                              "");
  replace_all(text, TXSCOPE_VERSION, "VERSION");
  replace_all(text, "\r\n", "\n");
  return text;
}

std::string read_whole(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

class Golden : public testing::TestWithParam<GoldenCase> {};

TEST_P(Golden, IsWhatPeopleHaveRead) {
  const std::string home = test::source_dir() + "/tests/golden";
  const bool renews = std::getenv("TXSCOPE_RENEW_GOLDEN") != nullptr;
  for (const auto& [format, file] : kForms) {
    if (std::string(format) == "dot" && !GetParam().has_dot) continue;
    const Ran ran =
        run_command("COLUMNS=90 txscope " + std::string(GetParam().call) +
                        " --format " + format,
                    home);
    ASSERT_EQ(ran.status, 1) << format << "\n" << ran.output;
    const std::string now = stable(ran.output, format);
    const std::string path = home + "/" + GetParam().name + "/" + file;
    if (renews) {
      std::filesystem::create_directories(home + "/" + GetParam().name);
      std::ofstream(path, std::ios::binary) << now;
    }
    EXPECT_EQ(read_whole(path), now)
        << "if that is what it is to say: TXSCOPE_RENEW_GOLDEN=1";
  }
}

INSTANTIATE_TEST_SUITE_P(Verbs, Golden, testing::ValuesIn(kCases),
                         [](const auto& one) {
                           return std::string(one.param.name);
                         });

// A file that nothing compares any more says nothing.
TEST(GoldenFiles, AreAllCompared) {
  const std::filesystem::path home = test::source_dir() + "/tests/golden";
  for (const auto& folder : std::filesystem::directory_iterator(home)) {
    if (!folder.is_directory()) continue;
    EXPECT_TRUE(std::any_of(std::begin(kCases), std::end(kCases),
                            [&](const GoldenCase& one) {
                              return folder.path().filename() == one.name;
                            }))
        << folder.path();
    for (const auto& file : std::filesystem::directory_iterator(folder))
      EXPECT_TRUE(std::any_of(
          std::begin(kForms), std::end(kForms),
          [&](const Form& one) { return file.path().filename() == one.file; }))
          << file.path();
  }
}

}  // namespace
}  // namespace txscope
