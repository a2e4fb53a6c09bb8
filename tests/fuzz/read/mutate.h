#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"

namespace txscope {

/// Spoils a text a little: flipped bits, cut, repeated, moved and foreign
/// pieces, numbers at the edge of what is possible, and tokens of the format.
class Mutator {
 public:
  Mutator(Random& random, std::vector<std::string> tokens)
      : random_(random), tokens_(std::move(tokens)) {}

  std::string operator()(std::string text, const std::string& other) {
    for (auto rounds = 1 + random_.below(4); rounds > 0; --rounds)
      step(text, other);
    return text;
  }

 private:
  std::size_t place(const std::string& text) {
    return text.empty() ? 0 : random_.below(text.size() + 1);
  }
  void step(std::string& text, const std::string& other) {
    const std::size_t at = place(text);
    const std::size_t size = 1 + random_.below(random_.chance(0.2) ? 200 : 8);
    switch (random_.below(8)) {
      case 0:
        if (at < text.size())
          text[at] = static_cast<char>(text[at] ^ (1 << random_.below(8)));
        return;
      case 1: text.resize(at); return;
      case 2: text.erase(at, size); return;
      case 3: text.insert(at, text.substr(place(text), size)); return;
      case 4: text.insert(at, other.substr(place(other), size)); return;
      case 5: text.insert(at, tokens_[random_.below(tokens_.size())]); return;
      case 6: number(text, at); return;
      default: {
        std::string bytes;
        for (std::size_t i = 0; i < size; ++i)
          bytes += static_cast<char>(random_.below(256));
        text.replace(at, random_.below(2) * size, bytes);
      }
    }
  }
  // Replaces the next number by one that is hard to hold.
  void number(std::string& text, std::size_t at) {
    static constexpr std::string_view kEdges[] = {
        "0",
        "-1",
        "-0",
        "18446744073709551615",
        "18446744073709551616",
        "-9223372036854775808",
        "-9223372036854775809",
        "2305843009213693952",
        "99999999999999999999999999999999999999999999999999999999999999999999",
        "1e400",
        "NaN",
        "0.5",
        "007"};
    const std::size_t first = text.find_first_of("0123456789", at);
    if (first == std::string::npos) return;
    const std::size_t last = text.find_first_not_of("0123456789", first);
    text.replace(first, last == std::string::npos ? last : last - first,
                 kEdges[random_.below(std::size(kEdges))]);
  }

  Random& random_;
  std::vector<std::string> tokens_;
};

}  // namespace txscope
