#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>

#include "tla/evaluate/evaluator_parts.h"
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
Value Evaluator::fold(const Code& code, Frame* frame, Library way) {
  const Mark mark(*this);
  const Value op = argument(code.kid(0), frame, false);
  const auto& closure = *static_cast<const Closure*>(op.pointer());
  Value sum = settled(code.kid(1), frame);
  const Value over = settled(code.kid(2), frame);
  if (!over.is_node())
    fault(code.kid(2), "expected a set or a function, found " + brief(over));
  const auto items = over.as_node()->all();
  for (std::size_t i = 0; i < items.size(); ++i) {
    tick();
    const bool is_left = way == Library::FoldLeft;
    const Value item =
        items[way == Library::FoldRight ? items.size() - 1 - i : i];
    const Value args[] = {is_left ? sum : item, is_left ? item : sum};
    sum = sets_.settle(call_closure(closure, args));
  }
  return sum;
}

/// What TLCSet has stored, or what the run knows about itself.
Value Evaluator::register_of(Value key, const Code& code) {
  if (const auto found = registers_.find(key.bits()); found != registers_.end())
    return found->second;
  if (key.tag() != Tag::String || !facts_) return {};
  const std::string& name = key.as_name()->text;
  constexpr std::array<std::string_view, 6> kStats = {
      "diameter", "distinct", "duration", "generated", "queue", "traces"};
  constexpr std::array<std::string_view, 4> kConfig = {"depth", "seed",
                                                       "traces", "worker"};
  if (name == "-Dtlc2.tool.impl.Tool.cdot") return store_.string("true");
  if (name == "all" || name == "all:named")
    return all_registers(name == "all:named", code);
  if (name == "stats") return fact_record(kStats);
  if (name == "config") {
    const Value mode[] = {store_.string(
        facts_("simulates").value_or(0) != 0 ? "simulate" : "bfs")};
    const Value names[] = {store_.string("mode")};
    const Value record = store_.function(store_.sorted_set(names), mode);
    return merge(record, fact_record(kConfig), code);
  }
  const auto fact = facts_(name);
  return fact ? Value::of_int(*fact) : Value();
}

/// What every worker has stored under numbers, or under names such as "s:x":
/// for each of these the sequence of the workers' values.
Value Evaluator::all_registers(bool named, const Code& code) {
  if (facts_("worker").value_or(1) != 1)
    fault(code, "the registers of several workers are not known to one",
          "use --jobs 1");
  std::vector<std::pair<Value, Value>> all;
  for (const auto& [bits, value] : registers_) {
    const Value key = Value::of_bits(bits);
    const bool is_wanted = named ? key.tag() == Tag::String &&
                                       key.as_name()->text.starts_with("s:")
                                 : key.is_int();
    if (is_wanted) all.emplace_back(key, store_.sequence({&value, 1}));
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return compare(a.first, b.first) < 0;
  });
  std::vector<Value> keys;
  std::vector<Value> values;
  for (const auto& [key, value] : all) {
    keys.push_back(key);
    values.push_back(value);
  }
  return store_.function(store_.sorted_set(keys), values);
}

Value Evaluator::fact_record(std::span<const std::string_view> names) {
  std::vector<Value> keys;
  for (const auto name : names) keys.push_back(store_.string(name));
  const Value domain = store_.set(keys);
  std::vector<Value> values;
  for (const Value key : domain.as_node()->all())
    values.push_back(Value::of_int(facts_(key.as_name()->text).value_or(0)));
  return store_.function(domain, values);
}

/// Random numbers that depend on nothing but the seed, the place, the set, the
/// state, and how many were drawn before in this evaluation: asked again, the
/// same state has the same successors.
Random Evaluator::draw(const Code& code, Value set) {
  std::uint64_t h = scramble(seed_ + 1);
  h = scramble(h ^ (std::uint64_t{code.spot.line} << 32 | code.spot.column));
  h = scramble(h ^ hash_of(set));
  if (now_ != nullptr && !is_unsettled(now_))
    for (std::size_t i = 0; i < program_.variables().size(); ++i)
      h = scramble(h ^ (now_[i].is_none() ? 0 : hash_of(now_[i])));
  return Random(scramble(h ^ ++draws_));
}

/// An element of a set that may be too large to be built.
Value Evaluator::sample(Value set, Random& random) {
  const Node* node = set.is_node() ? set.as_node() : nullptr;
  if (node == nullptr || node->is_function())
    throw ValueFault{"expected a set, found " + brief(set), {}};
  std::vector<Value> items;
  switch (node->kind) {
    case NodeKind::Interval:
      if (node->items[0].as_int() > node->items[1].as_int()) break;
      return Value::of_int(
          random.between(node->items[0].as_int(), node->items[1].as_int()));
    case NodeKind::Subset:
      for (const Value v : sets_.elements(node->items[0]).all())
        if (random.chance(0.5)) items.push_back(v);
      return store_.sorted_set(items);
    case NodeKind::FunctionSet: {
      const Node& domain = sets_.elements(node->items[0]);
      for (std::uint32_t i = 0; i < domain.size; ++i)
        items.push_back(sample(node->items[1], random));
      return store_.function(Value::of_node(&domain), items);
    }
    case NodeKind::RecordSet:
      for (const Value part : node->all())
        items.push_back(sample(part, random));
      return store_.function(node->domain, items);
    case NodeKind::Product:
      for (const Value part : node->all())
        items.push_back(sample(part, random));
      return store_.sequence(items);
    default: break;
  }
  const Node& all = sets_.elements(set);
  if (all.size == 0) throw ValueFault{"a random element of an empty set", {}};
  return all.items[random.below(all.size)];
}

