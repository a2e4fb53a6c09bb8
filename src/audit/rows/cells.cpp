#include "audit/rows/cells.h"

#include <algorithm>
#include <limits>

namespace txscope::audit {
namespace {

using sql::LogStatus;
using Writer = Cell::Writer;
using Writers = std::vector<Writer>;

/// With more additions of which nobody knows whether they were made it is as if
/// the value were not known.
constexpr std::size_t kMostOpen = 32;

/// What a version does to a column; none: it leaves it as it is.
std::optional<Writer> writer_of(const RowVersion& version,
                                std::uint32_t column) {
  Writer writer;
  writer.txn = version.txn;
  // It may have been taken back, this or what came before it.
  if (!version.is_certain) return writer;
  if (version.is_deleted) {
    writer.kind = Writer::Kind::Deletes;
    return writer;
  }
  const Change* change = change_of(version.columns, column);
  if (change == nullptr) {
    if (version.is_insert) return writer;
    return std::nullopt;
  }
  if (change->kind == Change::Kind::Constant) {
    writer.kind = Writer::Kind::Sets;
    writer.value = change->value;
  } else if (change->kind == Change::Kind::Add &&
             change->value.kind() == sql::Kind::Integer) {
    if (change->value.integer() == 0) return std::nullopt;
    writer.kind = Writer::Kind::Adds;
    writer.added = change->value.integer();
  }
  return writer;
}

/// The writers of one session whom a reader can have seen as the last.
struct Range {
  const Writers* all = nullptr;
  std::size_t low = 0;   ///< so many are in what it sees for certain
  std::size_t high = 0;  ///< behind these it precedes them
};

class Pasts {
 public:
  Pasts(const Cell& cell, const MustPrecede& order, std::uint32_t reader,
        std::span<const std::uint32_t> low, bool keeps_additions)
      : cell_(cell), order_(order), keeps_additions_(keeps_additions) {
    for (const auto& [session, writers] : cell.sessions) {
      Range range;
      range.all = &writers;
      range.low = up_to(writers, low[session]);
      range.high = std::max(range.low, first_after(writers, reader));
      ranges_.push_back(range);
    }
  }

  [[nodiscard]] std::vector<CellPast> all() const {
    std::vector<const Writer*> setters;
    std::vector<const Writer*> kept;  // certain, the last of each session
    for (const Range& range : ranges_) {
      for (std::size_t i = range.high; i > 0; --i) {
        const Writer& w = (*range.all)[i - 1];
        if (w.kind == Writer::Kind::Adds) continue;
        setters.push_back(&w);
        if (i > range.low || !w.is_certain) continue;
        kept.push_back(&w);
        break;
      }
    }
    std::vector<CellPast> pasts;
    for (const Writer* w : setters) {
      const bool is_gone =
          std::any_of(kept.begin(), kept.end(), [&](const Writer* later) {
            return later != w && order_.is_before(w->txn, later->txn);
          });
      if (!is_gone) pasts.push_back(past_since(w));
    }
    if (kept.empty()) pasts.push_back(past_since(nullptr));
    return pasts;
  }

 private:
  /// How many of a session's do not come after `txn`, nor are its own.
  [[nodiscard]] std::size_t first_after(const Writers& writers,
                                        std::uint32_t txn) const {
    return static_cast<std::size_t>(
        std::partition_point(
            writers.begin(), writers.end(),
            [&](const Writer& w) { return !order_.is_before(txn, w.txn); }) -
        writers.begin());
  }

