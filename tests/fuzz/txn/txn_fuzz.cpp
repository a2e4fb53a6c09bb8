#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/random.h"
#include "explore/explore.h"
#include "read/txn/txn.h"
#include "support/fuzz.h"
#include "support/paths.h"
#include "support/random_program.h"

namespace txscope {
namespace {

std::vector<std::string> corpus() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(
           test::source_dir() + "/tests/programs")) {
    if (entry.path().extension() == ".txn") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const auto& path : paths) {
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    texts.push_back(text.str());
  }
  return texts;
}

/// Reads the text; what is accepted must compile or be refused with a place,
/// and can be explored for a moment.
void try_program(const std::string& text) {
  const auto program = read::read_txn("fuzz.txn", text);
  if (!program) {
    const Error& error = program.error();
    EXPECT_FALSE(error.what.empty());
    EXPECT_GE(error.where.line, 1u) << error.what << "\n" << text;
    EXPECT_GE(error.where.column, 1u) << error.what << "\n" << text;
    const auto lines = static_cast<std::size_t>(
        std::count(text.begin(), text.end(), '\n') + 1);
    EXPECT_LE(error.where.line, lines) << error.what << "\n" << text;
    return;
  }
  explore::ExploreOptions options;
  options.levels = {Base::ReadCommitted, Base::SnapshotIsolation};
  options.loop_bound = 20;
  options.explains = false;
  const Budget budget({std::chrono::milliseconds(20), std::nullopt});
  const auto result = explore::explore(*program, options, budget);
  if (!result) {
    EXPECT_GE(result.error().where.line, 1u);
  }
}

TEST(TxnFuzz, MutatedProgramsAreReadOrRefusedWithAPlace) {
  const std::vector<std::string> texts = corpus();
  ASSERT_FALSE(texts.empty());
  static const std::string kPieces[] = {
      "{",      "}",     "(",
      ")",      "[",     "]",
      "=",      "==",    "..",
      ".",      "?",     ":",
      ";",      "\n",    "read",
      "write",  "if",    "else",
      "for",    "while", "abort",
      "txn",    "var",   "0",
      "-1",     "0x",    "99999999999999999999",
      "\"",     "//",    "#",
      "x",      "a[1]",  "session",
      "assert", "const", "invariant",
      "assume", "min(",  "\xc3\xa4",
      "\xff",   "\r\n"};
  Random random(fuzz_seed(11));
  const int rounds = fuzz_rounds(1500);
  for (int i = 0; i < rounds && !HasFailure(); ++i) {
    std::string text = texts[random.below(texts.size())];
    const std::uint64_t edits = 1 + random.below(4);
    for (std::uint64_t e = 0; e < edits; ++e) {
      const std::size_t at = random.below(text.size() + 1);
      const std::size_t length = random.below(12);
      switch (random.below(4)) {
        case 0: text.erase(at, length); break;
        case 1:
          text.insert(at, kPieces[random.below(std::size(kPieces))]);
          break;
        case 2:
          if (at < text.size()) text[at] = static_cast<char>(random.next());
          break;
        default: {
          const std::string& other = texts[random.below(texts.size())];
          text.insert(at, other, random.below(other.size()), 4 * length);
          break;
        }
      }
    }
    try_program(text);
  }
}

TEST(TxnFuzz, TruncatedProgramsAreReadOrRefusedWithAPlace) {
  for (const std::string& text : corpus()) {
    for (std::size_t n = 0; n < text.size() && !HasFailure();
         n += 1 + text.size() / 40) {
      try_program(text.substr(0, n));
    }
  }
}

TEST(TxnFuzz, RandomBytesAreRefused) {
  Random random(fuzz_seed(12));
  for (int i = 0; i < fuzz_rounds(300); ++i) {
    std::string text(random.below(200), ' ');
    for (char& c : text) c = static_cast<char>(random.next());
    EXPECT_FALSE(read::read_txn("fuzz.txn", text));
  }
}

TEST(TxnFuzz, GeneratedProgramsAreAlwaysRead) {
  Random random(fuzz_seed(13));
  for (int i = 0; i < fuzz_rounds(500); ++i) {
    const std::string text = testing::random_program(random, {}).text();
    const auto program = read::read_txn("fuzz.txn", text);
    EXPECT_TRUE(program) << program.error().what << "\n" << text;
  }
}

}  // namespace
}  // namespace txscope
