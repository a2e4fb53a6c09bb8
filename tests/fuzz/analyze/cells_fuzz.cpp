// The matrix of `analyze` against brute force: of small random applications
// every pair of transactions runs with every choice of a few arguments, and
// each outcome is compared with all serial orders.  A cell that is safe must
// have no outcome that is not serial, one that was tried none with the
// arguments of the analysis, one that races must have one.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analyze/analyze.h"
#include "base/random.h"
#include "engine/search/explore_profile.h"
#include "read/sql/sql.h"
#include "support/fuzz.h"
#include "support/serial_oracle.h"

namespace txscope::analyze {
namespace {

constexpr const char* kTables =
    "CREATE TABLE item (id integer PRIMARY KEY, n integer NOT NULL, m integer "
    "NOT NULL);\n"
    "CREATE TABLE note (item integer NOT NULL REFERENCES item, n integer);\n"
    "INSERT INTO item VALUES (1, 2, 0), (2, 1, 1);\n"
    "INSERT INTO note VALUES (1, 1);\n";

/// Routines with a key p and an amount q, by their statements.
struct RandomTypes {
  std::vector<std::vector<std::string>> bodies;

  [[nodiscard]] std::string text() const {
    std::string text = kTables;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      text += "CREATE PROCEDURE r" + std::to_string(i) +
              "(p integer, q integer) LANGUAGE plpgsql AS $$ DECLARE v integer "
              ":= 1; BEGIN\n";
      for (const std::string& statement : bodies[i])
        text += "  " + statement + "\n";
      text += "END $$;\n";
    }
    return text;
  }
  /// The same with a statement or a routine less, in all ways.
  [[nodiscard]] std::vector<RandomTypes> smaller() const {
    std::vector<RandomTypes> all;
    for (std::size_t i = 0; i < bodies.size() && bodies.size() > 1; ++i) {
      all.push_back(*this);
      all.back().bodies.erase(all.back().bodies.begin() +
                              static_cast<std::ptrdiff_t>(i));
    }
    for (std::size_t i = 0; i < bodies.size(); ++i)
      for (std::size_t s = 0; s < bodies[i].size(); ++s) {
        if (bodies[i].size() == 1) continue;
        all.push_back(*this);
        auto& body = all.back().bodies[i];
        body.erase(body.begin() + static_cast<std::ptrdiff_t>(s));
      }
    return all;
  }
};

RandomTypes random_types(Random& random) {
  static const std::vector<std::string> kStatements = {
      "SELECT n INTO v FROM item WHERE id = p;",
      "SELECT n INTO v FROM item WHERE id = p FOR UPDATE;",
      "SELECT m INTO v FROM item WHERE id = 3 - p;",
      "SELECT m INTO v FROM item WHERE id = 1 FOR SHARE;",
      "SELECT sum(n) INTO v FROM item;",
      "SELECT count(*) INTO v FROM note WHERE item = p;",
      "SELECT max(note.n) INTO v FROM note JOIN item ON item.id = note.item "
      "WHERE item.n > q;",
      "UPDATE item SET n = n - q WHERE id = p;",
      "UPDATE item SET n = n - q WHERE id = p AND n >= q;",
      "UPDATE item SET n = v WHERE id = p;",
      "UPDATE item SET n = n + v WHERE id = 3 - p;",
      "UPDATE item SET m = m + 1 WHERE n > q;",
      "UPDATE item SET m = q;",
      "UPDATE item SET m = (SELECT count(*) FROM note WHERE item = p) WHERE id "
      "= p;",
      "UPDATE note SET n = q WHERE item = p;",
      "INSERT INTO note VALUES (p, q);",
      "INSERT INTO note VALUES (p, v);",
      "INSERT INTO note SELECT id, n FROM item WHERE id = p;",
      "DELETE FROM note WHERE item = p;",
      "DELETE FROM item WHERE id = p AND n > q;",
      "IF v < q THEN RAISE EXCEPTION 'no'; END IF;",
      "IF NOT FOUND THEN RAISE EXCEPTION 'none'; END IF;",
      "IF v >= q THEN UPDATE item SET n = n - q WHERE id = p; END IF;",
      "IF NOT EXISTS (SELECT 1 FROM note WHERE item = p AND n = q) THEN INSERT "
      "INTO note VALUES (p, q); END IF;",
  };
  RandomTypes types;
  const std::size_t count = 2 + random.below(2);
  for (std::size_t i = 0; i < count; ++i) {
    auto& body = types.bodies.emplace_back();
    const std::size_t length = 1 + random.below(3);
    for (std::size_t s = 0; s < length; ++s)
      body.push_back(kStatements[random.below(kStatements.size())]);
  }
  return types;
}

using Calls = std::vector<std::pair<std::size_t, Arguments>>;  // by type

/// All outcomes of some calls.
class BruteForce {
 public:
  BruteForce(std::string text, const Profile& profile)
      : text_(std::move(text)), profile_(profile) {}

