#include <algorithm>

#include "db/workloads/builtin.h"
#include "db/workloads/calls.h"

namespace txscope::db {
namespace {

// NewOrder, Payment, Delivery, OrderStatus, StockLevel.
constexpr unsigned kTpccMix[] = {45, 43, 4, 4, 4};

// One warehouse with two districts; the scale says how many items there are and
// how many times three customers a district has.
constexpr std::int64_t kDistricts = 2;
constexpr std::int64_t kCustomersPerScale = 3;
constexpr const char* kLastNames[] = {"BAR", "OUGHT", "ABLE", "PRI", "PRES"};

}  // namespace

std::vector<std::string> tpcc_rows(const WorkloadOptions& options) {
  const auto scale = static_cast<std::int64_t>(options.scale);
  std::vector<std::string> texts = {"INSERT INTO warehouse VALUES (1, 0)"};
  std::vector<std::string> districts, customers, items, stock;
  for (std::int64_t d = 1; d <= kDistricts; ++d) {
    const std::string district = "1, " + std::to_string(d);
    districts.push_back(district + ", 0, 1");
    for (std::int64_t c = 1; c <= scale * kCustomersPerScale; ++c)
      customers.push_back(district + ", " + std::to_string(c) + ", 'first" +
                          std::to_string(c) + "', '" + kLastNames[(c - 1) % 5] +
                          "', 0, 0, 0");
  }
  for (std::int64_t i = 1; i <= scale; ++i) {
    items.push_back(std::to_string(i) + ", " + std::to_string(100 + i % 900));
    stock.push_back("1, " + std::to_string(i) + ", 50, 0, 0");
  }
  const auto add = [&](std::string_view table,
                       const std::vector<std::string>& rows) {
    for (std::string& text : insert_texts(table, rows))
      texts.push_back(std::move(text));
  };
  add("district", districts);
  add("customer", customers);
  add("item", items);
  add("stock", stock);
  return texts;
}

CallSource tpcc_calls(const sql::Application& application,
                      const WorkloadOptions& options, std::uint64_t) {
  const auto items = static_cast<std::int64_t>(options.scale);
  const std::int64_t customers = items * kCustomersPerScale;
  const auto id = [&](std::string_view name) {
    return routine(application, name);
  };
  return [items, customers, make_order = id("make_order"),
          payment = id("payment"), delivery = id("delivery"),
          order_status = id("order_status"), stock_level = id("stock_level")](
             Random& random) -> std::optional<ChosenCall> {
    const sql::Value one = number(1);
    const sql::Value district = number(random.between(1, kDistricts));
    const sql::Value customer = number(random.between(1, customers));
    switch (choose_weighted(random, kTpccMix)) {
      case 0:
        return ChosenCall{
            make_order,
            {one, district, customer,
             number(random.between(1, std::min<std::int64_t>(items, 15))),
             number(random.between(1, items)), number(items),
             number(random.between(1, 10))}};
      case 1: {
        const auto last = random.below(
            static_cast<std::uint64_t>(std::min<std::int64_t>(customers, 5)));
        return ChosenCall{payment,
                          {one, district, sql::Value::text(kLastNames[last]),
                           number(random.between(100, 500'000))}};
      }
      case 2:
        return ChosenCall{
            delivery, {one, number(kDistricts), number(random.between(1, 10))}};
      case 3: return ChosenCall{order_status, {one, district, customer}};
      default:
        return ChosenCall{stock_level,
                          {one, district, number(random.between(10, 20))}};
    }
  };
}

}  // namespace txscope::db
