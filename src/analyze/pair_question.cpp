#include "analyze/pair_question.h"

#include <algorithm>

#include "analyze/failing_setup.h"
#include "analyze/arguments/made_up_rows.h"
#include "model/product/error_class.h"
#include "model/sql/parts.h"
#include "repair/same_meaning.h"

namespace txscope::analyze {
namespace {

using Parts = PairQuestion::Parts;
using Types = std::vector<TransactionType>;

void add(const Answer& answer, const RuleNames& guesses, Left& left) {
  for (const Counterexample& example : answer.counterexamples) {
    if (example.builtin == Builtin::OneAfterTheOther) left.is_race = true;
    if (example.builtin || !example.is_avoided_serially ||
        guesses.contains(example.name))
      continue;
    left.is_race = true;
    left.broken.insert(example.name);
  }
  left.has_deadlock = left.has_deadlock || answer.counts.deadlocks > 0;
  for (const auto& [code, count] : answer.counts.aborts)
    if (is_transient(code)) left.codes.insert(code);
}

const TransactionType* named(const Types& types, const std::string& name) {
  for (const TransactionType& type : types)
    if (type.name == name) return &type;
  return nullptr;
}

/// The same calls of the changed application; none: a type is gone.
std::optional<std::vector<sql::Call>> calls_in(std::vector<sql::Call> calls,
                                               const Types& types) {
  for (sql::Call& call : calls) {
    const TransactionType* type = named(types, call.label);
    if (type == nullptr) return std::nullopt;
    call.routine = type->routine;
  }
  return calls;
}
std::optional<std::vector<Parts>> parts_in(std::vector<Parts> all,
                                           const Types& types) {
  for (Parts& parts : all)
    for (CallRunner::Part& part : parts) {
      part.type = named(types, part.type->name);
      if (part.type == nullptr) return std::nullopt;
    }
  return all;
}

bool do_the_same(CallRunner& old, const std::vector<Parts>& was,
                 CallRunner& changed, const std::vector<Parts>& is,
                 const Budget& budget) {
  for (std::size_t i = 0; i < was.size(); ++i) {
    old.call(was[i]);
    changed.call(is[i]);
    if (!repair::do_the_same_serially(old.initial(), old.application(),
                                      changed.initial(), changed.application(),
                                      budget))
      return false;
  }
  return true;
}

bool have_same_rows(const CallRunner& a, const CallRunner& b) {
  const std::size_t tables = a.application().schema.tables.size();
  if (b.application().schema.tables.size() != tables) return false;
  for (std::uint32_t t = 0; t < tables; ++t)
    if (a.initial().rows(TableId{t}) != b.initial().rows(TableId{t}))
      return false;
  return true;
}

}  // namespace

const Left& PairQuestion::now() {
  if (!now_)
    now_ =
        explored(calls_.runner, calls_.pair, repaired_.profile, About::Rules);
  return *now_;
}

Left PairQuestion::at(const Profile& profile) {
  Left left = explored(calls_.runner, calls_.pair, profile, About::Rules);
  const Left rest =
      explored(calls_.runner, calls_.others, profile, About::Rules);
  left.is_known = left.is_known && rest.is_known;
  left.is_race = left.is_race || rest.is_race;
  left.has_deadlock = left.has_deadlock || rest.has_deadlock;
  left.broken.insert(rest.broken.begin(), rest.broken.end());
  return left;
}

std::optional<repair::Trial> PairQuestion::ask(const repair::Change& change,
                                               const std::string& text,
                                               About about) {
  if (change.level.empty()) return of_text(text, about);
  const auto level = parse_profile(change.level);
  if (!level) return std::nullopt;
  return trial(calls_.runner, calls_.pair, calls_.others, **level, about);
}

std::optional<repair::Trial> PairQuestion::of_text(const std::string& text,
                                                   About about) {
  auto application = repaired_.reread(text);
  if (!application) return std::nullopt;
  const Types types = transaction_types(*application);
  if (repaired_.leaves_out)
    (void)leave_out_failing(*application, repaired_.loop_bound, budget_);
  const std::size_t written = application->setup.size();
  make_up_rows_for(types, repaired_.plan, *application, budget_);
  const std::size_t made_up = application->setup.size() - written;
  const auto before = calls_in(calls_.before, types);
  const auto pair = parts_in(calls_.pair, types);
  const auto others = parts_in(calls_.others, types);
  if (!before || !pair || !others) return std::nullopt;
  const sql::Application copy = *application;
  auto changed = CallRunner::make(std::move(*application), repaired_.loop_bound,
                                  budget_, *before);
  if (!changed) return std::nullopt;
  std::unique_ptr<CallRunner> other;
  if (!have_same_rows(calls_.runner, **changed)) {
    other = with_rows_of(copy, made_up);
    // Calls that do not meet on these rows show nothing.
    if (other == nullptr ||
        is_repaired(explored(*other, calls_.pair, repaired_.profile, about),
                    about))
      return std::nullopt;
  }
  CallRunner& old = other != nullptr ? *other : calls_.runner;
  if (!do_the_same(old, calls_.pair, **changed, *pair, budget_) ||
      !do_the_same(old, calls_.others, **changed, *others, budget_))
    return std::nullopt;
  return trial(**changed, *pair, *others, repaired_.profile, about);
}

std::unique_ptr<CallRunner> PairQuestion::with_rows_of(
    const sql::Application& changed, std::size_t made_up) const {
  if (made_up == 0) return nullptr;
  sql::Application old = repaired_.application;
  old.setup.resize(old.setup.size() - repaired_.made_up);
  old.setup.insert(old.setup.end(),
                   changed.setup.end() - static_cast<std::ptrdiff_t>(made_up),
                   changed.setup.end());
  sql::number_parts(old);
  auto runner = CallRunner::make(std::move(old), repaired_.loop_bound, budget_,
                                 calls_.before);
  if (!runner) return nullptr;
  return std::move(*runner);
}

Left PairQuestion::explored(CallRunner& runner, const std::vector<Parts>& all,
                            const Profile& profile, About about) const {
  Left left;
  for (const Parts& parts : all) {
    const auto answer = runner.explore(parts, profile, budget_);
    left.is_known = left.is_known && answer && answer->is_complete;
    if (!left.is_known) return left;
    add(*answer, repaired_.guesses, left);
    if (about == About::Race && left.is_race) return left;
  }
  return left;
}

bool PairQuestion::is_repaired(const Left& left, About about) {
  if (!left.is_known) return false;
  switch (about) {
    case About::Race: return !left.is_race;
    case About::Deadlock:
      return !left.has_deadlock && (!left.is_race || now().is_race);
    case About::Rules: return left.broken.empty();
  }
  return false;
}

std::optional<repair::Trial> PairQuestion::trial(
    CallRunner& runner, const std::vector<Parts>& pair,
    const std::vector<Parts>& others, const Profile& profile, About about) {
  Left left = explored(runner, pair, profile, about);
  repair::Trial trial;
  trial.helps = is_repaired(left, about);
  if (!trial.helps) return trial;
  if (left.is_race)
    trial.leaves = "an outcome is left that no serial order has";
  const Left rest = explored(runner, others, profile, about);
  trial.all_hold = is_repaired(rest, about);
  if (!trial.all_hold) trial.leaves = "other pairs that it was found for";
  left.codes.insert(rest.codes.begin(), rest.codes.end());
  trial.retried.assign(left.codes.begin(), left.codes.end());
  return trial;
}

}  // namespace txscope::analyze
