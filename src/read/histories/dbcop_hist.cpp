// dbcop 0.2's text: transactions `[x:=1 y==2 z==?]`, several on a line if one
// likes, `!` behind one that did not commit; sessions separated by lines of
// dashes; comments from // on.  `==?` read a variable nobody had written.

#include "model/history_builder.h"
#include "read/histories/formats.h"
#include "read/scan.h"

namespace txscope::read {
namespace {

constexpr const char* kHistHint =
    "a transaction is [x:=1 y==2 z==?], with ! behind it if it did not commit";

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

std::string_view without_comment(std::string_view line) {
  return line.substr(0, line.find("//"));
}

bool is_separator(std::string_view line) {
  while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
  while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  return !line.empty() && line.find_first_not_of('-') == line.npos;
}

class HistReader {
 public:
  explicit HistReader(Input& input) : input_(input), builder_(input.name()) {}

  Result<History> read(bool judge_aborted);

 private:
  bool read_line(std::string_view line);
  bool read_txn();
  bool read_event();
  bool read_value(bool is_write, KeyId key);
  void skip_blanks() {
    while (p_ != end_ && is_blank(*p_)) ++p_;
  }
  bool fail(const char* where, std::string what) {
    error_ = input_.error_at(where, std::move(what), kHistHint);
    return false;
  }

  Input& input_;
  HistoryBuilder builder_;
  std::int64_t session_ = 1;
  bool session_is_used_ = false;
  const char* p_ = nullptr;
  const char* end_ = nullptr;
  std::optional<Error> error_;
};

Result<History> HistReader::read(bool judge_aborted) {
  builder_.set_judge_aborted(judge_aborted);
  for (std::string_view text; input_.next_line(text);) {
    builder_.at_line(input_.line());
    if (!read_line(without_comment(text))) return *std::move(error_);
  }
  if (input_.error()) return *input_.error();
  if (builder_.txn_count() == 0)
    return Error{Place{input_.name(), 0, 0, {}}, "holds no transaction",
                 kHistHint, ""};
  return std::move(builder_).finish();
}

bool HistReader::read_line(std::string_view line) {
  if (is_separator(line)) {
    if (session_is_used_) ++session_;
    session_is_used_ = false;
    return true;
  }
  p_ = line.data();
  end_ = p_ + line.size();
  for (skip_blanks(); p_ != end_; skip_blanks())
    if (!read_txn()) return false;
  return true;
}

bool HistReader::read_txn() {
  const char* const first = p_;
  if (*p_ != '[') return fail(p_, "expected '['");
  ++p_;
  builder_.begin(builder_.session(builder_.atoms().of_int(session_)));
  session_is_used_ = true;
  for (;;) {
    skip_blanks();
    if (p_ == end_) return fail(first, "the transaction has no ']'");
    if (*p_ == ']') break;
    if (!read_event()) return false;
  }
  ++p_;
  const bool is_aborted = p_ != end_ && *p_ == '!';
  if (is_aborted) ++p_;
  builder_.end(is_aborted ? Status::Aborted : Status::Committed);
  return true;
}

bool HistReader::read_event() {
  const char* const first = p_;
  if (!is_letter(*p_)) return fail(p_, "expected a variable or ']'");
  while (p_ != end_ && (is_letter(*p_) || is_digit(*p_))) ++p_;
  const std::string_view name(first, static_cast<std::size_t>(p_ - first));
  const KeyId key = builder_.key(builder_.atoms().of_string(name));
  const std::string_view rest(p_, static_cast<std::size_t>(end_ - p_));
  const bool is_write = rest.starts_with(":=");
  if (!is_write && !rest.starts_with("=="))
    return fail(p_, "expected ':=' or '==' after the variable");
  p_ += 2;
  return read_value(is_write, key);
}

bool HistReader::read_value(bool is_write, KeyId key) {
  const char* const first = p_;
  Atom value;
  if (!is_write && p_ != end_ && *p_ == '?') {
    ++p_;
  } else {
    std::uint64_t number = 0;
    switch (scan_uint(p_, end_, number)) {
      case Scanned::Ok: break;
      case Scanned::TooLarge: return fail(first, "a number above 2^64-1");
      case Scanned::NoDigits: return fail(first, "expected a number");
    }
    value = builder_.atoms().of_uint(number);
  }
  if (p_ != end_ && !is_blank(*p_) && *p_ != ']')
    return fail(p_, "expected a blank or ']'");
  if (is_write)
    builder_.write(key, value);
  else
    builder_.read(key, value);
  return true;
}

Result<History> read_hist(Opened& opened) {
  opened.input->expect_text();
  return HistReader(*opened.input).read(opened.options.judge_aborted);
}

// The first line that says something begins with `[` and a variable or `]`.
Match looks_like_hist(const Sample& sample) {
  std::string_view rest = sample.head;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = without_comment(rest.substr(0, end));
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first != line.npos && !is_separator(line)) {
      if (line[first] != '[') return Match::No;
      const std::size_t next = line.find_first_not_of(" \t\r", first + 1);
      if (next == line.npos) return Match::No;
      if (line[next] == ']') return Match::Possible;
      if (!is_letter(line[next])) return Match::No;
      return line.find(":=") != line.npos || line.find("==") != line.npos
                 ? Match::Sure
                 : Match::Possible;
    }
    if (end == rest.npos) break;
    rest.remove_prefix(end + 1);
  }
  return Match::No;
}

std::unique_ptr<HistorySource> open_hist(Opened opened) {
  return one_history(Format::DbcopHist, std::move(opened), read_hist);
}

}  // namespace

const FormatEntry kDbcopHistFormat{
    Format::DbcopHist, "dbcop-hist",    "dbcop 0.2, text", {"hist"},
    {".hist", ".txt"}, looks_like_hist, open_hist};

}  // namespace txscope::read
