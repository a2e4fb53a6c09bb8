#pragma once

#include "db/record/actor.h"
#include "model/product/product.h"

namespace txscope::db {

/// What the transactions of a register or list workload look like.
struct KeyShape {
  bool has_lists = false;
  std::uint64_t keys = 100;
  std::uint64_t min_operations = 1;
  std::uint64_t max_operations = 6;
  double reads = 0.5;
};

/// Reads and writes single rows of one table of keys, and keeps what it did as
/// operations for a history.  Every value is written once: it is the client's
/// number and a counter.
class KeyActor final : public Actor {
 public:
  KeyActor(Product product, KeyShape shape, std::uint64_t client)
      : product_(product), shape_(shape), client_(client) {}

  bool choose(Random& random) override;
  void restart() override;
  [[nodiscard]] ActorStep next() override;
  void answer(const Answer& answer) override;
  [[nodiscard]] std::vector<LoggedOperation> operations() const override {
    return done_;
  }

  /// The table and its first rows.
  [[nodiscard]] static std::vector<std::string> setup(const KeyShape& shape);

 private:
  struct Wish {
    bool is_read = true;
    std::int64_t key = 0;
  };
  [[nodiscard]] std::int64_t fresh_value();

  Product product_;
  KeyShape shape_;
  std::uint64_t client_;
  std::uint64_t values_ = 0;
  std::vector<Wish> wishes_;
  std::vector<LoggedOperation> done_;
  LoggedOperation current_;
};

}  // namespace txscope::db
