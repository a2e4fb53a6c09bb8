// Viper's logs: a directory whose J* files are the sessions, with one JSON
// object per line and transaction:
//
//   {"value":[["r",K,V,dead],["w",K,V,done],["i",K,V,read,dead,done],
//             ["d",K,V,read,dead,done]],
//    "isInitial":true,"preBeginTS":1,...,"postCommitTS":4}
//
// Every version of a key has a value of its own, also those that a delete
// leaves behind, so inserts and deletes are a read and a write.  The
// transaction marked isInitial is the initial state; other keys are absent at
// first.  Range reads are refused: what they did not see is not in the log.

#include "model/history_builder.h"
#include "read/histories/formats.h"
#include "read/histories/session_files.h"
#include "read/json.h"

namespace txscope::read {
namespace {

class ViperReader {
 public:
  ViperReader(Input& input, HistoryBuilder& builder, std::string session)
      : json_(input), builder_(builder), session_(std::move(session)) {}

  /// Adds the log of one session; false at an error.
  bool read();
  [[nodiscard]] const Error& error() const { return json_.error(); }

 private:
  struct Operation {
    OpKind kind;
    KeyId key;
    Atom value;
  };

  bool read_txn();
  bool read_member(std::string_view name);
  bool read_steps();
  bool read_step();
  bool read_point(char kind);
  bool read_initial_range();
  bool read_row();
  bool read_value(Atom& value);
  bool skip_rest();
  bool emit();

  JsonReader json_;
  HistoryBuilder& builder_;
  std::string session_;

