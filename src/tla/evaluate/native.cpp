#include "tla/evaluate/native.h"

#include <array>

#include "check/check.h"
#include "tla/evaluate/observed.h"

namespace txscope::tla {
namespace {

struct Native {
  std::string_view name;
  Level level;
};

constexpr std::array kNatives = std::to_array<Native>({
    {"ReadUncommitted", {Base::ReadUncommitted, Order::Session}},
    {"ReadCommitted", {Base::ReadCommitted, Order::Session}},
    {"MonotonicAtomicView", {Base::MonotonicAtomicView, Order::Session}},
    {"ReadAtomic", {Base::ReadAtomic, Order::Session}},
    {"Causal", {Base::Causal, Order::Session}},
    {"Prefix", {Base::Prefix, Order::Session}},
    {"ParallelSnapshotIsolation",
     {Base::ParallelSnapshotIsolation, Order::Session}},
    {"SnapshotIsolation", {Base::SnapshotIsolation, Order::Session}},
    {"Serializable", {Base::Serializable, Order::Session}},
    {"StrictReadCommitted", {Base::ReadCommitted, Order::Realtime}},
    {"StrictReadAtomic", {Base::ReadAtomic, Order::Realtime}},
    {"StrictCausal", {Base::Causal, Order::Realtime}},
    {"StrictPrefix", {Base::Prefix, Order::Realtime}},
    {"StrictParallelSnapshotIsolation",
     {Base::ParallelSnapshotIsolation, Order::Realtime}},
    {"StrictSnapshotIsolation", {Base::SnapshotIsolation, Order::Realtime}},
    {"StrictSerializable", {Base::Serializable, Order::Realtime}},
});

}  // namespace

std::int32_t native_index(std::string_view name) {
  for (std::size_t i = 0; i < kNatives.size(); ++i)
    if (kNatives[i].name == name) return static_cast<std::int32_t>(i);
  return -1;
}

Level native_level(std::int32_t index) {
  return kNatives[static_cast<std::size_t>(index)].level;
}

std::optional<bool> evaluate_native(std::int32_t index,
                                    std::span<const Value> args,
                                    const Budget& budget) {
  const auto history =
      observed_history(args[0], args[1], args.size() > 2 ? args[2] : Value());
  if (!history) return std::nullopt;
  const Level level = native_level(index);
  if (level.order == Order::Realtime && check::missing_times(*history))
    return std::nullopt;
  const Verdict verdict = check::check(*history, level, budget);
  if (verdict.outcome() == Outcome::Undecided) return std::nullopt;
  return verdict.outcome() == Outcome::Holds;
}

}  // namespace txscope::tla
