// A row that is read into variables, looked at, and written: as one UPDATE.
//
//     SELECT n INTO v FROM t WHERE id = p;       UPDATE t SET n = n - q
//     IF v < q THEN RAISE ..; END IF;       =>     WHERE id = p AND n >= q;
//     UPDATE t SET n = v - q WHERE id = p;       IF NOT FOUND THEN RAISE ..;
//     END IF;
//
// Method.  The variables stand for the columns that were read (`Meaning`); with
// these in their places, what the UPDATE sets and what lets it run are values
// and conditions of the row itself.  Variables that others need come back with
// RETURNING.  Whoever tries the change compares what it does serially.

#include <algorithm>
#include <set>

#include "repair/kinds/changes.h"
#include "repair/kinds/read_then_write.h"
#include "repair/kinds/slot_use.h"
#include "repair/kinds/substitution.h"
#include "repair/routine_text.h"

namespace txscope::repair {
namespace {

using sql::PlAssign;
using sql::PlExecute;
using sql::PlIf;
using sql::PlStatement;

/// Makes the change of one pattern.
class Rewriter {
 public:
  Rewriter(const Problem& problem, const sql::Routine& routine,
           const RoutineText& body, const ReadThenWrite& pattern)
      : problem_(problem),
        routine_(routine),
        body_(body),
        pattern_(pattern),
        update_words_(StatementText(problem, update_statement()).words) {}

  std::optional<Change> run() {
    update_ = update_in(problem_, update_words_);
    if (!update_ || update_->where == update_->end || !learn()) return {};
    if (!fold_assignments() || !set_text() || !condition_text()) return {};
    const auto needed = needed_slots();
    if (pattern_.guard && !guard_text(needed)) return {};
    if (!pattern_.guard && needed.empty()) return in_place();
    return at_the_read(needed);
  }

 private:
  [[nodiscard]] const sql::DbStatement& update_statement() const {
    return std::get<PlExecute>(pattern_.update->what).statement;
  }
  [[nodiscard]] const PlIf& guard_if() const {
    return std::get<PlIf>(pattern_.guard->at->what);
  }

  /// What the variables of the read stand for.
  bool learn() {
    const Read& read = pattern_.read;
    for (std::size_t i = 0; i < read.targets.size(); ++i) {
      const std::uint32_t slot = read.execute->into[i];
      const std::string& name = routine_.variables[slot].name;
      if (name.empty() || name.find('.') != std::string::npos) return false;
      const Piece target = read.targets[i];
      meaning_.set(slot, name,
                   joined_text(problem_, read.words, target.from, target.to),
                   target.to - target.from > 1);
    }
    return true;
  }

  /// `v := v + 1` between the read and the UPDATE.
  bool fold_assignments() {
    std::set<std::uint32_t> wanted = variables_in(update_statement());
    if (pattern_.guard) add_variables(guard_if().arms[0].condition, wanted);
    for (const PlStatement* one : pattern_.between) {
      const auto* assign = std::get_if<PlAssign>(&one->what);
      const std::set<std::uint32_t> assigned = slots_assigned_in(*one);
      const bool matters = std::any_of(
          assigned.begin(), assigned.end(), [&](std::uint32_t slot) {
            return meaning_.knows(slot) || wanted.contains(slot);
          });
      if (!matters) continue;
      if (assign == nullptr || !fold(*one, *assign)) return false;
    }
    return true;
  }
  bool fold(const PlStatement& at, const PlAssign& assign) {
    const auto& words = body_.words();
    std::size_t from = body_.at(at.at.offset);
    std::size_t to = from;
    while (to < words.size() && !words[to].is(";")) ++to;
    while (from < to && !words[from].is(":=") && !words[from].is("=")) ++from;
    if (from + 1 >= to) return false;
    const std::string& name = routine_.variables[assign.slot].name;
    if (name.empty() || name.find('.') != std::string::npos) return false;
    meaning_.set(assign.slot, name,
                 meaning_.by_name(problem_, words, {from + 1, to}),
                 to - from > 2);
    folded_.insert(&at);
    return true;
  }

  bool set_text() {
    for (UpdateText::Assignment& one : update_->assignments) {
      const std::string value = meaning_.by_place(
          problem_, update_words_, one.value, update_statement().mentions);
      if (value == one.column) continue;  // it stays as it is
      one = with_sign(one);
      set_ += (set_.empty() ? "" : ", ") + one.column + " = " + value;
      kept_.push_back(one);
    }
    return !set_.empty();
  }

