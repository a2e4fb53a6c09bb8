#include "tla/evaluate/sequence_operations.h"

#include <algorithm>

namespace txscope::tla {

/// Where the part that SubSeq names begins, from 0, and how long it is.
std::pair<std::size_t, std::size_t> Evaluator::SequenceOperations::part(
    Evaluator& e, const Code& code, Frame* frame, std::size_t length) {
  const std::int64_t from = e.integer(code.kid(1), frame);
  const std::int64_t to = e.integer(code.kid(2), frame);
  if (from > to) return {0, 0};
  if (from < 1 || to > static_cast<std::int64_t>(length))
    e.fault(code, "SubSeq from " + std::to_string(from) + " to " +
                      std::to_string(to) + " of a sequence of length " +
                      std::to_string(length));
  return {static_cast<std::size_t>(from - 1),
          static_cast<std::size_t>(to - from + 1)};
}

/// A string is a sequence to Len, Tail, SubSeq and \o, as in TLC.
Value Evaluator::SequenceOperations::of_string(Evaluator& e, Value string,
                                               const Code& code, Frame* frame) {
  const std::string& text = string.as_name()->text;
  switch (code.op) {
    case Op::Len: return Value::of_int(static_cast<std::int64_t>(text.size()));
    case Op::Tail:
      if (text.empty()) e.fault(code, "Tail of an empty string");
      return e.store_.string(text.substr(1));
    case Op::SubSeq: {
      const auto [from, size] = part(e, code, frame, text.size());
      return e.store_.string(text.substr(from, size));
    }
    case Op::Concat: {
      const Value second = e.eval(code.kid(1), frame);
      if (second.tag() != Tag::String)
        e.fault(code, "expected a string, found " + brief(second));
      return e.store_.string(text + second.as_name()->text);
    }
    default: e.fault(code, "expected a sequence, found " + brief(string));
  }
}

Value Evaluator::SequenceOperations::evaluate(Evaluator& e, const Code& code,
                                              Frame* frame) {
  const Value first = e.eval(code.kid(0), frame);
  if (code.op == Op::SeqSet) {
    if (!first.is_node() || first.as_node()->is_function())
      e.fault(code, "expected a set, found " + brief(first));
    const Value only[] = {first};
    return e.store_.lazy(NodeKind::SequenceSet, only);
  }
  if (first.tag() == Tag::String) return of_string(e, first, code, frame);
  const Node& s = e.sequence_node(first, code);
  switch (code.op) {
    case Op::Len: return Value::of_int(s.size);
    case Op::Head:
      if (s.size == 0) e.fault(code, "Head of an empty sequence");
      return s.items[0];
    case Op::Tail:
      if (s.size == 0) e.fault(code, "Tail of an empty sequence");
      return e.store_.sequence(s.all().subspan(1));
    case Op::Append:
    case Op::Concat: {
      const Value other = e.settled(code.kid(1), frame);
      std::span<const Value> more(&other, 1);
      if (code.op == Op::Concat) more = e.sequence_node(other, code).all();
      if (more.empty()) return first;
      const Mark mark(e);
      const std::size_t size = s.size + more.size();
      Value* items = e.push(size);
      std::copy(s.items, s.items + s.size, items);
      std::copy(more.begin(), more.end(), items + s.size);
      return e.store_.sequence({items, size});
    }
    case Op::SubSeq: {
      const auto [from, size] = part(e, code, frame, s.size);
      return e.store_.sequence(s.all().subspan(from, size));
    }
    case Op::SelectSeq: {
      const Mark mark(e);
      const Value test = e.argument(code.kid(1), frame, false);
      const auto& closure = *static_cast<const Closure*>(test.pointer());
      std::vector<Value> kept;
      for (const Value item : s.all()) {
        e.tick();
        const Value args[] = {item};
        const Value v = e.call_closure(closure, args);
        if (!v.is_bool())
          e.fault(code, "the test of SelectSeq gives " + brief(v));
        if (v.as_bool()) kept.push_back(item);
      }
      return e.store_.sequence(kept);
    }
    case Op::SortSeq: {
      const Mark mark(e);
      const Value test = e.argument(code.kid(1), frame, false);
      const auto& closure = *static_cast<const Closure*>(test.pointer());
      // Insertion keeps its head with a test that is no order.
      std::vector<Value> sorted;
      for (const Value item : s.all()) {
        std::size_t at = sorted.size();
        while (at > 0) {
          e.tick();
          const Value args[] = {item, sorted[at - 1]};
          if (e.call_closure(closure, args) != kTrue) break;
          --at;
        }
        sorted.insert(sorted.begin() + static_cast<std::ptrdiff_t>(at), item);
      }
      return e.store_.sequence(sorted);
    }
    default: return {};
  }
}

}  // namespace txscope::tla
