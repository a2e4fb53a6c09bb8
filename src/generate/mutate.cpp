#include "generate/mutate.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

#include "base/ascii.h"
#include "base/random.h"
#include "base/suggest.h"
#include "generate/graft.h"

namespace txscope::generate {
namespace {

struct Row {
  std::string_view name;
  std::string_view also;  // Adya's name, or another
  Level level;
};

// Indexed by Mutation.
constexpr std::array kRows = std::to_array<Row>({
    {"dirty-write", "g0", {Base::ReadUncommitted, Order::None}},
    {"incompatible-order",
     "swapped-list",
     {Base::ReadUncommitted, Order::None}},
    {"aborted-read", "g1a", {Base::ReadCommitted, Order::None}},
    {"intermediate-read", "g1b", {Base::ReadCommitted, Order::None}},
    {"thin-air-read", "thin-air", {Base::ReadCommitted, Order::None}},
    {"circular-information-flow", "g1c", {Base::ReadCommitted, Order::None}},
    {"non-monotonic-read", "otv", {Base::MonotonicAtomicView, Order::None}},
    {"fractured-read", "read-skew", {Base::ReadAtomic, Order::None}},
    {"stale-read", "stale-read-session", {Base::ReadAtomic, Order::Session}},
    {"stale-read-realtime",
     "realtime-inversion",
     {Base::ReadAtomic, Order::Realtime}},
    {"causality-violation", "causality", {Base::Causal, Order::None}},
    {"long-fork", "g-nonadjacent", {Base::Prefix, Order::None}},
    {"lost-update", "p4", {Base::ParallelSnapshotIsolation, Order::None}},
    {"write-skew", "g2-item", {Base::Serializable, Order::None}},
});

constexpr std::array kAll = {
    Mutation::DirtyWrite,         Mutation::IncompatibleOrder,
    Mutation::AbortedRead,        Mutation::IntermediateRead,
    Mutation::ThinAirRead,        Mutation::CircularFlow,
    Mutation::NonMonotonicRead,   Mutation::FracturedRead,
    Mutation::StaleRead,          Mutation::StaleReadRealtime,
    Mutation::CausalityViolation, Mutation::LongFork,
    Mutation::LostUpdate,         Mutation::WriteSkew,
};
static_assert(kAll.size() == kRows.size());

const Row& row(Mutation mutation) {
  return kRows[static_cast<std::size_t>(mutation)];
}

// Who reads from whom, where there is no doubt: only one operation of the
// history writes that value to that key.
class Dependencies {
 public:
  explicit Dependencies(const History& history) : history_(history) {
    for (std::size_t t = 1; t < history.size(); ++t) {
      for (const Op& op : history.ops(TxnId(t))) {
        if (!op.is_write()) continue;
        const auto [place, is_new] =
            writer_.try_emplace(hash(op.key, op.value), TxnId(t));
        if (!is_new) place->second = kNone<TxnId>;
      }
    }
  }

  // Other committed transactions that t reads from, each once.
  [[nodiscard]] std::vector<TxnId> sources(TxnId t) const {
    std::vector<TxnId> all;
    for (const Op& op : history_.ops(t)) {
      const TxnId source = op.is_read() ? source_of(t, op) : t;
      if (source != t && source != kNone<TxnId> &&
          history_.is_committed(source) &&
          std::find(all.begin(), all.end(), source) == all.end())
        all.push_back(source);
    }
    return all;
  }
  [[nodiscard]] bool reads_from(TxnId t, TxnId source) const {
    const auto all = sources(t);
    return std::find(all.begin(), all.end(), source) != all.end();
  }

 private:
  // Collisions are as good as a value written twice: no source is known.
  static std::uint64_t hash(KeyId key, Atom value) {
    return hash_of(value) * 0x9e3779b97f4a7c15ull + key.index;
  }
  [[nodiscard]] TxnId writer_of(KeyId key, Atom value) const {
    const auto place = writer_.find(hash(key, value));
    return place == writer_.end() ? kNone<TxnId> : place->second;
  }
  // kNone if it is not known, t itself if the read is internal.
  [[nodiscard]] TxnId source_of(TxnId t, const Op& read) const {
    if (read.kind == OpKind::Read) return writer_of(read.key, read.value);
    const ListView list = history_.list(read);
    for (std::size_t i = list.size(); i-- > 0;)
      if (const TxnId w = writer_of(read.key, list[i]); w != t) return w;
    return kNone<TxnId>;
  }

