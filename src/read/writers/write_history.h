#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/history.h"

namespace txscope::read {

enum class WriteFormat : std::uint8_t {
  Jsonl,  ///< txscope's own; holds everything
  Edn,    ///< Jepsen and Elle: list-append, rw-register
  Plume,  ///< PolySI, Plume and IsoVista text
};

[[nodiscard]] std::string_view name(WriteFormat format);
[[nodiscard]] Result<WriteFormat> parse_write_format(std::string_view text);
/// The format that the extension of a file name stands for.
[[nodiscard]] Result<WriteFormat> write_format_of(const std::string& path);
/// True if a file of that format may hold several histories.
[[nodiscard]] bool holds_several(WriteFormat format);

/// Takes the text of a history, piece by piece.
using TextSink = std::function<void(std::string_view)>;

/// Writes a history such that reading it back gives the same verdict at every
/// level.  What the format cannot say and a verdict may depend on is an error,
/// and nothing is written; what is merely lost is told in the notes
/// ("transaction ids are left out"), sentences for the user.
[[nodiscard]] Result<std::vector<std::string>> write_history(
    const History& history, WriteFormat format, const TextSink& sink);

}  // namespace txscope::read