  /// `n = v - 1` where v stands for n is `n = n - 1`.
  [[nodiscard]] UpdateText::Assignment with_sign(
      UpdateText::Assignment one) const {
    const std::size_t sign = one.value.from + 1;
    if (one.sign != 0 || sign + 1 >= one.value.to) return one;
    const Piece by{sign + 1, one.value.to};
    const bool is_sum =
        update_words_[sign].is("+") || update_words_[sign].is("-");
    if (is_sum && is_one_term(update_words_, by) &&
        meaning_.by_place(problem_, update_words_, {one.value.from, sign},
                          update_statement().mentions) == one.column) {
      one.sign = update_words_[sign].word.front();
      one.by = by;
    }
    return one;
  }

  bool condition_text() {
    const Read& read = pattern_.read;
    for (const Piece piece :
         split_at(read.words, read.query.where + 1, read.query.tail, "and"))
      add_condition(joined_text(problem_, read.words, piece.from, piece.to));
    for (const Piece piece :
         split_at(update_words_, update_->where + 1, update_->end, "and"))
      add_condition(meaning_.by_place(problem_, update_words_, piece,
                                      update_statement().mentions));
    return true;
  }
  void add_condition(const std::string& text) {
    const std::size_t equal = text.find(" = ");
    const bool says_nothing = equal != std::string::npos &&
                              text.substr(0, equal) == text.substr(equal + 3);
    const bool is_known = std::find(conditions_.begin(), conditions_.end(),
                                    text) != conditions_.end();
    if (!says_nothing && !is_known) conditions_.push_back(text);
  }

  /// Variables of the read that something else looks at.
  std::vector<std::uint32_t> needed_slots() {
    std::set<const PlStatement*> gone = folded_;
    gone.insert(pattern_.read.at);
    gone.insert(pattern_.update);
    const PlStatement* tested = pattern_.guard ? pattern_.guard->at : nullptr;
    // An assignment that is looked at elsewhere stays.
    for (const PlStatement* one : folded_)
      if (is_used(routine_, std::get<PlAssign>(one->what).slot, gone, tested))
        gone.erase(one);
    folded_ = {};
    for (const PlStatement* one : gone)
      if (std::holds_alternative<PlAssign>(one->what)) folded_.insert(one);
    std::vector<std::uint32_t> needed;
    for (const std::uint32_t slot : pattern_.read.execute->into)
      if (is_used(routine_, slot, gone, tested)) needed.push_back(slot);
    return needed;
  }

  /// Its conditions become conditions of the row.
  bool guard_text(const std::vector<std::uint32_t>& needed) {
    if (guard_if().arms.size() != 1 || !guard_if().arms[0].before.empty())
      return false;
    const auto found = body_.if_at(pattern_.guard->at->at.offset);
    if (!found) return false;
    if_ = *found;
    const GuardText guard(problem_, body_.words(), {if_.condition, if_.then},
                          meaning_, *pattern_.read.query.table);
    const bool is_around = pattern_.guard->is_around;
    for (const std::string& one :
         is_around ? guard.conditions() : guard.opposite())
      add_condition(one);
    keeps_test_ = is_around && guard.only_tests_null(routine_, needed);
    return true;
  }

  [[nodiscard]] std::string update_text() const {
    const std::string line =
        body_.indent(pattern_.read.at->at.offset).value_or("  ");
    std::string text = "UPDATE " + update_->table->name + " SET " + set_ + "\n";
    std::string where = line + "  WHERE " + conditions_.front();
    for (std::size_t i = 1; i < conditions_.size(); ++i) {
      const std::string more = " AND " + conditions_[i];
      if (where.size() + more.size() > kLineWidth) {
        text += where + "\n";
        where = line + "   ";
      }
      where += more;
    }
    return text + where;
  }