  const History& history_;
  std::unordered_map<std::uint64_t, TxnId> writer_;
};

class Mutator {
 public:
  Mutator(const History& history, std::uint64_t seed)
      : history_(history), random_(seed), graft_(history) {}

  // What was done, or nothing if no transactions fit.
  std::optional<std::string> plant(Mutation mutation) {
    switch (mutation) {
      case Mutation::DirtyWrite: return dirty_write();
      case Mutation::IncompatibleOrder: return incompatible_order();
      case Mutation::AbortedRead: return aborted_read();
      case Mutation::IntermediateRead: return intermediate_read();
      case Mutation::ThinAirRead: return thin_air_read();
      case Mutation::CircularFlow: return circular_flow();
      case Mutation::NonMonotonicRead: return half_seen(true);
      case Mutation::FracturedRead: return half_seen(false);
      case Mutation::StaleRead: return stale_read();
      case Mutation::StaleReadRealtime: return stale_read_realtime();
      case Mutation::CausalityViolation: return causality_violation();
      case Mutation::LongFork: return long_fork();
      case Mutation::LostUpdate: return lost_update();
      case Mutation::WriteSkew: return write_skew();
    }
    return std::nullopt;
  }

  Result<History> finish() { return graft_.finish(); }

 private:
  using Ops = std::vector<Graft::AddedOp>;
  using Where = Graft::Where;

  // The first transaction, from a random one on, that `fits`.
  template <class Fits>
  std::optional<TxnId> pick(const Fits& fits) {
    const std::size_t count = history_.size() - 1;
    if (count == 0) return std::nullopt;
    const std::size_t first = random_.below(count);
    for (std::size_t i = 0; i < count; ++i) {
      const TxnId t(1 + (first + i) % count);
      if (history_.is_committed(t) && fits(t)) return t;
    }
    return std::nullopt;
  }
  std::optional<TxnId> pick_any() {
    return pick([](TxnId) { return true; });
  }
  std::optional<TxnId> pick_other(TxnId than) {
    return pick([&](TxnId t) { return t != than; });
  }
  // A reader and one it reads from.
  struct Pair {
    TxnId source;
    TxnId reader;
  };
  std::optional<Pair> pick_pair() {
    const Dependencies dependencies(history_);
    const auto reader =
        pick([&](TxnId t) { return !dependencies.sources(t).empty(); });
    if (!reader) return std::nullopt;
    return Pair{dependencies.sources(*reader).front(), *reader};
  }

  [[nodiscard]] bool ended_before(TxnId a, TxnId b) const {
    const std::int64_t end = history_.at(a).end;
    const std::int64_t start = history_.at(b).start;
    return end != Txn::kNoTime && start != Txn::kNoTime && end < start;
  }
  [[nodiscard]] std::string name(TxnId t) const { return history_.name(t); }
  static std::string text(std::int64_t number) {
    return std::to_string(number);
  }

  std::optional<std::string> dirty_write() {
    const auto a = pick_any();
    const auto b = a ? pick_other(*a) : std::nullopt;
    if (!b) return std::nullopt;
    const auto x = graft_.fresh_key(), y = graft_.fresh_key();
    const auto v = graft_.fresh_value(), w = graft_.fresh_value();
    for (const auto key : {x, y}) {
      graft_.add_last(*a, {OpKind::Append, key, v});
      graft_.add_last(*b, {OpKind::Append, key, w});
    }
    graft_.add_txn(Where::Beside, *a,
                   Ops{{OpKind::ReadList, x, 0, {v, w}},
                       {OpKind::ReadList, y, 0, {w, v}}});
    return name(*a) + " and " + name(*b) + " append to lists " + text(x) +
           " and " + text(y) +
           ", and a new reader sees them in opposite orders";
  }

  std::optional<std::string> incompatible_order() {
    const auto a = pick_any();
    const auto b = a ? pick_other(*a) : std::nullopt;
    if (!b) return std::nullopt;
    const auto x = graft_.fresh_key();
    const auto v = graft_.fresh_value(), w = graft_.fresh_value();
    graft_.add_last(*a, {OpKind::Append, x, v});
    graft_.add_last(*b, {OpKind::Append, x, w});
    graft_.add_txn(Where::Beside, *a, Ops{{OpKind::ReadList, x, 0, {v, w}}});
    graft_.add_txn(Where::Beside, *b, Ops{{OpKind::ReadList, x, 0, {w, v}}});
    return name(*a) + " and " + name(*b) + " append to list " + text(x) +
           ", and two new readers see their elements in different orders";
  }

