#include "race/outcome/judge.h"

#include <algorithm>
#include <numeric>
#include <sstream>

#include "db/keeper.h"

namespace txscope::race {
namespace {

std::vector<Order> orders_of(Order requests) {
  std::sort(requests.begin(), requests.end());
  std::vector<Order> result;
  do {
    result.push_back(requests);
  } while (std::next_permutation(requests.begin(), requests.end()));
  return result;
}

/// The subsets that are not empty.
std::vector<std::set<std::size_t>> subsets(const std::vector<std::size_t>& of) {
  std::vector<std::set<std::size_t>> result;
  for (std::size_t bits = 1; bits < std::size_t{1} << of.size(); ++bits) {
    std::set<std::size_t> one;
    for (std::size_t i = 0; i < of.size(); ++i)
      if ((bits >> i & 1) != 0) one.insert(of[i]);
    result.push_back(std::move(one));
  }
  return result;
}

bool is_same_for(const Outcome& a, const Outcome& b, const Order& requests) {
  return a.state == b.state &&
         std::all_of(requests.begin(), requests.end(), [&](std::size_t i) {
           return a.requests[i].is_same(b.requests[i]);
         });
}

}  // namespace

Result<Judge> Judge::make(const Plan& plan, Runner runner) {
  std::vector<std::regex> gave_up;
  for (const std::string& text : plan.gave_up) {
    try {
      gave_up.emplace_back(text);
    } catch (const std::regex_error&) {
      return db::failure("'" + text + "' is no regular expression");
    }
  }
  return Judge(plan.requests.size(), std::move(gave_up), std::move(runner));
}

Result<const Outcome*> Judge::of(const Order& order) {
  const auto known = known_.find(order);
  if (known != known_.end()) return &known->second;
  auto outcome = runner_(order);
  if (!outcome) return outcome.error();
  return &known_.emplace(order, *std::move(outcome)).first->second;
}

Result<std::vector<Outcome>> Judge::serial() {
  Order all(requests_);
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<Outcome> result;
  for (const Order& order : orders_of(all)) {
    const auto outcome = of(order);
    if (!outcome) return outcome.error();
    result.push_back(**outcome);
  }
  return result;
}

bool Judge::is_out(const RequestEnd& end) const {
  if (end.status != 0) return true;
  std::istringstream lines(end.printed);
  for (std::string line; std::getline(lines, line);)
    for (const std::regex& expression : gave_up_)
      if (std::regex_search(line, expression,
                            std::regex_constants::match_continuous))
        return true;
  return false;
}

Result<Done> Judge::classify(Outcome& outcome) {
  outcome.kind = Outcome::Class::Anomaly;
  outcome.orders.clear();
  outcome.state_is_serial = false;
  const auto all = serial();
  if (!all) return all.error();
  for (const Outcome& one : *all) {
    outcome.state_is_serial =
        outcome.state_is_serial || one.state == outcome.state;
    if (!one.is_same(outcome)) continue;
    outcome.kind = Outcome::Class::Serial;
    outcome.orders.push_back(one.orders.front());
  }
  if (outcome.kind == Outcome::Class::Serial) return Done{};
  return look_for_survivors(outcome);
}

Result<Done> Judge::look_for_survivors(Outcome& outcome) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < requests_; ++i)
    if (is_out(outcome.requests[i])) out.push_back(i);
  for (const auto& without : subsets(out)) {
    Order others;
    for (std::size_t i = 0; i < requests_; ++i)
      if (without.count(i) == 0) others.push_back(i);
    for (const Order& order : orders_of(others)) {
      const auto alone = of(order);
      if (!alone) return alone.error();
      if (!is_same_for(**alone, outcome, others)) continue;
      outcome.kind = Outcome::Class::Survivors;
      outcome.orders.push_back(order);
    }
  }
  return Done{};
}

}  // namespace txscope::race
