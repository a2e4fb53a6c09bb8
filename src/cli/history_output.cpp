#include "cli/history_output.h"

#include <cstdio>
#include <memory>
#include <set>

#include "base/file.h"
#include "base/interrupt.h"
#include "cli/diagnostics.h"
#include "cli/guard.h"
#include "cli/output.h"
#include "read/writers/write_history.h"

namespace txscope::cli {
namespace {

Result<WriteFormat> wanted_format(const Options& options,
                                  const std::string& file) {
  if (!options.to.empty()) return parse_write_format(options.to);
  if (!file.empty()) return write_format_of(file);
  return WriteFormat::Jsonl;
}

Error too_many(const std::string& file, WriteFormat format) {
  return Error{Place{file, 0, 0, {}},
               "the input has several histories, a file of format '" +
                   std::string(name(format)) + "' holds one",
               "convert to jsonl", ""};
}

}  // namespace

Result<Done> write_histories(const Options& options, const NextHistory& next) {
  const std::string& path = options.outputs.front().file;
  const auto format = wanted_format(options, path);
  if (!format) return format.error();
  std::unique_ptr<AtomicFile> file;
  if (!path.empty()) {
    auto opened = AtomicFile::open(path);
    if (!opened) return opened.error();
    file = *std::move(opened);
  }
  const TextSink sink = [&](std::string_view text) {
    if (file)
      file->write(text);
    else
      std::fwrite(text.data(), 1, text.size(), stdout);
  };
  const Error not_written = {Place{path, 0, 0, {}}, "interrupted; not written",
                             "", ""};
  std::set<std::string> notes;
  for (std::size_t count = 0;; ++count) {
    auto history = next();
    if (!history) return history.error();
    if (!*history) break;
    if (interrupted() != 0) return not_written;
    if (count == 1 && !holds_several(*format)) return too_many(path, *format);
    const auto lost = write_history(**history, *format, sink);
    if (!lost) return lost.error();
    notes.insert(lost->begin(), lost->end());
  }
  if (interrupted() != 0) return not_written;
  rest_watchdogs();
  auto ok = file ? file->commit() : finish_standard_output();
  if (!ok) return ok.error();
  for (const std::string& note : notes)
    std::fprintf(stderr, "note: %s\n", shown(note).c_str());
  return Done{};
}

}  // namespace txscope::cli
