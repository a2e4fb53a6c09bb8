#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "read/histories/history_source.h"
#include "read/input.h"

namespace txscope::read {

/// What detection sees of an input: its first bytes, or the names of the files
/// in it if it is a directory (sorted).
struct Sample {
  std::string_view head;
  bool is_directory = false;
  std::vector<std::string> entries;
};

/// How well a sample fits a format.  The surest format wins; between equally
/// sure ones the extension decides, then the order of the table.
enum class Match : std::uint8_t { No, Possible, Sure };

/// An input whose format is known.  Formats that are one file use `input`,
/// those that are directories the path and its entries.
struct Opened {
  std::string path;
  std::optional<Input> input;
  std::vector<std::string> entries;
  ReadOptions options;
};

/// All that is known about one format: each is defined in a file of its own
/// and listed in detect.cpp.
struct FormatEntry {
  Format format;
  std::string_view name;         ///< for --input-format and messages
  std::string_view description;  ///< "Jepsen and Elle histories (EDN)"
  std::vector<std::string_view> aliases;
  std::vector<std::string_view> extensions;  ///< with their dot
  Match (*looks)(const Sample&);
  std::unique_ptr<HistorySource> (*open)(Opened);
  bool is_directory = false;
};

extern const FormatEntry kJsonlFormat;
extern const FormatEntry kEdnFormat;
extern const FormatEntry kElleJsonFormat;
extern const FormatEntry kPlumeFormat;
extern const FormatEntry kAwditFormat;
extern const FormatEntry kDbcopBincodeFormat;
extern const FormatEntry kDbcopJsonFormat;
extern const FormatEntry kDbcopHistFormat;
extern const FormatEntry kCobraFormat;
extern const FormatEntry kViperFormat;
extern const FormatEntry kTimeKillerFormat;
extern const FormatEntry kEtcdLogFormat;

/// True if a file or directory is surely a history, or looks like one and has
/// the extension of its format; or cannot be listed, which is to be told.
[[nodiscard]] bool is_known_history(const std::string& path);

/// A source for a format that holds one history per input.
[[nodiscard]] std::unique_ptr<HistorySource> one_history(
    Format format, Opened opened, Result<History> (*read)(Opened&));

}  // namespace txscope::read
