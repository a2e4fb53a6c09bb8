#include "repair/search.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "repair/edit.h"

namespace txscope::repair {
namespace {

/// Changes of one kind that are tried, alone and together.
constexpr std::size_t kMostChanges = 8;
constexpr std::size_t kMostInOne = 3;

using Choice = std::vector<std::size_t>;

std::string joined_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "" : ", ") + word;
  return text;
}

class KindSearch {
 public:
  KindSearch(const Problem& problem, const Kind& kind, const Question& question,
             const SearchLimits& limits, const Budget& budget)
      : problem_(problem),
        kind_(kind),
        question_(question),
        limits_(limits),
        budget_(budget),
        changes_(kind.changes(problem)) {
    if (changes_.size() > kMostChanges) changes_.resize(kMostChanges);
  }

  std::vector<Repair> run() {
    for (std::size_t i = 0; i < changes_.size() && !is_enough(); ++i) take({i});
    if (changes_.size() > 1 && is_of_text() && !is_whole()) together();
    // What repairs a part of it is news only where nothing repairs all.
    if (!changes_.empty() && is_of_text() && limits_.most_of_kind == 1 &&
        is_whole())
      std::erase_if(found_, [](const Repair& one) { return !one.all_hold; });
    return std::move(found_);
  }

 private:
  [[nodiscard]] bool is_of_text() const {
    return changes_.front().level.empty();
  }
  [[nodiscard]] bool is_over() const {
    return tries_ >= limits_.tries_of_kind || budget_.spent_now();
  }
  [[nodiscard]] bool is_whole() const {
    return std::any_of(found_.begin(), found_.end(),
                       [](const Repair& one) { return one.all_hold; });
  }
  /// One that is enough for everything ends it, or many of them.
  [[nodiscard]] bool is_enough() const {
    return is_over() || (found_.size() >= limits_.most_of_kind && is_whole());
  }

  /// Several at once.
  void together() {
    Choice all(changes_.size());
    std::iota(all.begin(), all.end(), 0);
    const auto whole = tried(all);
    if (!whole || (!found_.empty() && !whole->all_hold)) return;
    for (std::size_t size = 2; size <= std::min(kMostInOne, all.size() - 1);
         ++size)
      if (sets_of(size)) return;
    found_.push_back(without_needless(all, *whole));
  }

  /// Whether one of them helps, and more than is known.
  bool sets_of(std::size_t size) {
    const std::size_t known = found_.size();
    std::vector<bool> chosen(changes_.size());
    std::fill(chosen.begin(),
              chosen.begin() + static_cast<std::ptrdiff_t>(size), true);
    do {
      Choice choice;
      for (std::size_t i = 0; i < chosen.size(); ++i)
        if (chosen[i]) choice.push_back(i);
      take(choice);
    } while (!is_enough() &&
             std::prev_permutation(chosen.begin(), chosen.end()));
    return found_.size() > known;
  }

  Repair without_needless(Choice choice, Repair best) {
    for (std::size_t i = choice.size(); i-- > 0 && !budget_.spent_now();) {
      Choice less = choice;
      less.erase(less.begin() + static_cast<std::ptrdiff_t>(i));
      auto repair = tried(less);
      if (repair && repair->all_hold >= best.all_hold) {
        best = std::move(*repair);
        choice = std::move(less);
      }
    }
    return best;
  }

  void take(const Choice& choice) {
    auto repair = tried(choice);
    if (!repair) return;
    // A second one is worth telling only if it does more.
    const bool is_more =
        found_.size() < limits_.most_of_kind || repair->all_hold;
    if (is_more) found_.push_back(std::move(*repair));
  }

  std::optional<Repair> tried(const Choice& choice) {
    Change sum;
    std::vector<std::string> words;
    for (const std::size_t i : choice) {
      const Change& one = changes_[i];
      words.push_back(one.what);
      sum.edits.insert(sum.edits.end(), one.edits.begin(), one.edits.end());
      sum.locks.insert(sum.locks.end(), one.locks.begin(), one.locks.end());
      sum.level = one.level;
    }
    sum.what = joined_words(words);
    sum.edits = in_order(std::move(sum.edits));
    if (!are_compatible(sum.edits)) return std::nullopt;
    ++tries_;
    const auto trial = question_(sum, edited(problem_.text, sum.edits));
    if (!trial || !trial->helps) return std::nullopt;
    return told(sum, std::move(words), *trial);
  }

  [[nodiscard]] Repair told(const Change& sum, std::vector<std::string> words,
                            const Trial& trial) const {
    Repair repair;
    repair.kind = kind_.name;
    repair.changes = std::move(words);
    repair.edits = sum.edits;
    repair.diff = diff_of(problem_.text, sum.edits);
    repair.lines = changed_lines(problem_.text, sum.edits);
    repair.locks = sum.locks;
    repair.level = !sum.level.empty()            ? sum.level
                   : problem_.profile != nullptr ? problem_.profile->name
                                                 : "";
    repair.all_hold = trial.all_hold;
    repair.retried = trial.retried;
    repair.cost = kind_.cost;
    if (!trial.retried.empty())
      repair.cost +=
          (repair.cost.empty() ? "" : "; ") +
          ("transactions may fail with " + joined_words(trial.retried) +
           " and have to be run again");
    repair.leaves = trial.leaves.empty() ? std::string(kind_.leaves)
                    : kind_.leaves.empty()
                        ? trial.leaves
                        : trial.leaves + "; " + std::string(kind_.leaves);
    return repair;
  }

  const Problem& problem_;
  const Kind& kind_;
  const Question& question_;
  const SearchLimits& limits_;
  const Budget& budget_;
  std::vector<Change> changes_;
  std::size_t tries_ = 0;
  std::vector<Repair> found_;
};

}  // namespace

std::vector<Repair> find_repairs(const Problem& problem,
                                 const Question& question,
                                 const SearchLimits& limits,
                                 const Budget& budget) {
  std::vector<Repair> all;
  for (const Kind& kind : kinds()) {
    if (budget.spent_now()) break;
    // The last word is a level's, however many others help.
    const bool is_full = all.size() >= limits.most && &kind != &kinds().back();
    const bool is_asked = limits.kinds.empty() ||
                          std::find(limits.kinds.begin(), limits.kinds.end(),
                                    kind.name) != limits.kinds.end();
    if (is_full || !is_asked || !kind.applies(problem)) continue;
    std::vector<Repair> found =
        KindSearch(problem, kind, question, limits, budget).run();
    std::move(found.begin(), found.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace txscope::repair
