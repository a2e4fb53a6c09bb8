// TimeKiller's (and Aion's) JSON: an array of transactions with start and
// commit timestamps,
//
//   {"tid":1,"sid":2,"sts":{"p":5,"l":0},"cts":{"p":9,"l":0},
//    "ops":[{"t":"w","k":3,"v":4}]}
//
// in session order.  Every register is 0 before it is written, every list
// empty; a read of null saw that.

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "model/history_builder.h"
#include "read/histories/formats.h"
#include "read/histories/json_shape.h"
#include "read/json.h"

namespace txscope::read {
namespace {

/// A hybrid timestamp: physical, then logical.
struct Stamp {
  std::int64_t physical = 0;
  std::int64_t logical = 0;
  friend auto operator<=>(const Stamp&, const Stamp&) = default;
};

class TimeKillerReader {
 public:
  explicit TimeKillerReader(Input& input)
      : json_(input), builder_(input.name()) {
    builder_.keep_op_lines();
    builder_.set_default_initial(builder_.atoms().of_int(0));
  }

  Result<History> read(bool judge_aborted);

 private:
  struct Times {
    Stamp start;
    Stamp end;
  };

  bool read_txn();
  bool read_member(std::size_t member, Times& times);
  bool read_id(Atom& id);
  bool read_stamp(Stamp& stamp);
  bool read_number(std::int64_t& number);
  bool read_op();
  bool read_value(Atom& value, bool& is_list);
  bool add_op(char type, KeyId key, Atom value, bool is_list);
  void set_times();