  struct Seen {
    bool is_race = false;
    bool has_deadlock = false;
  };
  [[nodiscard]] const Seen& run(const Calls& calls) {
    const std::string sessions = text_of(calls);
    const auto [known, is_new] = seen_.try_emplace(sessions);
    if (is_new) known->second = explore(sessions);
    return known->second;
  }
  [[nodiscard]] static std::string text_of(const Calls& calls) {
    std::string text;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      text += "--@ session s" + std::to_string(i) + ": CALL r" +
              std::to_string(calls[i].first) + "(";
      for (std::size_t a = 0; a < calls[i].second.size(); ++a)
        text += (a == 0 ? "" : ", ") + sql::to_string(calls[i].second[a]);
      text += ");\n";
    }
    return text;
  }

 private:
  [[nodiscard]] Seen explore(const std::string& sessions) const {
    const auto application = sql::read_sql("random.sql", text_ + sessions);
    EXPECT_TRUE(application) << text_ << sessions;
    const test::SerialOracle oracle(*application);
    Seen seen;
    engine::ProfileOptions options;
    options.all = true;
    options.explains = false;
    options.reduces = false;
    options.on_outcome = [&](const engine::ObservedOutcome& outcome) {
      seen.is_race = seen.is_race || !oracle.is_serial(outcome);
    };
    const auto answer = engine::explore_profile(*application, profile_, options,
                                                Budget::unlimited());
    EXPECT_TRUE(answer && answer->is_complete) << text_ << sessions;
    seen.has_deadlock = answer->counts.deadlocks > 0;
    return seen;
  }

  const std::string text_;
  const Profile& profile_;
  std::map<std::string, Seen> seen_;
};

/// A few arguments, whatever the analysis chose.
std::vector<Arguments> all_arguments() {
  std::vector<Arguments> all;
  for (const int p : {1, 2})
    for (const int q : {0, 1, 2})
      all.push_back({sql::Value::integer(p), sql::Value::integer(q)});
  return all;
}

struct Counts {
  std::map<CellVerdict, int> cells;
};

/// What the matrix says and brute force does not; empty: they agree.
class Comparison {
 public:
  Comparison(const RandomTypes& types, const Profile& profile, Counts& counts)
      : text_(types.text()),
        profile_(profile),
        brute_force_(text_, profile),
        counts_(counts) {}

  [[nodiscard]] std::string run() {
    auto application = sql::read_sql("random.sql", text_, false);
    if (!application) return "cannot be read: " + application.error().what;
    AnalyzeOptions options;
    options.profile = &profile_;
    auto found = analyze(std::move(*application), options, Budget::unlimited());
    if (!found) return "cannot be analysed: " + found.error().what;
    found_ = std::move(*found);
    std::string wrong;
    for (const Cell& cell : found_.cells) {
      ++counts_.cells[cell.verdict];
      wrong += judge(cell);
    }
    return wrong;
  }

 private:
  [[nodiscard]] std::string judge(const Cell& cell) {
    switch (cell.verdict) {
      case CellVerdict::Safe: return judge_safe(cell);
      case CellVerdict::Tried: return judge_tried(cell);
      case CellVerdict::Race: return judge_race(cell);
      case CellVerdict::Undecided: break;
    }
    return "";
  }
  [[nodiscard]] std::string say(const Cell& cell, const std::string& what,
                                const Calls& calls) const {
    return found_.name_of({cell.a, cell.b}) + " is " +
           std::string(name(cell.verdict)) + ", but " + what + "\n" +
           BruteForce::text_of(calls);
  }

