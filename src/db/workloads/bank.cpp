#include <algorithm>

#include "db/workloads/builtin.h"
#include "db/workloads/calls.h"

namespace txscope::db {
namespace {

constexpr std::int64_t kFirstBalance = 1000;

}  // namespace

std::vector<std::string> bank_rows(const WorkloadOptions& options) {
  std::vector<std::string> rows;
  for (std::uint64_t i = 1; i <= options.scale; ++i)
    rows.push_back(std::to_string(i) + ", 'owner" + std::to_string(i % 100) +
                   "', " + std::to_string(kFirstBalance));
  return insert_texts("accounts", rows);
}

CallSource bank_calls(const sql::Application& application,
                      const WorkloadOptions& options, std::uint64_t) {
  const auto used = std::max<std::int64_t>(
      2, static_cast<std::int64_t>(static_cast<double>(options.scale) *
                                   options.rows_accessed));
  const double read_only = options.read_only;
  const double blind = options.blind_writes;
  const auto id = [&](std::string_view name) {
    return routine(application, name);
  };
  return [=, check = id("balance_check"), deposit = id("deposit"),
          blindly = id("deposit_blindly"), withdraw = id("withdraw"),
          transfer = id("transfer"), overdraft = id("withdraw_overdraft")](
             Random& random) -> std::optional<ChosenCall> {
    const std::int64_t account = random.between(1, used);
    std::int64_t other = random.between(1, used - 1);
    if (other >= account) ++other;
    const sql::Value amount = number(random.between(1, 100));
    if (random.chance(read_only)) return ChosenCall{check, {number(account)}};
    if (random.chance(blind))
      return ChosenCall{blindly, {number(account), amount}};
    switch (random.below(4)) {
      case 0: return ChosenCall{deposit, {number(account), amount}};
      case 1: return ChosenCall{withdraw, {number(account), amount}};
      case 2:
        return ChosenCall{transfer, {number(account), number(other), amount}};
      default:
        return ChosenCall{overdraft, {number(account), number(other), amount}};
    }
  };
}

}  // namespace txscope::db
