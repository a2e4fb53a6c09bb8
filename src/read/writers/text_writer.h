#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "read/writers/write_history.h"

namespace txscope::read {

/// Gathers small pieces of text for a sink.
class TextWriter {
 public:
  explicit TextWriter(const TextSink& sink) : sink_(sink) {}
  TextWriter(const TextWriter&) = delete;
  TextWriter& operator=(const TextWriter&) = delete;
  ~TextWriter() { sink_(text_); }

  TextWriter& operator<<(std::string_view piece) {
    text_ += piece;
    if (text_.size() >= kPiece) flush();
    return *this;
  }
  TextWriter& operator<<(char c) { return *this << std::string_view(&c, 1); }
  TextWriter& operator<<(std::int64_t number) { return decimal(number); }
  TextWriter& operator<<(std::uint64_t number) { return decimal(number); }

 private:
  static constexpr std::size_t kPiece = 1 << 16;

  template <class Number>
  TextWriter& decimal(Number number) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    return *this << std::string_view(digits,
                                     static_cast<std::size_t>(end - digits));
  }
  void flush() {
    sink_(text_);
    text_.clear();
  }

  const TextSink& sink_;
  std::string text_;
};

/// One way of writing per format; each in a file of its own.
[[nodiscard]] Result<std::vector<std::string>> write_jsonl(
    const History& history, const TextSink& sink);
[[nodiscard]] Result<std::vector<std::string>> write_edn(const History& history,
                                                         const TextSink& sink);
[[nodiscard]] Result<std::vector<std::string>> write_plume(
    const History& history, const TextSink& sink);

/// A string in double quotes, with the escapes that JSON and EDN share.
void write_quoted(TextWriter& out, std::string_view text);

/// That a format cannot hold a history, and why.
[[nodiscard]] Error cannot_write(const History& history, std::string what,
                                 std::string hint = "");

/// Names sessions by integers: their own names if all are such, from 0 on
/// otherwise.
class SessionNumbers {
 public:
  explicit SessionNumbers(const History& history);
  [[nodiscard]] std::uint64_t operator[](SessionId s) const {
    return numbers_[s.index];
  }
  [[nodiscard]] bool are_new() const { return are_new_; }

 private:
  std::vector<std::uint64_t> numbers_;
  bool are_new_ = false;
};

}  // namespace txscope::read
