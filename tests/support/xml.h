#pragma once

#include <map>
#include <string>
#include <vector>

namespace txscope::test {

struct XmlElement {
  std::string name;  ///< empty: the text is no XML; `text` says why
  std::map<std::string, std::string> attributes;
  std::vector<XmlElement> children;
  std::string text;
};

/// A document of XML 1.0 without namespaces, DTD or comments: as strict as the
/// standard where it looks, so that what it takes every parser takes.
[[nodiscard]] XmlElement parse_xml(const std::string& text);

}  // namespace txscope::test
