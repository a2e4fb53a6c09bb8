// What write_history writes means the same when it is read back: the oracle
// gives the same answer at every level.

#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>

#include "model/history_builder.h"
#include "read/histories/history_source.h"
#include "read/writers/write_history.h"
#include "support/fuzz.h"
#include "support/litmus.h"
#include "support/oracle.h"
#include "support/random_history.h"

namespace txscope {
namespace {

read::Format read_format(read::WriteFormat format) {
  switch (format) {
    case read::WriteFormat::Jsonl: return read::Format::Jsonl;
    case read::WriteFormat::Edn: return read::Format::Edn;
    case read::WriteFormat::Plume: return read::Format::Plume;
  }
  return read::Format::Jsonl;
}

bool has_all_times(const History& history) {
  for (std::size_t i = 1; i < history.size(); ++i) {
    const Txn& t = history.at(TxnId(i));
    if (t.start == Txn::kNoTime) return false;
    if (t.end == Txn::kNoTime && t.status != Status::Unknown) return false;
  }
  return true;
}

/// The same history with integers or keywords as keys.
History with_keys(const History& history, read::WriteFormat format) {
  HistoryBuilder builder("h");
  AtomTable& atoms = builder.atoms();
  // Atoms of values are small integers, the same in every table.
  const auto key = [&](KeyId k) {
    return builder.key(format == read::WriteFormat::Plume
                           ? atoms.of_int(k.index)
                           : atoms.of_keyword(history.name(k)));
  };
  for (std::size_t k = 0; k < history.key_count(); ++k)
    if (history.kind(KeyId(k)) == KeyKind::Register)
      builder.set_initial(key(KeyId(k)), history.initial(KeyId(k)));
  builder.set_judge_aborted(history.judge_aborted());
  for (std::size_t t = 1; t < history.size(); ++t) {
    const Txn& txn = history.at(TxnId(t));
    builder.begin(builder.session(atoms.of_int(txn.session.index)));
    builder.set_times(txn.start, txn.end);
    for (const Op& op : history.ops(TxnId(t))) switch (op.kind) {
        case OpKind::Read: builder.read(key(op.key), op.value); break;
        case OpKind::Write: builder.write(key(op.key), op.value); break;
        case OpKind::Append: builder.append(key(op.key), op.value); break;
        case OpKind::ReadList:
          builder.read_list(key(op.key), history.list(op).span());
      }
    builder.end(txn.status);
  }
  return *std::move(builder).finish();
}

/// The text of a history; nothing if the format cannot hold it.
std::optional<std::string> written(const History& history,
                                   read::WriteFormat format) {
  std::string text;
  const auto notes = read::write_history(
      history, format, [&](std::string_view piece) { text += piece; });
  if (notes) return text;
  EXPECT_EQ(text, "") << "nothing is written before an error";
  EXPECT_NE(notes.error().what, "");
  return std::nullopt;
}

/// What the text of a history says that the history does not; empty if all is
/// well.
std::string difference(const History& history, read::WriteFormat format,
                       const std::string& text) {
  auto source = read::open_history_text("h", text, {});
  if (!source) return "refused: " + source.error().what;
  if ((*source)->format() != read_format(format)) return "another format";
  auto again = (*source)->next();
  if (!again) return "refused: " + again.error().what;
  const bool keeps_times =
      format == read::WriteFormat::Jsonl ||
      (format == read::WriteFormat::Edn && has_all_times(history));
  for (std::size_t b = 0; b < kBaseCount; ++b)
    for (const Order order : {Order::None, Order::Session, Order::Realtime}) {
      if (order == Order::Realtime && !keeps_times) continue;
      const Level level{static_cast<Base>(b), order};
      const bool before = oracle_allows(history, level);
      if (before != oracle_allows(**again, level))
        return "differs at " + std::string(name(level.base)) + ", order " +
               std::string(name(order)) + ": " +
               (before ? "was allowed" : "was not allowed") + "\n" +
               to_litmus(**again);
    }
  return "";
}

/// Its litmus, with initial values in a fixed order, no value as null, and
/// without sessions that have no transactions.
std::string canonical(const History& history) {
  std::set<std::string> initial;
  for (const Op& op : history.ops())
    if (history.kind(op.key) == KeyKind::Register)
      initial.insert(history.name(op.key) + "=" +
                     (history.initial(op.key).is_no_value()
                          ? "null"
                          : history.atoms().text(history.initial(op.key))));
  std::string text;
  for (const std::string& one : initial) text += one + " ";
  std::istringstream lines(to_litmus(history));
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with("init ") && !line.ends_with(":")) text += "\n" + line;
  return text;
}

TEST(RoundTrip, KeepsTheVerdictAtEveryLevel) {
  Random random(fuzz_seed(5));
  int kept[3] = {0, 0, 0};
  const int rounds = fuzz_rounds(300);
  for (int round = 0; round < rounds; ++round) {
    const Sketch sketch = random_small_history(random);
    if (oracle_cost(sketch.build()) > 5000) continue;
    for (const read::WriteFormat format :
         {read::WriteFormat::Jsonl, read::WriteFormat::Edn,
          read::WriteFormat::Plume}) {
      const History history = with_keys(sketch.build(), format);
      const auto text = written(history, format);
      if (!text) continue;
      ++kept[static_cast<int>(format)];
      const std::string wrong = difference(history, format, *text);
      if (wrong.empty()) continue;
      const Sketch small = shrink(sketch, [&](const History& plain) {
        const History h = with_keys(plain, format);
        const auto t = written(h, format);
        return t && !difference(h, format, *t).empty();
      });
      const History shown = with_keys(small.build(), format);
      const auto its_text = written(shown, format);
      FAIL() << to_litmus(shown) << *its_text << "\n"
             << difference(shown, format, *its_text);
    }
  }
  EXPECT_GT(kept[0], rounds / 2);
  EXPECT_GT(kept[1], rounds / 20);
  EXPECT_GT(kept[2], rounds / 20);
}

TEST(RoundTrip, OwnHistoriesComeBackAsTheyWere) {
  Random random(fuzz_seed(6));
  for (int round = fuzz_rounds(3000); round > 0; --round) {
    const History history =
        random_history(random_shape(random), random).build();
    const auto text = written(history, read::WriteFormat::Jsonl);
    if (!text) continue;
    auto source = read::open_history_text("h", *text, {});
    ASSERT_TRUE(source);
    const auto again = (*source)->next();
    ASSERT_TRUE(again) << again.error().what << *text;
    ASSERT_EQ(canonical(**again), canonical(history)) << *text;
  }
}

}  // namespace
}  // namespace txscope
