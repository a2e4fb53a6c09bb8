#pragma once

#include "db/record/key_actor.h"

namespace txscope::db {

/// Statements by chance on three small tables: by key and by range, sums,
/// joins, subqueries, NULLs, inserts that may exist already, deletes.  Every
/// statement is understood by all products.
class FuzzActor final : public Actor {
 public:
  FuzzActor(Product product, KeyShape shape)
      : product_(product), shape_(shape) {}

  bool choose(Random& random) override;
  void restart() override { next_ = 0; }
  [[nodiscard]] ActorStep next() override;
  void answer(const Answer&) override {}

  [[nodiscard]] static std::vector<std::string> setup(const KeyShape& shape);

 private:
  /// A statement with $1, $2, ... and what they stand for.
  struct Draft {
    std::string sql;
    std::vector<sql::Value> params;
    bool is_select = true;
  };
  [[nodiscard]] Draft draft(Random& random) const;
  [[nodiscard]] Draft read(Random& random) const;
  [[nodiscard]] Draft write(Random& random) const;
  [[nodiscard]] sql::Value key(Random& random) const;

  Product product_;
  KeyShape shape_;
  std::vector<Draft> drafts_;
  std::size_t next_ = 0;
  bool rolls_back_ = false;
};

}  // namespace txscope::db
