// The search against the definitions: all histories of a level, all orders of
// commits, the axioms and the dependency graph written down once more, here.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "explore/explore.h"
#include "explore/subject.h"
#include "read/txn/txn.h"
#include "robust/search.h"
#include "support/fuzz.h"
#include "support/random_program.h"

namespace txscope::robust {
namespace {

using EventKind = explore::ExploredHistory::Event::Kind;
using Txn = explore::ExploredHistory::Txn;

bool writes(const Txn& t, KeyId key) {
  return t.is_committed &&
         std::any_of(t.events.begin(), t.events.end(), [&](const auto& e) {
           return e.kind == EventKind::Write && e.key == key;
         });
}

/// One history and one order of its transactions.
class Ordered {
 public:
  Ordered(const exec::Code& code, const explore::ExploredHistory& history,
          const std::vector<std::size_t>& order)
      : code_(code), h_(history), order_(order), place_(history.txns.size()) {
    for (std::size_t i = 0; i < order.size(); ++i) place_[order[i]] = i;
    const std::size_t n = h_.txns.size();
    so_wr_.assign(n, std::vector<bool>(n));
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) {
        so_wr_[a][b] = so(a, b) || reads_from(b, a);
      }
    }
    causal_ = so_wr_;
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t a = 0; a < n; ++a) {
        for (std::size_t b = 0; b < n; ++b) {
          if (causal_[a][k] && causal_[k][b]) causal_[a][b] = true;
        }
      }
    }
  }

  bool has(Base level) const {
    const std::size_t n = h_.txns.size();
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) {
        if (so_wr_[a][b] && place_[a] > place_[b]) return false;
      }
    }
    if (level == Base::ParallelSnapshotIsolation) return has_parallel();
    for (std::size_t t3 = 0; t3 < n; ++t3) {
      const auto& events = h_.txns[t3].events;
      for (std::size_t r = 0; r < events.size(); ++r) {
        if (events[r].kind != EventKind::Read) continue;
        for (std::size_t t2 = 0; t2 < n; ++t2) {
          if (t2 == t3 || !writes(h_.txns[t2], events[r].key) ||
              h_.txns[t2].instance == events[r].source) {
            continue;
          }
          if (premise(level, t2, t3, r) && !before_source(t2, events[r])) {
            return false;
          }
        }
      }
    }
    return true;
  }

  bool is_acyclic() const {
    const std::size_t n = h_.txns.size();
    auto edge = so_wr_;
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) {
        if (a != b && (ww(a, b) || rw(a, b))) edge[a][b] = true;
      }
    }
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t a = 0; a < n; ++a) {
        for (std::size_t b = 0; b < n; ++b) {
          if (edge[a][k] && edge[k][b]) edge[a][b] = true;
        }
      }
    }
    for (std::size_t a = 0; a < n; ++a) {
      if (edge[a][a]) return false;
    }
    return true;
  }

  /// By results: a write counts where it changes the value.
  bool is_acyclic_by_results() const {
    const std::size_t n = h_.txns.size();
    std::vector<std::vector<bool>> edge(n, std::vector<bool>(n));
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) {
        if (a == b) continue;
        edge[a][b] = so(a, b) || ww(a, b);
        for (const auto& e : h_.txns[a].events) {  // rw
          if (e.kind == EventKind::Read && changes(b, e.key) &&
              is_after_source(b, e)) {
            edge[a][b] = true;
          }
        }
        for (const auto& e : h_.txns[b].events) {  // wr, and what it follows
          if (e.kind == EventKind::Read && changes(a, e.key) &&
              !is_after_source(a, e)) {
            edge[a][b] = true;
          }
        }
      }
    }
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t a = 0; a < n; ++a) {
        for (std::size_t b = 0; b < n; ++b) {
          if (edge[a][k] && edge[k][b]) edge[a][b] = true;
        }
      }
    }
    for (std::size_t a = 0; a < n; ++a) {
      if (edge[a][a]) return false;
    }
    return true;
  }

  /// Of every read the last one up to its source that changed the value.
  std::vector<std::int64_t> sources_by_results() const {
    std::vector<std::int64_t> out;
    for (std::size_t t = 0; t < h_.txns.size(); ++t) {
      out.push_back(-1);
      for (const auto& e : h_.txns[t].events) {
        if (e.kind != EventKind::Read) continue;
        std::int64_t last = 0;
        for (const std::size_t w : order_) {
          if (w != t && changes(w, e.key) && !is_after_source(w, e))
            last = h_.txns[w].instance.index;
        }
        out.push_back(last);
      }
    }
    return out;
  }

  std::map<std::uint32_t, std::uint32_t> last_writers() const {
    std::map<std::uint32_t, std::uint32_t> last;
    for (const std::size_t t : order_) {
      for (const auto& e : h_.txns[t].events) {
        if (e.kind == EventKind::Write && h_.txns[t].is_committed) {
          last[e.key.index] = h_.txns[t].instance.index;
        }
      }
    }
    return last;
  }
  std::map<std::uint32_t, std::int64_t> state() const {
    std::map<std::uint32_t, std::int64_t> out;
    for (std::size_t k = 0; k < code_.initial.size(); ++k) {
      out[static_cast<std::uint32_t>(k)] = code_.initial[k];
    }
    for (const std::size_t t : order_) {
      for (const auto& e : h_.txns[t].events) {
        if (e.kind == EventKind::Write && h_.txns[t].is_committed) {
          out[e.key.index] = e.value;
        }
      }
    }
    return out;
  }

 private:
  bool is_after_source(std::size_t t,
                       const explore::ExploredHistory::Event& read) const {
    return read.source == exec::kInit || place_[index(read.source)] < place_[t];
  }
  /// Whether the transaction leaves another value than it found, in the order.
  bool changes(std::size_t writer, KeyId key) const {
    std::int64_t before = code_.initial[key.index];
    for (const std::size_t t : order_) {
      if (!writes(h_.txns[t], key)) continue;
      std::int64_t after = 0;
      for (const auto& e : h_.txns[t].events)
        if (e.kind == EventKind::Write && e.key == key) after = e.value;
      if (t == writer) return before != after;
      before = after;
    }
    return false;
  }
  bool so(std::size_t a, std::size_t b) const {
    const exec::InstanceId x = h_.txns[a].instance;
    const exec::InstanceId y = h_.txns[b].instance;
    return x < y &&
           code_.instances[x.index].session == code_.instances[y.index].session;
  }
  bool reads_from(std::size_t reader, std::size_t writer) const {
    const auto& events = h_.txns[reader].events;
    return std::any_of(events.begin(), events.end(), [&](const auto& e) {
      return e.kind == EventKind::Read && e.source == h_.txns[writer].instance;
    });
  }
  std::size_t index(exec::InstanceId instance) const {
    for (std::size_t i = 0; i < h_.txns.size(); ++i) {
      if (h_.txns[i].instance == instance) return i;
    }
    return h_.txns.size();
  }
  bool before_source(std::size_t t2,
                     const explore::ExploredHistory::Event& read) const {
    if (read.source == exec::kInit) return false;
    return place_[t2] < place_[index(read.source)];
  }
  bool common_write(std::size_t a, std::size_t b) const {
    return std::any_of(
        h_.txns[a].events.begin(), h_.txns[a].events.end(), [&](const auto& e) {
          return e.kind == EventKind::Write && h_.txns[a].is_committed &&
                 writes(h_.txns[b], e.key);
        });
  }
  bool prefix(std::size_t t2, std::size_t t3) const {
    for (std::size_t m = 0; m < h_.txns.size(); ++m) {
      if (so_wr_[m][t3] && place_[t2] <= place_[m]) return true;
    }
    return false;
  }
  bool premise(Base level, std::size_t t2, std::size_t t3,
               std::size_t r) const {
    switch (level) {
      case Base::ReadUncommitted:
      case Base::ReadCommitted: return false;
      case Base::MonotonicAtomicView:
        for (std::size_t e = 0; e < r; ++e) {
          const auto& event = h_.txns[t3].events[e];
          if (event.kind == EventKind::Read &&
              event.source == h_.txns[t2].instance) {
            return true;
          }
        }
        return false;
      case Base::ReadAtomic: return so_wr_[t2][t3];
      case Base::Causal: return causal_[t2][t3];
      case Base::Prefix: return prefix(t2, t3);
      case Base::SnapshotIsolation:
        if (prefix(t2, t3)) return true;
        for (std::size_t t4 = 0; t4 < h_.txns.size(); ++t4) {
          if (t4 != t3 && common_write(t3, t4) && place_[t2] <= place_[t4] &&
              place_[t4] < place_[t3]) {
            return true;
          }
        }
        return false;
      case Base::Serializable: return place_[t2] < place_[t3];
      case Base::ParallelSnapshotIsolation: return false;
    }
    return false;
  }
  bool ww(std::size_t a, std::size_t b) const {
    return place_[a] < place_[b] && common_write(a, b);
  }
  bool rw(std::size_t a, std::size_t b) const {
    for (const auto& e : h_.txns[a].events) {
      if (e.kind != EventKind::Read || !writes(h_.txns[b], e.key)) continue;
      if (e.source == h_.txns[b].instance) continue;
      if (e.source == exec::kInit || place_[index(e.source)] < place_[b])
        return true;
    }
    return false;
  }
  /// (so + wr + ww)+ ; rw? irreflexive, the order being ar.
  bool has_parallel() const {
    const std::size_t n = h_.txns.size();
    auto vis = so_wr_;
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) {
        if (a != b && ww(a, b)) vis[a][b] = true;
      }
    }
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t a = 0; a < n; ++a) {
        for (std::size_t b = 0; b < n; ++b) {
          if (vis[a][k] && vis[k][b]) vis[a][b] = true;
        }
      }
    }
    for (std::size_t a = 0; a < n; ++a) {
      if (vis[a][a]) return false;
      for (std::size_t b = 0; b < n; ++b) {
        if (a != b && vis[a][b] && rw(b, a)) return false;
      }
    }
    return true;
  }

  const exec::Code& code_;
  const explore::ExploredHistory& h_;
  const std::vector<std::size_t>& order_;
  std::vector<std::size_t> place_;
  std::vector<std::vector<bool>> so_wr_;
  std::vector<std::vector<bool>> causal_;
};

