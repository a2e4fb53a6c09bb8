#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/budget.h"
#include "base/result.h"
#include "model/history.h"

namespace txscope::read {

enum class Format : std::uint8_t {
  Jsonl,  ///< txscope's own
  Edn,  ///< Jepsen and Elle: list-append, rw-register, cas-register, long-fork,
        ///< kv
  ElleJson,      ///< elle-cli's JSON of the same
  Plume,         ///< PolySI, Plume and IsoVista text: r(k,v,session,txn)
  Awdit,         ///< AWDIT's test text
  DbcopBincode,  ///< dbcop 2019, binary
  DbcopJson,     ///< dbcop 0.2, JSON
  DbcopHist,     ///< dbcop 0.2, text
  Cobra,         ///< a directory of T*.log
  Viper,         ///< a directory of J*.log
  TimeKiller,    ///< JSON with timestamps
  EtcdLog,       ///< Jepsen's etcd register logs
};

[[nodiscard]] std::string_view name(Format format);
[[nodiscard]] Result<Format> parse_format(std::string_view text);

struct ReadOptions {
  std::optional<Format> format;  ///< else told by content
  bool judge_aborted = false;
  bool reads_ahead = false;  ///< by a second thread; large compressed files
                             ///< always are
  /// Reading stops with an error when it ends; must outlive the source.
  const Budget* budget = nullptr;
};

/// The histories of one input, one after the other; only one is in memory.
class HistorySource {
 public:
  virtual ~HistorySource() = default;
  /// The next history, or nothing at the end.  An input without any history
  /// is an error at the first call.
  [[nodiscard]] virtual Result<std::optional<History>> next() = 0;
  [[nodiscard]] virtual Format format() const = 0;
};

/// Opens a file or directory, plain, gzip or zstd ("-" is standard input).
[[nodiscard]] Result<std::unique_ptr<HistorySource>> open_history(
    const std::string& path, const ReadOptions& options);
/// The same for text in memory; `name` is the file in messages.
[[nodiscard]] Result<std::unique_ptr<HistorySource>> open_history_text(
    std::string name, std::string text, const ReadOptions& options);

}  // namespace txscope::read
