#include "model/sql/value/value.h"

#include <bit>
#include <cassert>
#include <deque>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace txscope::sql {
namespace {

/// All texts, each once.  A deque never moves what it holds, so that a text
/// can be read without the lock once its number is known.
class TextPool {
 public:
  std::int64_t intern(std::string_view text) {
    {
      const std::shared_lock lock(mutex_);
      const auto found = numbers_.find(text);
      if (found != numbers_.end()) return found->second;
    }
    const std::unique_lock lock(mutex_);
    const auto found = numbers_.find(text);
    if (found != numbers_.end()) return found->second;
    const auto number = static_cast<std::int64_t>(texts_.size());
    texts_.emplace_back(text);
    numbers_.emplace(texts_.back(), number);
    return number;
  }
  const std::string& text(std::int64_t number) {
    const std::shared_lock lock(mutex_);
    return texts_[static_cast<std::size_t>(number)];
  }

 private:
  std::shared_mutex mutex_;
  std::deque<std::string> texts_;
  std::unordered_map<std::string_view, std::int64_t> numbers_;
};

struct ListHash {
  std::size_t operator()(const std::vector<Value>& list) const {
    std::uint64_t h = list.size();
    for (const Value& value : list)
      h = (h ^ value.hash()) * 0x9e3779b97f4a7c15ull;
    return h;
  }
};

/// The same for the items of arrays.
class ListPool {
 public:
  std::int64_t intern(std::span<const Value> items) {
    std::vector<Value> list(items.begin(), items.end());
    const std::unique_lock lock(mutex_);
    const auto found = numbers_.find(list);
    if (found != numbers_.end()) return found->second;
    const auto number = static_cast<std::int64_t>(lists_.size());
    lists_.push_back(list);
    numbers_.emplace(std::move(list), number);
    return number;
  }
  const std::vector<Value>& items(std::int64_t number) {
    const std::shared_lock lock(mutex_);
    return lists_[static_cast<std::size_t>(number)];
  }

 private:
  std::shared_mutex mutex_;
  std::deque<std::vector<Value>> lists_;
  std::unordered_map<std::vector<Value>, std::int64_t, ListHash> numbers_;
};

ListPool& lists() {
  static ListPool pool;
  return pool;
}

TextPool& pool() {
  static TextPool texts;
  return texts;
}

}  // namespace

Value Value::numeric(Int128 digits, unsigned scale) {
  return Value(Kind::Numeric, static_cast<std::int64_t>(digits),
               static_cast<std::int64_t>(digits >> 64), scale);
}

Value Value::text(std::string_view text) {
  return Value(Kind::Text, pool().intern(text), 0, 0);
}

Int128 Value::digits() const {
  assert(kind_ == Kind::Numeric && "digits of a value that is no numeric");
  return static_cast<Int128>(high_) * (static_cast<Int128>(1) << 64) +
         static_cast<std::uint64_t>(low_);
}

const std::string& Value::text() const {
  assert((kind_ == Kind::Text || kind_ == Kind::Enum) &&
         "text of a value that is no text");
  return pool().text(kind_ == Kind::Enum ? high_ : low_);
}

Value Value::interval(std::int32_t months, std::int32_t days,
                      std::int64_t microseconds) {
  const auto high =
      static_cast<std::uint64_t>(static_cast<std::uint32_t>(months)) << 32 |
      static_cast<std::uint32_t>(days);
  return Value(Kind::Interval, microseconds, static_cast<std::int64_t>(high),
               0);
}

Value Value::real(double number, bool is_single) {
  if (is_single) number = static_cast<double>(static_cast<float>(number));
  return Value(Kind::Float, std::bit_cast<std::int64_t>(number), 0,
               is_single ? 1 : 0);
}

double Value::real() const { return std::bit_cast<double>(low_); }

Value Value::enumerated(std::uint16_t of, std::uint32_t position,
                        std::string_view label) {
  return Value(Kind::Enum, position, pool().intern(label), of);
}

Value Value::array(std::span<const Value> items) {
  return Value(Kind::Array, lists().intern(items), 0, 0);
}

Value Value::row(std::span<const Value> fields) {
  return Value(Kind::Row, lists().intern(fields), 0, 0);
}

Value Value::range(std::span<const Value> bounds, unsigned flags) {
  return Value(Kind::Range, lists().intern(bounds), flags, 0);
}

const std::vector<Value>& Value::items() const {
  assert((kind_ == Kind::Array || kind_ == Kind::Range || kind_ == Kind::Row) &&
         "items of a value that has none");
  return lists().items(low_);
}

std::uint64_t Value::hash() const {
  std::uint64_t h = static_cast<std::uint64_t>(kind_) << 32 |
                    (kind_ == Kind::Text ? 0u : scale_);
  for (const std::int64_t part : {low_, high_}) {
    h = (h ^ static_cast<std::uint64_t>(part)) * 0x9e3779b97f4a7c15ull;
    h ^= h >> 29;
  }
  return h;
}

}  // namespace txscope::sql
