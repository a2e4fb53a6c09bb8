#include "tla/pluscal/options.h"

#include "tla/pluscal/formula.h"

namespace txscope::tla::pluscal {

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
    std::string word;
    for (++i; i <= end; ++i) {
      const char c = text[i];
      if (is_word(c)) {
        word += c;
        continue;
      }
      if (word == "wf" || word == "sf" || word == "nof" || word == "wfNext")
        options.fairness = word;
      if (word == "label") options.adds_labels = true;
      if (word == "noDoneDisjunct") options.omits_done = true;
      word.clear();
    }
    break;
  }
  return options;
}

}  // namespace txscope::tla::pluscal
