// Every history of the corpus has the size that its list says.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "read/histories/history_source.h"
#include "support/corpus.h"

namespace txscope {
namespace {

/// What a file has and the history has not, for a stated reason.
struct LeftOut {
  std::size_t txns = 0;
  std::size_t sessions = 0;
  std::size_t ops = 0;
};

/// The explicit initial transactions of two IsoVista files, and the events of
/// dbcop's files that did not succeed (here counted by a script).
const std::map<std::string, LeftOut> kLeftOut = {
    {"isovista/pg_ser_bug.txt", {1, 1, 10}},
    {"isovista/yugabyte_tcc.txt", {1, 1, 20}},
    {"dbcop/galera_all_writes/12_30_20_720/hist-00025/history.bincode",
     {0, 0, 13}},
    {"dbcop/galera_all_writes/3_30_20_180/hist-00000/history.bincode",
     {0, 0, 1}},
    {"dbcop/galera_all_writes/3_30_20_180/hist-00009/history.bincode",
     {0, 0, 1}},
    {"dbcop/galera_all_writes/3_30_20_180/hist-00024/history.bincode",
     {0, 0, 2}},
    {"dbcop/galera_partition_writes/12_30_20_720/hist-00012/history.bincode",
     {0, 0, 1}},
    {"dbcop/galera_partition_writes/3_30_20_180/hist-00026/history.bincode",
     {0, 0, 1}},
    {"dbcop/galera_partition_writes/6_30_20_360/hist-00008/history.bincode",
     {0, 0, 1}},
    {"dbcop/galera_partition_writes/9_30_20_540/hist-00044/history.bincode",
     {0, 0, 4}},
    {"dbcop/roachdb_general_all_writes/6_30_30_360/hist-00011/history.bincode",
     {0, 0, 321}},
    {"dbcop/roachdb_general_partition_writes/9_30_20_540/hist-00032/"
     "history.bincode",
     {0, 0, 28}},
};

/// "90 txns (87 committed) / 3 sessions / 1800 ops", in the list's own words.
std::string size_of(const History& history, bool says_committed,
                    const LeftOut& left_out) {
  std::size_t committed = 0;
  for (std::size_t t = 1; t < history.size(); ++t)
    if (history.is_committed(TxnId(t))) ++committed;
  const std::size_t sessions = history.sessions().size() + left_out.sessions;
  std::string text =
      std::to_string(history.size() - 1 + left_out.txns) + " txns ";
  if (says_committed) text += "(" + std::to_string(committed) + " committed) ";
  return text + "/ " + std::to_string(sessions) +
         (sessions == 1 ? " session" : " sessions") + " / " +
         std::to_string(history.ops().size() + left_out.ops) + " ops";
}

std::map<std::string, std::pair<std::string, std::string>> listed_histories() {
  std::map<std::string, std::pair<std::string, std::string>> files;
  std::ifstream list(corpus_file("histories/MANIFEST.tsv"));
  std::string line;
  std::getline(list, line);
  while (std::getline(list, line)) {
    std::istringstream fields(line);
    std::string file, format, size;
    std::getline(fields, file, '\t');
    std::getline(fields, format, '\t');
    std::getline(fields, size, '\t');
    files[file] = {format, size};
  }
  return files;
}

TEST(Corpus, EveryHistoryHasTheSizeThatTheListGives) {
  const auto path = corpus_file("histories/MANIFEST.tsv");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is absent";
  const std::map<std::string, read::Format> formats = {
      {"awdit-test", read::Format::Awdit},
      {"cobra-log (dir)", read::Format::Cobra},
      {"dbcop-bincode", read::Format::DbcopBincode},
      {"plume-text", read::Format::Plume},
      {"polysi-text", read::Format::Plume},
      {"timekiller-json (timestamps)", read::Format::TimeKiller},
  };
  std::size_t compared = 0;
  for (const auto& [file, about] : listed_histories()) {
    const auto format = formats.find(about.first);
    if (format == formats.end()) continue;
    const std::string name = corpus_file("histories/" + file).string();
    auto source = read::open_history(name, {});
    ASSERT_TRUE(source) << to_string(source.error().where) << ": "
                        << source.error().what;
    EXPECT_EQ((*source)->format(), format->second) << file;
    auto history = (*source)->next();
    ASSERT_TRUE(history) << to_string(history.error().where) << ": "
                         << history.error().what;
    ASSERT_TRUE(*history);
    const bool says_committed =
        about.second.find("committed") != std::string::npos;
    const auto left_out = kLeftOut.find(file);
    EXPECT_EQ(
        size_of(**history, says_committed,
                left_out == kLeftOut.end() ? LeftOut{} : left_out->second),
        about.second)
        << file;
    ++compared;
  }
  EXPECT_GT(compared, 60u);
}

}  // namespace
}  // namespace txscope
