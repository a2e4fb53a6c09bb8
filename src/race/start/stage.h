#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "race/plan/plan.h"
#include "race/run/application.h"
#include "race/run/schedule.h"
#include "race/start/copies.h"
#include "race/start/restore.h"

namespace txscope::race {

/// Where runs happen, one after the other, each from the same beginning: on a
/// copy that is kept and put back, or on a fresh one for each where that takes
/// longer or a run changed more than rows.  Where a server holds connections
/// open, or a command of the user's makes the beginning, it is always kept.
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
  /// A session in what begin() made, to look at how it ended.
  [[nodiscard]] Result<db::Session*> session();
  /// What a run did: whether the copy can be put back.
  void note(const std::vector<Event>& events);
  /// None: requests have their own connections.
  [[nodiscard]] Application* application() { return application_.get(); }

 private:
  Stage(const Plan& plan, Copies& copies) : plan_(plan), copies_(copies) {}
  [[nodiscard]] bool must_keep() const {
    return !plan_.serve.empty() || !plan_.reset.empty() ||
           copies_.is_in_place();
  }
  [[nodiscard]] Result<Done> keep();
  [[nodiscard]] Result<Done> take_copy();
  [[nodiscard]] Result<Done> keep_if_quick();
  [[nodiscard]] Result<std::string> begin_afresh();
  [[nodiscard]] bool put_back();
  [[nodiscard]] bool end_others();
  [[nodiscard]] Result<Done> run_reset() const;

  const Plan& plan_;
  Copies& copies_;
  std::optional<Copies::Copy> copy_;
  std::unique_ptr<db::Session> session_;  ///< in the copy
  bool is_kept_ = false;                  ///< else each run has its own
  std::optional<Restorer> restorer_;
  std::optional<SchemaGuard> guard_;
  std::unique_ptr<Application> application_;
};

}  // namespace txscope::race
