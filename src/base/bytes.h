#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace txscope {

/// Numbers and texts one after the other, for another process on a machine of
/// the same kind.
class ByteWriter {
 public:
  void number(std::uint64_t n) {
    bytes_.append(reinterpret_cast<const char*>(&n), sizeof n);
  }
  void text(std::string_view text) {
    number(text.size());
    bytes_ += text;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Reads what ByteWriter wrote; gives 0 and "" beyond its end.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t number() {
    std::uint64_t n = 0;
    if (bytes_.size() < sizeof n) {
      is_good_ = false;
      return 0;
    }
    std::memcpy(&n, bytes_.data(), sizeof n);
    bytes_.remove_prefix(sizeof n);
    return n;
  }
  std::string_view text() { return raw(number()); }
  std::string_view raw(std::uint64_t size) {
    if (size > bytes_.size()) {
      is_good_ = false;
      size = 0;
    }
    const std::string_view text = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return text;
  }
  [[nodiscard]] std::string_view rest() const { return bytes_; }
  [[nodiscard]] bool is_good() const { return is_good_; }

 private:
  std::string_view bytes_;
  bool is_good_ = true;
};

}  // namespace txscope
