#include <algorithm>
#include <map>
#include <set>

#include "report/explore_report.h"
#include "report/wrap.h"

namespace txscope {
namespace {

using Kind = ScheduleStep::Kind;

constexpr std::size_t kMargin = 6;      // of the line numbers
constexpr std::size_t kNarrowest = 18;  // a lane that can still be read

/// A statement on one line: runs of white space become one space.
std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool is_space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!is_space) {
      out.push_back(c);
    } else if (!out.empty() && out.back() != ' ') {
      out.push_back(' ');
    }
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

class Lanes {
 public:
  Lanes(const Program& program, const Code& code, const Violation& violation)
      : program_(program), code_(code), violation_(violation) {
    std::set<std::uint32_t> sessions;
    for (const InstanceId i : violation.instances) {
      sessions.insert(code.instances[i.index].session);
    }
    sessions_.assign(sessions.begin(), sessions.end());
    const std::size_t room =
        (kTextWidth - kMargin) / std::max<std::size_t>(sessions_.size(), 1);
    width_ = room < kNarrowest ? 0 : std::min<std::size_t>(room - 2, 44);
  }

  std::string text() {
    if (width_ > 0) heading();
    for (const ScheduleStep& step : violation_.schedule) {
      if (started_.insert(step.instance.index).second) {
        row(0, step.instance, begin_text(step.instance));
      }
      // A commit has no statement of its own.
      const bool has_line = step.kind != Kind::Commit;
      row(has_line ? step.at.line : 0, step.instance, step_text(step));
    }
    return std::move(out_);
  }

 private:
  void heading() {
    std::string names = "  line";
    std::string rule = " -----";
    names.resize(kMargin, ' ');
    rule.resize(kMargin, '-');
    for (const std::uint32_t s : sessions_) {
      names +=
          "| " + padded(shortened(program_.sessions[s].name, width_), width_);
      rule += "+-" + std::string(width_, '-');
    }
    while (names.ends_with(' ')) names.pop_back();
    out_ += names + "\n" + rule + "\n";
  }

  /// One step: its text wrapped inside its lane, the others empty.
  void row(std::uint32_t line, InstanceId instance, const std::string& text) {
    const std::uint32_t session = code_.instances[instance.index].session;
    std::string number = line == 0 ? "" : std::to_string(line);
    if (width_ == 0) {
      const std::string head =
          padded(std::string(5 - std::min<std::size_t>(5, number.size()), ' ') +
                     number,
                 kMargin) +
          padded(program_.sessions[session].name + ": ", 10);
      out_ += wrapped(head, text);
      if (!out_.ends_with('\n')) out_ += "\n";
      return;
    }
    bool is_first = true;
    for (const std::string& piece : pieces(text)) {
      std::string cells =
          is_first
              ? padded(std::string(5 - std::min<std::size_t>(5, number.size()),
                                   ' ') +
                           number,
                       kMargin)
              : std::string(kMargin, ' ');
      for (const std::uint32_t s : sessions_) {
        cells += "| " + padded(s == session ? piece : "", width_);
      }
      while (cells.ends_with(' ')) cells.pop_back();
      out_ += cells + "\n";
      is_first = false;
    }
  }

  /// Breaks at spaces; later pieces are indented.
  [[nodiscard]] std::vector<std::string> pieces(const std::string& text) const {
    std::vector<std::string> out;
    std::string now;
    std::size_t begin = 0;
    while (begin < text.size()) {
      const std::size_t end = std::min(text.find(' ', begin), text.size());
      const std::string word = text.substr(begin, end - begin);
      const std::size_t indent = out.empty() ? 0 : 2;
      if (!now.empty() && columns(now) + 1 + columns(word) > width_) {
        out.push_back(now);
        now.clear();
      }
      if (now.empty()) {
        now = std::string(out.empty() ? 0 : 2, ' ');
        now += shortened(word, width_ - (out.empty() ? indent : 2));
      } else {
        now += " " + word;
      }
      begin = end + 1;
    }
    if (!now.empty()) out.push_back(now);
    return out;
  }

  [[nodiscard]] std::string begin_text(InstanceId instance) const {
    const Call& call = call_of(program_, code_, instance);
    const Transaction& transaction = program_.at(call.transaction);
    std::string text = "begin " + call.label;
    if (transaction.name == call.label && transaction.parameters == 0) {
      return text;
    }
    text += ": " + transaction.name + "(";
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      if (i > 0) text += ", ";
      text += std::to_string(std::get<std::int64_t>(call.arguments[i]));
    }
    return text + ")";
  }

  [[nodiscard]] std::string step_text(const ScheduleStep& step) const {
    const std::string statement = one_line(program_.text(step.at));
    const std::string value = std::to_string(step.value);
    const std::string label = call_of(program_, code_, step.instance).label;
    switch (step.kind) {
      case Kind::Read: {
        std::string from = "initial";
        if (step.is_own) from = "own write";
        if (!step.is_own && step.source != kInit) {
          from = "from " + instance_name(program_, code_, step.source);
        }
        if (step.is_stale) from += ", stale";
        return statement + " -> " + value + " (" + from + ")";
      }
      case Kind::Write: return statement + " -> " + value;
      case Kind::AssertFailed: return statement + " FAILS";
      case Kind::Commit: return "commit " + label;
      case Kind::Abort: return "abort " + label;
      case Kind::Fault:
        return statement + " ERROR: " + std::string(describe(step.fault));
    }
    return {};
  }

  const Program& program_;
  const Code& code_;
  const Violation& violation_;
  std::vector<std::uint32_t> sessions_;
  std::size_t width_ = 0;  // of a lane; 0: one lane for all
  std::set<std::uint32_t> started_;
  std::string out_;
};

}  // namespace

std::string lanes_text(const Program& program, const Code& code,
                       const Violation& violation) {
  return Lanes(program, code, violation).text();
}

}  // namespace txscope
