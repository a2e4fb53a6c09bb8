#include "certify/refutation.h"

#include <algorithm>
#include <vector>

#include "certify/branch.h"
#include "certify/contradiction.h"
#include "certify/lemmas.h"

namespace txscope::certify {
namespace {

using Complaint = std::optional<std::string>;
using Kind = Assumption::Kind;

/// Walks the tree of case splits: a node is a range of cases that agree on
/// their first `depth` assumptions.  At an inner node their next assumptions
/// must be answers to one question, and all answers must be there.
class TreeCheck {
 public:
  TreeCheck(const Branch& root, const Refutation& refutation)
      : root_(root), cases_(refutation.cases) {}

  Complaint check() {
    std::vector<Node> open = {{0, cases_.size(), 0}};
    while (!open.empty()) {
      const Node node = open.back();
      open.pop_back();
      const Branch branch(root_, assumptions(node));
      const Case& first = cases_[node.first];
      const bool is_leaf =
          node.last - node.first == 1 && first.assume.size() == node.depth;
      if (auto complaint = is_leaf ? check_leaf(branch, first)
                                   : check_split(branch, node, open))
        return complaint;
    }
    return {};
  }

 private:
  struct Node {
    std::size_t first;
    std::size_t last;  ///< one after
    std::size_t depth;
  };

  [[nodiscard]] std::span<const Assumption> assumptions(
      const Node& node) const {
    return std::span(cases_[node.first].assume).first(node.depth);
  }

  static Complaint check_leaf(const Branch& branch, const Case& leaf) {
    return std::visit(
        [&](const auto& reason) { return complaint_about(branch, reason); },
        leaf.contradiction);
  }

  Complaint check_split(const Branch& branch, const Node& node,
                        std::vector<Node>& open) const {
    std::vector<Assumption> answers;
    for (std::size_t i = node.first; i < node.last; ++i) {
      if (cases_[i].assume.size() <= node.depth)
        return "a case ends where others with the same assumptions go on";
      const Assumption& answer = cases_[i].assume[node.depth];
      if (answers.empty() || !(answers.back() == answer)) {
        answers.push_back(answer);
        open.push_back({i, i, node.depth + 1});
      }
      open.back().last = i + 1;
    }
    switch (answers.front().kind) {
      case Kind::Before: return check_order_split(branch, answers);
      case Kind::Writer: return check_writer_split(branch, answers);
      case Kind::Committed:
      case Kind::Aborted: return check_outcome_split(branch, answers);
      case Kind::Element: return check_element_split(branch, answers);
    }
    return "an assumption is of no known kind";
  }

  // co is total: of two that take part one is before the other.
  static Complaint check_order_split(const Branch& branch,
                                     const std::vector<Assumption>& answers) {
    const TxnId a = answers[0].a;
    const TxnId b = answers[0].b;
    const std::size_t size = branch.history().size();
    if (a.index >= size || b.index >= size || a == b)
      return "a case split orders no two transactions";
    const std::string pair =
        branch.history().name(a) + " and " + branch.history().name(b);
    if (!branch.counts(a) || !branch.counts(b))
      return "the cases order " + pair + ", which need not both have committed";
    bool has_other = false;
    for (const Assumption& answer : answers) {
      const bool is_first =
          answer.kind == Kind::Before && answer.a == a && answer.b == b;
      const bool is_second =
          answer.kind == Kind::Before && answer.a == b && answer.b == a;
      if (!is_first && !is_second)
        return "the cases split more than the order of " + pair;
      has_other |= is_second;
    }
    if (!has_other) return "the cases cover only one order of " + pair;
    return {};
  }

