#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "base/result.h"
#include "read/bytes.h"

namespace txscope::read {

/// One input as a stream, decompressed on the way.  Only a window of it is in
/// memory.  Readers take lines, raw bytes, or work on the window itself:
///
///     for (std::string_view line; input.next_line(line);) ...
///     if (input.error()) return *input.error();
///
/// Calls that give nothing more are at the end or at an error; error() tells.
/// Views stay valid until the next call that may fetch: next_line, more, head,
/// take.
class Input {
 public:
  static constexpr std::size_t kMaxLine = std::size_t{1} << 31;

  Input(Input&&) noexcept;
  Input& operator=(Input&&) noexcept;
  ~Input();

  [[nodiscard]] static Result<Input> open(const std::string& path);
  /// Which inputs a thread of its own reads ahead, if they are regular files:
  /// all, or where that pays even if nobody asked for it, which are large
  /// compressed ones on a machine with more than one processor.
  enum class Ahead : std::uint8_t { Compressed, All };
  [[nodiscard]] static Result<Input> open_ahead(const std::string& path,
                                                Ahead ahead);
  /// A file that grows, see open_growing_bytes.
  [[nodiscard]] static Result<Input> follow(const std::string& path,
                                            std::function<bool()> is_over);
  [[nodiscard]] static Input of_text(std::string name, std::string text);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

  /// From here on reading ends with an error when the budget does.
  void set_budget(const Budget* budget) { budget_ = budget; }

  /// The first bytes (up to 64 KiB), without consuming them.
  [[nodiscard]] std::string_view head();
  /// From here on the input is text: a byte-order mark is skipped; invalid
  /// UTF-8 and zero bytes are errors when they are reached.
  void expect_text();

  /// The next line without its line end (LF or CRLF); false if there is none.
  /// A line longer than `limit` is an error.
  bool next_line(std::string_view& line, std::size_t limit = kMaxLine);
  /// Number of the current line, from 1.
  [[nodiscard]] std::uint64_t line() const { return line_; }

  /// The next `size` bytes, or fewer at the end of the input.
  [[nodiscard]] std::string_view take(std::size_t size);
  /// Position of the window's beginning in the decompressed input.
  [[nodiscard]] std::uint64_t offset() const { return base_ + begin_; }

  [[nodiscard]] std::uint64_t offset_of(const char* in_window) const {
    return base_ + static_cast<std::size_t>(in_window - buffer_.get());
  }
  /// How many bytes before the window are still in memory.
  [[nodiscard]] std::size_t behind() const { return begin_; }

  /// What is in memory and not consumed.
  [[nodiscard]] std::string_view window() const {
    return {buffer_.get() + begin_, end_ - begin_};
  }
  /// Makes the window longer; false at the end or at an error.  The text may
  /// move, the unconsumed part stays complete.
  bool more();
  void consume(std::size_t count) { begin_ += count; }
  /// Says that a line begins `ahead` bytes into the window; for readers that
  /// work on the window.
  void line_begins(std::size_t ahead) {
    ++line_;
    line_start_ = base_ + begin_ + ahead;
  }
  /// The same as next_line(), for who knows that the window begins with a line
  /// of so many bytes, its end included.
  void pass_line(std::size_t size) {
    line_begins(0);
    lost_in_line_ = 0;
    consume(size);
  }

  /// An error in the current line, at a place in its text (for next_line: the
  /// line; else the window).  The source line is cut down to what is around
  /// that place.
  [[nodiscard]] Error error_at(const char* where, std::string what,
                               std::string hint = "") const;
  /// An error that concerns the current line as a whole.
  [[nodiscard]] Error error_in_line(std::string what,
                                    std::string hint = "") const;
  /// An error at a byte of a binary input.
  [[nodiscard]] Error error_at_offset(std::uint64_t offset, std::string what,
                                      std::string hint = "") const;

 private:
  Input(std::string name, std::unique_ptr<ByteSource> source);
  void fetch();
  void make_room();
  void forget(std::size_t count);
  void check_text();
  [[nodiscard]] std::size_t line_in_buffer() const;
  [[nodiscard]] Error text_error();

  std::string name_;
  const Budget* budget_ = nullptr;
  std::unique_ptr<ByteSource> source_;
  std::optional<Error> error_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;    // of the window
  std::size_t end_ = 0;      // of the window: text that may be handed out
  std::size_t raw_end_ = 0;  // what was fetched; beyond end_ an unfinished or
                             // invalid character
  std::uint64_t base_ = 0;   // offset of buffer_[0] in the input
  std::uint64_t line_ = 0;
  std::uint64_t line_start_ = 0;    // offset of the current line
  std::uint64_t lost_in_line_ = 0;  // its continuation bytes that are gone
  bool is_text_ = false;
  bool is_bad_text_ = false;  // at end_ there is something that is no text
  bool is_at_end_ = false;
};

}  // namespace txscope::read
