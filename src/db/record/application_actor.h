#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>

#include "db/record/actor.h"
#include "exec/sql/routine/process.h"
#include "model/product/product.h"

namespace txscope::db {

/// A routine and what it is called with.
struct ChosenCall {
  sql::RoutineId routine;
  std::vector<sql::Value> arguments;
};

/// Which call a client makes next; none: no more.
using CallSource = std::function<std::optional<ChosenCall>(Random&)>;

/// Calls routines of an application.  Either our interpreter runs them and
/// sends statement after statement, so that everything they saw is in the log,
/// or the server runs them as stored procedures, each one statement.
class ApplicationActor final : public Actor {
 public:
  ApplicationActor(const sql::Routines& routines, Product product,
                   bool is_stored, CallSource source)
      : routines_(routines),
        product_(product),
        is_stored_(is_stored),
        source_(std::move(source)) {}

  bool choose(Random& random) override;
  void restart() override;
  [[nodiscard]] ActorStep next() override;
  void answer(const Answer& answer) override;
  [[nodiscard]] std::string problem() const override { return problem_; }

 private:
  /// A statement's text with $1, $2, ... and the slots they stand for.
  struct Prepared {
    std::string sql;
    std::vector<std::uint32_t> slots;
    std::vector<ColumnType> types;
  };
  const Prepared& prepared(const sql::DbStatement& statement);
  ActorStep statement_step(const sql::Request& request);
  ActorStep call_step();

  const sql::Routines& routines_;
  Product product_;
  bool is_stored_;
  CallSource source_;
  ChosenCall call_;
  std::optional<sql::Process> process_;
  bool is_called_ = false;  ///< the stored procedure was
  std::unordered_map<const sql::DbStatement*, Prepared> prepared_;
  std::string problem_;
};

}  // namespace txscope::db