  static Complaint check_writer_split(const Branch& branch,
                                      const std::vector<Assumption>& answers) {
    const auto* read = branch.reading().external(answers[0].op);
    if (!read) return "a case split asks for the writer of no external read";
    const std::string name = branch.history().describe(read->op) + " of " +
                             branch.history().name(read->reader);
    if (!branch.counts(read->reader))
      return "the cases split the writer of " + name +
             ", which need not have committed";
    for (const Assumption& answer : answers)
      if (answer.kind != Kind::Writer || answer.op != read->op)
        return "the cases split more than the writer of " + name;
    for (const TxnId t : branch.possible_writers(*read))
      if (std::none_of(answers.begin(), answers.end(),
                       [&](const Assumption& x) { return x.a == t; }))
        return "the cases forget that " + name + " may read from " +
               branch.history().name(t);
    // A transaction reads neither from itself nor, where time counts, from one
    // that began later; a case that says so is idle.
    const auto candidates = branch.candidates(*read);
    for (const Assumption& answer : answers)
      if (answer.a != read->reader &&
          std::find(candidates.begin(), candidates.end(), answer.a) ==
              candidates.end())
        return "a case assumes a writer that " + name + " cannot have";
    return {};
  }

  static Complaint check_outcome_split(const Branch& branch,
                                       const std::vector<Assumption>& answers) {
    const TxnId t = answers[0].a;
    if (t.index >= branch.history().size() ||
        branch.history().at(t).status != Status::Unknown)
      return "a case split asks for the outcome of no unknown transaction";
    bool committed = false;
    bool aborted = false;
    for (const Assumption& answer : answers) {
      if (answer.a != t ||
          (answer.kind != Kind::Committed && answer.kind != Kind::Aborted))
        return "the cases split more than the outcome of " +
               branch.history().name(t);
      (answer.kind == Kind::Committed ? committed : aborted) = true;
    }
    if (!committed || !aborted)
      return "the cases cover only one outcome of " + branch.history().name(t);
    return {};
  }

  static Complaint check_element_split(const Branch& branch,
                                       const std::vector<Assumption>& answers) {
    const KeyId key = answers[0].key;
    const std::uint32_t position = answers[0].position;
    if (key.index >= branch.history().key_count() ||
        branch.history().kind(key) != KeyKind::List)
      return "a case split asks for an element of no list";
    const std::string name = "element " + std::to_string(position) +
                             " of list " + branch.history().name(key);
    const auto* read = branch.longest_read(key);
    if (!read || read->length <= position)
      return "the cases split " + name + ", which nobody must have read";
    for (const Assumption& answer : answers)
      if (answer.kind != Kind::Element || answer.key != key ||
          answer.position != position)
        return "the cases split more than " + name;
    const auto candidates = branch.element_candidates(*read, position);
    for (const OpId op : candidates)
      if (!reads_itself(branch, op, position) &&
          std::none_of(answers.begin(), answers.end(),
                       [&](const Assumption& x) { return x.op == op; }))
        return "the cases forget that " + name + " may be " +
               branch.history().describe(op) + " of " +
               branch.history().name(branch.history().txn_of(op));
    for (const Assumption& answer : answers)
      if (std::find(candidates.begin(), candidates.end(), answer.op) ==
          candidates.end())
        return "a case assumes an append that " + name + " cannot be";
    return {};
  }

  // From read committed on nobody reads what it appends later.
  static bool reads_itself(const Branch& branch, OpId append,
                           std::uint32_t position) {
    if (branch.level().base == Base::ReadUncommitted) return false;
    const auto reads = branch.reading().reads(branch.history().txn_of(append));
    return std::any_of(reads.begin(), reads.end(), [&](const auto& read) {
      return read.is_list && read.length > position &&
             read.key == branch.history().at(append).key;
    });
  }

  const Branch& root_;
  const std::vector<Case>& cases_;
};

}  // namespace

Certificate certify_refutation(const Reading& reading, Level level,
                               const Refutation& refutation) {
  if (refutation.cases.empty()) return {false, "the refutation has no cases"};
  const Branch root(reading, level);
  const Complaint complaint = refutation.lemmas.empty()
                                  ? TreeCheck(root, refutation).check()
                                  : complaint_about_lemmas(root, refutation);
  if (complaint) return {false, *complaint};
  return {true, ""};
}

}  // namespace txscope::certify
