// txscope's own histories: a JSON object per line, a header or a transaction.
// docs/formats.md describes them.

#include <array>
#include <charconv>
#include <unordered_set>
#include <vector>

#include "model/history_builder.h"
#include "read/histories/formats.h"
#include "read/histories/json_shape.h"
#include "read/histories/number_table.h"
#include "read/json.h"

namespace txscope::read {
namespace {

constexpr std::array<std::string_view, 6> kHeaderFields = {
    "txscope", "version", "initial", "default", "model", "judge_aborted"};
constexpr std::array<std::string_view, 7> kTxnFields = {
    "session", "id", "status", "start", "end", "ops", "values"};
enum HeaderField { kTxscope, kVersion, kInitial, kDefault, kModel, kJudge };
enum TxnField { kSession, kId, kStatus, kStart, kEnd, kOps, kValues };

/// The position of a name in a list of fields, or its size.
template <std::size_t size>
std::size_t find_field(const std::array<std::string_view, size>& fields,
                       std::string_view name) {
  std::size_t i = 0;
  while (i < size && fields[i] != name) ++i;
  return i;
}

/// One history while it is read.
struct Draft {
  explicit Draft(const std::string& file) : builder(file) {
    builder.set_default_initial(builder.atoms().of_int(0));
  }

  HistoryBuilder builder;
  std::optional<KeyKind> model;
  bool has_header = false;
  NumberTable ids;
  ListTexts lists;

  [[nodiscard]] bool is_empty() const {
    return !has_header && builder.txn_count() == 0;
  }
};

class JsonlSource final : public HistorySource {
 public:
  explicit JsonlSource(Opened opened)
      : input_(*std::move(opened.input)),
        judge_aborted_(opened.options.judge_aborted) {
    input_.expect_text();
    json_.emplace(input_);
  }

  Result<std::optional<History>> next() override;
  [[nodiscard]] Format format() const override { return Format::Jsonl; }

 private:
  bool read_record();
  bool read_header(std::string_view first_name);
  bool read_header_field(std::size_t field);
  bool read_initial();
  bool read_initial_pairs();
  bool read_model();
  bool read_txn(std::string_view first_name);
  bool read_txn_field(std::size_t field);
  bool read_id();
  bool read_status();
  bool read_time(std::int64_t& time);
  bool read_ops();
  bool read_op();
  bool read_list_op(KeyId key);
  bool end_op();
  bool note_field(std::size_t field, std::string_view name);
  [[nodiscard]] Result<std::optional<History>> finish(Draft& draft);

  Input input_;
  bool judge_aborted_;
  std::optional<JsonReader> json_;
  std::optional<Draft> current_;
  std::optional<Draft> following_;  // begun by a header that ended current_
  bool is_started_ = false;

