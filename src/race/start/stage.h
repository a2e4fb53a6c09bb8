#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "race/plan/plan.h"
#include "race/run/application.h"
#include "race/start/copies.h"
#include "race/start/restore.h"

namespace txscope::race {

/// Where runs happen, one after the other, each from the same beginning: on a
/// fresh copy where requests open their own connections; on one that is kept
/// and put back where a server holds them open, or a command of the user's
/// makes the beginning.
class Stage {
 public:
  /// `plan` and `copies` must outlive it.
  [[nodiscard]] static Result<std::unique_ptr<Stage>> open(const Plan& plan,
                                                           Copies& copies);
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;
  ~Stage();

  /// Makes the beginning; the name of the database.
  [[nodiscard]] Result<std::string> begin();
  /// How connections get to what begin() made.
  [[nodiscard]] LanePlan lane_plan() const;
  /// A fresh copy goes.
  void end() { fresh_.reset(); }
  /// None: requests have their own connections.
  [[nodiscard]] Application* application() { return application_.get(); }

 private:
  Stage(const Plan& plan, Copies& copies) : plan_(plan), copies_(copies) {}
  [[nodiscard]] Result<Done> keep();
  [[nodiscard]] Result<Done> run_reset() const;

  const Plan& plan_;
  Copies& copies_;
  std::optional<Copies::Copy> fresh_;
  std::optional<Copies::Copy> kept_;
  std::unique_ptr<db::Session> session_;  ///< in the kept one
  std::optional<Restorer> restorer_;
  std::unique_ptr<Application> application_;
};

}  // namespace txscope::race