  /// For all arguments, and any number of calls.
  [[nodiscard]] std::string judge_safe(const Cell& cell) {
    const auto all = all_arguments();
    for (const Arguments& first : all)
      for (const Arguments& second : all) {
        const Calls calls = {{cell.a, first}, {cell.b, second}};
        if (brute_force_.run(calls).is_race)
          return say(cell, "there is a race", calls);
      }
    if (!cell.can_meet || !is_safe(cell.a, cell.a) || !is_safe(cell.b, cell.b))
      return "";
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Calls calls = {{cell.a, all[i]},
                           {cell.b, all[(i + 1) % all.size()]},
                           {cell.a, all[(i * 2) % all.size()]}};
      if (brute_force_.run(calls).is_race)
        return say(cell, "there is a race of three", calls);
    }
    return "";
  }
  [[nodiscard]] bool is_safe(std::size_t a, std::size_t b) const {
    return std::any_of(
        found_.cells.begin(), found_.cells.end(), [&](const Cell& cell) {
          return cell.a == a && cell.b == b &&
                 cell.verdict == CellVerdict::Safe && cell.can_meet;
        });
  }

  /// All choices of the analysis, if it has tried them all from the first rows.
  template <class On>
  bool for_each_choice(const Cell& cell, const On& on) {
    const auto& first = found_.types[cell.a].choices;
    const auto& second = found_.types[cell.b].choices;
    std::size_t count = 0;
    for (std::size_t i = 0; i < first.size(); ++i)
      for (std::size_t j = cell.a == cell.b ? i : 0; j < second.size(); ++j) {
        on(Calls{{cell.a, first[i]}, {cell.b, second[j]}});
        ++count;
      }
    return count == cell.tried;
  }
  [[nodiscard]] std::string judge_tried(const Cell& cell) {
    std::string wrong;
    bool has_deadlock = false;
    const bool is_all = for_each_choice(cell, [&](const Calls& calls) {
      const BruteForce::Seen& seen = brute_force_.run(calls);
      has_deadlock = has_deadlock || seen.has_deadlock;
      if (seen.is_race) wrong = say(cell, "there is a race", calls);
    });
    if (!is_all) return "";
    if (has_deadlock != cell.has_deadlock)
      wrong += say(cell,
                   has_deadlock ? "it can deadlock" : "it cannot deadlock", {});
    return wrong;
  }
  [[nodiscard]] std::string judge_race(const Cell& cell) {
    const bool is_from_first_rows = std::all_of(
        found_.findings.begin(), found_.findings.end(),
        [](const RaceFinding& finding) { return finding.before.empty(); });
    if (!is_from_first_rows) return "";
    bool is_race = false;
    (void)for_each_choice(cell, [&](const Calls& calls) {
      is_race = is_race || brute_force_.run(calls).is_race;
    });
    return is_race ? "" : say(cell, "no choice of arguments shows one", {});
  }

  const std::string text_;
  const Profile& profile_;
  BruteForce brute_force_;
  Counts& counts_;
  Analysis found_;
};

std::string compared(const RandomTypes& types, const Profile& profile,
                     Counts& counts) {
  return Comparison(types, profile, counts).run();
}

/// As few statements as still are answered wrongly.
RandomTypes shrink(RandomTypes types, const Profile& profile) {
  Counts unused;
  for (bool is_smaller = true; is_smaller;) {
    is_smaller = false;
    for (RandomTypes& candidate : types.smaller()) {
      if (compared(candidate, profile, unused).empty()) continue;
      types = std::move(candidate);
      is_smaller = true;
      break;
    }
  }
  return types;
}

class CellsFuzz : public testing::TestWithParam<const char*> {};

TEST_P(CellsFuzz, AgreeWithBruteForce) {
  const Profile& profile = **parse_profile(GetParam());
  Random random(fuzz_seed(77 + static_cast<std::uint64_t>(profile.isolation)));
  Counts counts;
  for (int round = 0; round < fuzz_rounds(12); ++round) {
    const RandomTypes types = random_types(random);
    if (compared(types, profile, counts).empty()) continue;
    const RandomTypes small = shrink(types, profile);
    FAIL() << profile.name << ", round " << round << ": "
           << compared(small, profile, counts) << small.text();
  }
  // The comparison means something.
  EXPECT_GT(counts.cells[CellVerdict::Race] + counts.cells[CellVerdict::Tried],
            0);
  if (profile.product == Product::PostgreSql &&
      profile.isolation != Isolation::Serializable) {
    EXPECT_GT(counts.cells[CellVerdict::Safe], 0);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Levels, CellsFuzz,
    testing::Values("postgresql:read-committed", "postgresql:repeatable-read",
                    "postgresql:serializable", "mariadb:repeatable-read"),
    [](const auto& one) {
      std::string name = one.param;
      std::replace_if(
          name.begin(), name.end(), [](char c) { return c == ':' || c == '-'; },
          '_');
      return name;
    });

}  // namespace
}  // namespace txscope::analyze
