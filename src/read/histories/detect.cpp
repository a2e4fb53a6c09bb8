#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "read/file_kind.h"
#include "read/histories/formats.h"
#include "read/histories/history_source.h"

namespace txscope::read {
namespace {

namespace fs = std::filesystem;

constexpr std::array kFormats = {
    &kJsonlFormat, &kEdnFormat,          &kElleJsonFormat,   &kPlumeFormat,
    &kAwditFormat, &kDbcopBincodeFormat, &kDbcopJsonFormat,  &kDbcopHistFormat,
    &kCobraFormat, &kViperFormat,        &kTimeKillerFormat, &kEtcdLogFormat,
};

const FormatEntry& entry_of(Format format) {
  return **std::find_if(kFormats.begin(), kFormats.end(),
                        [&](const auto* f) { return f->format == format; });
}

std::string format_names() {
  std::string names;
  for (const FormatEntry* f : kFormats) {
    if (!names.empty()) names += ", ";
    names += f->name;
  }
  return names;
}

Error error_about(const std::string& path, std::string what, std::string hint) {
  return Error{Place{path, 0, 0, {}}, std::move(what), std::move(hint), ""};
}

/// The extension, without that of a compression.
std::string extension_of(const std::string& path) {
  fs::path name(path);
  if (name.extension() == ".gz" || name.extension() == ".zst")
    name = name.stem();
  return name.extension().string();
}

bool has_extension(const FormatEntry& format, const std::string& extension) {
  return std::find(format.extensions.begin(), format.extensions.end(),
                   extension) != format.extensions.end();
}

// Surely, or with its extension.
constexpr int kGoodScore = 3;

struct Detected {
  const FormatEntry* format = nullptr;
  int score = 0;
};

Detected score(const Sample& sample, const std::string& path) {
  const std::string extension = extension_of(path);
  const FormatEntry* best = nullptr;
  int best_score = 0;
  for (const FormatEntry* f : kFormats) {
    const int sureness = static_cast<int>(f->looks(sample));
    const int score =
        sureness == 0 ? 0
                      : 2 * sureness + (has_extension(*f, extension) ? 1 : 0);
    if (score <= best_score) continue;
    best = f;
    best_score = score;
  }
  return {best, best_score};
}

const FormatEntry* detect(const Sample& sample, const std::string& path) {
  return score(sample, path).format;
}

// The names of the files in a directory, sorted.
Result<Sample> sample_of_directory(const std::string& path) {
  Sample sample;
  sample.is_directory = true;
  std::error_code failed;
  for (fs::directory_iterator entry(path, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    std::error_code ignored;
    const std::string name = entry->path().filename().string();
    if (entry->is_regular_file(ignored))
      sample.entries.push_back(name);
    else if (name.ends_with(".log") && entry->is_symlink(ignored) &&
             !fs::exists(entry->path(), ignored))
      return Error{Place{entry->path().string(), 0, 0, {}},
                   "is a symbolic link to nothing",
                   "a session would be missing; repair or remove it", ""};
  }
  if (failed)
    return Error{Place{path, 0, 0, {}}, "cannot be listed: " + failed.message(),
                 "", ""};
  std::sort(sample.entries.begin(), sample.entries.end());
  return sample;
}

/// The first line, as far as it can be shown.
std::string beginning_of(std::string_view head) {
  std::string shown;
  for (const char c : head.substr(0, 40)) {
    if (c == '\n' || c == '\r') break;
    shown += c >= 0x20 && c < 0x7f ? c : '?';
  }
  return shown;
}

Error unknown_file(const std::string& path, std::string_view head) {
  const std::string formats = "formats: " + format_names();
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos)
    return error_about(path, head.empty() ? "is empty" : "holds only blanks",
                       "a history has at least one transaction");
  if (head.find('\0') != std::string_view::npos)
    return error_about(path, "is a binary file of no known format", formats);
  if (auto other = misplaced(path, "", FileKind::History))
    return *std::move(other);
  return error_about(path,
                     "is not a history that txscope knows: it begins with '" +
                         beginning_of(head.substr(first)) + "'",
                     formats + "; --input-format NAME forces one");
}

Error unknown_directory(const std::string& path, const Sample& sample) {
  std::string seen = "it holds no files";
  if (!sample.entries.empty()) {
    seen = "it holds";
    const std::size_t shown = std::min<std::size_t>(3, sample.entries.size());
    for (std::size_t i = 0; i < shown; ++i)
      seen += (i == 0 ? " " : ", ") + sample.entries[i];
    if (shown < sample.entries.size()) seen += ", ...";
  }
  return error_about(path, "is a directory without a known history: " + seen,
                     "histories that are directories: cobra (T*.log), viper "
                     "(J*.log), a store of Jepsen (history.edn below it)");
}

Result<std::unique_ptr<HistorySource>> open_directory(
    const std::string& path, const ReadOptions& options) {
  auto sampled = sample_of_directory(path);
  if (!sampled) return std::move(sampled).error();
  Sample& sample = *sampled;
  const FormatEntry* format =
      options.format ? &entry_of(*options.format) : detect(sample, path);
  if (format == nullptr) return unknown_directory(path, sample);
  if (!format->is_directory)
    return error_about(path,
                       "is a directory, but " + std::string(format->name) +
                           " histories are files",
                       "name a file in it");
  if (format->looks(sample) == Match::No)
    return unknown_directory(path, sample);
  return format->open(
      Opened{path, std::nullopt, std::move(sample.entries), options});
}

Result<std::unique_ptr<HistorySource>> open_input(Input input,
                                                  const ReadOptions& options) {
  input.set_budget(options.budget);
  Sample sample;
  sample.head = input.head();
  if (sample.head.empty() && input.error()) return *input.error();
  const std::string path = input.name();
  if (!options.format && misplaced(path, "", FileKind::History))
    return unknown_file(path, sample.head);
  const FormatEntry* format =
      options.format ? &entry_of(*options.format) : detect(sample, path);
  if (format == nullptr || sample.head.empty())
    return unknown_file(path, sample.head);
  if (format->is_directory)
    return error_about(path,
                       "is a file, but " + std::string(format->name) +
                           " histories are directories",
                       "name the directory that holds the files of all "
                       "sessions");
  return format->open(Opened{path, std::move(input), {}, options});
}

class OneHistory final : public HistorySource {
 public:
  OneHistory(Format format, Opened opened, Result<History> (*read)(Opened&))
      : format_(format), opened_(std::move(opened)), read_(read) {}