  std::optional<std::string> aborted_read() {
    const auto reader = pick_any();
    if (!reader) return std::nullopt;
    const auto x = graft_.fresh_key();
    const auto v = graft_.fresh_value();
    graft_.add_txn(Where::Beside, *reader, Ops{{OpKind::Write, x, v}},
                   Status::Aborted);
    graft_.add_last(*reader, {OpKind::Read, x, v});
    return name(*reader) + " reads " + text(x) + " = " + text(v) +
           ", which only a new, aborted transaction writes";
  }

  std::optional<std::string> intermediate_read() {
    auto writer = pick_any();
    auto reader = writer ? pick_other(*writer) : std::nullopt;
    if (!reader) return std::nullopt;
    // What is written later only is nothing that could be read.
    if (ended_before(*reader, *writer)) std::swap(writer, reader);
    const auto x = graft_.fresh_key();
    const auto v = graft_.fresh_value(), w = graft_.fresh_value();
    graft_.add_last(*writer, {OpKind::Write, x, v});
    graft_.add_last(*writer, {OpKind::Write, x, w});
    graft_.add_last(*reader, {OpKind::Read, x, v});
    return name(*reader) + " reads " + text(x) + " = " + text(v) + ", which " +
           name(*writer) + " overwrites";
  }

  std::optional<std::string> thin_air_read() {
    const auto reader = pick_any();
    if (!reader) return std::nullopt;
    const auto x = graft_.fresh_key();
    const auto v = graft_.fresh_value();
    graft_.add_last(*reader, {OpKind::Read, x, v});
    return name(*reader) + " reads " + text(x) + " = " + text(v) +
           ", which nobody writes";
  }

  std::optional<std::string> circular_flow() {
    const auto pair = pick_pair();
    if (!pair) return std::nullopt;
    const auto x = graft_.fresh_key();
    const auto v = graft_.fresh_value();
    graft_.add_last(pair->reader, {OpKind::Write, x, v});
    graft_.add_first(pair->source, {OpKind::Read, x, v});
    return name(pair->source) + " reads " + text(x) + " = " + text(v) +
           " from " + name(pair->reader) + ", which reads from it";
  }

  // The source writes one key more, and the reader misses it: before its
  // other reads, as read-atomic forbids, or after them, where the view moves
  // backwards.
  std::optional<std::string> half_seen(bool is_backwards) {
    const auto pair = pick_pair();
    if (!pair) return std::nullopt;
    const auto x = graft_.fresh_key();
    graft_.add_last(pair->source, {OpKind::Write, x, graft_.fresh_value()});
    if (is_backwards)
      graft_.add_last(pair->reader, {OpKind::Read, x, 0});
    else
      graft_.add_first(pair->reader, {OpKind::Read, x, 0});
    return name(pair->reader) + " reads " + text(x) + " = 0, which " +
           name(pair->source) + ", from which it reads, overwrites";
  }

  // The reader is new and reads nothing else: nothing but its session can
  // have told it of the write.
  std::optional<std::string> stale_read() {
    const auto last_of_session = [&](TxnId t) {
      return TxnId(history_.sessions()[history_.at(t).session.index].end.index -
                   1);
    };
    const auto writer = pick([&](TxnId t) {
      const Txn& last = history_.at(last_of_session(t));
      return last.start == Txn::kNoTime || has_end(last);
    });
    if (!writer) return std::nullopt;
    const auto x = graft_.fresh_key();
    graft_.add_last(*writer, {OpKind::Write, x, graft_.fresh_value()});
    graft_.add_txn(Where::InSession, last_of_session(*writer),
                   Ops{{OpKind::Read, x, 0}});
    return "a new reader at the end of the session of " + name(*writer) +
           ", which writes " + text(x) + ", reads " + text(x) + " = 0";
  }

  static bool has_end(const Txn& txn) {
    return txn.end != Txn::kNoTime && txn.end < INT64_MAX;
  }

  std::optional<std::string> stale_read_realtime() {
    const auto writer = pick([&](TxnId t) { return has_end(history_.at(t)); });
    if (!writer) return std::nullopt;
    const auto x = graft_.fresh_key();
    graft_.add_last(*writer, {OpKind::Write, x, graft_.fresh_value()});
    graft_.add_txn(Where::After, *writer, Ops{{OpKind::Read, x, 0}});
    return "a new reader starts after " + name(*writer) + " has ended, which " +
           "writes " + text(x) + ", and reads " + text(x) + " = 0";
  }