  [[nodiscard]] CellPast past_since(const Writer* setter) const {
    CellPast past;
    past.setter = setter;
    if (setter == nullptr) {
      past.is_absent = !cell_.initial.has_value();
      if (cell_.initial) past.value = *cell_.initial;
    } else {
      past.is_absent = setter->kind == Writer::Kind::Deletes;
      past.is_any = setter->kind == Writer::Kind::Unknown;
      past.value = setter->value;
    }
    if (past.is_absent || past.is_any) return past;
    sql::Int128 sum = 0;
    bool has_more = false;
    for (const Range& range : ranges_) {
      const Writers& writers = *range.all;
      std::size_t begin = 0;  // those before precede the setter,
      std::size_t after = 0;  // and from here on it precedes them
      if (setter != nullptr) {
        const std::uint32_t session = order_.session(writers.front().txn);
        begin = up_to(writers, order_.clock(setter->txn)[session]);
        after = first_after(writers, setter->txn);
      }
      // What lies between it and what is seen has been added.
      const std::size_t from = std::max(begin, after);
      const std::size_t to =
          keeps_additions_ ? std::max(from, range.low) : from;
      const auto total = [&](std::size_t i) {
        return i == 0 ? sql::Int128(0) : writers[i - 1].total;
      };
      const auto others = [&](std::size_t i) {
        return i == 0 ? 0u : writers[i - 1].others;
      };
      sum += total(to) - total(from);
      has_more = has_more || total(to) != total(from);
      if (others(to) != others(from)) open(writers, from, to, true, past);
      open(writers, begin, std::min(from, range.high), false, past);
      open(writers, to, range.high, false, past);
      if (past.is_any) return past;
    }
    if (!has_more && past.open.empty()) return past;
    if (past.value.kind() != sql::Kind::Integer) {
      past.is_any = true;
      return past;
    }
    sum += past.value.integer();
    past.is_any = sum < std::numeric_limits<std::int64_t>::min() ||
                  sum > std::numeric_limits<std::int64_t>::max();
    past.value = sql::Value::integer(static_cast<std::int64_t>(sum));
    return past;
  }

  static std::size_t up_to(const Writers& writers, std::uint32_t place) {
    return static_cast<std::size_t>(
        std::upper_bound(
            writers.begin(), writers.end(), place,
            [](std::uint32_t at, const Writer& w) { return at < w.place; }) -
        writers.begin());
  }

  /// Additions of whom any may have been made.
  static void open(const Writers& writers, std::size_t from, std::size_t to,
                   bool only_others, CellPast& past) {
    for (std::size_t i = from; i < to && !past.is_any; ++i) {
      const Writer& w = writers[i];
      if (w.kind != Writer::Kind::Adds || (only_others && w.is_certain))
        continue;
      past.open.push_back(&w);
      past.is_any = past.open.size() > kMostOpen;
    }
  }

  const Cell& cell_;
  const MustPrecede& order_;
  bool keeps_additions_;
  std::vector<Range> ranges_;
};

}  // namespace

Cells::Cells(const LoadedLog& log, const RowVersions& rows,
             const MustPrecede& order)
    : log_(log), rows_(rows), order_(order), versions_(rows.size()) {
  for (std::uint32_t t = 0; t < log.judged().size(); ++t) {
    if (log.judged()[t].log->status == LogStatus::Aborted) continue;
    for (const auto& [row, v] : rows.writes(t)) {
      auto& all = versions_[row];
      if (!all.empty() && all.back().first == t)
        all.back().second = v;
      else
        all.emplace_back(t, v);
    }
  }
}

const Cell* Cells::find(std::uint32_t row, std::uint32_t column) {
  if (row >= versions_.size() || rows_.open_writes(row) != 0) return nullptr;
  const auto [found, is_new] = cells_.try_emplace({row, column});
  Cell& cell = found->second;
  if (!is_new) return &cell;
  if (const RowVersion* first = rows_.initial(row))
    if (const Change* change = change_of(first->columns, column))
      cell.initial = change->value;
  for (const auto& [t, v] : versions_[row]) {
    const RowVersion& version = rows_.version(row, v);
    if (version.is_void || order_.place(t) == 0) continue;
    auto writer = writer_of(version, column);
    if (!writer) continue;
    writer->place = order_.place(t);
    writer->is_certain = version.is_certain &&
                         log_.judged()[t].log->status == LogStatus::Committed;
    auto& session = cell.sessions[order_.session(t)];
    if (!session.empty()) {
      writer->total = session.back().total;
      writer->others = session.back().others;
    }
    if (writer->kind == Writer::Kind::Adds && writer->is_certain)
      writer->total += writer->added;
    else if (writer->kind == Writer::Kind::Adds)
      ++writer->others;
    session.push_back(std::move(*writer));
  }
  return &cell;
}

std::vector<CellPast> pasts_of(const Cell& cell, const MustPrecede& order,
                               std::uint32_t reader,
                               std::span<const std::uint32_t> low,
                               bool keeps_additions) {
  return Pasts(cell, order, reader, low, keeps_additions).all();
}

}  // namespace txscope::audit
