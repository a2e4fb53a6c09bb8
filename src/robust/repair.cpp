#include "robust/repair.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <regex>

namespace txscope::robust {
namespace {

constexpr std::size_t kMostEdits = 8;  // tried, singly and together
constexpr std::size_t kMostInOne = 3;  // changes of one repair

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Where the statement around `offset` begins: after the `;`, BEGIN, THEN,
/// ELSE or LOOP before it.
std::size_t statement_start(const std::string& text, std::size_t offset) {
  const std::string small = lower(text.substr(0, offset));
  std::size_t start = 0;
  const auto semicolon = small.rfind(';');
  if (semicolon != std::string::npos) start = semicolon + 1;
  for (const std::string_view word : {"begin", "then", "else", "loop"}) {
    for (auto at = small.rfind(word); at != std::string::npos && at >= start;
         at = at == 0 ? std::string::npos : small.rfind(word, at - 1)) {
      const std::size_t end = at + word.size();
      const bool is_whole = (at == 0 || !is_word(small[at - 1])) &&
                            (end >= small.size() || !is_word(small[end]));
      if (!is_whole) continue;
      start = std::max(start, end);
      break;
    }
  }
  while (start < offset &&
         std::isspace(static_cast<unsigned char>(text[start])) != 0) {
    ++start;
  }
  return start;
}

/// `UPDATE t SET c = c WHERE ..` of the rows that a SELECT of one table reads.
std::optional<Edit> write_rows(const Counterexample::Step& step,
                               const std::string& text,
                               const ColumnToSet& column) {
  static const std::regex form(
      R"(\bfrom\s+(\w+)(?:\s+(?:as\s+)?(\w+))?\s+where\s+([^;]*))",
      std::regex::icase);
  const std::string span = text.substr(step.at.offset, step.at.length);
  std::smatch found;
  if (!std::regex_search(span, found, form)) return std::nullopt;
  std::string where = found[3];
  static const std::regex end(R"(\s+(order\s+by|limit|for|group\s+by)\b.*)",
                              std::regex::icase);
  where = std::regex_replace(where, end, "");
  // A subquery's parenthesis closes after its WHERE.
  int depth = 0;
  for (std::size_t i = 0; i < where.size(); ++i) {
    if (where[i] == '(') ++depth;
    if (where[i] == ')' && --depth < 0) {
      where.resize(i);
      break;
    }
  }
  const std::string table = found[1];
  const std::string name = column(table);
  if (name.empty()) return std::nullopt;
  const std::string alias = found[2].matched && lower(found[2].str()) != "where"
                                ? " " + found[2].str()
                                : "";
  Edit edit;
  edit.offset = statement_start(text, step.at.offset);
  edit.text = "UPDATE " + table + alias + " SET " + name + " = " + name +
              " WHERE " + where + "; ";
  edit.what = "write the rows of " + table + " that line " +
              std::to_string(step.line) + " relies on";
  return edit;
}

std::optional<Edit> lock_rows(const Counterexample::Step& step,
                              const std::string& text) {
  const std::string span = lower(text.substr(step.at.offset, step.at.length));
  // A lock needs rows: no aggregate, no subquery of an expression.
  static const std::regex plain(R"(^\s*(select|perform)\b)");
  static const std::regex grouped(
      R"(\b(sum|count|min|max|avg|distinct|group\s+by|for\s+update)\b)");
  if (!std::regex_search(span, plain) || std::regex_search(span, grouped)) {
    return std::nullopt;
  }
  Edit edit;
  edit.offset = step.at.offset + step.at.length;
  while (edit.offset > 0 &&
         (text[edit.offset - 1] == ';' ||
          std::isspace(static_cast<unsigned char>(text[edit.offset - 1])))) {
    --edit.offset;
  }
  edit.text = " FOR UPDATE";
  edit.what = "SELECT ... FOR UPDATE at line " + std::to_string(step.line);
  return edit;
}

/// After `a = read x` of a `.txn` program: `write x = a`.
std::optional<Edit> write_register(const Counterexample::Step& step,
                                   const std::string& text) {
  static const std::regex form(R"(^\s*(\w+)\s*=\s*read\s+(.+?)\s*;?\s*$)");
  const std::string span = text.substr(step.at.offset, step.at.length);
  std::smatch found;
  if (!std::regex_search(span, found, form)) return std::nullopt;
  Edit edit;
  edit.offset = step.at.offset + span.find_last_not_of("; \n\t") + 1;
  edit.text = "; write " + found[2].str() + " = " + found[1].str();
  edit.what = "write " + found[2].str() + ", which line " +
              std::to_string(step.line) + " relies on";
  return edit;
}

}  // namespace

std::vector<Edit> edits_for(const Counterexample& odd, const std::string& text,
                            bool is_sql, bool is_engine,
                            const ColumnToSet& column) {
  std::vector<Edit> out;
  for (const auto& step : odd.steps) {
    if (!step.is_read || step.at.offset + step.at.length > text.size()) {
      continue;
    }
    std::vector<std::optional<Edit>> edits;
    if (!is_sql) {
      edits.push_back(write_register(step, text));
    } else {
      if (is_engine) edits.push_back(lock_rows(step, text));
      edits.push_back(write_rows(step, text, column));
    }
    for (auto& edit : edits) {
      const bool is_known =
          !edit || std::any_of(out.begin(), out.end(), [&](const Edit& e) {
            return e.offset == edit->offset && e.text == edit->text;
          });
      if (!is_known && out.size() < kMostEdits) out.push_back(std::move(*edit));
    }
  }
  return out;
}

std::vector<Edit> level_edits(const Counterexample& odd,
                              const std::string& text, std::string_view level) {
  std::vector<Edit> out;
  for (const std::string& name : odd.transactions) {
    if (out.size() == kMostEdits) break;
    Edit edit;
    edit.offset = text.size();
    edit.text =
        (out.empty() && !text.ends_with('\n') ? "\n--@ level " : "--@ level ") +
        name + ": " + std::string(level) + "\n";
    edit.what = "run " + name + " at " + std::string(level);
    out.push_back(std::move(edit));
  }
  return out;
}

std::string edited(const std::string& text, const std::vector<Edit>& edits) {
  std::vector<Edit> sorted = edits;
  std::stable_sort(
      sorted.begin(), sorted.end(),
      [](const Edit& a, const Edit& b) { return a.offset < b.offset; });
  std::string out = text;
  for (auto edit = sorted.rbegin(); edit != sorted.rend(); ++edit) {
    out.insert(edit->offset, edit->text);
  }
  return out;
}

std::string diff_of(const std::string& text, const std::vector<Edit>& edits) {
  struct Line {
    std::size_t number = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
    std::vector<Edit> edits;
  };
  std::vector<Line> changed;
  for (const Edit& edit : edits) {
    const auto before =
        text.rfind('\n', edit.offset == 0 ? 0 : edit.offset - 1);
    Line line;
    line.begin =
        before == std::string::npos || edit.offset == 0 ? 0 : before + 1;
    line.end = std::min(text.find('\n', edit.offset), text.size());
    line.number = 1 + static_cast<std::size_t>(std::count(
                          text.begin(),
                          text.begin() + static_cast<long>(line.begin), '\n'));
    auto at = std::find_if(changed.begin(), changed.end(), [&](const Line& l) {
      return l.begin == line.begin;
    });
    if (at == changed.end()) {
      changed.push_back(line);
      at = changed.end() - 1;
    }
    at->edits.push_back(edit);
  }
  std::sort(changed.begin(), changed.end(),
            [](const Line& a, const Line& b) { return a.begin < b.begin; });
  std::string out;
  for (Line& line : changed) {
    const std::string old = text.substr(line.begin, line.end - line.begin);
    for (Edit& edit : line.edits) edit.offset -= line.begin;
    const std::string mark = std::to_string(line.number) + ": ";
    if (old.empty()) {  // new lines at the end
      std::size_t number = line.number;
      for (const Edit& edit : line.edits) {
        out += "+ " + std::to_string(number++) + ": " + edit.text;
      }
      continue;
    }
    out += "- " + mark + old + "\n+ " + mark + edited(old, line.edits) + "\n";
  }
  return out;
}

std::vector<Repair> find_repairs(
    const std::string& text, const std::vector<Edit>& edits,
    const std::function<bool(const std::string&)>& is_robust,
    const Budget& budget) {
  std::vector<Repair> out;
  for (std::size_t size = 1;
       out.empty() && size <= std::min(kMostInOne, edits.size()); ++size) {
    std::vector<bool> chosen(edits.size());
    std::fill(chosen.begin(), chosen.begin() + static_cast<long>(size), true);
    do {
      if (budget.spent_now()) return out;
      Repair repair;
      for (std::size_t i = 0; i < edits.size(); ++i) {
        if (chosen[i]) repair.edits.push_back(edits[i]);
      }
      if (!is_robust(edited(text, repair.edits))) continue;
      repair.diff = diff_of(text, repair.edits);
      out.push_back(std::move(repair));
    } while (std::prev_permutation(chosen.begin(), chosen.end()));
  }
  return out;
}

}  // namespace txscope::robust