  // a -> b -> c by reads-from, and no shorter way from a to c.
  std::optional<std::string> causality_violation() {
    const Dependencies dependencies(history_);
    std::optional<TxnId> a;
    const auto c = pick([&](TxnId t) {
      for (const TxnId b : dependencies.sources(t)) {
        for (const TxnId s : dependencies.sources(b)) {
          if (history_.at(s).session == history_.at(t).session ||
              dependencies.reads_from(t, s))
            continue;
          a = s;
          return true;
        }
      }
      return false;
    });
    if (!c) return std::nullopt;
    const auto x = graft_.fresh_key();
    graft_.add_last(*a, {OpKind::Write, x, graft_.fresh_value()});
    graft_.add_first(*c, {OpKind::Read, x, 0});
    return name(*c) + " reads " + text(x) + " = 0, which " + name(*a) +
           " overwrites, from which it reads through another";
  }

  std::optional<std::string> long_fork() {
    const auto a = pick_any();
    if (!a) return std::nullopt;
    const auto x = graft_.fresh_key(), y = graft_.fresh_key();
    const auto v = graft_.fresh_value(), w = graft_.fresh_value();
    graft_.add_last(*a, {OpKind::Write, x, v});
    graft_.add_txn(Where::Beside, *a, Ops{{OpKind::Write, y, w}});
    graft_.add_txn(Where::Beside, *a,
                   Ops{{OpKind::Read, x, v}, {OpKind::Read, y, 0}});
    graft_.add_txn(Where::Beside, *a,
                   Ops{{OpKind::Read, y, w}, {OpKind::Read, x, 0}});
    return name(*a) + " writes " + text(x) + ", a new transaction " + text(y) +
           ", and two new readers each see only one of both";
  }

  std::optional<std::string> lost_update() {
    const auto a = pick_any();
    if (!a) return std::nullopt;
    const auto x = graft_.fresh_key();
    const auto v = graft_.fresh_value(), w = graft_.fresh_value();
    graft_.add_last(*a, {OpKind::Read, x, 0});
    graft_.add_last(*a, {OpKind::Write, x, v});
    graft_.add_txn(Where::Beside, *a,
                   Ops{{OpKind::Read, x, 0}, {OpKind::Write, x, w}});
    return name(*a) + " and a new transaction both read " + text(x) +
           " = 0 and overwrite it";
  }

  std::optional<std::string> write_skew() {
    const auto a = pick_any();
    if (!a) return std::nullopt;
    const auto x = graft_.fresh_key(), y = graft_.fresh_key();
    const auto v = graft_.fresh_value(), w = graft_.fresh_value();
    graft_.add_last(*a, {OpKind::Read, y, 0});
    graft_.add_last(*a, {OpKind::Write, x, v});
    graft_.add_txn(Where::Beside, *a,
                   Ops{{OpKind::Read, x, 0}, {OpKind::Write, y, w}});
    return name(*a) + " reads " + text(y) + " = 0 and writes " + text(x) +
           ", a new transaction reads " + text(x) + " = 0 and writes " +
           text(y);
  }

  const History& history_;
  Random random_;
  Graft graft_;
};

}  // namespace

std::span<const Mutation> all_mutations() { return kAll; }

std::string_view name(Mutation mutation) { return row(mutation).name; }

Level violated_level(Mutation mutation) { return row(mutation).level; }

Result<Mutation> parse_mutation(std::string_view text) {
  std::string wanted;
  for (const char c : text) {
    if (c == '_' || c == ' ')
      wanted += '-';
    else
      wanted += ascii::lower(c);
  }
  std::vector<std::string> names;
  for (const Mutation mutation : kAll) {
    if (wanted == row(mutation).name || wanted == row(mutation).also)
      return mutation;
    names.emplace_back(row(mutation).name);
  }
  std::string hint = suggestion(wanted, names);
  if (hint.empty()) {
    hint = "known anomalies:";
    for (const std::string& known : names) hint += " " + known;
  }
  return Error{{},
               "there is no anomaly '" + std::string(text) + "' to plant",
               std::move(hint),
               ""};
}

Result<Mutant> mutate(const History& history, Mutation mutation,
                      std::uint64_t seed) {
  Mutator mutator(history, seed);
  const auto what = mutator.plant(mutation);
  if (!what)
    return Error{{history.files()[0], 0, 0, {}},
                 "no transaction fits to plant " + std::string(name(mutation)),
                 mutation == Mutation::StaleReadRealtime
                     ? "it needs committed transactions with times"
                     : "it needs committed transactions that read from others",
                 ""};
  Result<History> mutant = mutator.finish();
  if (!mutant) return std::move(mutant).error();
  return Mutant{*std::move(mutant), violated_level(mutation), *what};
}

}  // namespace txscope::generate