using Shape = std::vector<std::int64_t>;

Shape sources(const explore::ExploredHistory& h) {
  Shape out;
  for (const Txn& t : h.txns) {
    out.push_back(-1);
    for (const auto& e : t.events) {
      if (e.kind == EventKind::Read) out.push_back(e.source.index);
    }
  }
  return out;
}
Shape values(const explore::ExploredHistory& h) {
  Shape out;
  for (const Txn& t : h.txns) {
    out.push_back(t.is_committed ? 1 : 0);
    out.push_back(static_cast<std::int64_t>(t.events.size()));
    for (const auto& e : t.events) {
      if (e.kind == EventKind::Read) out.push_back(e.value);
    }
  }
  return out;
}

template <class F>
void for_each_order(const explore::ExploredHistory& h, F&& f) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < h.txns.size(); ++i) order.push_back(i);
  do {
    f(order);
  } while (std::next_permutation(order.begin(), order.end()));
}

/// Whether the program is robust, for every notion.  Nothing if it has more
/// histories than wanted, or errors.
std::optional<std::map<Notion, bool>> oracle(const Program& program,
                                             const exec::Code& code, Base level,
                                             Granularity granularity) {
  const bool by_results = granularity == Granularity::Result;
  // By rows, or by what counts.
  const auto read_from = [&](const explore::ExploredHistory& h,
                             const Ordered& o) {
    std::vector<Shape> all = {sources(h)};
    if (by_results) {
      all.push_back(o.sources_by_results());
      all.back().push_back(-2);
    }
    return all;
  };
  std::vector<explore::ExploredHistory> weak;
  std::vector<explore::ExploredHistory> all;
  explore::ExploreOptions options;
  options.levels = {Base::ReadCommitted};
  options.all = true;
  options.explains = false;
  options.on_history = [&](const explore::ExploredHistory& h) {
    all.push_back(h);
  };
  const Workload workload = workload_of(program);
  const auto found = explore::explore(explore::ProgramSubject(workload, code),
                                      options, Budget::unlimited());
  if (all.size() > 300 || found.front().counts.faulted > 0) return {};
  std::set<Shape> histories;
  std::set<std::pair<Shape, std::map<std::uint32_t, std::uint32_t>>> views;
  std::set<std::pair<Shape, std::map<std::uint32_t, std::int64_t>>> outcomes;
  std::set<std::map<std::uint32_t, std::int64_t>> states;
  for (const auto& h : all) {
    for_each_order(h, [&](const auto& order) {
      const Ordered o(code, h, order);
      if (!o.has(Base::Serializable)) return;
      for (const Shape& shape : read_from(h, o)) {
        histories.insert(shape);
        views.insert({shape, o.last_writers()});
      }
      outcomes.insert({values(h), o.state()});
      states.insert(o.state());
    });
  }
  std::map<Notion, bool> robust;
  for (const Notion notion : kNotions) robust[notion] = true;
  for (const auto& h : all) {
    for_each_order(h, [&](const auto& order) {
      const Ordered o(code, h, order);
      if (!o.has(level)) return;
      if (by_results ? !o.is_acyclic_by_results() : !o.is_acyclic())
        robust[Notion::Trace] = false;
      bool has_view = false;
      bool has_history = false;
      for (const Shape& shape : read_from(h, o)) {
        has_view |= views.contains({shape, o.last_writers()});
        has_history |= histories.contains(shape);
      }
      if (!has_view) robust[Notion::View] = false;
      if (!has_history) robust[Notion::History] = false;
      if (!outcomes.contains({values(h), o.state()})) {
        robust[Notion::Outcome] = false;
      }
      if (!states.contains(o.state())) robust[Notion::State] = false;
    });
  }
  return robust;
}

