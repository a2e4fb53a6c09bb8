#include "check/facts/later_writes.h"

#include <algorithm>
#include <optional>

#include "check/facts/provenance.h"
#include "model/real_time.h"

namespace txscope::check {
namespace {

class LaterWrites {
 public:
  LaterWrites(const History& history, const Facts& facts)
      : history_(history), facts_(facts) {}

  std::vector<BadRead> find() {
    for (std::uint32_t i = 1; i < history_.size(); ++i) {
      const TxnId reader(i);
      if (!facts_.counts(reader) || history_.at(reader).end == Txn::kNoTime)
        continue;
      for (const Facts::Read& read : facts_.reads(reader))
        if (const auto writer = later_writer(read, reader))
          found_.push_back(
              {BadReadKind::ThinAir, read.op, write_of(*writer, read)});
    }
    return std::move(found_);
  }

 private:
  std::optional<TxnId> later_writer(const Facts::Read& read, TxnId reader) {
    if (history_.kind(read.key) == KeyKind::List)
      return later_appender(read, reader);
    if (read.writer != kNone<TxnId>) return if_later(read.writer, reader);
    std::optional<TxnId> first;
    for (const TxnId t : facts_.candidates(read.op)) {
      if (t == reader) continue;
      if (!ended_before(history_, reader, t)) return std::nullopt;
      if (!first) first = t;
    }
    return first;
  }
  [[nodiscard]] std::optional<TxnId> if_later(TxnId writer,
                                              TxnId reader) const {
    if (!ended_before(history_, reader, writer)) return std::nullopt;
    return writer;
  }

  // Of those who appended what the read shows, the one who started last.
  std::optional<TxnId> later_appender(const Facts::Read& read, TxnId reader) {
    if (facts_.list_is_open(read.key) || read.writer == History::kInitial)
      return std::nullopt;
    if (last_started_.empty()) find_last_started();
    const TxnId last =
        last_started_[facts_.version(read.key, read.writer).index];
    return if_later(last == kNone<TxnId> ? read.writer : last, reader);
  }

  void find_last_started() {
    last_started_.assign(facts_.version_count(), kNone<TxnId>);
    for (std::uint32_t k = 0; k < history_.key_count(); ++k) {
      TxnId last = kNone<TxnId>;
      for (const TxnId t : facts_.version_order(KeyId(k))) {
        if (last == kNone<TxnId> ||
            history_.at(last).start < history_.at(t).start)
          last = t;
        last_started_[facts_.version(KeyId(k), t).index] = last;
      }
    }
  }

  // The write that the read shows: of a list, an append that is in it.
  [[nodiscard]] OpId write_of(TxnId writer, const Facts::Read& read) const {
    if (history_.kind(read.key) != KeyKind::List)
      return last_write(history_, writer, read.key).value_or(kNone<OpId>);
    const auto list =
        history_.list(read.op).span().first(facts_.external_length(read.op));
    const Txn txn = history_.at(writer);
    for (std::uint32_t i = txn.first_op; i < txn.end_op; ++i)
      if (const Op op = history_.at(OpId(i));
          op.is_write() && op.key == read.key &&
          std::find(list.begin(), list.end(), op.value) != list.end())
        return OpId(i);
    return kNone<OpId>;
  }

  const History& history_;
  const Facts& facts_;
  std::vector<BadRead> found_;
  /// By version of a list: who started last of those who made it what it is.
  std::vector<TxnId> last_started_;
};

}  // namespace

std::vector<BadRead> reads_of_later_writes(const History& history,
                                           const Facts& facts) {
  return LaterWrites(history, facts).find();
}

std::vector<BadRead> bad_reads(const History& history, const Facts& facts,
                               Level level) {
  std::vector<BadRead> found(facts.bad_reads().begin(),
                             facts.bad_reads().end());
  if (level.base == Base::ReadUncommitted) {
    std::erase_if(found, [](const BadRead& bad) {
      return bad.kind != BadReadKind::Incompatible;
    });
  } else if (level.order == Order::Realtime) {
    const auto later = reads_of_later_writes(history, facts);
    found.insert(found.end(), later.begin(), later.end());
  }
  return found;
}

}  // namespace txscope::check
