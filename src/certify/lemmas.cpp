#include "certify/lemmas.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "certify/clauses.h"
#include "certify/contradiction.h"

namespace txscope::certify {
namespace {

using Complaint = std::optional<std::string>;
using Kind = Assumption::Kind;

/// Each case becomes the clause that not all of its assumptions are true, after
/// its contradiction was checked; what the atoms mean becomes clauses, too, as
/// far as the proof speaks of them.  Then each lemma has to follow.
///
/// Clauses are about any execution of the history in which the level holds: the
/// variable of Before(a, b) is true if a is before b in co, continued in any
/// way to those who do not take part; that of Writer(r, a) if the reader takes
/// part and reads from a; that of Element(k, i, op) if the list k, with all
/// appends of those who take part, has the append op at place i.
class LemmaCheck {
 public:
  LemmaCheck(const Branch& root, const Refutation& refutation)
      : root_(root), h_(root.history()), refutation_(refutation) {}

  Complaint check() {
    if (!refutation_.lemmas.back().empty())
      return "the last lemma is not empty";
    for (const Case& c : refutation_.cases)
      if (auto complaint = add_case(c)) return complaint;
    std::vector<std::vector<Lit>> lemmas;
    for (const Lemma& lemma : refutation_.lemmas) {
      lemmas.emplace_back();
      for (const Literal& literal : lemma) {
        if (auto complaint = complaint_about_atom(literal.atom))
          return complaint;
        const Lit l = variable(literal.atom);
        lemmas.back().push_back(literal.is_negated ? Clauses::negation(l) : l);
      }
    }
    add_meanings();
    for (std::size_t i = 0; i < lemmas.size(); ++i) {
      if (!is_true_by_meaning(refutation_.lemmas[i]) &&
          !clauses_.imply(lemmas[i]))
        return "lemma " + std::to_string(i + 1) + " of " +
               std::to_string(lemmas.size()) + " does not follow";
      clauses_.add(std::move(lemmas[i]));
    }
    return {};
  }

 private:
  using Lit = Clauses::Lit;

  Complaint add_case(const Case& c) {
    std::vector<Lit> clause;
    for (const Assumption& assumption : c.assume) {
      if (auto complaint = complaint_about_atom(assumption)) return complaint;
      clause.push_back(Clauses::negation(variable(assumption)));
    }
    const Branch branch(root_, c.assume);
    if (auto complaint = std::visit(
            [&](const auto& why) { return complaint_about(branch, why); },
            c.contradiction))
      return complaint;
    clauses_.add(std::move(clause));
    return {};
  }

  Complaint complaint_about_atom(const Assumption& atom) const {
    switch (atom.kind) {
      case Kind::Before:
        if (is_txn(atom.a) && is_txn(atom.b) && atom.a != atom.b) return {};
        return "a proof orders no two transactions";
      case Kind::Writer: {
        const auto* read = root_.reading().external(atom.op);
        if (read && !read->is_list && is_txn(atom.a) &&
            root_.level().base != Base::ReadUncommitted)
          return {};
        return "a proof speaks of the writer of no external read";
      }
      case Kind::Committed:
      case Kind::Aborted:
        if (is_txn(atom.a) && h_.at(atom.a).status == Status::Unknown)
          return {};
        return "a proof speaks of the outcome of no unknown transaction";
      case Kind::Element:
        if (atom.key.index < h_.key_count() &&
            h_.kind(atom.key) == KeyKind::List &&
            atom.op.index < h_.ops().size() &&
            h_.at(atom.op).kind == OpKind::Append &&
            h_.at(atom.op).key == atom.key)
          return {};
        return "a proof speaks of an element of no list";
    }
    return "an assumption is of no known kind";
  }
  [[nodiscard]] bool is_txn(TxnId t) const { return t.index < h_.size(); }

  // Two assumptions of which one is the other's negation share a variable.
  Lit variable(const Assumption& atom) {
    switch (atom.kind) {
      case Kind::Before: return before(atom.a, atom.b);
      case Kind::Writer: return writer(atom.op, atom.a);
      case Kind::Committed: return committed(atom.a);
      case Kind::Aborted: return Clauses::negation(committed(atom.a));
      case Kind::Element: return element(atom.key, atom.position, atom.op);
    }
    return 0;
  }
  template <class Key>
  Lit find(std::map<Key, Lit>& variables, const Key& key) {
    const auto [place, is_new] = variables.try_emplace(key, 0);
    if (is_new) place->second = clauses_.add_variable();
    return place->second;
  }
  Lit before(TxnId a, TxnId b) {
    if (b < a) return Clauses::negation(before(b, a));
    return find(orders_, {a, b});
  }
  Lit writer(OpId read, TxnId from) {
    new_reads_.insert(read);
    return find(writers_, {read, from});
  }
  Lit committed(TxnId t) {
    if (!outcomes_.contains(t)) new_unknown_.push_back(t);
    return find(outcomes_, t);
  }
  Lit element(KeyId key, std::uint32_t position, OpId op) {
    new_places_.insert({key, position});
    return find(elements_, {key, position, op});
  }

