#include "support/xml.h"

#include <cctype>
#include <stdexcept>

namespace txscope::test {
namespace {

class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text) {}

  XmlElement document() {
    if (text_.rfind("<?xml ", 0) == 0) {
      at_ = text_.find("?>");
      if (at_ == std::string::npos) fail("the declaration has no end");
      at_ += 2;
    }
    space();
    XmlElement root = element();
    space();
    if (at_ != text_.size()) fail("something follows the root");
    return root;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw std::runtime_error(why + " at " + std::to_string(at_));
  }
  [[nodiscard]] char now() const { return at_ < text_.size() ? text_[at_] : 0; }
  void take(char c) {
    if (now() != c) fail(std::string("expected ") + c);
    ++at_;
  }
  void space() {
    while (now() == ' ' || now() == '\n' || now() == '\t' || now() == '\r')
      ++at_;
  }
  std::string name() {
    const std::size_t begin = at_;
    while (std::isalnum(static_cast<unsigned char>(now())) != 0 ||
           now() == '-' || now() == '_')
      ++at_;
    if (begin == at_) fail("expected a name");
    return text_.substr(begin, at_ - begin);
  }
  /// Up to `end`; references are resolved, characters must be ones of XML.
  std::string content(char end) {
    std::string out;
    while (now() != end) {
      if (at_ >= text_.size()) fail("the text ends");
      const auto c = static_cast<unsigned char>(now());
      if (c == '<') fail("< in a value");
      if (c < 0x20 && c != '\n' && c != '\t' && c != '\r')
        fail("a control character");
      if (c == '&') {
        out += reference();
        continue;
      }
      if (c == 0xEF && text_.compare(at_, 2, "\xEF\xBF") == 0 &&
          static_cast<unsigned char>(text_[at_ + 2]) >= 0xBE)
        fail("no character of XML");
      out += now();
      ++at_;
    }
    return out;
  }
  std::string reference() {
    const std::size_t end = text_.find(';', at_);
    if (end == std::string::npos || end > at_ + 8) fail("a bare &");
    const std::string name_of = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    if (name_of == "amp") return "&";
    if (name_of == "lt") return "<";
    if (name_of == "gt") return ">";
    if (name_of == "quot") return "\"";
    if (name_of == "apos") return "'";
    if (name_of == "#10") return "\n";
    if (name_of == "#9") return "\t";
    fail("an unknown reference " + name_of);
  }
  XmlElement element() {
    take('<');
    XmlElement out;
    out.name = name();
    for (space(); now() != '>' && now() != '/'; space()) {
      const std::string key = name();
      take('=');
      take('"');
      if (!out.attributes.emplace(key, content('"')).second)
        fail("an attribute twice: " + key);
      take('"');
    }
    if (now() == '/') {
      take('/');
      take('>');
      return out;
    }
    take('>');
    for (;;) {
      out.text += content('<');
      if (text_.compare(at_, 2, "</") == 0) break;
      out.children.push_back(element());
    }
    at_ += 2;
    if (name() != out.name) fail("the wrong end tag");
    take('>');
    return out;
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

}  // namespace

XmlElement parse_xml(const std::string& text) {
  try {
    return Parser(text).document();
  } catch (const std::exception& error) {
    XmlElement wrong;
    wrong.text = error.what();
    return wrong;
  }
}

}  // namespace txscope::test