  /// RETURNING what the variables of the read are to be; empty: it cannot.
  [[nodiscard]] std::optional<std::string> returning(
      const std::vector<std::uint32_t>& needed) const {
    if (needed.empty()) return "";
    std::string values;
    std::string names;
    for (const std::uint32_t slot : needed) {
      const auto value = value_before(slot);
      if (!value) return std::nullopt;
      values += (values.empty() ? "" : ", ") + *value;
      names += (names.empty() ? "" : ", ") + routine_.variables[slot].name;
    }
    return "\n" + body_.indent(pattern_.read.at->at.offset).value_or("  ") +
           "  RETURNING " + values + " INTO " + names;
  }
  /// RETURNING sees the new row.
  [[nodiscard]] std::optional<std::string> value_before(
      std::uint32_t slot) const {
    const Read& read = pattern_.read;
    const auto position = static_cast<std::size_t>(
        std::find(read.execute->into.begin(), read.execute->into.end(), slot) -
        read.execute->into.begin());
    const Piece target = read.targets[position];
    std::string text =
        joined_text(problem_, read.words, target.from, target.to);
    for (const auto& one : kept_) {
      const bool is_in = std::any_of(
          read.words.begin() + static_cast<std::ptrdiff_t>(target.from),
          read.words.begin() + static_cast<std::ptrdiff_t>(target.to),
          [&](const Token& word) { return word.word == one.column; });
      if (!is_in) continue;
      if (text != one.column || one.sign == 0) return std::nullopt;
      const std::string by = meaning_.by_place(problem_, update_words_, one.by,
                                               update_statement().mentions);
      const bool is_long = one.by.to - one.by.from > 1;
      return text + (one.sign == '+' ? " - " : " + ") +
             (is_long ? "(" + by + ")" : by);
    }
    return text;
  }

  [[nodiscard]] Edit gone(const PlStatement& one) const {
    const std::size_t first = body_.at(one.at.offset);
    return body_.without(one.at.offset,
                         body_.end_of(first).value_or(one.at.offset));
  }
  /// A SELECT or UPDATE of the text, without its `;`.
  [[nodiscard]] Edit replaced(const PlStatement& one, std::string text) const {
    const std::size_t first = body_.at(one.at.offset);
    const std::size_t end = body_.end_of(first).value_or(one.at.offset + 1);
    return {one.at.offset, end - 1 - one.at.offset, std::move(text)};
  }

  [[nodiscard]] Change change(std::vector<Edit> edits) const {
    Change change;
    change.what = "check and change the row of " + update_->table->name +
                  " in one UPDATE, at " +
                  line_of(problem_, pattern_.read.at->at);
    change.edits = std::move(edits);
    for (const PlStatement* one : folded_) change.edits.push_back(gone(*one));
    return change;
  }

  std::optional<Change> in_place() const {
    return change(
        {gone(*pattern_.read.at), replaced(*pattern_.update, update_text())});
  }

  std::optional<Change> at_the_read(
      const std::vector<std::uint32_t>& needed) const {
    const auto back = returning(needed);
    if (!back || found_is_lost()) return std::nullopt;
    std::vector<Edit> edits = {
        replaced(*pattern_.read.at, update_text() + *back)};
    if (!pattern_.guard) {
      edits.push_back(gone(*pattern_.update));
      return change(std::move(edits));
    }
    const auto& words = body_.words();
    const bool is_around = pattern_.guard->is_around;
    if (is_around && guard_if().arms[0].body.size() == 1 &&
        guard_if().otherwise.empty()) {
      const std::size_t from = pattern_.guard->at->at.offset;
      edits.push_back(body_.without(from, if_.end));
      return change(std::move(edits));
    }
    edits.push_back(gone(*pattern_.update));
    if (!keeps_test_) {
      const std::size_t from = words[if_.condition].offset;
      edits.push_back({from, words[if_.then - 1].end() - from,
                       is_around ? "FOUND" : "NOT FOUND"});
    }
    return change(std::move(edits));
  }
  /// Somebody asks FOUND of the UPDATE, or of the read, and other statements
  /// come between.
  [[nodiscard]] bool found_is_lost() const {
    bool has_other = false;
    for (const PlStatement* one : pattern_.between) {
      if (pattern_.guard && one == pattern_.guard->at) break;
      has_other = has_other || !std::holds_alternative<PlAssign>(one->what);
    }
    if (pattern_.guard) return has_other;
    return has_other && is_used(routine_, sql::kFoundSlot, {}, nullptr);
  }

  const Problem& problem_;
  const sql::Routine& routine_;
  const RoutineText& body_;
  const ReadThenWrite& pattern_;
  const std::vector<Token> update_words_;
  std::optional<UpdateText> update_;
  Meaning meaning_;
  std::set<const PlStatement*> folded_;
  std::vector<UpdateText::Assignment> kept_;
  std::string set_;
  std::vector<std::string> conditions_;
  RoutineText::If if_;
  bool keeps_test_ = false;
};

}  // namespace

std::vector<Change> atomic_updates(const Problem& problem) {
  std::vector<Change> all;
  for (const sql::Routine* routine : routines_of(problem)) {
    const RoutineText body(problem, *routine);
    if (body.empty()) continue;
    for (const ReadThenWrite& pattern : reads_then_writes(problem, *routine))
      if (auto change = Rewriter(problem, *routine, body, pattern).run())
        all.push_back(std::move(*change));
  }
  return all;
}

}  // namespace txscope::repair
