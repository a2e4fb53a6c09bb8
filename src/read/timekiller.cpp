// TimeKiller's (and Aion's) JSON: an array of transactions with start and
// commit timestamps,
//
//   {"tid":1,"sid":2,"sts":{"p":5,"l":0},"cts":{"p":9,"l":0},
//    "ops":[{"t":"w","k":3,"v":4}]}
//
// in session order.  Every register is 0 before it is written, every list
// empty; a read of null saw that.

#include <algorithm>
#include <charconv>
#include <vector>

#include "model/history_builder.h"
#include "read/formats.h"
#include "read/json.h"
#include "read/json_shape.h"

namespace txscope {
namespace {

/// A hybrid timestamp: physical, then logical.
struct Stamp {
  std::int64_t physical = 0;
  std::int64_t logical = 0;
  friend auto operator<=>(const Stamp&, const Stamp&) = default;
};

struct RawOp {
  enum class Kind : std::uint8_t { Read, ReadNull, Write, Append, ReadList };
  Kind kind = Kind::Read;
  Atom key;
  Atom value;
  std::vector<Atom> elements;
  std::uint64_t line = 0;
};

struct RawTxn {
  Atom id;
  Atom session;
  Stamp start;
  Stamp end;
  std::vector<RawOp> ops;
  std::uint64_t line = 0;
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
  bool read_txn(RawTxn& txn);
  bool read_txn_member(std::string_view name, RawTxn& txn, unsigned& seen);
  bool read_id(Atom& id);
  bool read_stamp(Stamp& stamp);
  bool read_number(std::int64_t& number);
  bool read_op(RawOp& op);
  bool read_value(RawOp& op);
  bool finish_op(RawOp& op, std::string_view type);
  bool take(RawTxn txn);
  bool emit(const RawTxn& txn);
  void emit(const RawOp& op);
  void set_times();

