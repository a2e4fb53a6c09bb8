// Applications with open inputs: for all inputs that the solver does not give,
// the search says "robust", by every notion and against every level.

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <set>

#include "random_types.h"
#include "read/sql/sql.h"
#include "robust/search_sql.h"
#include "support/fuzz.h"
#include "verify/sql/unserial_sql_inputs.h"

namespace txscope::robust {
namespace {

/// Two sessions; `x` and `y` are arguments of the first two calls.
struct OpenClient {
  std::string types;
  std::vector<std::string> calls;  ///< "p0(@, 1)"
  std::size_t first = 1;           ///< so many calls in the first session

  [[nodiscard]] std::string text(const std::string& x,
                                 const std::string& y) const {
    std::string out = types;
    for (std::size_t c = 0; c < calls.size(); ++c) {
      if (c == 0) out += "--@ session s:";
      if (c == first) out += "\n--@ session t:";
      std::string call = calls[c];
      if (const auto at = call.find('@'); at != std::string::npos)
        call.replace(at, 1, c == 0 ? x : y);
      out += " CALL " + call + ";";
    }
    return out + "\n";
  }
};

OpenClient random_client(Random& random) {
  OpenClient out;
  const std::size_t types = 1 + random.below(3);
  out.types = random_types(random, types);
  const std::size_t calls = 2 + random.below(2);
  out.first = 1 + random.below(calls - 1);
  for (std::size_t c = 0; c < calls; ++c) {
    const std::string given = std::to_string(1 + random.below(2));
    const bool is_x = random.chance(0.7);
    const std::string open = c < 2 ? "@" : "2";
    out.calls.push_back("p" + std::to_string(random.below(types)) + "(" +
                        (is_x ? open : given) + ", " + (is_x ? given : open) +
                        ")");
  }
  return out;
}

/// Whether some row may get a key that the solver leaves out, as it says.
bool may_leave_bounds(const OpenClient& client, const std::string& x,
                      const std::string& y,
                      const verify::VerifyBounds& bounds) {
  const std::string text = client.text(x, y);
  const std::string calls = text.substr(text.find("--@ session"));
  const bool is_read = client.types.find("VALUES (v") != std::string::npos ||
                       client.types.find("SET id = v") != std::string::npos;
  if (is_read && !bounds.keys.empty()) return true;
  std::set<int> inserted = {0};
  for (int n = 1; n <= 3; ++n) {
    if (calls.find(std::to_string(n) + ",") == std::string::npos &&
        calls.find(std::to_string(n) + ")") == std::string::npos)
      continue;
    inserted.insert(n);
    if (client.types.find("x + 4") != std::string::npos) inserted.insert(n + 4);
  }
  for (const std::string& keys : bounds.keys) {
    for (const int key : inserted) {
      const std::string name = " " + std::to_string(key);
      if ((keys + ",").find(name + ",") == std::string::npos) return true;
    }
  }
  return false;
}

constexpr std::array kValues = {"1", "2", "3"};

struct OpenTally {
  int asked = 0;
  int refused = 0;  ///< that cannot be encoded
  int odd = 0;
  int given = 0;   ///< choices
  int vain = 0;    ///< of them, for which the search says "robust"
  int beyond = 0;  ///< that show something and were left out, as it says
};

std::string wrong_choices(const OpenClient& client, Base level, Notion notion,
                          OpenTally& tally) {
  const std::string name = "random.sql";
  const Budget budget = Budget::unlimited();
  SearchQuestion question;
  question.against = level;
  question.notion = notion;
  std::set<std::string> odd;
  for (const char* x : kValues) {
    for (const char* y : kValues) {
      const auto fixed = sql::read_sql(name, client.text(x, y));
      if (!fixed) return fixed.error().what;
      const auto found = search_sql(*fixed, question, budget);
      if (!found) return found.error().what;
      if (found->answer.answer == Outcome::Undecided) return "";
      if (found->answer.answer == Outcome::Violated)
        odd.insert(std::string(x) + y);
    }
  }
  // A second call of a routine in a session has a number.
  const auto label = [&](std::size_t c) {
    const std::string type = client.calls[c].substr(0, 2);
    const bool is_second =
        c == 1 && client.first > 1 && client.calls[0].substr(0, 2) == type;
    const bool is_x = client.calls[c][3] == '@';
    return (c < client.first ? "s." : "t.") + type + (is_second ? "$2" : "") +
           (is_x ? ".x" : ".y");
  };
  std::string text = client.text("?", "?");
  text += "--@ assume one: " + label(0) + " IN (1, 2, 3)\n";
  text += "--@ assume two: " + label(1) + " IN (1, 2, 3)\n";
  const auto open = sql::read_open_sql(name, text);
  if (!open) return open.error().what + "\n" + text;
  const auto inputs = verify::UnserialSqlInputs::make(*open, level, nullptr,
                                                      notion, 1000, budget);
  if (!inputs) {
    ++tally.refused;
    return "";
  }
  std::set<std::string> given;
  while (const auto choice = (*inputs)->next()) {
    if (!given.insert(choice->values[0].text + choice->values[1].text).second)
      return "given twice";
  }
  if (!(*inputs)->is_exhausted()) return "not exhausted: " + (*inputs)->why();
  ++tally.asked;
  tally.odd += odd.empty() ? 0 : 1;
  tally.given += static_cast<int>(given.size());
  for (const std::string& input : given)
    tally.vain += odd.contains(input) ? 0 : 1;
  for (const std::string& input : odd) {
    if (given.contains(input)) continue;
    if (!may_leave_bounds(client, input.substr(0, 1), input.substr(1),
                          *(*inputs)->bounds()))
      return "missing: " + input;
    ++tally.beyond;
  }
  return "";
}

TEST(RobustOpenSqlFuzz, NoInputThatShowsSomethingIsMissing) {
  const std::uint64_t seed = fuzz_seed(20260701);
  const auto levels = all_bases();
  OpenTally tally;
  for (int round = 0; round < fuzz_rounds(40); ++round) {
    Random random(seed + static_cast<std::uint64_t>(round));
    const OpenClient client = random_client(random);
    // From read-committed to snapshot-isolation.
    const Base level = random.chance(0.5)
                           ? Base::SnapshotIsolation
                           : levels[1 + random.below(levels.size() - 2)];
    const Notion notion =
        random.chance(0.5) ? Notion::Trace : kNotions[random.below(5)];
    ASSERT_EQ(wrong_choices(client, level, notion, tally), "")
        << "seed " << seed + static_cast<std::uint64_t>(round) << ", "
        << name(level) << ", " << name(notion) << "\n"
        << client.text("?", "?");
  }
  std::printf(
      "%d applications, %d not robust for some input; %d choices, %d of them "
      "robust; %d beyond the keys; %d not encoded\n",
      tally.asked, tally.odd, tally.given, tally.vain, tally.beyond,
      tally.refused);
  EXPECT_GT(tally.asked, 0);
}

}  // namespace
}  // namespace txscope::robust
