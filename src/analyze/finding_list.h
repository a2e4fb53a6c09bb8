#pragma once

#include <map>
#include <string>
#include <vector>

#include "analyze/pair_search.h"
#include "analyze/suggest/suggested_rules.h"

namespace txscope::analyze {

/// Where calls run: on what the setup leaves, or on what calls that ran before
/// have made of it.
struct Scene {
  CallRunner* runner = nullptr;
  std::vector<sql::Call> before;
  std::vector<std::string> before_words;
};

/// The findings of an analysis: what goes wrong at the same statements is one.
class FindingList {
 public:
  /// How a finding was found.
  struct Run {
    CallRunner* runner = nullptr;
    std::vector<sql::Call> before;
    std::vector<CallRunner::Part> parts;
  };

  explicit FindingList(Analysis& found) : found_(found) {}

  /// These rules are guesses (suggested_rules.h).
  void set_suggested(RuleNames names) { suggested_ = std::move(names); }
  [[nodiscard]] const RuleNames& suggested() const { return suggested_; }

  struct Taken {
    bool is_race = false;
    bool has_deadlock = false;
  };
  /// What an answer shows of a group of calls.
  Taken take(const Answer& answer, const Group& group, const Scene& scene,
             const std::vector<CallRunner::Part>& parts);
  /// One finding per code and statement.
  void add_error(const std::string& code, const CallRunner::Failure& failure,
                 const Group& group, const Scene& scene);

  /// By number of the finding; an error has none.
  [[nodiscard]] const std::map<std::size_t, Run>& runs() const { return runs_; }

  /// Races that break rules, other races, deadlocks, errors; those of many
  /// groups first.  runs() means nothing any more.
  void sort();

 private:
  std::size_t add(FindingKind kind, const Counterexample& example,
                  const Group& group, const Scene& scene,
                  const std::vector<CallRunner::Part>& parts);
  void note_serial(const std::string& rule);

  Analysis& found_;
  RuleNames suggested_;
  std::map<std::string, std::size_t> causes_;
  std::set<std::string> serially_broken_;
  std::map<std::size_t, Run> runs_;
};

/// A code with which a transaction has to be run again.
[[nodiscard]] bool fails_to_serialize(const std::string& code);

}  // namespace txscope::analyze
