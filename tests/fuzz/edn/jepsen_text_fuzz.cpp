// Histories of get, put and append: what the definitions say of the registers
// that the reader makes of them is what a search over texts says of them.

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "base/random.h"
#include "read/histories/history_source.h"
#include "support/fuzz.h"
#include "support/litmus.h"
#include "support/oracle.h"

namespace txscope {
namespace {

struct TextOp {
  int process = 0;
  char kind = 'g';  // get, put, append
  int key = 0;
  std::string text;
  int start = 0;
  int end = 0;
  Status status = Status::Committed;
};

// A few processes on one store, each operation taking effect at some moment
// between its invocation and its completion; some gets then lie.
std::vector<TextOp> random_ops(Random& random, bool has_equal_pieces) {
  const int processes = static_cast<int>(random.between(1, 3));
  const int count = static_cast<int>(random.between(2, 6));
  const int keys = static_cast<int>(random.between(1, 2));
  std::vector<TextOp> ops;
  std::vector<int> running(static_cast<std::size_t>(processes), -1);
  std::vector<bool> took_effect;
  std::map<int, std::string> store;
  int time = 0;
  char next_piece = 'a';
  for (;;) {
    const auto p = static_cast<std::size_t>(random.below(running.size()));
    if (running[p] < 0) {
      if (static_cast<int>(ops.size()) == count) {
        bool is_idle = true;
        for (const int r : running) is_idle &= r < 0;
        if (is_idle) break;
        continue;
      }
      TextOp op;
      op.process = static_cast<int>(p);
      op.kind = "gpaaag"[random.below(6)];
      op.key = static_cast<int>(random.below(static_cast<unsigned>(keys)));
      if (op.kind != 'g')
        op.text = std::string(
            1, has_equal_pieces ? "ab"[random.below(2)] : next_piece++);
      op.start = time++;
      running[p] = static_cast<int>(ops.size());
      ops.push_back(op);
      took_effect.push_back(false);
      continue;
    }
    const auto i = static_cast<std::size_t>(running[p]);
    TextOp& op = ops[i];
    if (!took_effect[i]) {
      took_effect[i] = true;
      if (op.kind == 'g') op.text = store[op.key];
      if (op.kind == 'p') store[op.key] = op.text;
      if (op.kind == 'a') store[op.key] += op.text;
      continue;
    }
    op.end = time++;
    running[p] = -1;
  }
  for (TextOp& op : ops) {
    if (op.kind != 'g' && random.chance(0.1)) op.status = Status::Unknown;
    if (op.kind != 'g' || !random.chance(0.25)) continue;
    if (!op.text.empty() && random.chance(0.5))
      op.text.pop_back();
    else
      op.text += ops[random.below(ops.size())].text;
  }
  return ops;
}

std::string to_edn(const std::vector<TextOp>& ops) {
  std::map<int, std::string> events;
  const auto event = [](const TextOp& op, const std::string& type,
                        const std::string& value) {
    const char* const f = op.kind == 'g'   ? "get"
                          : op.kind == 'p' ? "put"
                                           : "append";
    return "{:process " + std::to_string(op.process) + ", :type :" + type +
           ", :f :" + f + ", :key " + std::to_string(op.key) + ", :value " +
           value + "}\n";
  };
  for (const TextOp& op : ops) {
    const std::string value = "\"" + op.text + "\"";
    events[op.start] = event(op, "invoke", op.kind == 'g' ? "nil" : value);
    events[op.end] =
        event(op, op.status == Status::Unknown ? "info" : "ok", value);
  }
  std::string text;
  for (const auto& [time, line] : events) text += line;
  return text;
}

// Whether some total order within `order` explains all gets.  A process that
// went on after a crash is another session, as in the reader.
class Search {
 public:
  Search(const std::vector<TextOp>& ops, Order order)
      : ops_(ops), order_(order), is_done_(ops.size(), false) {}

