// Every history of the corpus has the verdict that its list says, with evidence
// that certify() accepts.  The list is outside the repository; see corpus.h.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "certify/certify.h"
#include "check/check.h"
#include "read/histories/history_source.h"
#include "support/corpus.h"

namespace txscope {
namespace {

struct Row {
  std::string file;
  std::string level;
  std::string order;
  std::string expected;
};

std::ostream& operator<<(std::ostream& out, const Row& row) {
  return out << row.file << " at " << row.level << ", order " << row.order;
}

/// The canonical names only: other rows speak of other properties.
bool is_level(const std::string& text) {
  return std::any_of(all_bases().begin(), all_bases().end(),
                     [&](Base base) { return name(base) == text; });
}

std::vector<Row> listed() {
  std::vector<Row> rows;
  std::ifstream list(corpus_file("histories/MANIFEST.tsv"));
  std::string line;
  std::getline(list, line);
  while (std::getline(list, line)) {
    std::istringstream fields(line);
    Row row;
    std::string ignored;
    std::getline(fields, row.file, '\t');
    std::getline(fields, ignored, '\t');
    std::getline(fields, ignored, '\t');
    std::getline(fields, row.level, '\t');
    std::getline(fields, row.order, '\t');
    std::getline(fields, row.expected, '\t');
    if (is_level(row.level)) rows.push_back(row);
  }
  return rows;
}

/// One file is looked at by several rows in turn; it is read once.
check::Checker& checker_of(const std::string& file) {
  struct Opened {
    std::string file;
    std::unique_ptr<History> history;
    std::unique_ptr<check::Checker> checker;
  };
  static Opened last;
  if (last.file == file) return *last.checker;
  last = {};
  auto source =
      read::open_history(corpus_file("histories/" + file).string(), {});
  if (!source) throw std::runtime_error(source.error().what);
  auto history = (*source)->next();
  if (!history)
    throw std::runtime_error(to_string(history.error().where) + ": " +
                             history.error().what);
  last.file = file;
  last.history = std::make_unique<History>(**std::move(history));
  last.checker = std::make_unique<check::Checker>(*last.history);
  return *last.checker;
}

class Manifest : public testing::TestWithParam<Row> {};

TEST_P(Manifest, HasTheListedVerdictAndACertificate) {
  const Row& row = GetParam();
  check::Checker& checker = checker_of(row.file);
  const auto level = parse_level(row.level);
  const auto order = parse_order(row.order);
  ASSERT_TRUE(level && order);
  const Verdict verdict =
      checker.check({level->base, *order}, Budget::unlimited());
  ASSERT_NE(verdict.outcome(), Outcome::Undecided);
  if (row.expected != "?") {
    EXPECT_EQ(name(verdict.outcome()), row.expected);
  }
  const certify::Certificate certificate =
      certify::certify(checker.history(), verdict);
  EXPECT_TRUE(certificate) << certificate.why_not;
}

std::string test_name(const testing::TestParamInfo<Row>& info) {
  std::string name =
      info.param.file + "_" + info.param.level + "_" + info.param.order;
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return std::to_string(info.index) + "_" + name;
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Manifest);
INSTANTIATE_TEST_SUITE_P(Rows, Manifest, testing::ValuesIn(listed()),
                         test_name);

// A history of a level is one of every weaker level, so one row says something
// about others; and all answers have to agree with each other.

bool has_repeated_values(const History& history) {
  std::set<std::tuple<std::uint32_t, Atom>> written;
  for (const Op& op : history.ops())
    if (op.is_write() && !written.emplace(op.key.index, op.value).second)
      return true;
  return false;
}

class Lattice : public testing::TestWithParam<std::string> {};

TEST_P(Lattice, AnswersAtAllLevelsAgreeAndAreCertified) {
  check::Checker& checker = checker_of(GetParam());
  if (has_repeated_values(checker.history()))
    GTEST_SKIP() << "the levels that the list does not name may be too hard";
  const bool has_times = !check::missing_times(checker.history());
  std::vector<Verdict> verdicts;
  for (const Order order : {Order::None, Order::Session, Order::Realtime}) {
    if (order == Order::Realtime && !has_times) continue;
    // Without sessions a large history is a hard question; the rows above ask
    // what is known about it.
    if (order == Order::None && checker.history().size() > 400) continue;
    for (const Base base : all_bases()) {
      const Level level{base, order};
      verdicts.push_back(checker.check(level, Budget::unlimited()));
      ASSERT_NE(verdicts.back().outcome(), Outcome::Undecided);
      const certify::Certificate certificate =
          certify::certify(checker.history(), verdicts.back());
      EXPECT_TRUE(certificate)
          << describe(level) << ": " << certificate.why_not;
    }
  }
  for (const Verdict& strong : verdicts)
    for (const Verdict& weak : verdicts)
      if (implies(strong.level, weak.level) &&
          strong.outcome() == Outcome::Holds) {
        EXPECT_EQ(weak.outcome(), Outcome::Holds)
            << describe(weak.level) << " although " << describe(strong.level);
      }
}

std::vector<std::string> files() {
  std::vector<std::string> all;
  for (const Row& row : listed())
    if (all.empty() || all.back() != row.file) all.push_back(row.file);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Lattice);
INSTANTIATE_TEST_SUITE_P(Files, Lattice, testing::ValuesIn(files()));

TEST(Corpus, IsPresent) {
  const auto path = corpus_file("histories/MANIFEST.tsv");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is absent";
  EXPECT_GT(listed().size(), 200u);
}

// What other checkers say about these is wrong, each for a known reason.

Outcome outcome_of(const char* file, Base base) {
  return checker_of(file)
      .check({base, Order::Session}, Budget::unlimited())
      .outcome();
}

class PeersMistakes : public testing::Test {
 protected:
  void SetUp() override {
    const auto path = corpus_file("histories/own");
    if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is absent";
  }
};

TEST_F(PeersMistakes, AStaleReadOfTheInitialValueIsNotReadAtomic) {
  const char* file = "own/stale-initial-read.txt";
  EXPECT_EQ(outcome_of(file, Base::ReadAtomic), Outcome::Violated);
  EXPECT_EQ(outcome_of(file, Base::Causal), Outcome::Violated);
}

TEST_F(PeersMistakes, ReadingTheSameValueTwiceIsSerializable) {
  EXPECT_EQ(outcome_of("own/repeated-same-read.txt", Base::Serializable),
            Outcome::Holds);
}

TEST_F(PeersMistakes, PrefixIsWeakerThanSnapshotIsolation) {
  const char* file = "own/prefix-ok-not-si.txt";
  EXPECT_EQ(outcome_of(file, Base::Causal), Outcome::Holds);
  EXPECT_EQ(outcome_of(file, Base::Prefix), Outcome::Holds);
  EXPECT_EQ(outcome_of(file, Base::SnapshotIsolation), Outcome::Violated);
}

TEST_F(PeersMistakes, ATransactionMustNotGoBackInTimeAcrossTwoKeys) {
  EXPECT_EQ(
      outcome_of("own/non-monotonic-two-keys.txt", Base::MonotonicAtomicView),
      Outcome::Violated);
}

TEST_F(PeersMistakes, AValueThatNobodyWroteIsAViolation) {
  EXPECT_EQ(outcome_of("elle-cli/elle/rw-register.edn", Base::ReadCommitted),
            Outcome::Violated);
}

}  // namespace
}  // namespace txscope
