#include "report/page/lanes.h"

#include <algorithm>

#include "report/page/char_width.h"
#include "report/page/wrap.h"

namespace txscope::report {
namespace {

constexpr std::size_t kMargin = 6;      // of the line numbers
constexpr std::size_t kNarrowest = 18;  // a lane that can still be read
constexpr std::size_t kWidest = 94;

std::string numbered(std::uint32_t line) {
  const std::string number = line == 0 ? "" : std::to_string(line);
  return padded(
      std::string(5 - std::min<std::size_t>(5, number.size()), ' ') + number,
      kMargin);
}

class LaneText {
 public:
  explicit LaneText(const std::vector<std::string>& names) : names_(names) {
    const std::size_t room =
        (text_width() - kMargin) / std::max<std::size_t>(names.size(), 1);
    width_ = room < kNarrowest ? 0 : std::min<std::size_t>(room - 2, kWidest);
    if (width_ > 0) heading();
  }

  void row(const LaneRow& row) {
    if (width_ == 0) {
      out_ += wrapped(numbered(row.line) + padded(names_[row.lane] + ": ", 10),
                      row.text);
      if (!out_.ends_with('\n')) out_ += "\n";
      return;
    }
    bool is_first = true;
    for (const std::string& piece : pieces(row.text)) {
      std::string cells =
          is_first ? numbered(row.line) : std::string(kMargin, ' ');
      for (std::size_t lane = 0; lane < names_.size(); ++lane) {
        cells += "| " + padded(lane == row.lane ? piece : "", width_);
      }
      out_ += trimmed(cells);
      is_first = false;
    }
  }

  std::string text() { return std::move(out_); }

 private:
  void heading() {
    std::string names = "  line";
    std::string rule = " -----";
    names.resize(kMargin, ' ');
    rule.resize(kMargin, '-');
    for (const std::string& name : names_) {
      names += "| " + padded(shortened(name, width_), width_);
      rule += "+-" + std::string(width_, '-');
    }
    out_ += trimmed(names) + rule + "\n";
  }

  /// Breaks at spaces; later pieces are indented.
  [[nodiscard]] std::vector<std::string> pieces(const std::string& text) const {
    std::vector<std::string> out;
    std::string now;
    std::size_t begin = 0;
    while (begin < text.size()) {
      const std::size_t end = std::min(text.find(' ', begin), text.size());
      std::string word = text.substr(begin, end - begin);
      if (!now.empty() && columns(now) + 1 + columns(word) > width_) {
        out.push_back(now);
        now.clear();
      }
      if (now.empty()) {
        // A word that is too long goes on in the next line.
        for (std::size_t indent = out.empty() ? 0 : 2;; indent = 2) {
          now = std::string(indent, ' ');
          if (columns(word) <= width_ - indent) break;
          const std::size_t cut = bytes_within(word, width_ - indent);
          out.push_back(now + word.substr(0, cut));
          word.erase(0, cut);
        }
        now += word;
      } else {
        now += " " + word;
      }
      begin = end + 1;
    }
    if (!now.empty()) out.push_back(now);
    return out;
  }

  const std::vector<std::string>& names_;
  std::size_t width_ = 0;  // of a lane; 0: below each other
  std::string out_;
};

}  // namespace

std::string draw_lanes(const std::vector<std::string>& names,
                       const std::vector<LaneRow>& rows) {
  LaneText lanes(names);
  for (const LaneRow& row : rows) lanes.row(row);
  std::string out = lanes.text();
  std::replace(out.begin(), out.end(), kHardSpace, ' ');
  return out;
}

}  // namespace txscope::report
