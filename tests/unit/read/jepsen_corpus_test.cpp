// g++ 12 with sanitizers takes parts of <regex> for uninitialised.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

// The Jepsen histories of the corpus have as many transactions and operations
// as a plain count of words in their text says.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>

#include "read/histories/history_source.h"
#include "support/corpus.h"

namespace txscope {
namespace {

struct Counts {
  std::size_t invoked = 0;
  std::size_t committed = 0;
  std::size_t aborted = 0;
  std::size_t ops = 0;  // of micro-operations only

  friend bool operator==(const Counts&, const Counts&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Counts& c) {
    return out << c.invoked << " invoked, " << c.committed << " committed, "
               << c.aborted << " aborted, " << c.ops << " ops";
  }
};

std::size_t matches(const std::string& line, const std::regex& pattern) {
  return static_cast<std::size_t>(
      std::distance(std::sregex_iterator(line.begin(), line.end(), pattern),
                    std::sregex_iterator()));
}

// In all of these files an event begins and says its type in one line, and
// every completion has an invocation.
Counts count_words(const std::filesystem::path& path) {
  const std::regex type(
      R"re(:type +:(\w+)|"type":"(\w+)"|\s:(invoke|ok|fail|info)\s+:\w+\s)re");
  const std::regex write(R"re(\[ *:(append|w) |\["(append|w)",)re");
  const std::regex read(R"re(\[ *:r |\["r",)re");
  Counts counts;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::smatch found;
    if (line.find(":nemesis") != std::string::npos) continue;
    if (!std::regex_search(line, found, type)) continue;
    const std::string name = found[1].str() + found[2].str() + found[3].str();
    if (name == "invoke") ++counts.invoked, counts.ops += matches(line, write);
    if (name == "ok") ++counts.committed, counts.ops += matches(line, read);
    if (name == "fail") ++counts.aborted;
  }
  return counts;
}

class JepsenCorpus : public testing::TestWithParam<const char*> {};

TEST_P(JepsenCorpus, HasTheSizeThatItsTextSays) {
  const auto path = corpus_file(std::string("histories/") + GetParam());
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is absent";
  auto source = read::open_history(path.string(), {});
  ASSERT_TRUE(source) << source.error().what;
  auto history = (*source)->next();
  ASSERT_TRUE(history) << to_string(history.error().where) << ": "
                       << history.error().what;
  Counts expected = count_words(path);
  Counts counts;
  for (std::uint32_t t = 1; t < (**history).size(); ++t) {
    const Status status = (**history).at(TxnId(t)).status;
    ++counts.invoked;
    if (status == Status::Committed) ++counts.committed;
    if (status == Status::Aborted) ++counts.aborted;
  }
  if (expected.ops != 0) counts.ops = (**history).ops().size();
  // One of its appends has two explanations, a transaction each.
  if (std::string(GetParam()).ends_with("c50-bad.txt")) expected.invoked += 2;
  EXPECT_GT(expected.committed, 0u);
  EXPECT_EQ(counts, expected);
  auto end = (*source)->next();
  ASSERT_TRUE(end);
  EXPECT_FALSE(*end);
}

INSTANTIATE_TEST_SUITE_P(
    Files, JepsenCorpus,
    testing::Values(
        "elle/huge-scc.edn", "elle/paper-example.edn",
        "elle/si-without-g-single.edn", "elle-cli/elle/list-append-gh-30.edn",
        "elle-cli/elle/paper-example.edn", "elle-cli/elle/paper-example.json",
        "elle-cli/elle/rw-register.edn", "elle-cli/elle/rw-register.json",
        "elle-cli/jepsen/long-fork.edn",
        "elle-cli/knossos/cas-register/bad/bad-analysis.edn",
        "elle-cli/knossos/cas-register/bad/cas-failure.edn",
        "elle-cli/knossos/cas-register/bad/rethink-fail-minimal.edn",
        "elle-cli/knossos/cas-register/good/memstress3-9.edn",
        "porcupine/kv/c01-ok.txt", "porcupine/kv/c01-bad.txt",
        "porcupine/kv/c50-bad.txt", "porcupine/jepsen/etcd_001.log",
        "porcupine/jepsen/etcd_003.log", "porcupine/jepsen/etcd_007.log",
        "porcupine/jepsen/etcd_018.log", "porcupine/jepsen/etcd_101.log"));

class ForeignWorkload
    : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(ForeignWorkload, IsRefusedByName) {
  const auto path = corpus_file(std::string("histories/") + GetParam().first);
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is absent";
  auto source = read::open_history(path.string(), {});
  ASSERT_TRUE(source) << source.error().what;
  const auto history = (*source)->next();
  ASSERT_FALSE(history);
  EXPECT_NE(history.error().what.find(GetParam().second), std::string::npos)
      << history.error().what;
  EXPECT_GT(history.error().where.line, 0u);
  EXPECT_GT(history.error().where.column, 0u);
}

INSTANTIATE_TEST_SUITE_P(
    Files, ForeignWorkload,
    testing::Values(
        std::pair("elle-cli/jepsen/bank.edn", "a bank history"),
        std::pair("elle-cli/jepsen/bank-tidb.edn", "a bank history"),
        std::pair("elle-cli/jepsen/bank-neg.edn", "a bank history"),
        std::pair("elle-cli/jepsen/bank-negative-balances.json",
                  "a bank history"),
        std::pair("elle-cli/jepsen/set.edn", "a set or counter history"),
        std::pair("elle-cli/jepsen/set_full.edn", "a set or counter history"),
        std::pair("elle-cli/jepsen/counter.edn", "a set or counter history"),
        std::pair("elle-cli/custom/comments.edn",
                  "a set or comments history")));

}  // namespace
}  // namespace txscope
