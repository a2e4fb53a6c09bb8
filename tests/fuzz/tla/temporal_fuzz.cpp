#include <gtest/gtest.h>

#include <algorithm>

#include "support/fuzz.h"
#include "support/naive_temporal.h"
#include "support/tla.h"

// Random temporal properties of random specifications under fairness.  A
// behaviour that is shown as a violation has to be one by the definitions; and
// where a property holds, no behaviour that a random walk finds violates it.
namespace txscope::test {
namespace {

NaiveState state_of(const TraceState& shown) {
  NaiveState s{};
  for (std::size_t i = 0; i < 3; ++i) s[i] = std::stoi(shown.values[i].value);
  return s;
}

/// A walk along steps, or standing still, until a state comes again.
NaiveLasso random_lasso(const NaiveSpec& spec,
                        const std::vector<NaiveState>& states, Random& random) {
  NaiveLasso lasso;
  std::vector<NaiveState> starts;
  for (const NaiveState& s : states)
    if (spec.init(s)) starts.push_back(s);
  lasso.states.push_back(starts[random.below(starts.size())]);
  for (;;) {
    const NaiveState from = lasso.states.back();
    std::vector<NaiveState> next = {from};
    if (random.chance(0.8)) {
      for (const NaiveState& t : states)
        if (t != from && spec.next(from, t)) next.push_back(t);
      if (next.size() > 1) next.erase(next.begin());
    }
    const NaiveState to = next[random.below(next.size())];
    const auto known = std::find(lasso.states.begin(), lasso.states.end(), to);
    if (known != lasso.states.end() &&
        (random.chance(0.6) || lasso.states.size() > 20)) {
      // Any earlier visit closes a loop.
      lasso.loop = static_cast<std::size_t>(known - lasso.states.begin());
      return lasso;
    }
    lasso.states.push_back(to);
  }
}

TEST(TlaTemporalFuzz, JudgesBehavioursAsTheDefinitionsDo) {
  Random random(fuzz_seed(22));
  const int rounds = fuzz_rounds(80);
  int violated = 0;
  int held = 0;
  for (int round = 0; round < rounds; ++round) {
    const NaiveSpec spec = NaiveSpecGenerator(random).make();
    const auto states = spec.reachable();
    if (states.empty()) continue;
    const NaiveTemporal property =
        random_temporal(random, 1 + static_cast<int>(random.below(3)));
    const bool is_strong = random.chance(0.5);
    const std::string module =
        spec.module + "Spec == Init /\\ [][Next]_vars /\\ WF_vars(A1) /\\ " +
        (is_strong ? "SF" : "WF") + "_vars(A2)\nProp == " + property.text +
        "\n";
    const auto result = check_spec(
        module, "SPECIFICATION Spec PROPERTY Prop CHECK_DEADLOCK FALSE");
    if (!result) {
      ASSERT_NE(result.error().what.find("before it has a value"),
                std::string::npos)
          << result.error().what << "\n"
          << module;
      continue;
    }
    const auto is_wrong = [&](const NaiveLasso& lasso) {
      return is_fair(lasso, spec.parts[0], false) &&
             is_fair(lasso, spec.parts[1], is_strong) &&
             !property.holds_at(lasso, 0);
    };
    if (result->outcome == Outcome::Violated) {
      ++violated;
      if (result->violation != ModelViolation::Liveness || !result->loop)
        continue;  // a finite one: safety, or whatever follows
      NaiveLasso lasso;
      for (const TraceState& s : result->trace)
        lasso.states.push_back(state_of(s));
      lasso.loop = *result->loop;
      ASSERT_TRUE(spec.init(lasso.states[0]));
      for (std::size_t i = 0; i < lasso.states.size(); ++i) {
        const NaiveState& s = lasso.states[i];
        const NaiveState& t =
            lasso.states[i + 1 < lasso.states.size() ? i + 1 : lasso.loop];
        ASSERT_TRUE(s == t || spec.next(s, t)) << module;
      }
      ASSERT_TRUE(is_wrong(lasso)) << module;
      continue;
    }
    ++held;
    for (int i = 0; i < 200; ++i)
      ASSERT_FALSE(is_wrong(random_lasso(spec, states, random))) << module;
  }
  EXPECT_GT(violated, rounds / 10);
  EXPECT_GT(held, rounds / 10);
}

}  // namespace
}  // namespace txscope::test