  // The record that is being read.
  unsigned seen_ = 0;  // a bit for every field
  Status status_ = Status::Committed;
  std::int64_t start_ = Txn::kNoTime;
  std::int64_t end_ = Txn::kNoTime;
  std::vector<Atom> elements_;
  std::vector<std::uint32_t> ends_;  // of these, from where they begin
};

Result<std::optional<History>> JsonlSource::next() {
  current_ = std::move(following_);
  following_.reset();
  if (!current_) current_.emplace(input_.name());
  while (json_->peek() != JsonReader::Kind::End) {
    if (!read_record()) return json_->error();
    if (following_) {
      is_started_ = true;
      return finish(*current_);
    }
  }
  if (!json_->ok()) return json_->error();
  if (!current_->is_empty()) {
    is_started_ = true;
    return finish(*current_);
  }
  if (is_started_) return std::optional<History>();
  return Error{Place{input_.name(), 0, 0, {}}, "holds no transaction", "", ""};
}

Result<std::optional<History>> JsonlSource::finish(Draft& draft) {
  if (judge_aborted_) draft.builder.set_judge_aborted(true);
  Result<History> history = std::move(draft.builder).finish();
  if (!history) return std::move(history).error();
  return std::optional<History>(*std::move(history));
}

bool JsonlSource::read_record() {
  json_->stay_on_line();
  if (!json_->enter_object()) return false;
  seen_ = 0;
  std::string_view name;
  if (!json_->next_member(name))
    return json_->fail("an empty record", "a transaction has at least \"ops\"");
  const bool is_header =
      find_field(kHeaderFields, name) != kHeaderFields.size();
  return (is_header ? read_header(name) : read_txn(name)) &&
         json_->end_of_line();
}

bool JsonlSource::note_field(std::size_t field, std::string_view name) {
  if ((seen_ >> field & 1) != 0)
    return json_->fail("\"" + std::string(name) + "\" is given twice");
  seen_ |= 1u << field;
  return true;
}

bool JsonlSource::read_header(std::string_view name) {
  Draft draft(input_.name());
  draft.has_header = true;
  if (current_->is_empty())
    current_ = std::move(draft);
  else
    following_ = std::move(draft);
  do {
    const std::size_t field = find_field(kHeaderFields, name);
    if (field == kHeaderFields.size())
      return json_->fail("unknown field \"" + std::string(name) + "\"",
                         "a header has txscope, version, initial, default, "
                         "model, judge_aborted");
    if (!note_field(field, name) || !read_header_field(field)) return false;
  } while (json_->next_member(name));
  if (!json_->ok()) return false;
  if ((seen_ >> kTxscope & 1) == 0)
    return json_->fail("the header lacks \"txscope\":\"history\"");
  return true;
}

bool JsonlSource::read_header_field(std::size_t field) {
  Draft& draft = following_ ? *following_ : *current_;
  switch (field) {
    case kTxscope: {
      std::string_view what;
      if (!json_->read_string(what)) return false;
      if (what == "history") return true;
      return json_->fail("the file says it is a txscope " + std::string(what) +
                             ", not a history",
                         what == "log" ? "txscope audit reads logs" : "");
    }
    case kVersion: {
      std::int64_t version = 0;
      if (!json_->read_int64(version)) return false;
      return version == 1 || json_->fail("version " + std::to_string(version) +
                                             " of the format is unknown",
                                         "this txscope reads version 1");
    }
    case kInitial: return read_initial();
    case kDefault: {
      Atom value;
      if (!json_->read_atom(draft.builder.atoms(), value)) return false;
      draft.builder.set_default_initial(value);
      return true;
    }
    case kModel: return read_model();
    case kJudge: {
      bool judge = false;
      if (!json_->read_bool(judge)) return false;
      draft.builder.set_judge_aborted(judge);
      return true;
    }
    default: break;
  }
  return false;
}

bool JsonlSource::read_model() {
  Draft& draft = following_ ? *following_ : *current_;
  std::string_view what;
  if (!json_->read_string(what)) return false;
  if (what != "register" && what != "list")
    return json_->fail("unknown model \"" + std::string(what) + "\"",
                       "\"register\" or \"list\"");
  draft.model = what == "list" ? KeyKind::List : KeyKind::Register;
  return true;
}

/// The key that a name in "initial" denotes: an integer if it looks like one.
Atom initial_key(AtomTable& atoms, std::string_view name) {
  const std::string_view digits = name.starts_with('-') ? name.substr(1) : name;
  const bool is_plain = !digits.empty() && (digits == "0" || digits[0] != '0');
  const char* const end = name.data() + name.size();
  std::int64_t number = 0;
  std::uint64_t large = 0;
  if (is_plain && name != "-0") {
    auto read = std::from_chars(name.data(), end, number);
    if (read.ec == std::errc() && read.ptr == end) return atoms.of_int(number);
    read = std::from_chars(name.data(), end, large);
    if (read.ec == std::errc() && read.ptr == end) return atoms.of_uint(large);
  }
  return atoms.of_string(name);
}

bool JsonlSource::read_initial() {
  if (json_->peek() == JsonReader::Kind::Array) return read_initial_pairs();
  HistoryBuilder& builder = (following_ ? *following_ : *current_).builder;
  if (!json_->enter_object()) return false;
  std::unordered_set<std::uint32_t> given;
  for (std::string_view name; json_->next_member(name);) {
    const KeyId key = builder.key(initial_key(builder.atoms(), name));
    if (!given.insert(key.index).second)
      return json_->fail("the initial value of this key is given twice");
    Atom value;
    if (!json_->read_atom(builder.atoms(), value)) return false;
    builder.set_initial(key, value);
  }
  return json_->ok();
}

bool JsonlSource::read_initial_pairs() {
  HistoryBuilder& builder = (following_ ? *following_ : *current_).builder;
  if (!json_->enter_array()) return false;
  std::unordered_set<std::uint32_t> given;
  while (json_->next_element()) {
    Atom name;
    Atom value;
    if (!json_->enter_array() || !json_->next_element() ||
        !json_->read_atom(builder.atoms(), name))
      return json_->ok() && json_->fail("a pair is [key, value]");
    const KeyId key = builder.key(name);
    if (!given.insert(key.index).second)
      return json_->fail("the initial value of this key is given twice");
    if (!json_->next_element() || !json_->read_atom(builder.atoms(), value) ||
        json_->next_element())
      return json_->ok() && json_->fail("a pair is [key, value]");
    builder.set_initial(key, value);
  }
  return json_->ok();
}

bool JsonlSource::read_txn(std::string_view name) {
  HistoryBuilder& builder = current_->builder;
  status_ = Status::Committed;
  start_ = end_ = Txn::kNoTime;
  builder.at_line(json_->line());
  builder.begin(kNone<SessionId>);
  do {
    const std::size_t field = find_field(kTxnFields, name);
    if (field == kTxnFields.size())
      return json_->fail(
          "unknown field \"" + std::string(name) + "\"",
          "a transaction has session, id, status, start, end, ops, values");
    if (!note_field(field, name) || !read_txn_field(field)) return false;
  } while (json_->next_member(name));
  if (!json_->ok()) return false;
  if ((seen_ >> kOps & 1) == 0)
    return json_->fail("the transaction lacks \"ops\"",
                       "a transaction without operations has \"ops\":[]");
  if ((seen_ >> kSession & 1) == 0)
    builder.set_session(builder.anonymous_session());
  builder.set_times(start_, end_);
  builder.end(status_);
  return !builder.error() || json_->fail(*builder.error());
}

bool JsonlSource::read_txn_field(std::size_t field) {
  HistoryBuilder& builder = current_->builder;
  switch (field) {
    case kSession: {
      Atom session;
      if (!json_->read_atom(builder.atoms(), session)) return false;
      if (session.is_null())
        return json_->fail("a session is an integer or a string",
                           "leave it out for a session of its own");
      builder.set_session(builder.session(session));
      return true;
    }
    case kId: return read_id();
    case kStatus: return read_status();
    case kStart: return read_time(start_);
    case kEnd: return read_time(end_);
    case kOps: return read_ops();
    case kValues: return json_->skip_value();  // `explore` notes them
    default: break;
  }
  return false;
}

bool JsonlSource::read_id() {
  HistoryBuilder& builder = current_->builder;
  Atom id;
  if (!json_->read_atom(builder.atoms(), id)) return false;
  if (id.is_null()) return json_->fail("an id is an integer or a string");
  if (!current_->ids.add(id.bits()))
    return json_->fail(
        "transaction id " + builder.atoms().text(id) + " is used twice",
        "every transaction of a history has its own id");
  builder.set_name(id);
  return true;
}

bool JsonlSource::read_status() {
  std::string_view text;
  if (!json_->read_string(text)) return false;
  if (text == "committed")
    status_ = Status::Committed;
  else if (text == "aborted")
    status_ = Status::Aborted;
  else if (text == "unknown")
    status_ = Status::Unknown;
  else
    return json_->fail("unknown status \"" + std::string(text) + "\"",
                       "committed, aborted or unknown");
  return true;
}

bool JsonlSource::read_time(std::int64_t& time) {
  if (!json_->read_int64(time)) return false;
  return time != Txn::kNoTime || json_->fail("an integer out of range",
                                             "times go from -2^63+1 to 2^63-1");
}

bool JsonlSource::read_ops() {
  if (!json_->enter_array()) return false;
  while (json_->next_element())
    if (!read_op()) return false;
  return json_->ok();
}

// ["r", key, value], ["w", key, value], ["append", key, value] or
// ["rl", key, [values]].
bool JsonlSource::read_op() {
  HistoryBuilder& builder = current_->builder;
  std::string_view text;
  if (!json_->enter_array()) return false;
  if (!json_->next_element())
    return json_->ok() && json_->fail("an empty operation",
                                      "an operation is [\"w\",key,value]");
  if (!json_->read_string(text)) return false;
  OpKind kind = OpKind::Read;
  if (text == "r")
    kind = OpKind::Read;
  else if (text == "w")
    kind = OpKind::Write;
  else if (text == "append")
    kind = OpKind::Append;
  else if (text == "rl")
    kind = OpKind::ReadList;
  else
    return json_->fail("unknown operation \"" + std::string(text) + "\"",
                       "operations are r, w, append and rl");
  const bool is_list = kind == OpKind::Append || kind == OpKind::ReadList;
  if (current_->model && (*current_->model == KeyKind::List) != is_list)
    return json_->fail("the header says that the model is " +
                       std::string(is_list ? "register" : "list") +
                       ", and this is an operation on a " +
                       (is_list ? "list" : "register"));
  Atom name;
  if (!json_->next_element() || !json_->read_atom(builder.atoms(), name))
    return json_->ok() && json_->fail("the operation lacks its key");
  const KeyId key = builder.key(name);
  if (!json_->next_element())
    return json_->ok() && json_->fail("the operation lacks its value");
  if (kind == OpKind::ReadList) return read_list_op(key);
  Atom value;
  if (!json_->read_atom(builder.atoms(), value)) return false;
  switch (kind) {
    case OpKind::Read: builder.read(key, value); break;
    case OpKind::Write: builder.write(key, value); break;
    case OpKind::Append: builder.append(key, value); break;
    case OpKind::ReadList: break;
  }
  return end_op();
}

bool JsonlSource::read_list_op(KeyId key) {
  HistoryBuilder& builder = current_->builder;
  elements_.clear();
  ends_.clear();
  if (!json_->enter_array()) return false;
  const ListText& known = current_->lists.of(key);
  const auto skipped = json_->skip_known(known);
  const std::uint64_t first = json_->offset();
  std::uint64_t last = first;
  while (!skipped.is_over && json_->next_element()) {
    elements_.emplace_back();
    if (!json_->read_atom(builder.atoms(), elements_.back())) return false;
    last = json_->offset();
    ends_.push_back(static_cast<std::uint32_t>(last - first));
  }
  if (!json_->ok()) return false;
  const bool agrees = builder.read_list(key, skipped.elements, elements_);
  if (agrees && !elements_.empty() && skipped.elements == known.size())
    current_->lists.learn(key, json_->text_since(first).substr(0, last - first),
                          ends_);
  return end_op();
}

bool JsonlSource::end_op() {
  if (const auto& error = current_->builder.error()) return json_->fail(*error);
  if (json_->next_element())
    return json_->fail("an operation has three parts",
                       "[\"w\",key,value] or [\"rl\",key,[values]]");
  return json_->ok();
}

Match looks_like_jsonl(const Sample& sample) {
  const JsonShape shape = json_shape(sample.head);
  if (shape.brackets != "{") return Match::No;
  if (shape.has("txscope") || shape.has("ops")) return Match::Sure;
  return shape.has("session") || shape.has("judge_aborted") ? Match::Possible
                                                            : Match::No;
}

std::unique_ptr<HistorySource> open_jsonl(Opened opened) {
  return std::make_unique<JsonlSource>(std::move(opened));
}

}  // namespace

const FormatEntry kJsonlFormat{Format::Jsonl,
                               "jsonl",
                               "txscope's own histories",
                               {"txscope"},
                               {".jsonl", ".json"},
                               looks_like_jsonl,
                               open_jsonl};

}  // namespace txscope::read
