#include "read/histories/json_shape.h"

#include <algorithm>

namespace txscope::read {
namespace {

constexpr std::size_t kMaxNames = 64;
constexpr std::string_view kBlank = " \t\r\n";

/// Walks over text that may be cut off or no JSON at all.
class Outline {
 public:
  explicit Outline(std::string_view text) : text_(text) {}

  char next() {
    at_ = std::min(text_.find_first_not_of(kBlank, at_), text_.size());
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  void step() { ++at_; }
  std::string string() {
    const std::size_t first = ++at_;
    while (at_ < text_.size() && text_[at_] != '"')
      at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_, text_.size());
    std::string found(text_.substr(first, at_ - first));
    if (at_ < text_.size()) ++at_;
    return found;
  }
  /// Everything up to the comma or bracket that ends a value.
  void skip_value() {
    std::size_t depth = 0;
    for (char c = next(); c != '\0'; c = next()) {
      if (c == '"') {
        string();
        continue;
      }
      if (c == '{' || c == '[') ++depth;
      if (depth == 0 && (c == ',' || c == '}' || c == ']')) return;
      if (c == '}' || c == ']') --depth;
      step();
    }
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

bool JsonShape::has(std::string_view name) const {
  return std::find(names.begin(), names.end(), name) != names.end();
}

JsonShape json_shape(std::string_view head) {
  if (head.starts_with("\xef\xbb\xbf")) head.remove_prefix(3);
  JsonShape shape;
  Outline outline(head);
  while (outline.next() == '[' && shape.brackets.size() < 4) {
    shape.brackets += '[';
    outline.step();
  }
  if (outline.next() != '{') return shape;
  outline.step();
  if (outline.next() != '"' && outline.next() != '}') return shape;
  shape.brackets += '{';
  while (outline.next() == '"' && shape.names.size() < kMaxNames) {
    shape.names.push_back(outline.string());
    if (outline.next() != ':') return shape;
    outline.step();
    if (shape.names.back() == "txscope" && outline.next() == '"')
      shape.txscope = outline.string();
    outline.skip_value();
    if (outline.next() != ',') break;
    outline.step();
  }
  return shape;
}

}  // namespace txscope::read
