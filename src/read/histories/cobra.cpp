// Cobra's logs: a directory whose T*.log files are the sessions.  Big endian
// numbers of 64 bits; the records are
//
//   'S' txn [time]   'C' txn [time]   'W' write key value
//   'R' writer write key value
//
// with times in all logs or in none.  A version is named by its write id, and
// a read of the ids INIT or NULL saw the initial one.  Writes that all have the
// id ANY, as VeriStrong's, have no name: their values stand for them, and may
// repeat.  Aborted transactions are
// never logged; one that a log leaves open may or may not have committed.

#include <algorithm>

#include "model/history_builder.h"
#include "read/binary.h"
#include "read/histories/formats.h"
#include "read/histories/session_files.h"

namespace txscope::read {
namespace {

constexpr std::uint64_t kInitId = 0xbebeebee;
constexpr std::uint64_t kNullId = 0xdeadbeef;
constexpr std::uint64_t kAnyId = 0xabddefee;
constexpr const char* kCobraHint = "the log is cut off, damaged or not Cobra's";

bool is_initial(std::uint64_t id) { return id == kInitId || id == kNullId; }

/// The size of a record by its first byte; 0 for what begins none.
std::size_t record_size(char tag, bool has_times) {
  switch (tag) {
    case 'S':
    case 'C': return has_times ? 17 : 9;
    case 'W': return 25;
    case 'R': return 33;
    default: return 0;
  }
}

class CobraReader {
 public:
  CobraReader(const std::string& directory, bool has_times)
      : builder_(directory), has_times_(has_times) {}

  HistoryBuilder& builder() { return builder_; }
  /// Adds the log of one session.
  std::optional<Error> read(const std::string& path, const std::string& name);

 private:
  void begin(const char* record);
  void commit(const char* record);
  void add(const char* record);
  std::optional<Error> take_record(Input& input);

  HistoryBuilder builder_;
  bool has_times_;
  SessionId session_;
  bool is_open_ = false;
  std::uint64_t txn_ = 0;
  std::int64_t start_ = 0;
};

std::optional<Error> CobraReader::read(const std::string& path,
                                       const std::string& name) {
  auto opened = Input::open(path);
  if (!opened) return std::move(opened).error();
  Input& input = *opened;
  builder_.next_file(path);
  is_open_ = false;
  bool is_first = true;
  while (!input.window().empty() || input.more()) {
    if (is_first) session_ = builder_.session(builder_.atoms().of_string(name));
    is_first = false;
    if (auto error = take_record(input)) return error;
  }
  if (input.error()) return input.error();
  if (is_open_) builder_.end(Status::Unknown);
  return std::nullopt;
}

std::optional<Error> CobraReader::take_record(Input& input) {
  const std::uint64_t offset = input.offset();
  const char tag = input.window()[0];
  const std::size_t size = record_size(tag, has_times_);
  if (size == 0)
    return input.error_at_offset(offset, "expected a record S, C, W or R",
                                 kCobraHint);
  const std::string_view record = input.take(size);
  if (record.size() < size)
    return input.error()
               ? *input.error()
               : input.error_at_offset(offset, "the log ends inside a record",
                                       kCobraHint);
  if ((tag == 'S') == is_open_)
    return input.error_at_offset(
        offset,
        is_open_ ? "a transaction begins before the last one has committed"
                 : std::string("a record '") + tag + "' outside a transaction",
        kCobraHint);
  if (tag == 'S') {
    begin(record.data());
  } else if (tag == 'C') {
    if (big_endian(record.data() + 1) != txn_)
      return input.error_at_offset(
          offset,
          "transaction " + std::to_string(big_endian(record.data() + 1)) +
              " commits, but " + std::to_string(txn_) + " is open",
          kCobraHint);
    commit(record.data());
  } else {
    add(record.data());
  }
  if (const auto& error = builder_.error())
    return input.error_at_offset(offset, error->what, error->hint);
  return std::nullopt;
}

void CobraReader::begin(const char* record) {
  txn_ = big_endian(record + 1);
  if (has_times_) start_ = static_cast<std::int64_t>(big_endian(record + 9));
  builder_.begin(session_);
  builder_.set_name(builder_.atoms().of_uint(txn_));
  if (has_times_) builder_.set_times(start_, Txn::kNoTime);
  is_open_ = true;
}

void CobraReader::commit(const char* record) {
  if (has_times_)
    builder_.set_times(start_,
                       static_cast<std::int64_t>(big_endian(record + 9)));
  builder_.commit();
  is_open_ = false;
}

void CobraReader::add(const char* record) {
  AtomTable& atoms = builder_.atoms();
  // A write id, a key, a value.
  const auto version = [&](const char* at) {
    const std::uint64_t id = big_endian(at);
    return atoms.of_uint(id == kAnyId ? big_endian(at + 16) : id);
  };
  if (record[0] == 'W') {
    builder_.write(builder_.key(atoms.of_uint(big_endian(record + 9))),
                   version(record + 1));
    return;
  }
  const std::uint64_t writer = big_endian(record + 1);
  const std::uint64_t write = big_endian(record + 9);
  builder_.read(builder_.key(atoms.of_uint(big_endian(record + 17))),
                is_initial(writer) && is_initial(write) ? Atom::null()
                                                        : version(record + 9));
}

/// True if the log is a sequence of whole records.
bool parses(const std::string& path, bool has_times) {
  auto input = Input::open(path);
  if (!input) return false;
  while (!input->window().empty() || input->more()) {
    const std::size_t size = record_size(input->window()[0], has_times);
    if (size == 0 || input->take(size).size() < size) return false;
  }
  return !input->error();
}

/// Nothing in a log says whether it has times: the first log that is not empty
/// and fits only one of the two layouts tells.
bool have_times(const std::string& directory,
                const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    const std::string path = path_in(directory, file);
    const bool without = parses(path, false);
    const bool with = parses(path, true);
    if (without != with) return with;
  }
  return false;
}

Result<History> read_cobra(Opened& opened) {
  const std::vector<std::string> files =
      session_files(opened.entries, "", ".log");
  CobraReader reader(opened.path, have_times(opened.path, files));
  reader.builder().set_judge_aborted(opened.options.judge_aborted);
  for (const std::string& file : files)
    if (auto error =
            reader.read(path_in(opened.path, file), session_name(file)))
      return *std::move(error);
  if (reader.builder().txn_count() == 0)
    return Error{Place{opened.path, 0, 0, {}}, "holds no transaction", "", ""};
  return std::move(reader.builder()).finish();
}

Match looks_like_cobra(const Sample& sample) {
  if (!sample.is_directory) return Match::No;
  return session_files(sample.entries, "T", ".log").empty() ? Match::No
                                                            : Match::Sure;
}

std::unique_ptr<HistorySource> open_cobra(Opened opened) {
  return one_history(Format::Cobra, std::move(opened), read_cobra);
}

}  // namespace

const FormatEntry kCobraFormat{Format::Cobra,
                               "cobra",
                               "a directory of Cobra's T*.log",
                               {},
                               {},
                               looks_like_cobra,
                               open_cobra,
                               true};

}  // namespace txscope::read
