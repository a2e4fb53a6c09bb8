#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace txscope::read {

/// Where bytes come from.  A reader pulls them in pieces.
class ByteSource {
 public:
  struct Failure {
    std::string what;
    std::string hint;
    std::optional<std::uint64_t> offset;  ///< in the file as it is stored
  };

  virtual ~ByteSource() = default;
  /// Up to `size` bytes; 0 at the end or at a failure.
  virtual std::size_t read(char* to, std::size_t size) = 0;
  /// True if read() unpacks, which takes longer than to read what it gives.
  [[nodiscard]] virtual bool unpacks() const { return false; }
  /// Why the last read() gave nothing, if it was not the end.
  [[nodiscard]] const std::optional<Failure>& failure() const {
    return failure_;
  }

 protected:
  std::optional<Failure> failure_;
};

/// A file as it is stored; "-" is standard input.
[[nodiscard]] Result<std::unique_ptr<ByteSource>> open_bytes(
    const std::string& path);
/// A file that somebody still writes: at its end read() waits for more, until
/// `is_over` says that there will be none.
[[nodiscard]] Result<std::unique_ptr<ByteSource>> open_growing_bytes(
    const std::string& path, std::function<bool()> is_over);
[[nodiscard]] std::unique_ptr<ByteSource> bytes_of(std::string text);
/// The same bytes, decompressed if they begin as gzip or zstd data do.
[[nodiscard]] std::unique_ptr<ByteSource> decompressed(
    std::unique_ptr<ByteSource> source);

/// The same bytes, fetched by a thread of its own before they are asked for.
/// For sources whose read() always returns: the end waits for it.
[[nodiscard]] std::unique_ptr<ByteSource> read_ahead(
    std::unique_ptr<ByteSource> source);

}  // namespace txscope::read
