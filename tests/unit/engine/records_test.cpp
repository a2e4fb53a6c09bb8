// Records of a large table, most of which are at rest, beside a plain list of
// the same records.

#include "engine/server/records.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/random.h"

namespace txscope::engine {
namespace {

constexpr std::size_t kRows = 100;

/// What is asked of records: who owns them, by the number in their row.
using Owners = std::multiset<std::pair<std::int64_t, SessionNo>>;

std::int64_t number_of(const Record& record) {
  return record.anchor->row[0].integer();
}

Hash128 hash_of_owner(const Record& record) {
  Mixer mixer(record.anchor->hash);
  mixer.add(record.pending.owner);
  return mixer.done();
}

class Both {
 public:
  Both() {
    for (std::size_t i = 0; i < kRows; ++i) {
      records_.add() = made(static_cast<std::int64_t>(i));
      plain_[i] = made(static_cast<std::int64_t>(i));
    }
    records_.rest({0}, hash_of_owner);
  }

  void change(std::size_t i, SessionNo owner) {
    if (!plain_.contains(i)) return;
    records_.change(i).pending.owner = owner;
    plain_[i].pending.owner = owner;
  }
  void add(std::int64_t number) {
    const Record record = made(number);
    plain_[records_.size()] = record;
    records_.add() = record;
  }
  void erase(SessionNo owner) {
    const auto is_its = [owner](const Record& record) {
      return record.pending.owner == owner;
    };
    records_.erase_touched_if(is_its);
    // Those that came later move up.
    std::map<std::size_t, Record> left;
    std::size_t next = kRows;
    for (const auto& [i, record] : plain_)
      if (!is_its(record)) left[i < kRows ? i : next++] = record;
    plain_ = std::move(left);
  }

  void compare() const {
    std::map<std::size_t, std::pair<std::int64_t, SessionNo>> all;
    records_.for_each([&](std::size_t i, const Record& record) {
      all[i] = {number_of(record), record.pending.owner};
      EXPECT_EQ(&records_[i], &record);
    });
    std::map<std::size_t, std::pair<std::int64_t, SessionNo>> expected;
    Hash128 sum;
    Hash128 rows;
    for (const auto& [i, record] : plain_) {
      expected[i] = {number_of(record), record.pending.owner};
      sum += hash_of_owner(record);
      rows += record.committed()->hash;
    }
    EXPECT_EQ(all, expected);
    Hash128 own = records_.hash_at_rest();
    Hash128 own_rows = records_.rows_at_rest();
    records_.for_each_touched([&](std::size_t, const Record& record) {
      own += hash_of_owner(record);
      own_rows += record.committed()->hash;
    });
    EXPECT_EQ(own, sum);
    EXPECT_EQ(own_rows, rows);
  }

  /// Those with a number, by looking for it and by looking at all.
  void look_for(std::int64_t number) const {
    Owners found;
    std::size_t seen = 0;
    records_.for_each_that_may({{0, sql::Value::integer(number)}},
                               [&](std::size_t, const Record& record) {
                                 ++seen;
                                 if (number_of(record) == number)
                                   found.emplace(number, record.pending.owner);
                               });
    Owners expected;
    for (const auto& [i, record] : plain_)
      if (number_of(record) == number)
        expected.emplace(number, record.pending.owner);
    EXPECT_EQ(found, expected);
    EXPECT_LT(seen, kRows);  // not all were looked at
  }

 private:
  Record made(std::int64_t number) {
    Record record;
    record.anchor = pool_.intern({sql::Value::integer(number)});
    record.versions.push_back({record.anchor, 0, false, 0});
    return record;
  }

  RowPool pool_;
  Records records_;
  std::map<std::size_t, Record> plain_;
};

TEST(Records, AtRestOrNotTheyAreTheSame) {
  Random random(7);
  for (int round = 0; round < 20; ++round) {
    Both both;
    both.compare();
    for (int step = 0; step < 12; ++step) {
      switch (random.below(4)) {
        case 0:
        case 1:
          both.change(random.below(kRows + 3),
                      static_cast<SessionNo>(random.below(3)));
          break;
        case 2: both.add(static_cast<std::int64_t>(random.below(150))); break;
        default: both.erase(static_cast<SessionNo>(random.below(3))); break;
      }
      both.compare();
      for (int i = 0; i < 5; ++i)
        both.look_for(static_cast<std::int64_t>(random.below(150)));
    }
  }
}

TEST(Records, ACopyKeepsWhatTheOtherChanges) {
  RowPool pool;
  Records records;
  for (std::int64_t i = 0; i < 100; ++i) {
    Record& record = records.add();
    record.anchor = pool.intern({sql::Value::integer(i)});
    record.versions.push_back({record.anchor, 0, false, 0});
  }
  records.rest({}, hash_of_owner);
  Records copy = records;
  copy.change(5).pending.owner = 1;
  EXPECT_EQ(records[5].pending.owner, kNobody);
  EXPECT_EQ(copy[5].pending.owner, 1);
  EXPECT_NE(copy.hash_at_rest(), records.hash_at_rest());
}

}  // namespace
}  // namespace txscope::engine
