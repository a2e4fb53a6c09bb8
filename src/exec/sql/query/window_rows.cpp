#include "exec/sql/query/window_rows.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "exec/sql/query/aggregate.h"
#include "exec/sql/value/row_order.h"

namespace txscope::sql {

/// One call over one partition, row by row in their order.
class WindowRows::Run {
 public:
  Run(WindowRows& all, const Pass& pass, const PartitionShape& shape,
      std::size_t begin, std::size_t number)
      : all_(all),
        call_(all.query_.windows[number]),
        pass_(pass),
        shape_(shape),
        begin_(begin),
        frames_(call_, shape, all.offsets_[number].first,
                all.offsets_[number].second, all.evaluation_.halt()) {}

  Value at(std::size_t row) {
    const std::size_t group = shape_.group_of[row];
    const auto integer = [](std::size_t n) {
      return Value::integer(static_cast<std::int64_t>(n));
    };
    const auto share = [](std::size_t a, std::size_t b) {
      return Value::real(static_cast<double>(a) / static_cast<double>(b));
    };
    switch (call_.function) {
      case WindowFunction::Aggregate: return aggregate(row);
      case WindowFunction::RowNumber: return integer(row + 1);
      case WindowFunction::Rank: return integer(shape_.groups[group] + 1);
      case WindowFunction::DenseRank: return integer(group + 1);
      case WindowFunction::PercentRank:
        return shape_.size() < 2
                   ? Value::real(0)
                   : share(shape_.groups[group], shape_.size() - 1);
      case WindowFunction::CumeDist:
        return share(shape_.groups[group + 1], shape_.size());
      case WindowFunction::Ntile: return tile(row);
      case WindowFunction::Lag:
      case WindowFunction::Lead: return neighbour(row);
      case WindowFunction::FirstValue: return in_frame(row, 1, false);
      case WindowFunction::LastValue: return in_frame(row, 1, true);
      case WindowFunction::NthValue: return nth(row);
    }
    return {};
  }

 private:
  Value eval(const Expr& e, std::size_t row) {
    return all_.evaluation_.eval(
        e, all_.scope(all_.rows_[pass_.order[begin_ + row]]));
  }
  [[nodiscard]] Halt& halt() { return all_.evaluation_.halt(); }

  /// What was added stays while the frame only grows at its end.
  Value aggregate(std::size_t row) {
    const auto [start, end] = frames_.of(row);
    const bool excludes = call_.frame.exclusion != Frame::Exclusion::Nothing;
    if (excludes || start != start_ || end < end_) {
      sum_ = Accumulator();
      start_ = end_ = start;
      result_.reset();
    }
    for (; end_ < end; ++end_) {
      if (!all_.evaluation_.goes_on()) return {};
      if (excludes && frames_.excludes(row, end_)) continue;
      const auto& argument = call_.aggregate.argument;
      const Value value = argument ? eval(*argument, end_) : Value();
      if (halt().is_set()) return {};
      sum_.add(call_.aggregate, value, halt());
      result_.reset();
    }
    if (!result_) result_ = sum_.result(call_.aggregate, halt());
    return *result_;
  }

  Value tile(std::size_t row) {
    // PostgreSQL asks once per partition, unless it is NULL.
    if (!tiles_) {
      const Value count = eval(call_.args[0], row);
      if (count.is_null()) return {};
      if (count.integer() <= 0)
        return halt().raise("22014",
                            "argument of ntile must be greater than zero");
      tiles_ = static_cast<std::size_t>(count.integer());
    }
    const std::size_t least = shape_.size() / *tiles_;
    const std::size_t larger = shape_.size() % *tiles_;
    const std::size_t in_larger = larger * (least + 1);
    const std::size_t tile = row < in_larger
                                 ? row / (least + 1)
                                 : larger + (row - in_larger) / least;
    return Value::integer(static_cast<std::int64_t>(tile + 1));
  }