constexpr Base kLevels[] = {
    Base::ReadCommitted, Base::MonotonicAtomicView,
    Base::ReadAtomic,    Base::Causal,
    Base::Prefix,        Base::SnapshotIsolation,
    Base::Serializable,  Base::ParallelSnapshotIsolation,
};

struct SearchTally {
  int robust = 0;
  int not_robust = 0;
};

/// What differs, or nothing.
std::string difference(const std::string& text, Base level,
                       Granularity granularity, SearchTally& tally) {
  const auto program = read::read_txn("random.txn", text);
  if (!program) return "";
  const auto code = exec::compile(*program);
  if (!code) return "";
  const auto expected = oracle(*program, *code, level, granularity);
  if (!expected) return "";
  ++(expected->at(Notion::Trace) ? tally.robust : tally.not_robust);
  for (const Notion notion : kNotions) {
    for (const bool avoids : {false, true}) {
      SearchQuestion question;
      question.against = level;
      question.notion = notion;
      question.granularity = granularity;
      question.avoids_reduction = avoids;
      const auto found = search(*code, question, Budget::unlimited());
      const Outcome right =
          expected->at(notion) ? Outcome::Holds : Outcome::Violated;
      if (found.answer != right) {
        return std::string(name(notion)) + " by " +
               std::string(name(granularity)) + " against " +
               std::string(name(level)) + (avoids ? ", compared" : "") + ": " +
               std::string(name(found.answer)) + " instead of " +
               std::string(name(right));
      }
    }
  }
  return "";
}

