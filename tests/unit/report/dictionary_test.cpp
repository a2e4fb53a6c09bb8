#include "report/dictionary/dictionary.h"

#include <gtest/gtest.h>

#include <set>

#include "model/product/error_class.h"
#include "report/document/document.h"

namespace txscope::report::dictionary {
namespace {

TEST(Dictionary, FindsNamesInAnySpelling) {
  for (const char* spelling : {"G2-item", "g2-item", "G2_ITEM", "g2 item"}) {
    const Entry* entry = find(spelling);
    ASSERT_NE(entry, nullptr) << spelling;
    EXPECT_EQ(entry->name, "G2-item");
  }
  ASSERT_NE(find("SI"), nullptr);
  EXPECT_EQ(find("SI")->name, "snapshot-isolation");
  EXPECT_EQ(find("read skew")->name, "G-single");
  EXPECT_EQ(find("no such thing"), nullptr);
  EXPECT_EQ(find(""), nullptr);
}

TEST(Dictionary, HasTheWordsThatRaceAnswersWith) {
  for (const char* said : {"anomaly", "survivors", "schedule", "hangs",
                           "deadlock", "granularity", "40001", "40P01", "23505",
                           "55P03", "25P02", "lost update", "write skew"})
    EXPECT_NE(find(said), nullptr) << said;
}

TEST(Dictionary, TakesTheOrderOffANameAndExplainsItToo) {
  EXPECT_EQ(find("G-single-realtime")->name, "G-single");
  EXPECT_EQ(find_order("G-single-realtime")->name, "realtime");
  EXPECT_EQ(find("G1c-process")->name, "G1c");
  EXPECT_EQ(find_order("G1c-process")->name, "session");
  EXPECT_EQ(find("strong-session-snapshot-isolation")->name,
            "snapshot-isolation");
  EXPECT_EQ(find_order("strong-session-snapshot-isolation")->name, "session");
  EXPECT_EQ(find("strict-serializable")->name, "serializable");
  EXPECT_EQ(find_order("strict-serializable")->name, "realtime");
  EXPECT_EQ(find_order("G1c"), nullptr);
  EXPECT_EQ(find("nonsense-realtime"), nullptr);
  EXPECT_EQ(find_order("nonsense-realtime"), nullptr);
}

TEST(Dictionary, SuggestsWhatIsSpeltAlike) {
  const auto first = [](std::string_view name) {
    const auto names = suggest(name);
    return names.empty() ? std::string() : std::string(names.front());
  };
  EXPECT_EQ(first("serialisabel"), "serializable");
  EXPECT_EQ(first("wirte-skew"), "write-skew");
  EXPECT_EQ(first("G-singel"), "G-single");
  EXPECT_EQ(first("snapshot-isolatoin"), "snapshot-isolation");
  EXPECT_TRUE(suggest("completely different").empty());
  EXPECT_LE(suggest("read").size(), 3u);
}

TEST(Dictionary, HasEveryLevelUnderEachOfItsNames) {
  for (const Base base : all_bases()) {
    const Entry* entry = find(name(base));
    ASSERT_NE(entry, nullptr) << name(base);
    EXPECT_EQ(entry->kind, Kind::Level);
    for (const auto alias : aliases(base)) EXPECT_EQ(find(alias), entry);
  }
  for (const Order order : {Order::None, Order::Session, Order::Realtime})
    EXPECT_NE(find(name(order)), nullptr);
}

// As answers of all verbs print them.
TEST(Dictionary, HasEveryWordThatAnAnswerUses) {
  for (const char* word : {"deadlock",
                           "40001",
                           "40P01",
                           "1213",
                           "1020",
                           "1205",
                           "23505",
                           "23503",
                           "raised",
                           "retry",
                           "phantom",
                           "lost update",
                           "write skew",
                           "read skew",
                           "notion",
                           "notion trace",
                           "notion outcome",
                           "granularity",
                           "method",
                           "method proof",
                           "robust",
                           "not robust",
                           "vacuous",
                           "undecided",
                           "holds",
                           "VIOLATED",
                           "explained",
                           "not explained",
                           "race",
                           "safe",
                           "tried",
                           "complete",
                           "outcomes",
                           "final states",
                           "invariant",
                           "as if one after the other",
                           "waits for",
                           "without",
                           "delayed",
                           "survivors",
                           "baseline",
                           "accepted",
                           "so",
                           "wr",
                           "ww",
                           "rw",
                           "rt"}) {
    EXPECT_NE(find(word), nullptr) << word;
  }
}

// Whatever a product may answer.
TEST(Dictionary, HasEveryCodeThatTheTableOfErrorsHas) {
  for (const ErrorRow& row : error_rows())
    EXPECT_NE(find(row.code), nullptr) << row.code;
}

// A finding's kind is a word, too: it stands on the page and in SARIF.
TEST(Dictionary, HasEveryKindOfFinding) {
  for (const char* kind : {"race", "anomaly", "broken-rule", "failed-assert",
                           "program-error", "deadlock", "error", "not-robust",
                           "not-explained", "protocol", "hang", "undecided"}) {
    EXPECT_EQ(report::document::kind_info(kind).id, kind);
    EXPECT_NE(find(kind), nullptr) << kind;
  }
}

TEST(Dictionary, TakesNamesAsReportsPutThem) {
  ASSERT_NE(find("write skew (G2-item)"), nullptr);
  EXPECT_EQ(find("write skew (G2-item)"), find("write-skew"));
  ASSERT_NE(find("snapshot-isolation (session order)"), nullptr);
  EXPECT_EQ(find("snapshot-isolation (session order)")->name,
            "snapshot-isolation");
  EXPECT_EQ(find("(G2-item)"), nullptr);
}

TEST(Dictionary, NamesNothingTwice) {
  std::set<std::string> names;
  for (const Entry& entry : all()) {
    EXPECT_TRUE(names.insert(canonical(entry.name)).second) << entry.name;
    for (const auto alias : entry.aliases) {
      EXPECT_EQ(alias, canonical(alias));
      EXPECT_TRUE(names.insert(std::string(alias)).second) << alias;
    }
  }
}

TEST(Dictionary, SaysSomethingAboutEverything) {
  for (const Entry& entry : all()) {
    EXPECT_FALSE(entry.summary.empty()) << entry.name;
    EXPECT_LE(entry.summary.size(), 70u) << entry.name;
    EXPECT_FALSE(entry.summary.ends_with('.')) << entry.name;
    EXPECT_TRUE(entry.text.ends_with('.')) << entry.name;
    const bool is_shown =
        entry.kind == Kind::Level || entry.kind == Kind::Anomaly;
    EXPECT_TRUE(!is_shown || !entry.example.empty()) << entry.name;
    EXPECT_TRUE(!is_shown || !entry.practice.empty()) << entry.name;
  }
}

}  // namespace
}  // namespace txscope::report::dictionary