Value Evaluator::random_subset(const Code& code, Frame* frame) {
  const std::int64_t asked = integer(code.kid(0), frame);
  const Value set = eval(code.kid(1), frame);
  at_ = &code;
  constexpr std::int64_t kSmall = 1 << 16;
  Random random = draw(code, set);
  const std::int64_t size = sets_.cardinality(set);
  if (asked < 0)
    fault(code, "no subset has " + std::to_string(asked) + " elements");
  const std::int64_t wanted = std::min(asked, size);  // as TLC
  std::vector<Value> chosen;
  if (size <= kSmall) {
    const Node& all = sets_.elements(set);
    std::vector<Value> rest(all.all().begin(), all.all().end());
    for (std::int64_t i = 0; i < wanted; ++i) {
      const std::size_t at = random.below(rest.size());
      chosen.push_back(rest[at]);
      rest[at] = rest.back();
      rest.pop_back();
    }
  } else {
    std::set<std::uint64_t> known;
    while (known.size() < static_cast<std::size_t>(wanted)) {
      tick();
      const Value v = sample(set, random);
      if (known.insert(v.bits()).second) chosen.push_back(v);
    }
  }
  return store_.set(chosen);
}

/// About k sets of about n elements each.
Value Evaluator::random_subsets(const Code& code, Frame* frame) {
  const std::int64_t count = integer(code.kid(0), frame);
  const std::int64_t size = integer(code.kid(1), frame);
  const Value set = eval(code.kid(2), frame);
  at_ = &code;
  const Node& all = sets_.elements(set);
  Random random = draw(code, set);
  const double p =
      all.size == 0 ? 0
                    : static_cast<double>(size) / static_cast<double>(all.size);
  std::vector<Value> subsets;
  for (std::int64_t i = 0; i < count; ++i) {
    tick();
    std::vector<Value> chosen;
    for (const Value v : all.all())
      if (random.chance(p)) chosen.push_back(v);
    subsets.push_back(store_.sorted_set(chosen));
  }
  return store_.set(subsets);
}

Value Evaluator::library(const Code& code, Frame* frame) {
  const auto kid = [&](std::uint32_t i) { return settled(code.kid(i), frame); };
  switch (static_cast<Library>(code.index)) {
    case Library::FoldLeft:
    case Library::FoldRight:
    case Library::FoldInto:
      return fold(code, frame, static_cast<Library>(code.index));
    case Library::SetToSeq: {
      const Value set = eval(code.kid(0), frame);
      at_ = &code;
      return store_.sequence(sets_.elements(set).all());
    }
    case Library::SubsetsOfSize: {
      const std::int64_t size = integer(code.kid(0), frame);
      const Value set = eval(code.kid(1), frame);
      at_ = &code;
      return sets_.subsets_of_size(set, size);
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
      const Value known = register_of(kid(0), code);
      return known.is_none() ? kid(1) : known;
    }
    case Library::ModelValue: return store_.model(text_of(kid(0), code));
    case Library::Trace: fault(code, "Trace is not supported");
    case Library::RandomSubset: return random_subset(code, frame);
    case Library::RandomSubsets: return random_subsets(code, frame);
    case Library::ToJson: return store_.string(json_of(kid(0)));
    case Library::ReadJson: {
      const std::string path = text_of(kid(0), code);
      return values_of_json(path, truth(code.kid(1), frame), store_, code.spot);
    }
    case Library::Refuse: fault(code, text_of(kid(0), code));
    case Library::Environment: {
      std::vector<std::pair<Value, Value>> all;
      for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view line(*entry);
        const std::size_t at = line.find('=');
        if (at == std::string_view::npos) continue;
        all.emplace_back(store_.string(line.substr(0, at)),
                         store_.string(line.substr(at + 1)));
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
      return store_.function(store_.sorted_set(keys), values);
    }
    case Library::Atoi: {
      const std::string text = text_of(kid(0), code);
      char* end = nullptr;
      const long long n = std::strtoll(text.c_str(), &end, 10);
      if (text.empty() || *end != 0 || n > kLargestInt || n < -kLargestInt)
        fault(code, "'" + text + "' is no integer");
      return Value::of_int(n);
    }
    case Library::IsPrefix: {
      const Value s = kid(0);
      const Value t = kid(1);
      if (s.tag() == Tag::String && t.tag() == Tag::String)
        return Value::of_bool(t.as_name()->text.starts_with(s.as_name()->text));
      const Node& part = sequence_node(s, code.kid(0));
      const Node& whole = sequence_node(t, code.kid(1));
      return Value::of_bool(
          part.size <= whole.size &&
          std::equal(part.items, part.items + part.size, whole.items));
    }
    case Library::IsBag: {
      const Value v = sets_.settle(kid(0));
      if (!v.is_node() || !v.as_node()->is_function()) return kFalse;
      const auto counts = v.as_node()->all();
      return Value::of_bool(
          std::all_of(counts.begin(), counts.end(), [](Value count) {
            return count.tag() == Tag::Int && count.as_int() > 0;
          }));
    }
    case Library::ZeroPad: {
      std::string digits = std::to_string(integer(code.kid(0), frame));
      const std::int64_t width = integer(code.kid(1), frame);
      while (static_cast<std::int64_t>(digits.size()) <
             std::min<std::int64_t>(width, 100))
        digits.insert(digits.begin(), '0');
      return store_.string(digits);
    }
  }
  return {};
}

}  // namespace txscope::tla
