#pragma once

#include <regex>
#include <set>
#include <string>

namespace txscope {

/// The tags of a page, outside of our own styles and scripts, with their
/// attributes' names: what an attacker would add to.
inline std::set<std::string> tags_of(std::string html) {
  // The first of them ends where the styles do.
  const std::size_t head = html.rfind("</style>\n</head>");
  if (head == std::string::npos) return {"no head"};
  html.erase(0, head + 8);
  html =
      std::regex_replace(html, std::regex("<script[^>]*>[^<]*</script>"), "");
  const std::size_t own = html.find("<script>");
  if (own != std::string::npos) html.erase(own);
  std::set<std::string> tags;
  static const std::regex tag("<(/?[a-zA-Z!][^\\s>/]*)([^>]*)>");
  for (std::sregex_iterator at(html.begin(), html.end(), tag), end; at != end;
       ++at) {
    tags.insert((*at)[1]);
    const std::string inner = (*at)[2];
    static const std::regex attribute("\\s([a-zA-Z-]+)(?:=\"([^\"<>]*)\")?");
    std::string rest = std::regex_replace(inner, attribute, "");
    if (rest != "" && rest != "/") tags.insert("broken: " + inner);
    for (std::sregex_iterator a(inner.begin(), inner.end(), attribute), last;
         a != last; ++a) {
      tags.insert("@" + (*a)[1].str());
      if ((*a)[1] == "href" && (*a)[2].str().substr(0, 1) != "#")
        tags.insert("link: " + (*a)[2].str());
    }
  }
  return tags;
}

inline const std::set<std::string>& our_tags() {
  static const std::set<std::string> all = {
      "!DOCTYPE", "html",  "head",    "meta",    "title",   "body",   "a",
      "header",   "p",     "strong",  "span",    "h1",      "code",   "button",
      "div",      "nav",   "h2",      "ol",      "li",      "main",   "section",
      "table",    "thead", "tr",      "th",      "tbody",   "td",     "svg",
      "path",     "rect",  "label",   "input",   "article", "dl",     "dt",
      "dd",       "ul",    "h3",      "h4",      "del",     "ins",    "pre",
      "output",   "mark",  "caption", "details", "summary", "defs",   "marker",
      "circle",   "text",  "g",       "br",      "form",    "select", "option",
      "footer"};
  return all;
}

/// The first tag or attribute that a report does not have by itself; empty:
/// there is none.
inline std::string foreign_markup(const std::string& page) {
  for (const std::string& tag : tags_of(page)) {
    if (tag.front() == '@') {
      if (tag.starts_with("@on") || tag == "@src" || tag == "@style")
        return tag;
      continue;
    }
    const std::string name = tag.front() == '/' ? tag.substr(1) : tag;
    if (!our_tags().contains(name) && name != "title") return tag;
  }
  return "";
}

}  // namespace txscope
