#include "verb/input/history_output.h"

#include <set>
#include <utility>

#include "base/interrupt.h"
#include "read/writers/write_history.h"

namespace txscope::verb {
namespace {

Result<read::WriteFormat> wanted_format(const HistorySink& sink) {
  if (!sink.to.empty()) return read::parse_write_format(sink.to);
  if (!sink.file.empty()) return read::write_format_of(sink.file);
  return read::WriteFormat::Jsonl;
}

Error too_many(const std::string& file, read::WriteFormat format) {
  return Error{Place{file, 0, 0, {}},
               "the input has several histories, a file of format '" +
                   std::string(name(format)) + "' holds one",
               "convert to jsonl", ""};
}

}  // namespace

Result<Done> write_histories(const HistorySink& sink, const NextHistory& next,
                             Report& report) {
  const auto format = wanted_format(sink);
  if (!format) return format.error();
  const Error not_written = {Place{sink.file, 0, 0, {}},
                             "interrupted; not written", "", ""};
  std::set<std::string> notes;
  for (std::size_t count = 0;; ++count) {
    auto history = next();
    if (!history) return history.error();
    if (!*history) break;
    if (interrupted() != 0) return not_written;
    if (count == 1 && !read::holds_several(*format))
      return too_many(sink.file, *format);
    const auto lost = read::write_history(**history, *format, sink.write);
    if (!lost) return lost.error();
    notes.insert(lost->begin(), lost->end());
  }
  if (interrupted() != 0) return not_written;
  report.notes.insert(report.notes.end(), notes.begin(), notes.end());
  return Done{};
}

Result<Done> write_history(const HistorySink& sink, History history,
                           Report& report) {
  std::optional<History> rest = std::move(history);
  const auto next = [&]() -> Result<std::optional<History>> {
    return std::exchange(rest, std::nullopt);
  };
  return write_histories(sink, next, report);
}

}  // namespace txscope::verb
