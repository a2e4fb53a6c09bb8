#pragma once

#include <string>
#include <vector>

namespace txscope {

/// What somebody may call a table, or store in it, who wants a report to do
/// more than to show it.
inline const std::vector<std::string>& hostile_pieces() {
  static const std::vector<std::string> all = {"<script>alert(1)</script>",
                                               "</script>",
                                               "</style>",
                                               "<!--",
                                               "-->",
                                               "]]>",
                                               "<img src=x onerror=alert(1)>",
                                               "\" onload=\"x",
                                               "' x='",
                                               "&amp;",
                                               "&",
                                               "<",
                                               ">",
                                               "`",
                                               "```",
                                               "|",
                                               "\n",
                                               "\r\n",
                                               "\t",
                                               "\\",
                                               "%0A::error::",
                                               "::error::x",
                                               "%",
                                               ",",
                                               ":",
                                               ";",
                                               "=1+1",
                                               "+cmd",
                                               "-2",
                                               "@SUM(A1)",
                                               "@someone",
                                               "#1",
                                               "[x](javascript:alert(1))",
                                               "![i](http://x/y)",
                                               "*b*",
                                               "_i_",
                                               "~~s~~",
                                               "\x1b[31m",
                                               "\x1b]0;t\x07",
                                               std::string("\0", 1),
                                               "\x7f",
                                               "\xe2\x80\xae",
                                               "\xe2\x80\xa8",
                                               "\xef\xbf\xbe",
                                               "\xff",
                                               "\xc0\xaf",
                                               "\xed\xa0\x80",
                                               "\xf0\x9f\x98\x80",
                                               "\xe4\xb8\xad",
                                               "e\xcc\x81",
                                               "end",
                                               "note over S0",
                                               "S0->>D: x",
                                               "participant D as y",
                                               "javascript:alert(1)",
                                               "${{ secrets.X }}",
                                               "{{constructor}}",
                                               "a",
                                               "accounts(1)",
                                               " "};
  return all;
}

}  // namespace txscope