  Result<std::optional<History>> next() override {
    if (is_done_) return std::optional<History>();
    is_done_ = true;
    Result<History> history = read_(opened_);
    opened_ = {};
    if (!history) return std::move(history).error();
    return std::optional<History>(*std::move(history));
  }
  [[nodiscard]] Format format() const override { return format_; }

 private:
  Format format_;
  Opened opened_;
  Result<History> (*read_)(Opened&);
  bool is_done_ = false;
};

}  // namespace

std::string_view name(Format format) { return entry_of(format).name; }

Result<Format> parse_format(std::string_view text) {
  for (const FormatEntry* f : kFormats)
    if (f->name == text || std::find(f->aliases.begin(), f->aliases.end(),
                                     text) != f->aliases.end())
      return f->format;
  return Error{{},
               "unknown history format '" + std::string(text) + "'",
               "formats: " + format_names(),
               ""};
}

std::unique_ptr<HistorySource> one_history(Format format, Opened opened,
                                           Result<History> (*read)(Opened&)) {
  return std::make_unique<OneHistory>(format, std::move(opened), read);
}

bool is_known_history(const std::string& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    const auto sample = sample_of_directory(path);
    return !sample || detect(*sample, path) != nullptr;
  }
  auto input = Input::open(path);
  if (!input || misplaced(path, "", FileKind::History)) return false;
  Sample sample;
  sample.head = input->head();
  return !sample.head.empty() && score(sample, path).score >= kGoodScore;
}

Result<std::unique_ptr<HistorySource>> open_history(
    const std::string& path, const ReadOptions& options) {
  std::error_code ignored;
  if (path != "-" && fs::is_directory(path, ignored))
    return open_directory(path, options);
  auto input = Input::open_ahead(
      path, options.reads_ahead ? Input::Ahead::All : Input::Ahead::Compressed);
  if (!input) return std::move(input).error();
  return open_input(*std::move(input), options);
}

Result<std::unique_ptr<HistorySource>> open_history_text(
    std::string file_name, std::string text, const ReadOptions& options) {
  return open_input(Input::of_text(std::move(file_name), std::move(text)),
                    options);
}

}  // namespace txscope::read
