// dbcop's binary histories of 2019 (history.bincode): little endian, lengths
// and numbers of 64 bits, booleans of one byte.  Every variable is 0 at first.
//
//   history = id nodes variables transactions events info start end sessions
//   session = count { transaction }
//   transaction = count { write(1) variable(8) value(8) success(1) } success(1)

#include "model/history_builder.h"
#include "read/binary.h"
#include "read/histories/formats.h"

namespace txscope::read {
namespace {

constexpr std::size_t kNumbers = 5;
constexpr std::size_t kEventSize = 18;
constexpr std::uint64_t kLongestString = 1 << 16;

class BincodeReader {
 public:
  explicit BincodeReader(Input& input)
      : input_(input), builder_(input.name()) {}

  Result<History> read(bool judge_aborted);

 private:
  bool read_header();
  bool read_session(std::uint64_t session);
  bool read_txn(SessionId session);
  bool read_event();
  bool read_number(std::uint64_t& number, const char* what);
  bool check_flag(char flag, std::uint64_t offset);
  bool fail(std::uint64_t offset, std::string what);
  bool fail_cut(const char* what) {
    return fail(input_.offset(), std::string("the file ends inside ") + what);
  }

  Input& input_;
  HistoryBuilder builder_;
  std::optional<Error> error_;
};

bool BincodeReader::fail(std::uint64_t offset, std::string what) {
  error_ = input_.error()
               ? *input_.error()
               : input_.error_at_offset(
                     offset, std::move(what),
                     "the file is cut off, damaged or not a dbcop history");
  return false;
}

Result<History> BincodeReader::read(bool judge_aborted) {
  builder_.set_default_initial(builder_.atoms().of_int(0));
  builder_.set_judge_aborted(judge_aborted);
  std::uint64_t sessions = 0;
  bool is_good = read_header() && read_number(sessions, "the header");
  for (std::uint64_t i = 0; is_good && i < sessions; ++i)
    is_good = read_session(i);
  if (is_good && !input_.take(1).empty())
    is_good = fail(input_.offset() - 1, "more bytes than the history has");
  if (is_good && input_.error()) return *input_.error();
  if (!is_good) return *std::move(error_);
  return std::move(builder_).finish();
}

bool BincodeReader::read_header() {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < kNumbers; ++i)
    if (!read_number(number, "the header")) return false;
  for (int i = 0; i < 3; ++i) {
    const std::uint64_t offset = input_.offset();
    if (!read_number(number, "the header")) return false;
    if (number > kLongestString)
      return fail(offset, "a text of " + std::to_string(number) +
                              " bytes in the header");
    if (input_.take(number).size() < number) return fail_cut("the header");
  }
  return true;
}

bool BincodeReader::read_session(std::uint64_t number) {
  std::uint64_t count = 0;
  if (!read_number(count, "a session")) return false;
  if (count == 0) return true;
  const SessionId session =
      builder_.session(builder_.atoms().of_uint(number + 1));
  for (std::uint64_t i = 0; i < count; ++i)
    if (!read_txn(session)) return false;
  return true;
}

bool BincodeReader::read_txn(SessionId session) {
  std::uint64_t count = 0;
  if (!read_number(count, "a transaction")) return false;
  builder_.begin(session);
  for (std::uint64_t i = 0; i < count; ++i)
    if (!read_event()) return false;
  const std::uint64_t offset = input_.offset();
  const std::string_view flag = input_.take(1);
  if (flag.empty()) return fail_cut("a transaction");
  if (!check_flag(flag[0], offset)) return false;
  builder_.end(flag[0] != 0 ? Status::Committed : Status::Aborted);
  return !builder_.error() || fail(offset, builder_.error()->what);
}

// An event that did not succeed did not happen.
bool BincodeReader::read_event() {
  const std::uint64_t offset = input_.offset();
  const std::string_view event = input_.take(kEventSize);
  if (event.size() < kEventSize) return fail_cut("an event");
  if (!check_flag(event[0], offset) || !check_flag(event[17], offset + 17))
    return false;
  if (event[17] == 0) return true;
  const Atom name = builder_.atoms().of_uint(little_endian(event.data() + 1));
  const Atom value = builder_.atoms().of_uint(little_endian(event.data() + 9));
  if (event[0] != 0)
    builder_.write(builder_.key(name), value);
  else
    builder_.read(builder_.key(name), value);
  return true;
}

bool BincodeReader::read_number(std::uint64_t& number, const char* what) {
  const std::string_view bytes = input_.take(sizeof number);
  if (bytes.size() < sizeof number) return fail_cut(what);
  number = little_endian(bytes.data());
  return true;
}

bool BincodeReader::check_flag(char flag, std::uint64_t offset) {
  const auto byte = static_cast<unsigned char>(flag);
  return byte <= 1 || fail(offset, "expected a flag of 0 or 1 but found " +
                                       std::to_string(byte));
}

/// The header, with texts that are short and printable.
Match looks_like_bincode(const Sample& sample) {
  constexpr std::uint64_t kPlausible = std::uint64_t{1} << 32;
  std::string_view head = sample.head;
  const auto number = [&]() -> std::uint64_t {
    if (head.size() < 8) return UINT64_MAX;
    const std::uint64_t value = little_endian(head.data());
    head.remove_prefix(8);
    return value;
  };
  for (std::size_t i = 0; i < kNumbers; ++i)
    if (number() > kPlausible) return Match::No;
  for (int i = 0; i < 3; ++i) {
    const std::uint64_t size = number();
    if (size > kLongestString || size > head.size()) return Match::No;
    for (const char c : head.substr(0, size))
      if (c >= 0 && c < 0x20) return Match::No;
    head.remove_prefix(size);
  }
  return number() > kPlausible ? Match::No : Match::Sure;
}

Result<History> read_bincode(Opened& opened) {
  return BincodeReader(*opened.input).read(opened.options.judge_aborted);
}

std::unique_ptr<HistorySource> open_bincode(Opened opened) {
  return one_history(Format::DbcopBincode, std::move(opened), read_bincode);
}

}  // namespace

const FormatEntry kDbcopBincodeFormat{
    Format::DbcopBincode, "dbcop-bincode", "dbcop 2019, binary",
    {"bincode", "dbcop"}, {".bincode"},    looks_like_bincode,
    open_bincode};

}  // namespace txscope::read
