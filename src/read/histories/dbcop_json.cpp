// dbcop 0.2's JSON: {"params":..,"info":..,"data":[sessions]} or the sessions
// alone.  A session is an array of {"events":[..],"committed":bool}, an event
// {"Write":{"variable":1,"version":2}} or {"Read":{"variable":1,"version":2}}.
// A read of version null saw the variable before anybody wrote it.

#include "model/history_builder.h"
#include "read/histories/formats.h"
#include "read/histories/json_shape.h"
#include "read/json.h"

namespace txscope::read {
namespace {

class DbcopJsonReader {
 public:
  explicit DbcopJsonReader(Input& input)
      : json_(input), builder_(input.name()) {
    builder_.keep_op_lines();
  }

  Result<History> read(bool judge_aborted);

 private:
  bool read_document();
  bool read_sessions();
  bool read_txn(SessionId session);
  bool read_event();
  bool read_version(bool is_write);

  JsonReader json_;
  HistoryBuilder builder_;
};

Result<History> DbcopJsonReader::read(bool judge_aborted) {
  builder_.set_judge_aborted(judge_aborted);
  if (read_document()) json_.end_of_input();
  if (!json_.ok()) return json_.error();
  return std::move(builder_).finish();
}

bool DbcopJsonReader::read_document() {
  if (json_.peek() == JsonReader::Kind::Array) return read_sessions();
  if (!json_.enter_object()) return false;
  bool has_data = false;
  for (std::string_view name; json_.next_member(name);) {
    if (name == "data") {
      if (has_data) return json_.fail("\"data\" is given twice");
      has_data = true;
      if (!read_sessions()) return false;
    } else if (!json_.skip_value()) {
      return false;
    }
  }
  if (!json_.ok()) return false;
  return has_data || json_.fail("the history lacks \"data\"");
}

bool DbcopJsonReader::read_sessions() {
  if (!json_.enter_array()) return false;
  for (std::int64_t number = 1; json_.next_element(); ++number) {
    if (!json_.enter_array()) return false;
    while (json_.next_element())
      if (!read_txn(builder_.session(builder_.atoms().of_int(number))))
        return false;
  }
  return json_.ok();
}

bool DbcopJsonReader::read_txn(SessionId session) {
  if (!json_.enter_object()) return false;
  builder_.at_line(json_.line());
  builder_.begin(session);
  bool has_events = false;
  bool has_outcome = false;
  bool is_committed = false;
  for (std::string_view name; json_.next_member(name);) {
    if (name == "events") {
      if (has_events) return json_.fail("\"events\" is given twice");
      has_events = true;
      if (!json_.enter_array()) return false;
      while (json_.next_element())
        if (!read_event()) return false;
    } else if (name == "committed") {
      if (has_outcome) return json_.fail("\"committed\" is given twice");
      has_outcome = true;
      if (!json_.read_bool(is_committed)) return false;
    } else {
      return json_.fail("unknown member \"" + std::string(name) + "\"",
                        "a transaction has events and committed");
    }
  }
  if (!json_.ok()) return false;
  if (!has_events || !has_outcome)
    return json_.fail("the transaction that ends here lacks \"" +
                      std::string(has_events ? "committed" : "events") + "\"");
  builder_.end(is_committed ? Status::Committed : Status::Aborted);
  return true;
}

bool DbcopJsonReader::read_event() {
  if (!json_.enter_object()) return false;
  builder_.at_line(json_.line());
  std::string_view name;
  if (!json_.next_member(name))
    return json_.ok() && json_.fail("an empty event");
  if (name != "Read" && name != "Write")
    return json_.fail("unknown event \"" + std::string(name) + "\"",
                      "events are Read and Write");
  if (!read_version(name == "Write")) return false;
  if (json_.next_member(name))
    return json_.fail("an event is one Read or one Write");
  return json_.ok();
}

bool DbcopJsonReader::read_version(bool is_write) {
  Atom variable;
  Atom version;
  bool has_variable = false;
  bool has_version = false;
  if (!json_.enter_object()) return false;
  for (std::string_view name; json_.next_member(name);) {
    const bool is_variable = name == "variable";
    if (!is_variable && name != "version")
      return json_.fail("unknown member \"" + std::string(name) + "\"",
                        "an event has variable and version");
    bool& is_known = is_variable ? has_variable : has_version;
    if (is_known) return json_.fail("this member is given twice");
    is_known = true;
    if (!json_.read_atom(builder_.atoms(), is_variable ? variable : version))
      return false;
  }
  if (!json_.ok()) return false;
  if (!has_variable || (!has_version && is_write))
    return json_.fail("the event that ends here lacks its " +
                      std::string(has_variable ? "version" : "variable"));
  if (is_write && version.is_null()) return json_.fail("a write has a version");
  const KeyId key = builder_.key(variable);
  if (is_write)
    builder_.write(key, version);
  else
    builder_.read(key, version);
  return true;
}

Result<History> read_dbcop_json(Opened& opened) {
  opened.input->expect_text();
  return DbcopJsonReader(*opened.input).read(opened.options.judge_aborted);
}

Match looks_like_dbcop_json(const Sample& sample) {
  const JsonShape shape = json_shape(sample.head);
  if (shape.brackets == "[[{" && shape.has("events")) return Match::Sure;
  if (shape.brackets == "[[" || shape.brackets == "[[{") return Match::Possible;
  if (shape.brackets != "{" || !shape.has("data")) return Match::No;
  return shape.has("params") ? Match::Sure : Match::Possible;
}

std::unique_ptr<HistorySource> open_dbcop_json(Opened opened) {
  return one_history(Format::DbcopJson, std::move(opened), read_dbcop_json);
}

}  // namespace

const FormatEntry kDbcopJsonFormat{
    Format::DbcopJson, "dbcop-json",          "dbcop 0.2, JSON", {},
    {".json"},         looks_like_dbcop_json, open_dbcop_json};

}  // namespace txscope::read
