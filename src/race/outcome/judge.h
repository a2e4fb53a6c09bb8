#pragma once

#include <functional>
#include <map>
#include <regex>
#include <set>
#include <vector>

#include "base/result.h"
#include "race/outcome/outcome.h"

namespace txscope::race {

/// Says which outcomes serial runs have, of all requests and of some.
class Judge {
 public:
  /// Runs an order of requests, one after the other.
  using Runner = std::function<Result<Outcome>(const Order&)>;

  [[nodiscard]] static Result<Judge> make(const Plan& plan, Runner runner);

  /// The outcomes of all orders of all requests.
  [[nodiscard]] Result<std::vector<Outcome>> serial();
  /// Fills `kind`, `orders` and `state_is_serial`.
  [[nodiscard]] Result<Done> classify(Outcome& outcome);

 private:
  Judge(std::size_t requests, std::vector<std::regex> gave_up, Runner runner)
      : requests_(requests),
        gave_up_(std::move(gave_up)),
        runner_(std::move(runner)) {}
  [[nodiscard]] Result<const Outcome*> of(const Order& order);
  /// Failed, or says that it did nothing.
  [[nodiscard]] bool is_out(const RequestEnd& end) const;
  [[nodiscard]] Result<Done> look_for_survivors(Outcome& outcome);

  std::size_t requests_;
  std::vector<std::regex> gave_up_;
  Runner runner_;
  std::map<Order, Outcome> known_;
};

}  // namespace txscope::race
