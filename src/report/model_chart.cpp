#include <algorithm>
#include <map>

#include "report/model_report.h"
#include "report/page/wrap.h"

namespace txscope::report {
namespace {

constexpr std::size_t kNumberColumn = 5;
constexpr std::size_t kWidestLane = 16;
constexpr std::size_t kNarrowestLane = 6;
constexpr std::size_t kNoteColumn = 30;

class Chart {
 public:
  explicit Chart(const ModelResult& result) : result_(result) {
    for (const TraceState& step : result.trace)
      if (!step.process.empty()) lane(step.process);
    if (lanes_.empty()) return;
    const std::size_t room = text_width() - kNumberColumn - kNoteColumn;
    width_ = std::clamp(room / lanes_.size(), kNarrowestLane, kWidestLane);
  }

  std::string draw() {
    if (lanes_.empty()) return {};
    std::string text = std::string(kNumberColumn, ' ');
    for (const std::string& name : names_)
      text += padded(shortened(name, width_ - 1), width_);
    text = trimmed(text) + "\n";
    for (std::size_t i = 1; i < result_.trace.size(); ++i) text += step(i);
    return text;
  }

 private:
  std::size_t lane(const std::string& process) {
    const auto [entry, is_new] = lanes_.emplace(process, names_.size());
    if (is_new) names_.push_back(process);
    return entry->second;
  }

  static std::string trimmed(std::string line) {
    while (!line.empty() && line.back() == ' ') line.pop_back();
    return line;
  }

  std::string blank() const {
    std::string line(kNumberColumn, ' ');
    for (std::size_t i = 0; i < names_.size(); ++i) line += padded("|", width_);
    return line;
  }

  std::string step(std::size_t i) {
    const TraceState& state = result_.trace[i];
    std::string text;
    for (const TraceMessage& message : state.received)
      text += arrow(state, message);
    std::string line = blank();
    const std::string number = std::to_string(i + 1);
    line.replace(0, number.size(), number);
    if (state.process.empty()) {
      const std::size_t end = line.size();
      text += trimmed(line.substr(0, end) + shortened(state.action, 24)) + "\n";
      return text;
    }
    const std::size_t column =
        kNumberColumn + lanes_.at(state.process) * width_;
    std::string name = state.action.substr(0, state.action.find('('));
    name = shortened(name, width_ - 1);
    line.replace(column, name.size(), name);
    std::string note;
    for (const TraceMessage& message : state.sent)
      note += (note.empty() ? "sends " : ", ") + short_message(message.text);
    return text + trimmed(line + shortened(note, kNoteColumn)) + "\n";
  }

  /// o------> from who sent it to who needs it.
  std::string arrow(const TraceState& state, const TraceMessage& message) {
    if (state.process.empty() || message.sent_at == 0 ||
        message.sent_at >= result_.trace.size())
      return {};
    const std::string& sender = result_.trace[message.sent_at].process;
    if (sender.empty() || sender == state.process) return {};
    const std::size_t from = kNumberColumn + lanes_.at(sender) * width_;
    const std::size_t to = kNumberColumn + lanes_.at(state.process) * width_;
    std::string line = blank();
    for (std::size_t c = std::min(from, to); c <= std::max(from, to); ++c)
      line[c] = '-';
    line[from] = 'o';
    line[from < to ? to - 1 : to + 1] = from < to ? '>' : '<';
    line[to] = '|';
    return trimmed(line + shortened(short_message(message.text), kNoteColumn)) +
           "\n";
  }

  const ModelResult& result_;
  std::map<std::string, std::size_t> lanes_;
  std::vector<std::string> names_;
  std::size_t width_ = kWidestLane;
};

}  // namespace

std::string short_message(std::string_view text) {
  if (text.size() < 2 || text.front() != '[') return std::string(text);
  text.remove_prefix(1);
  text.remove_suffix(1);
  std::string head;
  std::string rest;
  while (!text.empty()) {
    // Fields end at a comma outside of brackets.
    int depth = 0;
    std::size_t end = 0;
    for (; end < text.size(); ++end) {
      const char c = text[end];
      if (c == '[' || c == '(' || c == '{' || c == '<') ++depth;
      if (c == ']' || c == ')' || c == '}') --depth;
      if (c == '>' && end > 0 && text[end - 1] != '-') --depth;
      if (c == ',' && depth <= 0) break;
    }
    const std::string_view field = text.substr(0, end);
    const std::size_t arrow = field.find(" |-> ");
    if (arrow != std::string_view::npos) {
      const std::string_view name = field.substr(0, arrow);
      std::string_view value = field.substr(arrow + 5);
      const bool is_string = value.size() >= 2 && value.front() == '"';
      if (is_string) value = value.substr(1, value.size() - 2);
      if (name == "type" || name == "kind" || name == "op")
        head = std::string(value);
      else
        rest += " " + std::string(name) + "=" + std::string(value);
    }
    text.remove_prefix(std::min(end + 2, text.size()));
  }
  return head + (head.empty() && !rest.empty() ? rest.substr(1) : rest);
}

std::string model_chart(const ModelResult& result) {
  return Chart(result).draw();
}

}  // namespace txscope::report
