#include <algorithm>

#include "tla/evaluate/evaluator_parts.h"

namespace txscope::tla {
namespace {

constexpr std::size_t kMostPrints = 1000;

}  // namespace

/// Where the part that SubSeq names begins, from 0, and how long it is.
std::pair<std::size_t, std::size_t> Evaluator::part(const Code& code,
                                                    Frame* frame,
                                                    std::size_t length) {
  const std::int64_t from = integer(code.kid(1), frame);
  const std::int64_t to = integer(code.kid(2), frame);
  if (from > to) return {0, 0};
  if (from < 1 || to > static_cast<std::int64_t>(length))
    fault(code, "SubSeq from " + std::to_string(from) + " to " +
                    std::to_string(to) + " of a sequence of length " +
                    std::to_string(length));
  return {static_cast<std::size_t>(from - 1),
          static_cast<std::size_t>(to - from + 1)};
}

/// A string is a sequence to Len, Tail, SubSeq and \o, as in TLC.
Value Evaluator::string_op(Value string, const Code& code, Frame* frame) {
  const std::string& text = string.as_name()->text;
  switch (code.op) {
    case Op::Len: return Value::of_int(static_cast<std::int64_t>(text.size()));
    case Op::Tail:
      if (text.empty()) fault(code, "Tail of an empty string");
      return store_.string(text.substr(1));
    case Op::SubSeq: {
      const auto [from, size] = part(code, frame, text.size());
      return store_.string(text.substr(from, size));
    }
    case Op::Concat: {
      const Value second = eval(code.kid(1), frame);
      if (second.tag() != Tag::String)
        fault(code, "expected a string, found " + brief(second));
      return store_.string(text + second.as_name()->text);
    }
    default: fault(code, "expected a sequence, found " + brief(string));
  }
}

Value Evaluator::sequence_op(const Code& code, Frame* frame) {
  const Value first = eval(code.kid(0), frame);
  if (code.op == Op::SeqSet) {
    if (!first.is_node() || first.as_node()->is_function())
      fault(code, "expected a set, found " + brief(first));
    const Value only[] = {first};
    return store_.lazy(NodeKind::SequenceSet, only);
  }
  if (first.tag() == Tag::String) return string_op(first, code, frame);
  const Node& s = sequence_node(first, code);
  switch (code.op) {
    case Op::Len: return Value::of_int(s.size);
    case Op::Head:
      if (s.size == 0) fault(code, "Head of an empty sequence");
      return s.items[0];
    case Op::Tail:
      if (s.size == 0) fault(code, "Tail of an empty sequence");
      return store_.sequence(s.all().subspan(1));
    case Op::Append:
    case Op::Concat: {
      const Value other = settled(code.kid(1), frame);
      std::span<const Value> more(&other, 1);
      if (code.op == Op::Concat) more = sequence_node(other, code).all();
      if (more.empty()) return first;
      const Mark mark(*this);
      const std::size_t size = s.size + more.size();
      Value* items = push(size);
      std::copy(s.items, s.items + s.size, items);
      std::copy(more.begin(), more.end(), items + s.size);
      return store_.sequence({items, size});
    }
    case Op::SubSeq: {
      const auto [from, size] = part(code, frame, s.size);
      return store_.sequence(s.all().subspan(from, size));
    }
    case Op::SelectSeq: {
      const Mark mark(*this);
      const Value test = argument(code.kid(1), frame, false);
      const auto& closure = *static_cast<const Closure*>(test.pointer());
      std::vector<Value> kept;
      for (const Value item : s.all()) {
        tick();
        const Value args[] = {item};
        const Value v = call_closure(closure, args);
        if (!v.is_bool())
          fault(code, "the test of SelectSeq gives " + brief(v));
        if (v.as_bool()) kept.push_back(item);
      }
      return store_.sequence(kept);
    }
    case Op::SortSeq: {
      const Mark mark(*this);
      const Value test = argument(code.kid(1), frame, false);
      const auto& closure = *static_cast<const Closure*>(test.pointer());
      // Insertion keeps its head with a test that is no order.
      std::vector<Value> sorted;
      for (const Value item : s.all()) {
        std::size_t at = sorted.size();
        while (at > 0) {
          tick();
          const Value args[] = {item, sorted[at - 1]};
          if (call_closure(closure, args) != kTrue) break;
          --at;
        }
        sorted.insert(sorted.begin() + static_cast<std::ptrdiff_t>(at), item);
      }
      return store_.sequence(sorted);
    }
    default: return {};
  }
}

Value Evaluator::tlc_op(const Code& code, Frame* frame) {
  switch (code.op) {
    case Op::Print:
    case Op::PrintT: {
      const Value v = settled(code.kid(0), frame);
      if (prints_.size() < kMostPrints) prints_.push_back(to_string(v));
      return code.op == Op::PrintT ? kTrue : eval(code.kid(1), frame);
    }
    case Op::Assert: {
      ++assertions_;
      if (truth(code.kid(0), frame)) return kTrue;
      const Value message = settled(code.kid(1), frame);
      throw AssertionFault(code.spot, message.tag() == Tag::String
                                          ? message.as_name()->text
                                          : to_string(message));
    }
    case Op::Permutations: {
      const Value set = eval(code.kid(0), frame);
      at_ = &code;
      return sets_.permutations(set);
    }
    case Op::ToString:
      return store_.string(to_string(settled(code.kid(0), frame)));
    case Op::TlcEval: return settled(code.kid(0), frame);
    case Op::TlcSet: {
      const Value key = settled(code.kid(0), frame);
      const Value v = settled(code.kid(1), frame);
      registers_[key.bits()] = v;
      if (v == kTrue && key == store_.string("exit")) {
        wants_exit_ = true;
        if (budget_ != nullptr) budget_->cancel();
        throw Stopped{};
      }
      return kTrue;
    }
    case Op::TlcGet: {
      const Value key = settled(code.kid(0), frame);
      const Value v = register_of(key, code);
      if (v.is_none() && key.tag() == Tag::String &&
          key.as_name()->text.starts_with("-D"))
        fault(code, "TLCGet(" + brief(key) + ") is a switch of TLC's",
              "what it asks for may not be supported here");
      if (v.is_none())
        fault(code, "TLCGet(" + brief(key) + ") has no value",
              "TLCSet gives it one; of TLC's own \"level\", \"diameter\", "
              "\"generated\", \"distinct\", \"queue\", \"duration\", "
              "\"stats\", \"config\", \"all\" and \"all:named\" are known");
      return v;
    }
    case Op::RandomElement: {
      const Value set = eval(code.kid(0), frame);
      at_ = &code;
      Random random = draw(code, set);
      return sample(set, random);
    }
    case Op::JavaTime:
      fault(code, "JavaTime is not supported",
            "a result must not depend on the clock");
    default: fault(code, "this cannot be evaluated");
  }
}

}  // namespace txscope::tla