void compare_with_oracle(Granularity granularity, int wanted) {
  const int rounds = fuzz_rounds(wanted);
  const std::uint64_t seed = fuzz_seed(20260301);
  SearchTally tally;
  for (int round = 0; round < rounds; ++round) {
    Random random(seed + static_cast<std::uint64_t>(round));
    testing::RandomProgramOptions options;
    options.sessions = 2 + random.below(2);
    options.txns = 2 + random.below(4);
    options.reads = 4 + random.below(4);
    const auto program = testing::random_program(random, options);
    const Base level = kLevels[random.below(std::size(kLevels))];
    if (difference(program.text(), level, granularity, tally).empty()) continue;
    const auto small = testing::shrink(program, [&](const auto& smaller) {
      SearchTally ignored;
      return !difference(smaller.text(), level, granularity, ignored).empty();
    });
    SearchTally ignored;
    FAIL() << "seed " << seed + static_cast<std::uint64_t>(round) << "\n"
           << difference(small.text(), level, granularity, ignored) << "\n"
           << small.text();
  }
  // Both answers are asked for often.
  EXPECT_GT(tally.robust, rounds / 20);
  EXPECT_GT(tally.not_robust, rounds / 20);
}

TEST(RobustFuzz, TheSearchAgreesWithAllExecutions) {
  compare_with_oracle(Granularity::Row, 4000);
}
TEST(RobustFuzz, TheSearchByResultsAgreesWithAllExecutions) {
  compare_with_oracle(Granularity::Result, 2000);
}

}  // namespace
}  // namespace txscope::robust