  bool run(std::size_t done = 0) {
    if (done == ops_.size()) return true;
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      if (is_done_[i] || must_wait(i)) continue;
      is_done_[i] = true;
      const std::string before = store_[ops_[i].key];
      if (take_effect(ops_[i]) && run(done + 1)) return true;
      store_[ops_[i].key] = before;
      if (ops_[i].status == Status::Unknown && run(done + 1)) return true;
      is_done_[i] = false;
    }
    return false;
  }

 private:
  bool must_wait(std::size_t i) const {
    for (std::size_t j = 0; j < ops_.size(); ++j) {
      if (is_done_[j] || j == i || ops_[j].end > ops_[i].start) continue;
      if (ops_[j].status == Status::Unknown) continue;
      if (order_ == Order::Realtime) return true;
      if (order_ == Order::Session && ops_[j].process == ops_[i].process &&
          !crashed_between(j, i))
        return true;
    }
    return false;
  }
  bool crashed_between(std::size_t j, std::size_t i) const {
    for (const TextOp& op : ops_)
      if (op.process == ops_[i].process && op.status == Status::Unknown &&
          op.start > ops_[j].end && op.end < ops_[i].start)
        return true;
    return false;
  }
  bool take_effect(const TextOp& op) {
    std::string& text = store_[op.key];
    if (op.kind == 'g') return text == op.text;
    text = op.kind == 'p' ? op.text : text + op.text;
    return true;
  }

  const std::vector<TextOp>& ops_;
  Order order_;
  std::vector<bool> is_done_;
  std::map<int, std::string> store_;
};

struct Tally {
  std::uint64_t holds = 0;
  std::uint64_t violated = 0;
  std::uint64_t refused = 0;
  std::uint64_t open = 0;  // with appends that have several explanations
};

// Compares at `orders`; the reader may refuse, but not too often.
Tally compare(bool has_equal_pieces, std::vector<Order> orders,
              std::uint64_t seed, int count) {
  Random random(fuzz_seed(seed));
  Tally tally;
  for (int round = 0; round < count; ++round) {
    const std::vector<TextOp> ops = random_ops(random, has_equal_pieces);
    const std::string edn = to_edn(ops);
    auto source = read::open_history_text("h", edn, {});
    EXPECT_TRUE(source) << edn;
    auto history = (*source)->next();
    if (!history) {
      ++tally.refused;
      EXPECT_TRUE(has_equal_pieces) << history.error().what << "\n" << edn;
      continue;
    }
    if ((**history).size() > 12 || oracle_cost(**history) > 3e5) continue;
    if ((**history).size() - 1 > ops.size()) ++tally.open;
    for (const Order order : orders) {
      const bool is_allowed = Search(ops, order).run();
      ++(is_allowed ? tally.holds : tally.violated);
      EXPECT_EQ(oracle_allows(**history, {Base::Serializable, order}),
                is_allowed)
          << name(order) << ", round " << round << "\n"
          << edn << to_litmus(**history);
      if (testing::Test::HasFailure()) return tally;
    }
  }
  return tally;
}

TEST(JepsenTextFuzz, KeepsTheMeaningOfDistinctPieces) {
  const Tally tally =
      compare(false, {Order::None, Order::Session, Order::Realtime}, 1,
              fuzz_rounds(3000));
  EXPECT_GT(tally.holds, tally.violated / 10);
  EXPECT_GT(tally.violated, tally.holds / 10);
}

// Time helps to tell equal pieces apart, so it has to count.
TEST(JepsenTextFuzz, KeepsTheMeaningOfEqualPieces) {
  const int count = fuzz_rounds(3000);
  const Tally tally = compare(true, {Order::Realtime}, 2, count);
  EXPECT_GT(tally.holds, tally.violated / 10);
  EXPECT_GT(tally.violated, tally.holds / 10);
  EXPECT_LT(tally.refused, count / 2);
  EXPECT_GT(tally.open, count / 100);
}

}  // namespace
}  // namespace txscope
