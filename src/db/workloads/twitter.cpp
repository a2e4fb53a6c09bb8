#include "db/workloads/builtin.h"
#include "db/workloads/calls.h"

namespace txscope::db {
namespace {

// NewTweet, Follow, Timeline, ShowFollow, ShowTweets.
constexpr unsigned kTwitterMix[] = {20, 40, 10, 10, 20};

}  // namespace

std::vector<std::string> twitter_rows(const WorkloadOptions& options) {
  std::vector<std::string> rows;
  for (std::uint64_t i = 1; i <= options.scale; ++i)
    rows.push_back(std::to_string(i) + ", 'user" + std::to_string(i) +
                   "', 0, 0");
  return insert_texts("users", rows);
}

CallSource twitter_calls(const sql::Application& application,
                         const WorkloadOptions& options, std::uint64_t) {
  const auto users = static_cast<std::int64_t>(options.scale);
  const auto id = [&](std::string_view name) {
    return routine(application, name);
  };
  return [users, tweet = id("new_tweet"), follow = id("follow"),
          timeline = id("timeline"), show_follow = id("show_follow"),
          show_tweets =
              id("show_tweets")](Random& random) -> std::optional<ChosenCall> {
    const sql::Value user = number(random.between(1, users));
    switch (choose_weighted(random, kTwitterMix)) {
      case 0:
        return ChosenCall{
            tweet,
            {user, sql::Value::text("message " +
                                    std::to_string(random.below(1000)))}};
      case 1:
        return ChosenCall{follow, {user, number(random.between(1, users))}};
      case 2: return ChosenCall{timeline, {user}};
      case 3: return ChosenCall{show_follow, {user}};
      default: return ChosenCall{show_tweets, {user}};
    }
  };
}

}  // namespace txscope::db
