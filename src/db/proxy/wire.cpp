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
    std::string_view all = bytes;
    if (!kept_.empty()) {
      const std::size_t before = kept_.size();
      std::size_t wanted = kHead;
      if (before >= kHead)
        wanted = std::size_t{1} + big_endian(std::string_view(kept_).substr(1, 4));
      const std::size_t added = std::min(wanted - before, bytes.size());
      kept_.append(bytes.substr(0, added));
      bytes.remove_prefix(added);
      all = kept_;
      if (all.size() < wanted) return true;
    }
    if (all.size() < kHead) {
      kept_.assign(all);
      return true;
    }
    const std::uint64_t length = big_endian(all.substr(1, 4));
    if (length < 4) {
      is_broken_ = true;
      return false;
    }
    const std::uint64_t size = length + 1;
    if (size > limit_) {
      take({all[0], false, {}});
      if (!kept_.empty()) {
        skipping_ = size - kept_.size();
        kept_.clear();
      } else {
        skipping_ = size;
      }
      continue;
    }
    if (all.size() < size) {
      if (kept_.empty()) {
        kept_.assign(all);
        return true;
      }
      continue;  // the head is there now: go on with the rest of it
    }
    const std::string_view body = all.substr(kHead, size - kHead);
    take({all[0], true, body});
    if (!kept_.empty())
      kept_.clear();
    else
      bytes.remove_prefix(static_cast<std::size_t>(size));
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
