#include "check/strong/refuter.h"

#include <algorithm>

namespace txscope::check {
namespace {

/// Builds the tree depth first.  Depth is bounded by the number of cases.
class Refuter {
 public:
  Refuter(const Excerpt& excerpt, std::size_t max_cases, const Budget& budget)
      : excerpt_(excerpt), max_cases_(max_cases), budget_(budget) {}

  std::optional<Refutation> run() {
    std::vector<Assumption> path;
    auto tree = build(path);
    if (!tree) return std::nullopt;
    return Refutation{std::move(tree->cases)};
  }

 private:
  // The cases below a node, with their assumptions from that node on, and the
  // assumptions above the node that they need.
  struct Tree {
    std::vector<Case> cases;
    std::vector<Assumption> needs;
  };

  static bool contains(const std::vector<Assumption>& all,
                       const Assumption& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  }

  std::optional<Tree> build(std::vector<Assumption>& path);
  std::optional<Tree> split(std::vector<Assumption>& path,
                            const std::vector<Assumption>& answers);
  static constexpr std::size_t kNone = ~std::size_t{0};
  static constexpr std::size_t kMaxLookahead = 60;  // questions

  [[nodiscard]] std::size_t count_open(const std::vector<Assumption>& path,
                                       const std::vector<Assumption>& answers,
                                       std::size_t limit) const;
  std::vector<Assumption> choose(const CaseWorld& world,
                                 const std::vector<Assumption>& path);
  std::vector<Assumption> needs_of_question(
      const std::vector<Assumption>& path,
      const std::vector<Assumption>& answers) const;

  template <class IsEnough>
  static std::vector<Assumption> minimise(std::vector<Assumption> all,
                                          IsEnough is_enough) {
    for (std::size_t i = all.size(); i-- > 0;) {
      std::vector<Assumption> fewer = all;
      fewer.erase(fewer.begin() + static_cast<long>(i));
      if (is_enough(fewer)) all = std::move(fewer);
    }
    return all;
  }

  const Excerpt& excerpt_;
  std::size_t max_cases_;
  const Budget& budget_;
  std::size_t leaves_ = 0;
};

std::optional<Refuter::Tree> Refuter::build(std::vector<Assumption>& path) {
  if (leaves_ >= max_cases_ || path.size() > max_cases_ || budget_.spent_now())
    return std::nullopt;
  const CaseWorld world(excerpt_, path);
  if (auto found = world.contradiction()) {
    ++leaves_;
    Tree leaf;
    leaf.needs = minimise(path, [&](const std::vector<Assumption>& fewer) {
      return CaseWorld(excerpt_, fewer).confirms(*found);
    });
    Case only;
    std::visit([&](auto& why) { only.contradiction = std::move(why); }, *found);
    leaf.cases.push_back(std::move(only));
    return leaf;
  }
  const auto answers = choose(world, path);
  if (answers.empty()) return std::nullopt;
  return split(path, answers);
}

std::optional<Refuter::Tree> Refuter::split(
    std::vector<Assumption>& path, const std::vector<Assumption>& answers) {
  Tree node;
  node.needs = needs_of_question(path, answers);
  for (const Assumption& answer : answers) {
    path.push_back(answer);
    auto child = build(path);
    path.pop_back();
    if (!child) return std::nullopt;
    if (!contains(child->needs, answer)) return child;
    for (Case& leaf : child->cases) {
      leaf.assume.insert(leaf.assume.begin(), answer);
      node.cases.push_back(std::move(leaf));
    }
    for (const Assumption& need : child->needs)
      if (need != answer && !contains(node.needs, need))
        node.needs.push_back(need);
  }
  return node;
}

// How many answers do not contradict themselves at once; stops at `limit`.
std::size_t Refuter::count_open(const std::vector<Assumption>& path,
                                const std::vector<Assumption>& answers,
                                std::size_t limit) const {
  std::size_t open = 0;
  std::vector<Assumption> longer = path;
  for (const Assumption& answer : answers) {
    longer.push_back(answer);
    open += !CaseWorld(excerpt_, longer).contradiction();
    longer.pop_back();
    if (open >= limit) break;
  }
  return open;
}

// The question with the fewest answers that do not contradict themselves.
// Where that leaves a choice, a question after whose first answer another one
// settles the matter.
std::vector<Assumption> Refuter::choose(const CaseWorld& world,
                                        const std::vector<Assumption>& path) {
  const auto questions = world.questions();
  const std::vector<Assumption>* best = nullptr;
  std::size_t best_open = kNone;
  for (const auto& answers : questions) {
    const std::size_t open = count_open(path, answers, best_open);
    if (open >= best_open) continue;
    best = &answers;
    best_open = open;
    if (open == 0 || (open == 1 && answers.size() > 1)) return answers;
  }
  if (best == nullptr) return {};
  std::size_t best_leaves = kNone;
  for (const auto& answers : questions) {
    if (questions.size() > kMaxLookahead) break;
    std::vector<Assumption> longer = path;
    longer.push_back(answers[0]);
    const CaseWorld next(excerpt_, longer);
    if (next.contradiction()) continue;
    for (const auto& others : next.questions()) {
      const std::size_t leaves = answers.size() * others.size();
      if (leaves >= best_leaves || count_open(longer, others, 1) != 0) continue;
      best = &answers;
      best_leaves = leaves;
    }
  }
  return *best;
}

// What makes it a question with just these answers.
std::vector<Assumption> Refuter::needs_of_question(
    const std::vector<Assumption>& path,
    const std::vector<Assumption>& answers) const {
  return minimise(path, [&](const std::vector<Assumption>& fewer) {
    return CaseWorld(excerpt_, fewer).alternatives(answers[0]) == answers;
  });
}

}  // namespace

std::optional<Refutation> refute(const Excerpt& excerpt, std::size_t max_cases,
                                 const Budget& budget) {
  return Refuter(excerpt, max_cases, budget).run();
}

}  // namespace txscope::check