  JsonReader json_;
  HistoryBuilder builder_;
  std::vector<Atom> elements_;
  std::vector<Times> times_;  // of every transaction
};

constexpr std::array<std::string_view, 5> kMembers = {"tid", "sid", "sts",
                                                      "cts", "ops"};

Result<History> TimeKillerReader::read(bool judge_aborted) {
  builder_.set_judge_aborted(judge_aborted);
  json_.enter_array();
  while (json_.next_element() && read_txn()) {
  }
  json_.end_of_input();
  if (!json_.ok()) return json_.error();
  set_times();
  return std::move(builder_).finish();
}

bool TimeKillerReader::read_txn() {
  if (!json_.enter_object()) return false;
  builder_.at_line(json_.line());
  builder_.begin(kNone<SessionId>);
  Times times;
  unsigned seen = 0;
  for (std::string_view name; json_.next_member(name);) {
    const auto member = static_cast<std::size_t>(
        std::find(kMembers.begin(), kMembers.end(), name) - kMembers.begin());
    if ((seen >> member & 1) != 0 && member != kMembers.size())
      return json_.fail("\"" + std::string(name) + "\" is given twice");
    seen |= 1u << member;
    if (!read_member(member, times)) return false;
  }
  if (!json_.ok()) return false;
  for (unsigned i = 0; i < kMembers.size(); ++i)
    if ((seen >> i & 1) == 0)
      return json_.fail("the transaction that ends here lacks \"" +
                        std::string(kMembers[i]) + "\"");
  if (times.end < times.start)
    return json_.fail("the transaction that ends here commits before it starts",
                      "\"cts\" must not be less than \"sts\"");
  times_.push_back(times);
  builder_.commit();
  return true;
}

bool TimeKillerReader::read_member(std::size_t member, Times& times) {
  Atom id;
  switch (member) {
    case 0:
      if (!read_id(id)) return false;
      builder_.set_name(id);
      return true;
    case 1:
      if (!read_id(id)) return false;
      builder_.set_session(builder_.session(id));
      return true;
    case 2: return read_stamp(times.start);
    case 3: return read_stamp(times.end);
    case 4: break;
    default: return json_.skip_value();
  }
  if (!json_.enter_array()) return false;
  while (json_.next_element())
    if (!read_op()) return false;
  return json_.ok();
}

bool TimeKillerReader::read_id(Atom& id) {
  if (!json_.read_atom(builder_.atoms(), id)) return false;
  return !id.is_null() || json_.fail("an id is a number or a string");
}

bool TimeKillerReader::read_stamp(Stamp& stamp) {
  bool has_physical = false;
  if (!json_.enter_object()) return false;
  for (std::string_view name; json_.next_member(name);) {
    if (name == "p") {
      has_physical = true;
      if (!read_number(stamp.physical)) return false;
    } else if (name == "l") {
      if (!read_number(stamp.logical)) return false;
    } else if (!json_.skip_value()) {
      return false;
    }
  }
  if (!json_.ok()) return false;
  return has_physical || json_.fail("the timestamp that ends here lacks \"p\"");
}

// A number, or a string of its digits.
bool TimeKillerReader::read_number(std::int64_t& number) {
  if (json_.peek() != JsonReader::Kind::String) return json_.read_int64(number);
  std::string_view text;
  if (!json_.read_string(text)) return false;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  return (read.ec == std::errc() && read.ptr == end) ||
         json_.fail(
             "expected an integer of at most 64 bits, plain or as a "
             "string");
}

bool TimeKillerReader::read_op() {
  if (!json_.enter_object()) return false;
  builder_.at_line(json_.line());
  char type = 0;
  Atom key;
  Atom value;
  bool has_key = false;
  bool has_value = false;
  bool is_list = false;
  for (std::string_view name; json_.next_member(name);) {
    if (name == "t") {
      std::string_view text;
      if (!json_.read_string(text)) return false;
      if (text != "r" && text != "w" && text != "a")
        return json_.fail("unknown operation \"" + std::string(text) + "\"",
                          "operations are r, w and a");
      type = text[0];
    } else if (name == "k") {
      has_key = true;
      if (!json_.read_atom(builder_.atoms(), key)) return false;
    } else if (name == "v") {
      has_value = true;
      if (!read_value(value, is_list)) return false;
    } else if (!json_.skip_value()) {
      return false;
    }
  }
  if (!json_.ok()) return false;
  if (type == 0 || !has_key || !has_value)
    return json_.fail(
        "the operation that ends here lacks \"t\", \"k\" or "
        "\"v\"");
  return add_op(type, builder_.key(key), value, is_list);
}

bool TimeKillerReader::read_value(Atom& value, bool& is_list) {
  is_list = json_.peek() == JsonReader::Kind::Array;
  if (!is_list) return json_.read_atom(builder_.atoms(), value);
  elements_.clear();
  if (!json_.enter_array()) return false;
  while (json_.next_element()) {
    elements_.emplace_back();
    if (!json_.read_atom(builder_.atoms(), elements_.back())) return false;
  }
  return json_.ok();
}

bool TimeKillerReader::add_op(char type, KeyId key, Atom value, bool is_list) {
  if (type != 'r' && is_list)
    return json_.fail("only a read can have an array as its value");
  if (type == 'w')
    builder_.write(key, value);
  else if (type == 'a')
    builder_.append(key, value);
  else if (is_list)
    builder_.read_list(key, elements_);
  else if (value.is_null())
    builder_.read_nothing(key, builder_.atoms().of_int(0));
  else
    builder_.read(key, value);
  return !builder_.error() || json_.fail(*builder_.error());
}

// Times are the physical parts; where logical ones count, each time is its
// position among all times of the file.
void TimeKillerReader::set_times() {
  std::vector<Stamp> stamps;
  bool has_logical = false;
  for (const Times& times : times_)
    for (const Stamp& stamp : {times.start, times.end}) {
      has_logical = has_logical || stamp.logical != 0;
      stamps.push_back(stamp);
    }
  if (has_logical) {
    std::sort(stamps.begin(), stamps.end());
    stamps.erase(std::unique(stamps.begin(), stamps.end()), stamps.end());
  }
  const auto time_of = [&](const Stamp& stamp) {
    return has_logical ? std::lower_bound(stamps.begin(), stamps.end(), stamp) -
                             stamps.begin()
                       : stamp.physical;
  };
  for (std::size_t i = 0; i < times_.size(); ++i) {
    builder_.reopen(i + 1);
    builder_.set_times(time_of(times_[i].start), time_of(times_[i].end));
    builder_.commit();
  }
}

Result<History> read_timekiller(Opened& opened) {
  opened.input->expect_text();
  return TimeKillerReader(*opened.input).read(opened.options.judge_aborted);
}

Match looks_like_timekiller(const Sample& sample) {
  const JsonShape shape = json_shape(sample.head);
  if (shape.brackets != "[{") return Match::No;
  const int found =
      shape.has("tid") + shape.has("sid") + shape.has("sts") + shape.has("cts");
  if (found >= 2) return Match::Sure;
  return found == 1 ? Match::Possible : Match::No;
}

std::unique_ptr<HistorySource> open_timekiller(Opened opened) {
  return one_history(Format::TimeKiller, std::move(opened), read_timekiller);
}

}  // namespace

const FormatEntry kTimeKillerFormat{
    Format::TimeKiller, "timekiller",          "TimeKiller's JSON", {"aion"},
    {".json"},          looks_like_timekiller, open_timekiller};

}  // namespace txscope::read
