#include "db/proxy/wire.h"

#include <algorithm>

namespace txscope::db {
namespace {

constexpr std::size_t kHead = 5;  // type and length

std::uint32_t big_endian(std::string_view bytes) {
  std::uint32_t number = 0;
  for (const char c : bytes)
    number = number << 8 | static_cast<unsigned char>(c);
  return number;
}

}  // namespace

std::string_view WireReader::bytes(std::size_t count) {
  if (count > bytes_.size()) {
    is_good_ = false;
    bytes_ = {};
    return {};
  }
  const std::string_view result = bytes_.substr(0, count);
  bytes_.remove_prefix(count);
  return result;
}

std::uint8_t WireReader::byte() {
  return static_cast<std::uint8_t>(big_endian(bytes(1)));
}
std::uint16_t WireReader::int16() {
  return static_cast<std::uint16_t>(big_endian(bytes(2)));
}
std::uint32_t WireReader::int32() { return big_endian(bytes(4)); }

std::string_view WireReader::text() {
  const std::size_t end = bytes_.find('\0');
  if (end == std::string_view::npos) {
    is_good_ = false;
    bytes_ = {};
    return {};
  }
  const std::string_view result = bytes_.substr(0, end);
  bytes_.remove_prefix(end + 1);
  return result;
}

/// How many bytes of a message must be there before it is told; of its head as
/// long as that is not whole.
std::size_t WireSplitter::wanted(std::string_view head) const {
  if (head.size() < kHead) return kHead;
  const std::size_t size = std::size_t{1} + big_endian(head.substr(1, 4));
  return size > limit_ ? std::min(size, kHead + kBeginning) : size;
}

bool WireSplitter::feed(std::string_view bytes,
                        const std::function<void(const Message&)>& take) {
  if (is_broken_) return false;
  while (!bytes.empty()) {
    if (skipping_ > 0) {
      const std::size_t skipped = static_cast<std::size_t>(
          std::min<std::uint64_t>(skipping_, bytes.size()));
      skipping_ -= skipped;
      bytes.remove_prefix(skipped);
      continue;
    }
    // Whole messages are taken from where they are; only a cut one is copied.
    const bool is_cut = !kept_.empty() || bytes.size() < wanted(bytes);
    if (is_cut) {
      const std::size_t added =
          std::min(wanted(kept_) - kept_.size(), bytes.size());
      kept_.append(bytes.substr(0, added));
      bytes.remove_prefix(added);
    }
    const std::string_view all = is_cut ? std::string_view(kept_) : bytes;
    if (all.size() < kHead) return true;
    const std::size_t length = big_endian(all.substr(1, 4));
    if (length < 4) {
      is_broken_ = true;
      return false;
    }
    const std::size_t told = wanted(all);
    if (all.size() < told) continue;  // the head is there now, or no more is
    const std::size_t size = length + 1;
    take({all[0], size <= limit_, all.substr(kHead, told - kHead)});
    skipping_ = size - told;
    if (is_cut)
      kept_.clear();
    else
      bytes.remove_prefix(told);
  }
  return true;
}

std::string fatal_message(std::string_view sqlstate, std::string_view text) {
  std::string body;
  const auto field = [&](char name, std::string_view value) {
    body += name;
    body += value;
    body += '\0';
  };
  field('S', "FATAL");
  field('V', "FATAL");
  field('C', sqlstate);
  field('M', text);
  body += '\0';
  const std::uint32_t length = static_cast<std::uint32_t>(body.size() + 4);
  std::string message = "E";
  for (int shift = 24; shift >= 0; shift -= 8)
    message += static_cast<char>(length >> shift & 255);
  return message + body;
}

}  // namespace txscope::db
