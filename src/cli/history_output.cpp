#include "cli/history_output.h"

#include <cstdio>
#include <memory>

#include "base/file.h"
#include "cli/diagnostics.h"
#include "cli/guard.h"
#include "cli/output.h"

namespace txscope::cli {

int write_histories(
    const Options& options,
    const std::function<Result<verb::Report>(TextSink sink)>& run) {
  const std::string& path = options.outputs.front().file;
  std::unique_ptr<AtomicFile> file;
  std::optional<Error> unopened;
  const auto report = run([&](std::string_view text) {
    if (!path.empty() && file == nullptr && !unopened) {
      auto opened = AtomicFile::open(path);
      if (opened)
        file = *std::move(opened);
      else
        unopened = opened.error();
    }
    if (file)
      file->write(text);
    else if (!unopened)
      std::fwrite(text.data(), 1, text.size(), stdout);
  });
  if (unopened) return report_error(*unopened);
  if (!report) return report_error(report.error());
  rest_watchdogs();
  const auto ok = file ? file->commit() : finish_standard_output();
  if (!ok) return report_error(ok.error());
  for (const std::string& note : report->notes)
    std::fprintf(stderr, "note: %s\n", shown(note).c_str());
  std::fputs(report->summary.c_str(), stderr);
  return verb::status_of(*report);
}

}  // namespace txscope::cli