  // The transaction that is being read.
  std::vector<Operation> steps_;
  bool has_value_ = false;
  bool is_initial_ = false;
  bool has_range_ = false;
  std::int64_t start_ = Txn::kNoTime;
  std::int64_t end_ = Txn::kNoTime;
};

bool ViperReader::read() {
  while (json_.peek() != JsonReader::Kind::End)
    if (!read_txn()) return false;
  return json_.ok();
}

bool ViperReader::read_txn() {
  steps_.clear();
  has_value_ = is_initial_ = has_range_ = false;
  start_ = end_ = Txn::kNoTime;
  json_.stay_on_line();
  if (!json_.enter_object()) return false;
  builder_.at_line(json_.line());
  for (std::string_view name; json_.next_member(name);)
    if (!read_member(name)) return false;
  if (!json_.ok() || !json_.end_of_line()) return false;
  if (!has_value_) return json_.fail("the transaction lacks \"value\"");
  return emit();
}

bool ViperReader::read_member(std::string_view name) {
  if (name == "value") {
    if (has_value_) return json_.fail("\"value\" is given twice");
    has_value_ = true;
    return read_steps();
  }
  if (name == "isInitial") return json_.read_bool(is_initial_);
  if (name == "preBeginTS") return json_.read_int64(start_);
  if (name == "postCommitTS") return json_.read_int64(end_);
  return json_.skip_value();
}

bool ViperReader::read_steps() {
  if (!json_.enter_array()) return false;
  while (json_.next_element())
    if (!read_step()) return false;
  return json_.ok();
}

bool ViperReader::read_step() {
  std::string_view kind;
  if (!json_.enter_array()) return false;
  if (!json_.next_element())
    return json_.ok() && json_.fail("an empty operation");
  if (!json_.read_string(kind)) return false;
  if (kind == "range") return read_initial_range();
  if (kind != "r" && kind != "w" && kind != "i" && kind != "d")
    return json_.fail("unknown operation \"" + std::string(kind) + "\"",
                      "operations are r, w, i, d and range");
  return read_point(kind[0]);
}

bool ViperReader::read_point(char kind) {
  Atom name;
  Atom value;
  Atom seen;
  bool is_dead = false;
  bool is_done = true;
  const bool has_key = json_.next_element() &&
                       json_.read_atom(builder_.atoms(), name) &&
                       json_.next_element() && read_value(value);
  if (!has_key)
    return json_.ok() && json_.fail("the operation lacks its key or value");
  const bool reads_too = kind == 'i' || kind == 'd';
  if (reads_too && !(json_.next_element() && read_value(seen) &&
                     json_.next_element() && json_.read_bool(is_dead)))
    return json_.ok() &&
           json_.fail("the operation lacks the value that it read");
  if (json_.next_element()) {
    if (!json_.read_bool(kind == 'r' ? is_dead : is_done)) return false;
    if (!skip_rest()) return false;
  }
  if (!json_.ok()) return false;
  const KeyId key = builder_.key(name);
  if (kind == 'r') seen = value;
  if (kind != 'w') steps_.push_back({OpKind::Read, key, seen});
  if (kind != 'r' && is_done) steps_.push_back({OpKind::Write, key, value});
  return true;
}

// The rows of the whole database, as the initial transaction may have them:
// ["range","nil","nil",[live rows],[dead rows]].
bool ViperReader::read_initial_range() {
  constexpr const char* kWhat = "range reads are not supported";
  constexpr const char* kHint =
      "a range read also says which keys were absent, which the log does not "
      "hold; record point reads";
  for (int i = 0; i < 2; ++i) {
    Atom bound;
    if (!json_.next_element() || !json_.read_atom(builder_.atoms(), bound))
      return json_.ok() && json_.fail("the range lacks its bounds");
    const bool is_open =
        bound.is_null() || builder_.atoms().text(bound) == "nil";
    if (!is_open) return json_.fail(kWhat, kHint);
  }
  has_range_ = true;
  while (json_.next_element()) {
    if (json_.peek() != JsonReader::Kind::Array) {
      if (!json_.skip_value()) return false;
      continue;
    }
    if (!json_.enter_array()) return false;
    while (json_.next_element())
      if (!read_row()) return false;
  }
  return json_.ok();
}

bool ViperReader::read_row() {
  Atom name;
  Atom value;
  bool has_id = false;
  if (!json_.enter_object()) return false;
  for (std::string_view member; json_.next_member(member);) {
    if (member == "id") {
      has_id = true;
      if (!json_.read_atom(builder_.atoms(), name)) return false;
    } else if (member == "val") {
      if (!read_value(value)) return false;
    } else if (!json_.skip_value()) {
      return false;
    }
  }
  if (!json_.ok()) return false;
  if (!has_id) return json_.fail("the row that ends here lacks \"id\"");
  steps_.push_back({OpKind::Write, builder_.key(name), value});
  return true;
}

bool ViperReader::read_value(Atom& value) {
  if (!json_.read_atom(builder_.atoms(), value)) return false;
  if (builder_.atoms().kind(value) == AtomKind::String &&
      builder_.atoms().text(value) == "nil")
    value = Atom::null();
  return true;
}

bool ViperReader::skip_rest() {
  while (json_.next_element())
    if (!json_.skip_value()) return false;
  return json_.ok();
}

bool ViperReader::emit() {
  if (is_initial_) {
    for (const Operation& step : steps_) {
      if (step.kind != OpKind::Write)
        return json_.fail("the initial transaction can only write");
      builder_.set_initial(step.key, step.value);
    }
    return true;
  }
  if (has_range_)
    return json_.fail("range reads are not supported",
                      "only the initial transaction may be one; record point "
                      "reads");
  builder_.begin(builder_.session(builder_.atoms().of_string(session_)));
  builder_.set_times(start_, end_);
  for (const Operation& step : steps_) {
    if (step.kind == OpKind::Write)
      builder_.write(step.key, step.value);
    else
      builder_.read(step.key, step.value);
  }
  builder_.commit();
  return !builder_.error() || json_.fail(*builder_.error());
}

Result<History> read_viper(Opened& opened) {
  HistoryBuilder builder(opened.path);
  builder.set_judge_aborted(opened.options.judge_aborted);
  for (const std::string& file : session_files(opened.entries, "J", "")) {
    const std::string path = path_in(opened.path, file);
    auto input = Input::open(path);
    if (!input) return std::move(input).error();
    input->expect_text();
    builder.next_file(path);
    ViperReader reader(*input, builder, session_name(file));
    if (!reader.read()) return reader.error();
  }
  if (builder.txn_count() == 0)
    return Error{Place{opened.path, 0, 0, {}}, "holds no transaction", "", ""};
  return std::move(builder).finish();
}

Match looks_like_viper(const Sample& sample) {
  if (!sample.is_directory) return Match::No;
  if (!session_files(sample.entries, "J", ".log").empty()) return Match::Sure;
  return session_files(sample.entries, "J", "").empty() ? Match::No
                                                        : Match::Possible;
}

std::unique_ptr<HistorySource> open_viper(Opened opened) {
  return one_history(Format::Viper, std::move(opened), read_viper);
}

}  // namespace

const FormatEntry kViperFormat{Format::Viper,
                               "viper",
                               "a directory of Viper's J*.log",
                               {},
                               {},
                               looks_like_viper,
                               open_viper,
                               true};

}  // namespace txscope::read
