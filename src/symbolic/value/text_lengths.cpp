#include "symbolic/value/text_lengths.h"

#include <algorithm>
#include <iterator>

#include "exec/sql/value/text.h"
#include "symbolic/value/term.h"

namespace txscope::symbolic {

using smt::Term;

namespace {

constexpr std::int64_t kMostCharacters = 1 << 20;
constexpr std::size_t kLongestShown = 10000;

}  // namespace

// Depth: that of a value over branches, which the summary bounds.
Term TextLengths::of(smt::Terms& t, const TextOrder& order, Term text) {
  if (const auto known = known_.find(text); known != known_.end()) {
    return known->second;
  }
  Term length;
  switch (t.op(text)) {
    case smt::Op::Integer: {
      const std::string known = order.text(*t.value(text)).text();
      // Casts drop blanks at the end without a word.
      if (known.ends_with(' '))
        throw Unsupported{{}, "the length of a text that ends in a blank"};
      length = t.integer(static_cast<std::int64_t>(sql::length(known)));
      break;
    }
    case smt::Op::Variable:
      length = t.unknown("length of " + t.name(text), {0, kMostCharacters});
      unknown_.emplace(text, length);
      break;
    case smt::Op::Ite: {
      const auto parts = t.operands(text);
      const Term when = parts[0];
      const Term otherwise = parts[2];
      const Term then = of(t, order, parts[1]);
      length = t.choose(when, then, of(t, order, otherwise));
      break;
    }
    default: throw Unsupported{{}, "the length of this text"};
  }
  known_.emplace(text, length);
  return length;
}

std::vector<Term> TextLengths::laws(smt::Terms& t,
                                    const TextOrder& order) const {
  std::vector<Term> out;
  for (auto a = unknown_.begin(); a != unknown_.end(); ++a) {
    for (auto b = unknown_.begin(); b != a; ++b) {
      out.push_back(t.implies(t.equal(a->first, b->first),
                              t.equal(a->second, b->second)));
    }
    const auto& texts = order.texts();
    for (auto at = texts.begin(); at != texts.end(); ++at) {
      const auto next = std::next(at);
      if (next == texts.end()) break;
      const std::size_t least = TextOrder::shortest(at->second, next->second);
      if (least <= 1) continue;
      const Term is_between =
          t.all_of({t.less(t.integer(at->first), a->first),
                    t.less(a->first, t.integer(next->first))});
      out.push_back(t.implies(
          is_between, t.less_equal(t.integer(static_cast<std::int64_t>(least)),
                                   a->second)));
    }
    for (const auto& [number, text] : texts) {
      const auto length = static_cast<std::int64_t>(sql::length(text));
      const Term is_it = t.equal(a->first, t.integer(number));
      const Term has_it = t.equal(a->second, t.integer(length));
      out.push_back(t.implies(is_it, has_it));
      if (length > 0) continue;
      // The empty text is the only one that short, and the first.
      out.push_back(t.implies(has_it, is_it));
      out.push_back(t.less_equal(t.integer(number), a->first));
    }
  }
  return out;
}

std::string TextLengths::stretched(std::string text, Term number,
                                   const smt::Model& model) const {
  const auto known = unknown_.find(number);
  if (known == unknown_.end()) return text;
  const auto wanted = static_cast<std::size_t>(model.integer(known->second));
  if (is_exact_ && wanted <= kLongestShown && wanted > sql::length(text)) {
    text.append(wanted - sql::length(text), '!');
  }
  for (const std::size_t limit : limits_) {
    const std::size_t now = sql::length(text);
    if (wanted > limit && now <= limit) text.append(limit + 1 - now, '!');
  }
  return text;
}

}  // namespace txscope::symbolic
