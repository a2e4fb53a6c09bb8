#include "tla/evaluate/library_operations.h"

#include <algorithm>
#include <cstdlib>

#include "tla/evaluate/randomness.h"
#include "tla/evaluate/sequence_operations.h"
#include "tla/evaluate/tlc_operations.h"
#include "tla/value/json_values.h"

extern char** environ;

namespace txscope::tla {
namespace {

const std::string& text_of(Value v, const Code& code) {
  if (v.tag() != Tag::String)
    fail(code.spot, "expected a string, found " + brief(v));
  return v.as_name()->text;
}

}  // namespace

/// Over the elements of a set or the values of a function, in ascending order
/// of elements and arguments.
Value Evaluator::LibraryOperations::fold(Evaluator& e, const Code& code,
                                         Frame* frame, Library way) {
  const Mark mark(e);
  const Value op = e.argument(code.kid(0), frame, false);
  const auto& closure = *static_cast<const Closure*>(op.pointer());
  Value sum = e.settled(code.kid(1), frame);
  const Value over = e.settled(code.kid(2), frame);
  if (!over.is_node())
    e.fault(code.kid(2), "expected a set or a function, found " + brief(over));
  const auto items = over.as_node()->all();
  for (std::size_t i = 0; i < items.size(); ++i) {
    e.tick();
    const bool is_left = way == Library::FoldLeft;
    const Value item =
        items[way == Library::FoldRight ? items.size() - 1 - i : i];
    const Value args[] = {is_left ? sum : item, is_left ? item : sum};
    sum = e.sets_.settle(e.call_closure(closure, args));
  }
  return sum;
}

Value Evaluator::LibraryOperations::evaluate(Evaluator& e, const Code& code,
                                             Frame* frame) {
  const auto kid = [&](std::uint32_t i) {
    return e.settled(code.kid(i), frame);
  };
  switch (static_cast<Library>(code.index)) {
    case Library::FoldLeft:
    case Library::FoldRight:
    case Library::FoldInto:
      return fold(e, code, frame, static_cast<Library>(code.index));
    case Library::SetToSeq: {
      const Value set = e.eval(code.kid(0), frame);
      e.at_ = &code;
      return e.store_.sequence(e.sets_.elements(set).all());
    }
    case Library::SubsetsOfSize: {
      const std::int64_t size = e.integer(code.kid(0), frame);
      const Value set = e.eval(code.kid(1), frame);
      e.at_ = &code;
      return e.sets_.subsets_of_size(set, size);
    }
    case Library::AssertError: {
      const std::string wanted = text_of(kid(0), code);
      try {
        (void)kid(1);
      } catch (const Fault&) {
        return kTrue;  // messages are our own; that it fails is what counts
      } catch (const ValueFault&) {
        return kTrue;
      }
      return kFalse;
    }
    case Library::GetOr: {
      const Value known = TlcOperations::register_of(e, kid(0), code);
      return known.is_none() ? kid(1) : known;
    }
    case Library::ModelValue: return e.store_.model(text_of(kid(0), code));
    case Library::Trace: e.fault(code, "Trace is not supported");
    case Library::RandomSubset: return Randomness::subset(e, code, frame);
    case Library::RandomSubsets: return Randomness::subsets(e, code, frame);
    case Library::ToJson: return e.store_.string(json_of(kid(0)));
    case Library::ReadJson: {
      const std::string path = text_of(kid(0), code);
      return values_of_json(path, e.truth(code.kid(1), frame), e.store_,
                            code.spot);
    }
    case Library::Refuse: e.fault(code, text_of(kid(0), code));
    case Library::Environment: {
      std::vector<std::pair<Value, Value>> all;
      for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view line(*entry);
        const std::size_t at = line.find('=');
        if (at == std::string_view::npos) continue;
        all.emplace_back(e.store_.string(line.substr(0, at)),
                         e.store_.string(line.substr(at + 1)));
      }
      std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
        return compare(a.first, b.first) < 0;
      });
      std::vector<Value> keys;
      std::vector<Value> values;
      for (const auto& [key, value] : all) {
        if (!keys.empty() && keys.back() == key) continue;
        keys.push_back(key);
        values.push_back(value);
      }
      return e.store_.function(e.store_.sorted_set(keys), values);
    }
    case Library::Atoi: {
      const std::string text = text_of(kid(0), code);
      char* end = nullptr;
      const long long n = std::strtoll(text.c_str(), &end, 10);
      if (text.empty() || *end != 0 || n > kLargestInt || n < -kLargestInt)
        e.fault(code, "'" + text + "' is no integer");
      return Value::of_int(n);
    }
    case Library::IsPrefix: {
      const Value s = kid(0);
      const Value t = kid(1);
      if (s.tag() == Tag::String && t.tag() == Tag::String)
        return Value::of_bool(t.as_name()->text.starts_with(s.as_name()->text));
      const Node& part = e.sequence_node(s, code.kid(0));
      const Node& whole = e.sequence_node(t, code.kid(1));
      return Value::of_bool(
          part.size <= whole.size &&
          std::equal(part.items, part.items + part.size, whole.items));
    }
    case Library::IsBag: {
      const Value v = e.sets_.settle(kid(0));
      if (!v.is_node() || !v.as_node()->is_function()) return kFalse;
      const auto counts = v.as_node()->all();
      return Value::of_bool(
          std::all_of(counts.begin(), counts.end(), [](Value count) {
            return count.tag() == Tag::Int && count.as_int() > 0;
          }));
    }
    case Library::ZeroPad: {
      std::string digits = std::to_string(e.integer(code.kid(0), frame));
      const std::int64_t width = e.integer(code.kid(1), frame);
      while (static_cast<std::int64_t>(digits.size()) <
             std::min<std::int64_t>(width, 100))
        digits.insert(digits.begin(), '0');
      return e.store_.string(digits);
    }
  }
  return {};
}

}  // namespace txscope::tla