  JsonReader json_;
  HistoryBuilder builder_;
  // A read of null is of a register or of a list, as the file has them.  Until
  // an operation tells, transactions wait; they hold only such reads.
  std::optional<KeyKind> kind_;
  std::vector<RawTxn> waiting_;
  std::vector<std::pair<Stamp, Stamp>> times_;
};

Result<History> TimeKillerReader::read(bool judge_aborted) {
  builder_.set_judge_aborted(judge_aborted);
  json_.enter_array();
  while (json_.next_element()) {
    RawTxn txn;
    if (!read_txn(txn) || !take(std::move(txn))) break;
  }
  json_.end_of_input();
  if (!json_.ok()) return json_.error();
  kind_ = kind_.value_or(KeyKind::Register);
  for (const RawTxn& txn : waiting_) emit(txn);
  if (!json_.ok()) return json_.error();
  set_times();
  return std::move(builder_).finish();
}

bool TimeKillerReader::read_txn(RawTxn& txn) {
  if (!json_.enter_object()) return false;
  txn.line = json_.line();
  unsigned seen = 0;
  for (std::string_view name; json_.next_member(name);)
    if (!read_txn_member(name, txn, seen)) return false;
  if (!json_.ok()) return false;
  constexpr std::string_view kNames[] = {"tid", "sid", "sts", "cts", "ops"};
  for (unsigned i = 0; i < std::size(kNames); ++i)
    if ((seen >> i & 1) == 0)
      return json_.fail("the transaction that ends here lacks \"" +
                        std::string(kNames[i]) + "\"");
  if (txn.end < txn.start)
    return json_.fail("the transaction that ends here commits before it starts",
                      "\"cts\" must not be less than \"sts\"");
  return true;
}

bool TimeKillerReader::read_txn_member(std::string_view name, RawTxn& txn,
                                       unsigned& seen) {
  const auto note = [&](unsigned bit) {
    const bool is_new = (seen >> bit & 1) == 0;
    seen |= 1u << bit;
    return is_new || json_.fail("this member is given twice");
  };
  if (name == "tid") return note(0) && read_id(txn.id);
  if (name == "sid") return note(1) && read_id(txn.session);
  if (name == "sts") return note(2) && read_stamp(txn.start);
  if (name == "cts") return note(3) && read_stamp(txn.end);
  if (name != "ops") return json_.skip_value();
  if (!note(4) || !json_.enter_array()) return false;
  while (json_.next_element()) {
    txn.ops.emplace_back();
    if (!read_op(txn.ops.back())) return false;
  }
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
  return has_physical || json_.fail("a timestamp needs its part \"p\"");
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

bool TimeKillerReader::read_op(RawOp& op) {
  if (!json_.enter_object()) return false;
  op.line = json_.line();
  std::string type;
  bool has_key = false;
  bool has_value = false;
  for (std::string_view name; json_.next_member(name);) {
    if (name == "t") {
      std::string_view text;
      if (!json_.read_string(text)) return false;
      if (text != "r" && text != "w" && text != "a")
        return json_.fail("unknown operation \"" + std::string(text) + "\"",
                          "operations are r, w and a");
      type = text;
    } else if (name == "k") {
      has_key = true;
      if (!json_.read_atom(builder_.atoms(), op.key)) return false;
    } else if (name == "v") {
      has_value = true;
      if (!read_value(op)) return false;
    } else if (!json_.skip_value()) {
      return false;
    }
  }
  if (!json_.ok()) return false;
  if (type.empty() || !has_key || !has_value)
    return json_.fail(
        "the operation that ends here lacks \"t\", \"k\" or "
        "\"v\"");
  return finish_op(op, type);
}

bool TimeKillerReader::read_value(RawOp& op) {
  if (json_.peek() != JsonReader::Kind::Array)
    return json_.read_atom(builder_.atoms(), op.value);
  op.kind = RawOp::Kind::ReadList;
  if (!json_.enter_array()) return false;
  while (json_.next_element()) {
    op.elements.emplace_back();
    if (!json_.read_atom(builder_.atoms(), op.elements.back())) return false;
  }
  return json_.ok();
}

bool TimeKillerReader::finish_op(RawOp& op, std::string_view type) {
  using Kind = RawOp::Kind;
  if (type == "r") {
    if (op.kind != Kind::ReadList && op.value.is_null())
      op.kind = Kind::ReadNull;
    return true;
  }
  if (op.kind == Kind::ReadList)
    return json_.fail("only a read can have an array as its value");
  op.kind = type == "w" ? Kind::Write : Kind::Append;
  return true;
}

bool TimeKillerReader::take(RawTxn txn) {
  if (!kind_) {
    for (const RawOp& op : txn.ops) {
      if (op.kind == RawOp::Kind::ReadNull) continue;
      const bool is_list =
          op.kind == RawOp::Kind::Append || op.kind == RawOp::Kind::ReadList;
      kind_ = is_list ? KeyKind::List : KeyKind::Register;
      break;
    }
  }
  if (!kind_) return waiting_.push_back(std::move(txn)), true;
  for (const RawTxn& earlier : waiting_)
    if (!emit(earlier)) return false;
  waiting_.clear();
  return emit(txn);
}

bool TimeKillerReader::emit(const RawTxn& txn) {
  builder_.at_line(txn.line);
  builder_.begin(builder_.session(txn.session));
  builder_.set_name(txn.id);
  for (const RawOp& op : txn.ops) emit(op);
  builder_.commit();
  times_.emplace_back(txn.start, txn.end);
  return !builder_.error() || json_.fail(*builder_.error());
}

void TimeKillerReader::emit(const RawOp& op) {
  builder_.at_line(op.line);
  const KeyId key = builder_.key(op.key);
  switch (op.kind) {
    case RawOp::Kind::Read: builder_.read(key, op.value); break;
    case RawOp::Kind::Write: builder_.write(key, op.value); break;
    case RawOp::Kind::Append: builder_.append(key, op.value); break;
    case RawOp::Kind::ReadList: builder_.read_list(key, op.elements); break;
    case RawOp::Kind::ReadNull:
      if (*kind_ == KeyKind::List)
        builder_.read_list(key, {});
      else
        builder_.read(key, builder_.atoms().of_int(0));
      break;
  }
}

// Times are the physical parts; where logical ones count, each time is its
// position among all times of the file.
void TimeKillerReader::set_times() {
  std::vector<Stamp> stamps;
  bool has_logical = false;
  for (const auto& [start, end] : times_) {
    has_logical = has_logical || start.logical != 0 || end.logical != 0;
    stamps.push_back(start);
    stamps.push_back(end);
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
    builder_.set_times(time_of(times_[i].first), time_of(times_[i].second));
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

}  // namespace txscope
