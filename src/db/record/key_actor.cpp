#include "db/record/key_actor.h"

#include <charconv>

namespace txscope::db {
namespace {

constexpr std::uint64_t kRowsPerInsert = 500;
constexpr std::int64_t kClientFactor = 1'000'000'000;

LoggedValue integer_value(std::int64_t number) {
  return {std::to_string(number), ColumnType::Integer};
}

/// "4,7,"
std::vector<std::int64_t> list_of(std::string_view text) {
  std::vector<std::int64_t> list;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + comma, number);
    list.push_back(number);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return list;
}

}  // namespace

std::vector<std::string> KeyActor::setup(const KeyShape& shape) {
  const std::string table = shape.has_lists ? "lists" : "registers";
  // MariaDB's TEXT would be compared with a collation; nothing compares it.
  std::vector<std::string> texts = {
      "CREATE TABLE " + table + " (k INTEGER PRIMARY KEY, v " +
      (shape.has_lists ? "TEXT" : "BIGINT") + " NOT NULL)"};
  const std::string start = shape.has_lists ? "''" : "0";
  for (std::uint64_t first = 0; first < shape.keys; first += kRowsPerInsert) {
    std::string text = "INSERT INTO " + table + " VALUES ";
    const std::uint64_t end = std::min(shape.keys, first + kRowsPerInsert);
    for (std::uint64_t key = first; key < end; ++key)
      text += (key > first ? ", (" : "(") + std::to_string(key) + ", " + start +
              ")";
    texts.push_back(text);
  }
  return texts;
}

bool KeyActor::choose(Random& random) {
  wishes_.clear();
  const auto count = static_cast<std::size_t>(
      random.between(static_cast<std::int64_t>(shape_.min_operations),
                     static_cast<std::int64_t>(shape_.max_operations)));
  for (std::size_t i = 0; i < count; ++i)
    wishes_.push_back({random.chance(shape_.reads),
                       static_cast<std::int64_t>(random.below(shape_.keys))});
  restart();
  return true;
}

void KeyActor::restart() { done_.clear(); }

std::int64_t KeyActor::fresh_value() {
  return static_cast<std::int64_t>(client_) * kClientFactor +
         static_cast<std::int64_t>(++values_);
}

ActorStep KeyActor::next() {
  ActorStep step;
  if (done_.size() == wishes_.size()) return step;
  const Wish& wish = wishes_[done_.size()];
  using Kind = LoggedOperation::Kind;
  current_ = {};
  current_.key = wish.key;
  step.kind = ActorStep::Kind::Statement;
  const std::string key = std::to_string(wish.key);
  const std::string table = shape_.has_lists ? "lists" : "registers";
  if (wish.is_read) {
    current_.kind = shape_.has_lists ? Kind::ReadList : Kind::Read;
    step.sent = "SELECT v FROM " + table + " WHERE k = " + key;
    step.logged.sql = "SELECT v FROM " + table + " WHERE k = $1";
    step.logged.params = {integer_value(wish.key)};
    return step;
  }
  const std::int64_t value = fresh_value();
  current_.value = value;
  step.logged.has_count = true;
  if (!shape_.has_lists) {
    current_.kind = Kind::Write;
    step.sent = "UPDATE registers SET v = " + std::to_string(value) +
                " WHERE k = " + key;
    step.logged.sql = "UPDATE registers SET v = $1 WHERE k = $2";
    step.logged.params = {integer_value(value), integer_value(wish.key)};
    return step;
  }
  current_.kind = Kind::Append;
  const std::string text = std::to_string(value) + ",";
  // To MariaDB || is OR, unless its sql_mode says otherwise.
  const std::string joined = product_ == Product::MariaDb
                                 ? "concat(v, '" + text + "')"
                                 : "v || '" + text + "'";
  step.sent = "UPDATE lists SET v = " + joined + " WHERE k = " + key;
  step.logged.sql = "UPDATE lists SET v = v || $1 WHERE k = $2";
  step.logged.params = {{text, ColumnType::Text}, integer_value(wish.key)};
  return step;
}

void KeyActor::answer(const Answer& answer) {
  using Kind = LoggedOperation::Kind;
  const bool is_read =
      current_.kind == Kind::Read || current_.kind == Kind::ReadList;
  if (is_read && !answer.rows.empty() && answer.rows[0][0]) {
    const std::string& text = *answer.rows[0][0];
    if (current_.kind == Kind::ReadList) {
      current_.list = list_of(text);
    } else {
      std::int64_t number = 0;
      std::from_chars(text.data(), text.data() + text.size(), number);
      current_.value = number;
    }
  }
  done_.push_back(current_);
}

}  // namespace txscope::db