  Value neighbour(std::size_t row) {
    std::int64_t by = 1;
    if (call_.args.size() > 1) {
      const Value rows = eval(call_.args[1], row);
      if (rows.is_null()) return {};
      by = rows.integer();
    }
    if (call_.function == WindowFunction::Lag) by = -by;
    const std::int64_t place = static_cast<std::int64_t>(row) + by;
    if (place >= 0 && static_cast<std::size_t>(place) < shape_.size())
      return eval(call_.args[0], static_cast<std::size_t>(place));
    return call_.args.size() > 2 ? eval(call_.args[2], row) : Value();
  }

  Value nth(std::size_t row) {
    const Value which = eval(call_.args[1], row);
    if (which.is_null()) return {};
    if (which.integer() <= 0)
      return halt().raise("22016",
                          "argument of nth_value must be greater than zero");
    return in_frame(row, static_cast<std::size_t>(which.integer()), false);
  }

  /// The value of the frame's row number `n`, counted from one of its ends.
  Value in_frame(std::size_t row, std::size_t n, bool from_end) {
    const auto [start, end] = frames_.of(row);
    const std::size_t size = end - start;
    if (call_.frame.exclusion == Frame::Exclusion::Nothing) {
      if (n > size) return {};
      return eval(call_.args[0], from_end ? end - n : start + n - 1);
    }
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t place = from_end ? end - 1 - i : start + i;
      if (!frames_.excludes(row, place) && --n == 0)
        return eval(call_.args[0], place);
    }
    return {};
  }

  WindowRows& all_;
  const WindowCall& call_;
  const Pass& pass_;
  const PartitionShape& shape_;
  std::size_t begin_;
  Frames frames_;
  Accumulator sum_;
  std::size_t start_ = 0;
  std::size_t end_ = 0;
  std::optional<Value> result_;
  std::optional<std::size_t> tiles_;
};

void WindowRows::add(std::span<const Row* const> rows,
                     std::span<const Value> aggregates) {
  Kept& kept = rows_.emplace_back();
  kept.rows.reserve(rows.size());
  for (const Row* row : rows) kept.rows.push_back(*row);
  for (const Row& row : kept.rows) kept.names.push_back(&row);
  kept.aggregates.assign(aggregates.begin(), aggregates.end());
  kept.windows.resize(query_.windows.size());
}

std::vector<WindowRows::Pass> WindowRows::passes() const {
  const auto is_sorted = [this](std::size_t call) {
    return !query_.windows[call].partition_by.empty() ||
           !query_.windows[call].order_by.empty();
  };
  std::vector<Pass> all;
  for (const bool sorts : {true, false}) {
    for (std::size_t i = query_.windows.size(); i-- > 0;) {
      if (is_sorted(i) != sorts) continue;
      const auto same =
          std::find_if(all.begin(), all.end(), [&](const Pass& pass) {
            return query_.windows[pass.calls[0]].order ==
                   query_.windows[i].order;
          });
      Pass& pass = same != all.end() ? *same : all.emplace_back();
      pass.calls.insert(pass.calls.begin(), i);
    }
  }
  return all;
}

Value WindowRows::offset(const FrameBound& bound, bool is_range,
                         const char* which) {
  if (!bound.offset) return {};
  Halt& halt = evaluation_.halt();
  const Value value =
      evaluation_.eval(*bound.offset, Scope{nullptr, nullptr, outer_});
  if (halt.is_set()) return {};
  const std::string name = std::string("frame ") + which + " offset";
  if (value.is_null()) return halt.raise("22004", name + " must not be null");
  if (!is_range && value.integer() < 0)
    return halt.raise("22013", name + " must not be negative");
  return value;
}

void WindowRows::evaluate_offsets() {
  for (const WindowCall& call : query_.windows) {
    const bool is_range = call.frame.unit == Frame::Unit::Range;
    const Value start = offset(call.frame.start, is_range, "starting");
    offsets_.emplace_back(start, offset(call.frame.end, is_range, "ending"));
  }
}

