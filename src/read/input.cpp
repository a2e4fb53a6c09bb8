#include "read/input.h"

#include <simdjson.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <filesystem>
#include <thread>

#include "read/utf8.h"

namespace txscope::read {
namespace {

constexpr std::size_t kChunk = 256 * 1024;
constexpr std::size_t kLargePacked = 256 * 1024;  // unpacked in milliseconds
constexpr std::size_t kHead = 64 * 1024;
constexpr std::size_t kContext = 256;  // kept behind the window for messages
constexpr std::size_t kShown = 120;    // longest source line in a message

// Fills in the part of a line that is worth showing: all of it, or what is
// around `at` if it is long.
void show_around(std::string_view line, std::size_t at, bool is_cut_before,
                 Error& error) {
  at = std::min(at, line.size());
  std::size_t first = 0;
  if (line.size() > kShown && at > kShown / 2) first = at - kShown / 2;
  while (first > 0 && utf8::is_continuation(line[first])) --first;
  std::size_t last = std::min(line.size(), first + kShown);
  while (last < line.size() && utf8::is_continuation(line[last])) ++last;
  std::string shown;
  if (first > 0 || is_cut_before) shown = "...";
  const std::size_t dots = shown.size();
  shown += line.substr(first, last - first);
  if (last < line.size()) shown += "...";
  for (char& c : shown)
    if ((c >= 0 && c < 0x20 && c != '\t') || c == 0x7f) c = '?';
  if (dots != 0)
    error.caret = static_cast<std::uint32_t>(
        dots + utf8::length(line.substr(first, at - first)) + 1);
  error.source_line = std::move(shown);
}

}  // namespace

Input::Input(std::string name, std::unique_ptr<ByteSource> source)
    : name_(std::move(name)), source_(decompressed(std::move(source))) {}

Input::Input(Input&&) noexcept = default;
Input& Input::operator=(Input&&) noexcept = default;
Input::~Input() = default;

Result<Input> Input::follow(const std::string& path,
                            std::function<bool()> is_over) {
  auto bytes = open_growing_bytes(path, std::move(is_over));
  if (!bytes) return std::move(bytes).error();
  return Input(path, *std::move(bytes));
}

Result<Input> Input::open(const std::string& path) {
  auto bytes = open_bytes(path);
  if (!bytes) return std::move(bytes).error();
  return Input(path == "-" ? "<stdin>" : path, *std::move(bytes));
}

Result<Input> Input::open_ahead(const std::string& path, Ahead ahead) {
  auto input = open(path);
  std::error_code failed;
  if (!input || !std::filesystem::is_regular_file(path, failed)) return input;
  const bool pays = input->source_->unpacks() &&
                    std::filesystem::file_size(path, failed) >= kLargePacked &&
                    std::thread::hardware_concurrency() > 1;
  if (ahead == Ahead::All || pays)
    input->source_ = read_ahead(std::move(input->source_));
  return input;
}

Input Input::of_text(std::string name, std::string text) {
  return Input(std::move(name), bytes_of(std::move(text)));
}

std::string_view Input::head() {
  while (end_ - begin_ < kHead && more()) {
  }
  return window().substr(0, kHead);
}

void Input::expect_text() {
  assert(!is_text_ && offset() == 0 && "text is expected from the beginning");
  is_text_ = true;
  while (end_ - begin_ < 3 && more()) {
  }
  end_ = begin_;
  check_text();
  if (window().substr(0, 3) == "\xef\xbb\xbf") {
    consume(3);
    line_start_ = 3;
  }
}

bool Input::next_line(std::string_view& line, std::size_t limit) {
  std::size_t searched = 0;
  std::size_t length = 0;
  std::size_t line_end = 0;
  for (;;) {
    const char* from = buffer_.get() + begin_ + searched;
    const std::size_t left = end_ - begin_ - searched;
    const char* found =
        left == 0 ? nullptr
                  : static_cast<const char*>(std::memchr(from, '\n', left));
    if (found != nullptr) {
      length = static_cast<std::size_t>(found - (buffer_.get() + begin_));
      line_end = length + 1;
      break;
    }
    searched = end_ - begin_;
    if (searched > limit) {
      length = line_end = searched;
      break;
    }
    if (more()) continue;
    if (error_ || searched == 0) return false;
    length = line_end = searched;
    break;
  }
  line_start_ = offset();
  ++line_;
  lost_in_line_ = 0;
  line = window().substr(0, length);
  if (length > limit) {
    error_ = error_in_line("the line is longer than " + std::to_string(limit) +
                           " bytes");
    return false;
  }
  if (line.ends_with('\r')) line.remove_suffix(1);
  consume(line_end);
  return true;
}

std::string_view Input::take(std::size_t size) {
  while (end_ - begin_ < size && more()) {
  }
  const std::string_view taken = window().substr(0, size);
  consume(taken.size());
  return taken;
}

bool Input::more() {
  const std::uint64_t old_end = base_ + end_;
  while (base_ + end_ == old_end) {
    if (error_) return false;
    // At the end, what is left over is a character that was cut off.
    if (is_bad_text_ || (is_at_end_ && raw_end_ != end_)) {
      error_ = text_error();
      return false;
    }
    if (is_at_end_) return false;
    fetch();
  }
  return true;
}

void Input::fetch() {
  if (budget_ != nullptr && budget_->spent_now()) {
    error_ = Error{
        Place{name_, 0, 0, {}},
        "the " + to_string(budget_->reason()) + " budget ended while reading",
        "", ""};
    return;
  }
  make_room();
  const std::size_t got =
      source_->read(buffer_.get() + raw_end_, capacity_ - raw_end_);
  if (got == 0) {
    is_at_end_ = true;
    if (const auto& failure = source_->failure())
      error_ = Error{Place{name_, 0, 0, failure->offset}, failure->what,
                     failure->hint, ""};
    return;
  }
  raw_end_ += got;
  if (is_text_)
    check_text();
  else
    end_ = raw_end_;
}

void Input::make_room() {
  if (capacity_ - raw_end_ >= kChunk) return;
  if (begin_ > kContext) forget(begin_ - kContext);
  if (capacity_ - raw_end_ >= kChunk) return;
  capacity_ = std::max(2 * capacity_, raw_end_ + 2 * kChunk);
  auto larger = std::make_unique_for_overwrite<char[]>(capacity_);
  std::copy_n(buffer_.get(), raw_end_, larger.get());
  buffer_ = std::move(larger);
}

void Input::forget(std::size_t count) {
  if (base_ + count > line_start_) {
    const std::size_t from =
        line_start_ > base_ ? static_cast<std::size_t>(line_start_ - base_) : 0;
    lost_in_line_ += static_cast<std::uint64_t>(std::count_if(
        buffer_.get() + from, buffer_.get() + count, utf8::is_continuation));
  }
  std::memmove(buffer_.get(), buffer_.get() + count, raw_end_ - count);
  base_ += count;
  begin_ -= count;
  end_ -= count;
  raw_end_ -= count;
}

// Moves end_ as far as what was fetched is text.
void Input::check_text() {
  const std::string_view fetched(buffer_.get() + end_, raw_end_ - end_);
  const std::size_t zero = fetched.find('\0');
  const std::string_view text = fetched.substr(0, zero);
  std::size_t good = utf8::without_cut_tail(text);
  if (!simdjson::validate_utf8(text.data(), good)) {
    good = utf8::valid_prefix(text.substr(0, good));
    is_bad_text_ = true;
  } else if (zero != std::string_view::npos) {
    is_bad_text_ = true;
  }
  end_ += good;
}

std::size_t Input::line_in_buffer() const {
  return line_start_ > base_ ? static_cast<std::size_t>(line_start_ - base_)
                             : 0;
}

// What is no text stands at end_, perhaps lines after the current one.
Error Input::text_error() {
  const char* const bad = buffer_.get() + end_;
  for (const char* p = buffer_.get() + line_in_buffer(); p != bad; ++p) {
    if (*p != '\n') continue;
    ++line_;
    line_start_ = base_ + static_cast<std::size_t>(p + 1 - buffer_.get());
    lost_in_line_ = 0;
  }
  line_ = std::max<std::uint64_t>(line_, 1);
  if (*bad == '\0')
    return error_at(bad, "a zero byte in a text file",
                    "the file is binary, UTF-16 or damaged");
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(*bad);
  return error_at(bad,
                  std::string("byte 0x") + kDigits[byte >> 4] +
                      kDigits[byte & 15] + " is not valid UTF-8 here",
                  "text has to be UTF-8; the file is binary, in another "
                  "encoding or damaged");
}

Error Input::error_at(const char* where, std::string what,
                      std::string hint) const {
  const char* first = buffer_.get() + line_in_buffer();
  std::uint64_t line = std::max<std::uint64_t>(line_, 1);
  std::uint64_t lost =
      base_ > line_start_ ? base_ - line_start_ - lost_in_line_ : 0;
  if (where < first) {  // something before the current line
    line -= static_cast<std::uint64_t>(std::count(where, first, '\n'));
    first = where;
    while (first != buffer_.get() && first[-1] != '\n') --first;
    lost = 0;
  }
  assert(where <= buffer_.get() + end_);
  const std::string_view before(first, static_cast<std::size_t>(where - first));
  const std::uint64_t column = lost + utf8::length(before) + 1;
  const std::string_view from(
      first, static_cast<std::size_t>(buffer_.get() + end_ - first));
  std::string_view text = from.substr(0, from.find('\n'));
  if (text.ends_with('\r')) text.remove_suffix(1);
  Error error{Place{name_,
                    line,
                    static_cast<std::uint32_t>(
                        std::min<std::uint64_t>(column, UINT32_MAX)),
                    {}},
              std::move(what), std::move(hint), ""};
  show_around(text, before.size(), lost != 0, error);
  return error;
}

Error Input::error_in_line(std::string what, std::string hint) const {
  Error error = error_at(buffer_.get() + line_in_buffer(), std::move(what),
                         std::move(hint));
  error.where.column = 0;
  return error;
}

Error Input::error_at_offset(std::uint64_t offset, std::string what,
                             std::string hint) const {
  return Error{Place{name_, 0, 0, offset}, std::move(what), std::move(hint),
               ""};
}

}  // namespace txscope::read