  // Whether somebody who has to take part for the rest of a clause to be true
  // does: nothing if certainly so, otherwise the literal that says he does not.
  // Nothing is said of those who certainly do not.
  bool add_if_takes_part(TxnId t, std::vector<Lit>& clause) {
    if (root_.counts(t)) return true;
    if (h_.at(t).status != Status::Unknown) return false;
    clause.push_back(Clauses::negation(committed(t)));
    return true;
  }

  // A read has one writer.  As clauses for all pairs that would be too many.
  static bool is_true_by_meaning(const Lemma& lemma) {
    std::map<OpId, TxnId> denied;
    for (const Literal& literal : lemma) {
      const Assumption& atom = literal.atom;
      if (atom.kind != Kind::Writer || !literal.is_negated) continue;
      const auto [place, is_new] = denied.try_emplace(atom.op, atom.a);
      if (!is_new && place->second != atom.a) return true;
    }
    return false;
  }

  // Meanings speak of further atoms, which have meanings.
  void add_meanings() {
    const bool has_writers = root_.level().base != Base::ReadUncommitted;
    while (!new_reads_.empty() || !new_unknown_.empty() ||
           !new_places_.empty()) {
      for (const TxnId t : std::exchange(new_unknown_, {})) {
        if (root_.counts(t)) clauses_.add({committed(t)});
        for (const auto& read : root_.reading().reads(t))
          if (has_writers && !read.is_list) new_reads_.insert(read.op);
      }
      for (const OpId read : std::exchange(new_reads_, {}))
        if (known_reads_.insert(read).second)
          add_read(*root_.reading().external(read));
      for (const auto& [key, position] : std::exchange(new_places_, {}))
        if (known_places_.insert({key, position}).second)
          add_place(key, position);
    }
    add_elements();
  }

  void add_read(const Reading::External& read) {
    std::vector<Lit> clause;
    if (!add_if_takes_part(read.reader, clause)) return;
    for (const TxnId t : root_.candidates(read)) {
      const Lit chosen = writer(read.op, t);
      clause.push_back(chosen);
      add_implied(chosen, read.reader);
      add_implied(chosen, t);
    }
    clauses_.add(std::move(clause));
  }

  void add_implied(Lit chosen, TxnId t) {
    if (h_.at(t).status == Status::Unknown)
      clauses_.add({Clauses::negation(chosen), committed(t)});
  }

  void add_place(KeyId key, std::uint32_t position) {
    for (const auto& read : root_.reading().list_reads(key)) {
      std::vector<Lit> clause;
      if (read.length <= position || !add_if_takes_part(read.reader, clause))
        continue;
      const auto candidates = root_.element_candidates(read, position);
      if (candidates.empty()) continue;
      for (const OpId op : candidates)
        clause.push_back(element(key, position, op));
      clauses_.add(std::move(clause));
    }
  }

  // One append for each place, and one place for each append.
  void add_elements() {
    for (const auto& [key, lit] : elements_)
      add_implied(lit, h_.txn_of(std::get<2>(key)));
    for (auto a = elements_.begin(); a != elements_.end(); ++a) {
      for (auto b = elements_.begin(); b != a; ++b) {
        const auto& [key, place, op] = a->first;
        const auto& [other_key, other_place, other_op] = b->first;
        if (key == other_key && (place == other_place || op == other_op))
          clauses_.add(
              {Clauses::negation(a->second), Clauses::negation(b->second)});
      }
    }
  }

  const Branch& root_;
  const History& h_;
  const Refutation& refutation_;
  Clauses clauses_;
  std::map<std::pair<TxnId, TxnId>, Lit> orders_;
  std::map<std::pair<OpId, TxnId>, Lit> writers_;
  std::map<TxnId, Lit> outcomes_;
  std::map<std::tuple<KeyId, std::uint32_t, OpId>, Lit> elements_;
  // What a meaning is still to be given to, and what has one.
  std::set<OpId> new_reads_;
  std::vector<TxnId> new_unknown_;
  std::set<std::pair<KeyId, std::uint32_t>> new_places_;
  std::set<OpId> known_reads_;
  std::set<std::pair<KeyId, std::uint32_t>> known_places_;
};

}  // namespace

Complaint complaint_about_lemmas(const Branch& root,
                                 const Refutation& refutation) {
  return LemmaCheck(root, refutation).check();
}

}  // namespace txscope::certify
