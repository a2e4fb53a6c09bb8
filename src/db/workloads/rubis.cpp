#include "db/workloads/builtin.h"
#include "db/workloads/calls.h"

namespace txscope::db {
namespace {

// RegisterUser, RegisterItem, StoreBuyNow, StoreComment, RandomBrowse.
constexpr unsigned kRubisMix[] = {10, 15, 15, 20, 40};
constexpr std::uint64_t kItemsPerUser = 4;
constexpr std::int64_t kCategories = 20;

}  // namespace

std::vector<std::string> rubis_rows(const WorkloadOptions& options) {
  std::vector<std::string> users;
  for (std::uint64_t i = 1; i <= options.scale; ++i)
    users.push_back("'user" + std::to_string(i) + "', 0");
  std::vector<std::string> items;
  for (std::uint64_t i = 1; i <= options.scale * kItemsPerUser; ++i)
    items.push_back("'item" + std::to_string(i) + "', " +
                    std::to_string(i % options.scale + 1) + ", " +
                    std::to_string(i % kCategories) + ", " +
                    std::to_string(100 + i % 900) + ", 10");
  std::vector<std::string> texts = insert_texts("users (nick, rating)", users);
  for (std::string& text :
       insert_texts("items (name, seller, category, price, quantity)", items))
    texts.push_back(std::move(text));
  return texts;
}

CallSource rubis_calls(const sql::Application& application,
                       const WorkloadOptions& options, std::uint64_t client) {
  const auto users = static_cast<std::int64_t>(options.scale);
  const auto id = [&](std::string_view name) {
    return routine(application, name);
  };
  return [users, client, count = 0, user = id("register_user"),
          item = id("register_item"), buy = id("store_buy_now"),
          comment = id("store_comment"), browse = id("random_browse")](
             Random& random) mutable -> std::optional<ChosenCall> {
    const sql::Value one = number(random.between(1, users));
    const sql::Value other = number(random.between(1, users));
    const sql::Value thing = number(
        random.between(1, users * static_cast<std::int64_t>(kItemsPerUser)));
    const sql::Value category = number(random.between(0, kCategories - 1));
    switch (choose_weighted(random, kRubisMix)) {
      case 0: {
        // Now and then a name that is taken already.
        const bool is_new = random.chance(0.9);
        const std::string nick =
            is_new
                ? "new" + std::to_string(client) + "x" + std::to_string(++count)
                : "user" + std::to_string(random.between(1, users));
        return ChosenCall{user, {sql::Value::text(nick)}};
      }
      case 1:
        return ChosenCall{
            item,
            {sql::Value::text("thing"), one, category,
             number(random.between(100, 999)), number(random.between(1, 10))}};
      case 2:
        return ChosenCall{buy, {thing, one, number(random.between(1, 3))}};
      case 3:
        return ChosenCall{comment,
                          {one, other, thing, number(random.between(-5, 5)),
                           sql::Value::text("so it is")}};
      default: return ChosenCall{browse, {category, one}};
    }
  };
}

}  // namespace txscope::db