void WindowRows::sort(Pass& pass) {
  const WindowCall& call = query_.windows[pass.calls[0]];
  for (const Kept& kept : rows_) {
    if (!evaluation_.goes_on()) return;
    const Scope names = scope(kept);
    Row keys;
    for (const Expr& e : call.partition_by)
      keys.push_back(evaluation_.eval(e, names));
    for (const SortKey& key : call.order_by)
      keys.push_back(evaluation_.eval(key.expr, names));
    pass.keys.push_back(std::move(keys));
  }
  const std::size_t width = call.partition_by.size();
  const auto is_before = [&](std::size_t a, std::size_t b) {
    const Row& x = pass.keys[a];
    const Row& y = pass.keys[b];
    for (std::size_t i = 0; i < x.size(); ++i) {
      const bool is_key = i >= width;
      const int order = compare_sorted(
          x[i], y[i], is_key && call.order_by[i - width].is_descending,
          is_key && call.order_by[i - width].nulls_first);
      if (order != 0) return order < 0;
    }
    return false;
  };
  pass.order = order_;
  if (!evaluation_.halt().is_set())
    std::stable_sort(pass.order.begin(), pass.order.end(), is_before);
}

std::size_t WindowRows::end_of(const Pass& pass, std::size_t begin) const {
  const std::size_t width = query_.windows[pass.calls[0]].partition_by.size();
  std::size_t end = begin;
  const auto is_same = [&](std::size_t place) {
    for (std::size_t i = 0; i < width; ++i)
      if (compare_sorted(pass.key(begin, i), pass.key(place, i), false,
                         false) != 0)
        return false;
    return true;
  };
  while (end < pass.order.size() && is_same(end)) ++end;
  return end;
}

PartitionShape WindowRows::shape(const Pass& pass, std::size_t begin,
                                 std::size_t end) const {
  const WindowCall& call = query_.windows[pass.calls[0]];
  const std::size_t width = call.partition_by.size();
  PartitionShape shape;
  for (std::size_t place = begin; place < end; ++place) {
    bool is_new = place == begin;
    for (std::size_t i = width; !is_new && i < width + call.order_by.size();
         ++i)
      is_new = compare_sorted(pass.key(place - 1, i), pass.key(place, i), false,
                              false) != 0;
    if (is_new) shape.groups.push_back(place - begin);
    shape.group_of.push_back(shape.groups.size() - 1);
  }
  shape.groups.push_back(end - begin);
  shape.key = [&pass, begin, width](std::size_t row) -> const Value& {
    return pass.key(begin + row, width);
  };
  return shape;
}

bool WindowRows::evaluate(Pass& pass, const OnRow* on_row) {
  for (std::size_t begin = 0; begin < pass.order.size();) {
    const std::size_t end = end_of(pass, begin);
    const PartitionShape partition = shape(pass, begin, end);
    std::vector<Run> runs;
    for (const std::size_t call : pass.calls)
      runs.emplace_back(*this, pass, partition, begin, call);
    for (std::size_t row = 0; row < partition.size(); ++row) {
      Kept& kept = rows_[pass.order[begin + row]];
      for (std::size_t i = 0; i < runs.size(); ++i) {
        if (!evaluation_.goes_on()) return false;
        kept.windows[pass.calls[i]] = runs[i].at(row);
      }
      if (evaluation_.halt().is_set()) return false;
      if (on_row != nullptr && !(*on_row)(scope(kept))) return false;
    }
    begin = end;
  }
  return true;
}

void WindowRows::run(const OnRow& on_row) {
  evaluate_offsets();
  order_.resize(rows_.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::vector<Pass> all = passes();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (evaluation_.halt().is_set()) return;
    sort(all[i]);
    if (evaluation_.halt().is_set()) return;
    if (!evaluate(all[i], i + 1 == all.size() ? &on_row : nullptr)) return;
    order_ = all[i].order;
  }
}

}  // namespace txscope::sql
