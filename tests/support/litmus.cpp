#include "support/litmus.h"

#include <cctype>
#include <charconv>
#include <stdexcept>
#include <vector>

#include "model/history_builder.h"

namespace txscope {
namespace {

bool is_word_start(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
}
bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), builder_("litmus") {
    builder_.set_default_initial(builder_.atoms().of_int(0));
    builder_.keep_op_lines();
  }

  History parse() {
    while (skip_lines()) {
      if (accept_word("init")) {
        initial_values();
      } else if (accept_word("judge")) {
        if (!accept_word("aborted")) fail("expected 'judge aborted'");
        builder_.set_judge_aborted(true);
      } else {
        session_line();
      }
    }
    Result<History> history = std::move(builder_).finish();
    if (!history)
      throw std::invalid_argument(to_string(history.error().where) + ": " +
                                  history.error().what);
    return *std::move(history);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::invalid_argument("litmus:" + std::to_string(line_) + ": " +
                                what);
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void blanks() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\r') ++at_;
    if (peek() == '#')
      while (at_ < text_.size() && peek() != '\n') ++at_;
  }
  bool skip_lines() {
    for (blanks(); peek() == '\n'; blanks()) {
      ++at_;
      ++line_;
    }
    builder_.at_line(line_);
    return at_ < text_.size();
  }
  bool line_ends() {
    blanks();
    return at_ == text_.size() || peek() == '\n';
  }
  bool accept(std::string_view token) {
    blanks();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token))
      fail("expected '" + std::string(token) + "' before '" +
           std::string(text_.substr(at_, 10)) + "'");
  }
  // A directive, unless it is the name of a session.
  bool accept_word(std::string_view word) {
    const std::size_t mark = at_;
    if (accept(word) && !is_word(peek()) && peek() != ':') return true;
    at_ = mark;
    return false;
  }

  std::string_view word() {
    const std::size_t start = at_;
    while (is_word(peek())) ++at_;
    return text_.substr(start, at_ - start);
  }
  template <class Int>
  bool number(Int& value) {
    const char* const end = text_.data() + text_.size();
    const auto [rest, error] = std::from_chars(text_.data() + at_, end, value);
    if (error != std::errc()) return false;
    at_ = static_cast<std::size_t>(rest - text_.data());
    return true;
  }
  Atom quoted() {
    std::string value;
    for (++at_; peek() != '"'; ++at_) {
      if (peek() == '\\') ++at_;
      if (peek() == '\0') fail("a string does not end");
      value += peek();
    }
    ++at_;
    return builder_.atoms().of_string(value);
  }
  Atom atom() {
    blanks();
    if (peek() == '"') return quoted();
    if (peek() == ':') return ++at_, builder_.atoms().of_keyword(word());
    std::int64_t small = 0;
    if (number(small)) return builder_.atoms().of_int(small);
    std::uint64_t large = 0;
    if (number(large)) return builder_.atoms().of_uint(large);
    if (!is_word_start(peek())) fail("expected a key, a value or a name");
    const std::string_view name = word();
    if (name == "null") return Atom::null();
    return builder_.atoms().of_string(name);
  }

  void initial_values() {
    while (!line_ends()) {
      const bool all = accept("*");
      const KeyId key = all ? kNone<KeyId> : builder_.key(atom());
      expect("=");
      const Atom value = accept_word("none") ? Atom::no_value() : atom();
      if (all)
        builder_.set_default_initial(value);
      else
        builder_.set_initial(key, value);
    }
  }

  void session_line() {
    const SessionId session = builder_.session(atom());
    expect(":");
    while (!line_ends()) transaction(session);
  }

  void transaction(SessionId session) {
    Atom name = Atom::null();
    if (!accept("[")) {
      name = atom();
      expect(":");
      expect("[");
    }
    builder_.begin(session);
    if (!name.is_null()) builder_.set_name(name);
    times();
    while (!accept("]")) {
      if (line_ends()) fail("expected ']'");
      operation();
    }
    builder_.end(accept("!")   ? Status::Aborted
                 : accept("?") ? Status::Unknown
                               : Status::Committed);
  }

  void times() {
    blanks();
    std::int64_t start = Txn::kNoTime;
    std::int64_t end = Txn::kNoTime;
    const bool has_start = number(start);
    if (!has_start && peek() != '.') return;
    expect("..");
    blanks();
    number(end);
    expect(":");
    builder_.set_times(start, end);
  }

  void operation() {
    const std::string_view kind = word();
    expect("(");
    const KeyId key = builder_.key(atom());
    if (kind == "l") {
      std::vector<Atom> elements;
      while (accept(",")) elements.push_back(atom());
      builder_.read_list(key, elements);
    } else {
      expect(",");
      value_operation(kind, key);
    }
    expect(")");
  }

  void value_operation(std::string_view kind, KeyId key) {
    if (kind == "r" && accept("[")) {
      std::vector<Atom> elements;
      while (!accept("]")) elements.push_back(atom());
      builder_.read_list(key, elements);
    } else if (kind == "r") {
      builder_.read(key, atom());
    } else if (kind == "w") {
      builder_.write(key, atom());
    } else if (kind == "a") {
      builder_.append(key, atom());
    } else {
      fail("unknown operation '" + std::string(kind) + "'; there are r w a l");
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint64_t line_ = 1;
  HistoryBuilder builder_;
};

class Printer {
 public:
  explicit Printer(const History& history) : history_(history) {}

  std::string print() {
    initial_values();
    if (history_.judge_aborted()) out_ += "judge aborted\n";
    for (const Session& session : history_.sessions()) {
      out_ += atom(session.name) + ":";
      for (TxnId t = session.first; t < session.end; t = TxnId(t.index + 1))
        transaction(t);
      out_ += '\n';
    }
    return std::move(out_);
  }

 private:
  std::string atom(Atom a) const {
    const std::string text = history_.atoms().text(a);
    switch (history_.atoms().kind(a)) {
      case AtomKind::Keyword: return ":" + text;
      case AtomKind::NoValue: return "none";
      case AtomKind::String: break;
      default: return text;
    }
    bool is_bare = !text.empty() && is_word_start(text[0]) && text != "null" &&
                   text != "none";
    for (const char c : text) is_bare = is_bare && is_word(c);
    if (is_bare) return text;
    std::string quoted = "\"";
    for (const char c : text) {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
    return quoted + '"';
  }

  void initial_values() {
    for (std::size_t k = 0; k < history_.key_count(); ++k) {
      const KeyId key(k);
      const Atom value = history_.initial(key);
      if (history_.kind(key) == KeyKind::List) continue;
      if (value.is_small_int() && value.small_int() == 0) continue;
      out_ += (out_.empty() ? "init " : " ") + atom(history_.key(key)) + "=" +
              atom(value);
    }
    if (!out_.empty()) out_ += '\n';
  }

  void transaction(TxnId t) {
    const Txn& txn = history_.at(t);
    out_ += ' ';
    if (!txn.name.is_null()) out_ += atom(txn.name) + ":";
    out_ += '[';
    if (txn.start != Txn::kNoTime || txn.end != Txn::kNoTime) {
      if (txn.start != Txn::kNoTime) out_ += std::to_string(txn.start);
      out_ += "..";
      if (txn.end != Txn::kNoTime) out_ += std::to_string(txn.end);
      out_ += ':';
    }
    for (std::uint32_t i = txn.first_op; i < txn.end_op; ++i) {
      if (out_.back() != '[') out_ += ' ';
      operation(history_.at(OpId(i)));
    }
    out_ += ']';
    if (txn.status == Status::Aborted) out_ += '!';
    if (txn.status == Status::Unknown) out_ += '?';
  }

  void operation(const Op& op) {
    const std::string key = atom(history_.key(op.key));
    switch (op.kind) {
      case OpKind::Read:
        out_ += "r(" + key + "," + atom(op.value) + ")";
        return;
      case OpKind::Write:
        out_ += "w(" + key + "," + atom(op.value) + ")";
        return;
      case OpKind::Append:
        out_ += "a(" + key + "," + atom(op.value) + ")";
        return;
      case OpKind::ReadList: break;
    }
    out_ += "r(" + key + ",[";
    for (const Atom a : history_.list(op)) {
      if (out_.back() != '[') out_ += ' ';
      out_ += atom(a);
    }
    out_ += "])";
  }

  const History& history_;
  std::string out_;
};

}  // namespace

History litmus(std::string_view text) { return Parser(text).parse(); }

std::string to_litmus(const History& history) {
  return Printer(history).print();
}

}  // namespace txscope
