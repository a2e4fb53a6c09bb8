#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "read/writers/text_writer.h"

namespace txscope::read {
namespace {

/// Strings that a reader of "initial" would take for integers.
bool looks_decimal(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c >= '0' && c <= '9';
  });
}

/// `#1`, as sessions are called that no name can reach.
bool is_anonymous(const History& history, const Session& session) {
  const std::string name = history.atoms().text(session.name);
  return history.atoms().kind(session.name) == AtomKind::String &&
         name.starts_with('#') && looks_decimal(name.substr(1)) &&
         session.end.index - session.first.index == 1;
}

class JsonlWriter {
 public:
  JsonlWriter(const History& history, const TextSink& sink)
      : history_(history), out_(sink) {}

  void header();
  void transactions();

 private:
  using Atoms = std::map<Atom, std::size_t>;

  void initial(Atom usual);
  void transaction(TxnId t, bool has_session);
  void operation(const Op& op);
  void atom(Atom a);

  const History& history_;
  TextWriter out_;
};

void JsonlWriter::header() {
  out_ << R"({"txscope":"history","version":1)";
  Atoms counts;
  for (std::size_t k = 0; k < history_.key_count(); ++k)
    if (history_.kind(KeyId(k)) == KeyKind::Register)
      ++counts[history_.initial(KeyId(k))];
  if (!counts.empty()) {
    const Atom usual = std::max_element(counts.begin(), counts.end(),
                                        [](const auto& a, const auto& b) {
                                          return a.second < b.second;
                                        })
                           ->first;
    out_ << R"(,"default":)";
    atom(usual);
    if (counts.size() > 1) initial(usual);
  }
  if (history_.judge_aborted()) out_ << R"(,"judge_aborted":true)";
  out_ << "}\n";
}

// Registers that do not start as most do.  Written as pairs, because the other
// form would take the string "1" for the integer.
void JsonlWriter::initial(Atom usual) {
  out_ << R"(,"initial":[)";
  bool is_first = true;
  for (std::size_t k = 0; k < history_.key_count(); ++k) {
    const KeyId key(k);
    if (history_.kind(key) == KeyKind::List || history_.initial(key) == usual)
      continue;
    out_ << (is_first ? "[" : ",[");
    is_first = false;
    atom(history_.key(key));
    out_ << ',';
    atom(history_.initial(key));
    out_ << ']';
  }
  out_ << ']';
}

void JsonlWriter::transactions() {
  for (const Session& session : history_.sessions()) {
    const bool has_session = !is_anonymous(history_, session);
    for (TxnId t = session.first; t < session.end; t = TxnId(t.index + 1u))
      transaction(t, has_session);
  }
}

void JsonlWriter::transaction(TxnId t, bool has_session) {
  const Txn& txn = history_.at(t);
  out_ << '{';
  if (has_session) {
    out_ << R"("session":)";
    atom(history_.sessions()[txn.session.index].name);
    out_ << ',';
  }
  if (!txn.name.is_null()) {
    out_ << R"("id":)";
    atom(txn.name);
    out_ << ',';
  }
  if (txn.status == Status::Aborted) out_ << R"("status":"aborted",)";
  if (txn.status == Status::Unknown) out_ << R"("status":"unknown",)";
  if (txn.start != Txn::kNoTime) out_ << R"("start":)" << txn.start << ',';
  if (txn.end != Txn::kNoTime) out_ << R"("end":)" << txn.end << ',';
  out_ << R"("ops":[)";
  bool is_first = true;
  for (const Op& op : history_.ops(t)) {
    if (!is_first) out_ << ',';
    is_first = false;
    operation(op);
  }
  out_ << "]}\n";
}

void JsonlWriter::operation(const Op& op) {
  switch (op.kind) {
    case OpKind::Read: out_ << R"(["r",)"; break;
    case OpKind::Write: out_ << R"(["w",)"; break;
    case OpKind::Append: out_ << R"(["append",)"; break;
    case OpKind::ReadList: out_ << R"(["rl",)"; break;
  }
  atom(history_.key(op.key));
  out_ << ',';
  if (op.kind != OpKind::ReadList) {
    atom(op.value);
  } else {
    out_ << '[';
    const ListView elements = history_.list(op);
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (i != 0) out_ << ',';
      atom(elements[i]);
    }
    out_ << ']';
  }
  out_ << ']';
}

void JsonlWriter::atom(Atom a) {
  switch (history_.atoms().kind(a)) {
    case AtomKind::Null:
    case AtomKind::NoValue: out_ << "null"; return;
    case AtomKind::Int: out_ << a.small_int(); return;
    case AtomKind::BigInt: out_ << history_.atoms().text(a); return;
    case AtomKind::String:
    case AtomKind::Keyword: write_quoted(out_, history_.atoms().text(a));
  }
}

/// What the own format cannot say: that no read can return the initial value,
/// once a read has returned null; and keywords beside the same strings.
class Doubts {
 public:
  explicit Doubts(const History& history) : history_(history) {}

  [[nodiscard]] std::optional<Error> find();
  [[nodiscard]] bool has_keywords() const { return !keywords_.empty(); }

 private:
  void note(Atom a) {
    if (!a.is_interned()) return;
    const AtomKind kind = history_.atoms().kind(a);
    if (kind == AtomKind::Keyword) keywords_.insert(a);
    if (kind == AtomKind::String) strings_.insert(a);
  }

  const History& history_;
  std::set<Atom> keywords_;
  std::set<Atom> strings_;
};

std::optional<Error> Doubts::find() {
  for (const Op& op : history_.ops()) {
    if (op.kind == OpKind::ReadList) {
      for (const Atom a : history_.list(op)) note(a);
      continue;
    }
    note(op.value);
    if (op.kind == OpKind::Read && op.value.is_null() &&
        history_.initial(op.key).is_no_value())
      return cannot_write(history_,
                          "key " + history_.name(op.key) +
                              " has no initial value and is read as null");
  }
  for (std::size_t k = 0; k < history_.key_count(); ++k) {
    note(history_.key(KeyId(k)));
    note(history_.initial(KeyId(k)));
  }
  for (const Session& session : history_.sessions()) note(session.name);
  for (const Txn& txn : history_.txns()) note(txn.name);
  std::set<std::string> texts;
  for (const Atom a : strings_) texts.insert(history_.atoms().text(a));
  for (const Atom a : keywords_)
    if (texts.contains(history_.atoms().text(a)))
      return cannot_write(history_, "the keyword :" + history_.atoms().text(a) +
                                        " and the string of the same name "
                                        "would become one");
  return std::nullopt;
}

}  // namespace

Result<std::vector<std::string>> write_jsonl(const History& history,
                                             const TextSink& sink) {
  Doubts doubts(history);
  if (auto error = doubts.find()) return *std::move(error);
  JsonlWriter writer(history, sink);
  writer.header();
  writer.transactions();
  std::vector<std::string> notes;
  if (doubts.has_keywords()) notes.push_back("keywords are written as strings");
  return notes;
}

}  // namespace txscope::read
