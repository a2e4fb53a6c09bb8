// PolySI, Plume and IsoVista text: one operation per line, r(key,value,session,
// transaction).  Every key is 0 before it is written.

#include <array>
#include <optional>
#include <vector>

#include "model/history_builder.h"
#include "read/histories/formats.h"
#include "read/histories/number_table.h"
#include "read/scan.h"

namespace txscope::read {
namespace {

constexpr std::size_t kLongestPlumeLine = 1 << 16;
constexpr std::size_t kLinesAhead = 16;

struct PlumeLine {
  bool is_write = false;
  bool is_aborted = false;  ///< transaction -1
  std::uint64_t key = 0;
  std::uint64_t value = 0;
  std::uint64_t session = 0;
  std::uint64_t txn = 0;
};

/// What is wrong with a line: where, and what.
struct Mistake {
  const char* where = nullptr;
  std::string what;

  /// False, for who finds it.
  bool set(const char* at, std::string found) {
    where = at;
    what = std::move(found);
    return false;
  }
  bool set_number(const char* at, Scanned scanned, const char* name) {
    const bool is_large = scanned == Scanned::TooLarge;
    return set(at, is_large
                       ? std::string("the ") + name + " is larger than 2^64-1"
                       : std::string("expected the ") + name +
                             ", a number without sign");
  }
};

// False if there is a mistake, which is told only then: most lines have none,
// and there are millions of them (bench_check --format plume).
bool scan_line(std::string_view text, PlumeLine& line, Mistake& mistake) {
  const char* p = text.data();
  const char* const end = p + text.size();
  if (p == end || (*p != 'r' && *p != 'w'))
    return mistake.set(p, "expected 'r(' or 'w('");
  line.is_write = *p++ == 'w';
  if (p == end || *p != '(') return mistake.set(p, "expected '('");
  ++p;
  const auto number = [&](std::uint64_t& value, const char* name, char after) {
    const char* const first = p;
    const Scanned scanned = scan_uint(p, end, value);
    if (scanned != Scanned::Ok) return mistake.set_number(first, scanned, name);
    if (p == end || *p != after)
      return mistake.set(
          p, std::string("expected '") + after + "' after the " + name);
    ++p;
    return true;
  };
  if (!number(line.key, "key", ',') || !number(line.value, "value", ',') ||
      !number(line.session, "session", ','))
    return false;
  line.is_aborted = end - p == 3 && p[0] == '-' && p[1] == '1' && p[2] == ')';
  if (line.is_aborted) return true;
  if (!number(line.txn, "transaction", ')')) return false;
  return p == end || mistake.set(p, "expected the end of the line after ')'");
}

/// The size of a line that is right at the beginning of the text, its end
/// included; 0 if scan_line() has to look.
std::size_t scan_right_line(std::string_view text, PlumeLine& line) {
  constexpr std::size_t kMostDigits = 20;
  constexpr std::size_t kLongest = 2 + 4 * (kMostDigits + 1) + 1;
  if (text.size() < kLongest + kShortUintBytes) return 0;
  const char* p = text.data();
  const char* const end = p + text.size();
  if ((p[0] != 'r' && p[0] != 'w') || p[1] != '(') return 0;
  line.is_write = p[0] == 'w';
  line.is_aborted = false;
  p += 2;
  const auto number = [&](std::uint64_t& value, char after) {
    return (scan_short_uint(p, value) ||
            scan_uint(p, end, value) == Scanned::Ok) &&
           *p++ == after;
  };
  const bool is_right = number(line.key, ',') && number(line.value, ',') &&
                        number(line.session, ',') && number(line.txn, ')') &&
                        *p == '\n';
  return is_right ? static_cast<std::size_t>(p + 1 - text.data()) : 0;
}

class PlumeReader {
 public:
  explicit PlumeReader(Input& input) : input_(input), builder_(input.name()) {
    builder_.keep_op_lines();
    builder_.set_default_initial(builder_.atoms().of_int(0));
  }

  Result<History> read(bool judge_aborted);

 private:
  /// The first transaction, as long as it may turn out to be the initial one:
  /// it has only written 0, and nobody else is in its session.
  struct Candidate {
    std::uint64_t session;
    std::uint64_t txn;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> writes;  // key, line
  };

  std::optional<Error> take_right_lines();
  std::optional<Error> take(const PlumeLine& line, const char* text);
  bool may_be_initial(const PlumeLine& line);
  void keep_candidate();
  bool open(std::uint64_t txn, std::uint64_t session);
  void close();
  void add(const PlumeLine& line);

