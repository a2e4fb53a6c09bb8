#include "tla/evaluate/tlc_operations.h"

#include <algorithm>
#include <array>

#include "tla/evaluate/randomness.h"

namespace txscope::tla {
namespace {

constexpr std::size_t kMostPrints = 1000;

}  // namespace

/// What TLCSet has stored, or what the run knows about itself.
Value Evaluator::TlcOperations::register_of(Evaluator& e, Value key,
                                            const Code& code) {
  if (const auto found = e.registers_.find(key.bits());
      found != e.registers_.end())
    return found->second;
  if (key.tag() != Tag::String || !e.facts_) return {};
  const std::string& name = key.as_name()->text;
  constexpr std::array<std::string_view, 6> kStats = {
      "diameter", "distinct", "duration", "generated", "queue", "traces"};
  constexpr std::array<std::string_view, 4> kConfig = {"depth", "seed",
                                                       "traces", "worker"};
  if (name == "-Dtlc2.tool.impl.Tool.cdot") return e.store_.string("true");
  if (name == "all" || name == "all:named")
    return all_registers(e, name == "all:named", code);
  if (name == "stats") return fact_record(e, kStats);
  if (name == "config") {
    const Value mode[] = {e.store_.string(
        e.facts_("simulates").value_or(0) != 0 ? "simulate" : "bfs")};
    const Value names[] = {e.store_.string("mode")};
    const Value record = e.store_.function(e.store_.sorted_set(names), mode);
    return e.merge(record, fact_record(e, kConfig), code);
  }
  const auto fact = e.facts_(name);
  return fact ? Value::of_int(*fact) : Value();
}

/// What every worker has stored under numbers, or under names such as "s:x":
/// for each of these the sequence of the workers' values.
Value Evaluator::TlcOperations::all_registers(Evaluator& e, bool named,
                                              const Code& code) {
  if (e.facts_("worker").value_or(1) != 1)
    e.fault(code, "the registers of several workers are not known to one",
          "use --jobs 1");
  std::vector<std::pair<Value, Value>> all;
  for (const auto& [bits, value] : e.registers_) {
    const Value key = Value::of_bits(bits);
    const bool is_wanted = named ? key.tag() == Tag::String &&
                                       key.as_name()->text.starts_with("s:")
                                 : key.is_int();
    if (is_wanted) all.emplace_back(key, e.store_.sequence({&value, 1}));
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
  return e.store_.function(e.store_.sorted_set(keys), values);
}

Value Evaluator::TlcOperations::fact_record(
    Evaluator& e, std::span<const std::string_view> names) {
  std::vector<Value> keys;
  for (const auto name : names) keys.push_back(e.store_.string(name));
  const Value domain = e.store_.set(keys);
  std::vector<Value> values;
  for (const Value key : domain.as_node()->all())
    values.push_back(Value::of_int(e.facts_(key.as_name()->text).value_or(0)));
  return e.store_.function(domain, values);
}

Value Evaluator::TlcOperations::evaluate(Evaluator& e, const Code& code,
                                         Frame* frame) {
  switch (code.op) {
    case Op::Print:
    case Op::PrintT: {
      const Value v = e.settled(code.kid(0), frame);
      if (e.prints_.size() < kMostPrints) e.prints_.push_back(to_string(v));
      return code.op == Op::PrintT ? kTrue : e.eval(code.kid(1), frame);
    }
    case Op::Assert: {
      ++e.assertions_;
      if (e.truth(code.kid(0), frame)) return kTrue;
      const Value message = e.settled(code.kid(1), frame);
      throw AssertionFault(code.spot, message.tag() == Tag::String
                                          ? message.as_name()->text
                                          : to_string(message));
    }
    case Op::Permutations: {
      const Value set = e.eval(code.kid(0), frame);
      e.at_ = &code;
      return e.sets_.permutations(set);
    }
    case Op::ToString:
      return e.store_.string(to_string(e.settled(code.kid(0), frame)));
    case Op::TlcEval: return e.settled(code.kid(0), frame);
    case Op::TlcSet: {
      const Value key = e.settled(code.kid(0), frame);
      const Value v = e.settled(code.kid(1), frame);
      e.registers_[key.bits()] = v;
      if (v == kTrue && key == e.store_.string("exit")) {
        e.wants_exit_ = true;
        if (e.budget_ != nullptr) e.budget_->cancel();
        throw Stopped{};
      }
      return kTrue;
    }
    case Op::TlcGet: {
      const Value key = e.settled(code.kid(0), frame);
      const Value v = register_of(e, key, code);
      if (v.is_none() && key.tag() == Tag::String &&
          key.as_name()->text.starts_with("-D"))
        e.fault(code, "TLCGet(" + brief(key) + ") is a switch of TLC's",
                "what it asks for may not be supported here");
      if (v.is_none())
        e.fault(code, "TLCGet(" + brief(key) + ") has no value",
                "TLCSet gives it one; of TLC's own \"level\", \"diameter\", "
                "\"generated\", \"distinct\", \"queue\", \"duration\", "
                "\"stats\", \"config\", \"all\" and \"all:named\" are known");
      return v;
    }
    case Op::RandomElement: {
      const Value set = e.eval(code.kid(0), frame);
      e.at_ = &code;
      Random random = Randomness::draw(e, code, set);
      return Randomness::sample(e, set, random);
    }
    case Op::JavaTime:
      e.fault(code, "JavaTime is not supported",
              "a result must not depend on the clock");
    default: e.fault(code, "this cannot be evaluated");
  }
}

}  // namespace txscope::tla
