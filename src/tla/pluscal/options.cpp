#include "tla/pluscal/options.h"

#include <utility>

#include "tla/pluscal/formula.h"

namespace txscope::tla::pluscal {
namespace {

/// What stands between the brackets; a word may have a hyphen before it.
void read_words(std::string_view words, Options& options) {
  bool checks_termination = false;
  std::string word;
  std::string before;
  for (const char c : words) {
    if (is_word(c)) {
      word += c;
      continue;
    }
    if (word.empty()) continue;
    if (word == "wf" || word == "sf" || word == "nof" || word == "wfNext")
      options.fairness = word;
    if (word == "label") options.adds_labels = true;
    if (word == "noDoneDisjunct") options.omits_done = true;
    if (word == "termination") checks_termination = true;
    if (before == "labelRoot") options.label_root = word;
    before = std::exchange(word, {});
  }
  // Without fairness nothing terminates.
  if (checks_termination && options.fairness.empty()) options.fairness = "wf";
}

}  // namespace

Options options_of(const Source& source) {
  Options options;
  const std::string& text = source.text;
  for (std::size_t at = text.find("PlusCal"); at != std::string::npos;
       at = text.find("PlusCal", at + 1)) {
    std::size_t i = text.find_first_not_of(" \t", at + 7);
    if (i == std::string::npos || text.compare(i, 7, "options") != 0) continue;
    i = text.find_first_not_of(" \t", i + 7);
    if (i == std::string::npos || text[i] != '(') continue;
    const std::size_t end = text.find(')', i);
    if (end == std::string::npos) continue;
    read_words(std::string_view(text).substr(i + 1, end - i), options);
    break;
  }
  return options;
}

}  // namespace txscope::tla::pluscal
