#include "db/workloads/workload.h"

#include <array>

#include "db/workloads/builtin.h"

namespace txscope::db {
namespace {

const std::array<Workload, 4>& table() {
  static const std::array<Workload, 4> rows = {{
      {"bank",
       "balance checks, deposits, withdrawals, transfers, overdrafts that "
       "another account covers",
       1000, [] { return workload_source("bank"); }, &bank_rows, &bank_calls},
      {"twitter",
       "tweets, followers, timelines: 20% NewTweet, 40% Follow, 10% Timeline, "
       "10% ShowFollow, 20% ShowTweets",
       1000, [] { return workload_source("twitter"); }, &twitter_rows,
       &twitter_calls},
      {"rubis",
       "an auction site: 10% RegisterUser, 15% RegisterItem, 15% StoreBuyNow, "
       "20% StoreComment, 40% RandomBrowse",
       1000, [] { return workload_source("rubis"); }, &rubis_rows,
       &rubis_calls},
      {"tpcc",
       "a wholesaler: 45% NewOrder, 43% Payment, 4% Delivery, 4% OrderStatus, "
       "4% StockLevel",
       1, [] { return workload_source("tpcc"); }, &tpcc_rows, &tpcc_calls},
  }};
  return rows;
}

}  // namespace

std::span<const Workload> workloads() { return table(); }

const Workload* find_workload(std::string_view name) {
  for (const Workload& workload : table())
    if (workload.name == name) return &workload;
  return nullptr;
}

}  // namespace txscope::db