  Input& input_;
  HistoryBuilder builder_;
  NumberTable txns_;  // id -> number of the transaction in the builder
  std::vector<std::uint64_t> sessions_{0};  // by that number
  bool is_open_ = false;
  std::uint64_t open_txn_ = 0;
  std::uint64_t open_session_ = 0;
  bool is_first_line_ = true;
  std::optional<Candidate> candidate_;
};

Result<History> PlumeReader::read(bool judge_aborted) {
  builder_.set_judge_aborted(judge_aborted);
  PlumeLine line;
  Mistake mistake;
  for (std::string_view text;;) {
    if (auto error = take_right_lines()) return *std::move(error);
    if (!input_.next_line(text, kLongestPlumeLine)) break;
    if (text.empty()) continue;
    if (!scan_line(text, line, mistake))
      return input_.error_at(mistake.where, mistake.what,
                             "a line is r(key,value,session,transaction) or "
                             "w(...), without blanks");
    if (auto error = take(line, text.data())) return *std::move(error);
  }
  if (input_.error()) return *input_.error();
  if (is_first_line_)
    return Error{Place{input_.name(), 0, 0, {}}, "holds no operation", "", ""};
  close();
  return std::move(builder_).finish();
}

// As far as they are complete in the window.  Some are scanned before the first
// of them is taken: with many keys each waits for memory, unless it was asked
// for in time.
std::optional<Error> PlumeReader::take_right_lines() {
  std::array<PlumeLine, kLinesAhead> lines;
  std::array<std::size_t, kLinesAhead> sizes;
  for (;;) {
    std::string_view ahead = input_.window();
    std::size_t count = 0;
    for (; count < kLinesAhead; ++count) {
      sizes[count] = scan_right_line(ahead, lines[count]);
      if (sizes[count] == 0) break;
      ahead.remove_prefix(sizes[count]);
      builder_.expect_key(builder_.atoms().of_uint(lines[count].key));
    }
    for (std::size_t i = 0; i < count; ++i) {
      const char* const text = input_.window().data();
      input_.pass_line(sizes[i]);
      if (auto error = take(lines[i], text)) return error;
    }
    if (count < kLinesAhead) return std::nullopt;
  }
}

std::optional<Error> PlumeReader::take(const PlumeLine& line,
                                       const char* text) {
  if (may_be_initial(line)) return std::nullopt;
  builder_.at_line(input_.line());
  if (line.is_aborted) {
    close();
    builder_.begin(builder_.session(builder_.atoms().of_uint(line.session)));
    sessions_.push_back(line.session);
    add(line);
    builder_.end(Status::Aborted);
    return std::nullopt;
  }
  const bool is_same = is_open_ && open_txn_ == line.txn;
  const bool fits =
      is_same ? open_session_ == line.session : open(line.txn, line.session);
  if (!fits)
    return input_.error_at(
        text, "transaction " + std::to_string(line.txn) + " is in two sessions",
        "transaction numbers are unique in the whole file");
  add(line);
  return std::nullopt;
}

// True if the line has been put aside with the candidate.
bool PlumeReader::may_be_initial(const PlumeLine& line) {
  const bool writes_zero = line.is_write && line.value == 0;
  if (is_first_line_) {
    is_first_line_ = false;
    if (!writes_zero || line.is_aborted) return false;
    candidate_ = Candidate{line.session, line.txn, {}};
  }
  if (!candidate_) return false;
  const bool is_its = !line.is_aborted && line.txn == candidate_->txn &&
                      line.session == candidate_->session;
  if (is_its && writes_zero) {
    candidate_->writes.emplace_back(line.key, input_.line());
    return true;
  }
  if (line.session == candidate_->session ||
      (!line.is_aborted && line.txn == candidate_->txn))
    keep_candidate();
  return false;
}

// The candidate is an ordinary transaction.
void PlumeReader::keep_candidate() {
  const Candidate candidate = *std::move(candidate_);
  candidate_.reset();
  close();
  builder_.at_line(candidate.writes.front().second);
  open(candidate.txn, candidate.session);
  for (const auto& [key, line] : candidate.writes) {
    builder_.at_line(line);
    builder_.write(builder_.key(builder_.atoms().of_uint(key)),
                   builder_.atoms().of_int(0));
  }
}

// Goes on with that transaction; false if it belongs to another session.
bool PlumeReader::open(std::uint64_t txn, std::uint64_t session) {
  close();
  bool is_new = false;
  const std::uint32_t number = txns_.find_or_add(
      txn, static_cast<std::uint32_t>(sessions_.size()), is_new);
  if (is_new) {
    builder_.begin(builder_.session(builder_.atoms().of_uint(session)));
    builder_.set_name(builder_.atoms().of_uint(txn));
    sessions_.push_back(session);
  } else {
    if (sessions_[number] != session) return false;
    builder_.reopen(number);
  }
  is_open_ = true;
  open_txn_ = txn;
  open_session_ = session;
  return true;
}

void PlumeReader::close() {
  if (is_open_) builder_.commit();
  is_open_ = false;
}

void PlumeReader::add(const PlumeLine& line) {
  const KeyId key = builder_.key(builder_.atoms().of_uint(line.key));
  const Atom value = builder_.atoms().of_uint(line.value);
  if (line.is_write)
    builder_.write(key, value);
  else
    builder_.read(key, value);
}

Match looks_like_plume(const Sample& sample) {
  std::string_view head = sample.head;
  const std::size_t first = head.find_first_not_of("\r\n");
  if (first == std::string_view::npos) return Match::No;
  head = head.substr(first, head.find_first_of("\r\n", first) - first);
  PlumeLine line;
  Mistake mistake;
  if (scan_line(head, line, mistake)) return Match::Sure;
  const bool begins_so =
      head.size() > 2 && (head[0] == 'r' || head[0] == 'w') && head[1] == '(';
  return begins_so ? Match::Possible : Match::No;
}

Result<History> read_plume(Opened& opened) {
  opened.input->expect_text();
  return PlumeReader(*opened.input).read(opened.options.judge_aborted);
}

std::unique_ptr<HistorySource> open_plume(Opened opened) {
  return one_history(Format::Plume, std::move(opened), read_plume);
}

}  // namespace

const FormatEntry kPlumeFormat{Format::Plume,
                               "plume",
                               "PolySI, Plume and IsoVista text",
                               {"polysi", "isovista"},
                               {".txt", ".plume"},
                               looks_like_plume,
                               open_plume};

}  // namespace txscope::read
