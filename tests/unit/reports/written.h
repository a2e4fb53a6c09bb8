#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/paths.h"
#include "support/run_command.h"

namespace txscope::test {

/// A report of one call in several formats.
struct Written {
  int status = 0;
  nlohmann::json json;
  std::string html;
  std::string html_file;
};

/// Runs the call in the source tree, as JSON and as HTML.
inline Written write_both(const TemporaryDirectory& directory,
                          const std::string& call) {
  const std::string at = directory.path();
  const Ran ran = run_command("txscope " + call + " --format json -o " + at +
                                  "/r.json --format html -o " + at + "/r.html",
                              source_dir());
  Written out;
  out.status = ran.status;
  EXPECT_TRUE(ran.status == 0 || ran.status == 1 || ran.status == 3)
      << ran.output;
  out.json = nlohmann::json::parse(directory.read("r.json"));
  out.html = directory.read("r.html");
  out.html_file = at + "/r.html";
  return out;
}

/// As it stands in a page, written from the rules of HTML alone.
inline std::string in_html(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\'')
      out += "&#39;";
    else
      out += c;
  }
  return out;
}

}  // namespace txscope::test
