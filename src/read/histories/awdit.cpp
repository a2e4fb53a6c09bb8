// AWDIT's test text: `r key value` and `w key value`, transactions separated by
// lines of '-', sessions by lines of '='.  There is no initial value: a read
// returns what some line of the file wrote.

#include "model/history_builder.h"
#include "read/histories/formats.h"
#include "read/scan.h"

namespace txscope::read {
namespace {

constexpr std::size_t kLongestAwditLine = 1 << 16;
constexpr const char* kAwditHint =
    "a line is 'r KEY VALUE' or 'w KEY VALUE', or separates with ---- or ====";

enum class LineKind : std::uint8_t {
  Blank,
  Event,
  EndOfTxn,
  EndOfSession,
  Bad
};

struct AwditLine {
  LineKind kind = LineKind::Bad;
  bool is_write = false;
  std::uint64_t key = 0;
  std::uint64_t value = 0;
  const char* where = nullptr;  ///< of a mistake
  const char* what = "";
};

AwditLine scan_line(std::string_view text) {
  AwditLine line;
  const char* p = text.data();
  const char* end = p + text.size();
  const auto bad = [&](const char* where, const char* what) {
    line.where = where;
    line.what = what;
    return line;
  };
  const auto skip_blanks = [&] {
    const char* const first = p;
    while (p != end && is_blank(*p)) ++p;
    return p != first;
  };
  while (p != end && is_blank(end[-1])) --end;
  skip_blanks();
  if (p == end) return line.kind = LineKind::Blank, line;
  if (*p == '-' || *p == '=') {
    const char mark = *p;
    line.kind = mark == '-' ? LineKind::EndOfTxn : LineKind::EndOfSession;
    for (; p != end; ++p)
      if (*p != mark)
        return line.kind = LineKind::Bad,
               bad(p, "a separator holds one kind of character");
    return line;
  }
  if (*p != 'r' && *p != 'w') return bad(p, "expected 'r' or 'w'");
  line.is_write = *p++ == 'w';
  if (!skip_blanks()) return bad(p, "expected a blank after 'r' or 'w'");
  for (std::uint64_t* number : {&line.key, &line.value}) {
    const bool is_key = number == &line.key;
    skip_blanks();
    const char* const first = p;
    switch (scan_uint(p, end, *number)) {
      case Scanned::Ok: break;
      case Scanned::TooLarge: return bad(first, "a number above 2^64-1");
      case Scanned::NoDigits:
        return bad(first, is_key ? "expected the key, a number without sign"
                                 : "expected the value, a number without sign");
    }
    if (p != end && !is_blank(*p))
      return bad(p, is_key ? "expected a blank after the key"
                           : "expected the end of the line");
  }
  skip_blanks();
  if (p != end) return bad(p, "expected the end of the line");
  line.kind = LineKind::Event;
  return line;
}

Result<History> read_awdit(Opened& opened) {
  Input& input = *opened.input;
  input.expect_text();
  HistoryBuilder builder(input.name());
  builder.keep_op_lines();
  builder.set_default_initial(Atom::no_value());
  builder.set_judge_aborted(opened.options.judge_aborted);
  std::int64_t session = 1;
  bool session_is_used = false;
  bool is_open = false;
  const auto close = [&] {
    if (is_open) builder.commit();
    is_open = false;
  };
  for (std::string_view text; input.next_line(text, kLongestAwditLine);) {
    const AwditLine line = scan_line(text);
    switch (line.kind) {
      case LineKind::Bad:
        return input.error_at(line.where, line.what, kAwditHint);
      case LineKind::Blank: continue;
      case LineKind::EndOfTxn: close(); continue;
      case LineKind::EndOfSession:
        close();
        if (session_is_used) ++session;
        session_is_used = false;
        continue;
      case LineKind::Event: break;
    }
    builder.at_line(input.line());
    if (!is_open)
      builder.begin(builder.session(builder.atoms().of_int(session)));
    is_open = session_is_used = true;
    const KeyId key = builder.key(builder.atoms().of_uint(line.key));
    const Atom value = builder.atoms().of_uint(line.value);
    if (line.is_write)
      builder.write(key, value);
    else
      builder.read(key, value);
  }
  if (input.error()) return *input.error();
  close();
  if (builder.txn_count() == 0)
    return Error{Place{input.name(), 0, 0, {}}, "holds no operation",
                 kAwditHint, ""};
  return std::move(builder).finish();
}

Match looks_like_awdit(const Sample& sample) {
  std::string_view rest = sample.head;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const AwditLine line = scan_line(rest.substr(0, end));
    switch (line.kind) {
      case LineKind::Event: return Match::Sure;
      case LineKind::Bad: {
        const std::string_view text = rest.substr(0, end);
        return text.starts_with("r ") || text.starts_with("w ")
                   ? Match::Possible
                   : Match::No;
      }
      case LineKind::Blank:
      case LineKind::EndOfTxn:
      case LineKind::EndOfSession: break;
    }
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  return Match::No;
}

std::unique_ptr<HistorySource> open_awdit(Opened opened) {
  return one_history(Format::Awdit, std::move(opened), read_awdit);
}

}  // namespace

const FormatEntry kAwditFormat{
    Format::Awdit, "awdit",          "AWDIT's test text", {},
    {".txt"},      looks_like_awdit, open_awdit};

}  // namespace txscope::read
