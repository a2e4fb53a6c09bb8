#pragma once

#include <txscope/report.h>
#include <txscope/status.h>

#include <string>
#include <string_view>
#include <vector>

namespace txscope::verb {

// One writer per format.  `check` writes while it processes histories, so only
// the formats of its request are available.

/// For people: the verdict first, then why.
[[nodiscard]] std::string text(const Report& report);
/// The elements of "results" in the envelope that all JSON reports share.
/// It takes time and memory to make, so make it last.
[[nodiscard]] std::string json(const Report& report);
/// For Graphviz.
[[nodiscard]] std::string dot(const Report& report);

/// A finding that is known from an earlier report.
struct KnownFinding {
  std::string id;
  std::string title;
  std::string mark;  ///< "bug", "accepted", "false"; empty: none
  std::string note;
};

/// What a report says besides what the engines found.
struct DocumentContext {
  std::string command;  ///< as it was typed; may be empty
  StatusOptions status;
  /// The report's inputs are names of files that can be read again, to show
  /// their lines beside what happened.
  bool inputs_are_files = false;
  bool has_baseline = false;
  std::vector<KnownFinding> baseline;
};

/// By the format's name: text, json, dot, html, sarif, junit, github, gitlab,
/// markdown, csv, lines.
[[nodiscard]] std::string written(const Report& report, std::string_view format,
                                  const DocumentContext& context = {});

}  // namespace txscope::verb
