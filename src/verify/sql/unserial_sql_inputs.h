#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "model/product/profile.h"
#include "model/sql/application.h"
#include "verify/sql/input_choices.h"
#include "verify/sql/sql_question.h"
#include "verify/unserial_models.h"

namespace txscope::verify {

/// Inputs of an application for which some execution of a level may be unlike
/// all serial ones (unserial_models.h), one choice after another.  At an
/// engine's level the executions are more than the engine's (engine_cover.h),
/// so that what is left out shows nothing there either.
class UnserialSqlInputs final : public InputChoices {
 public:
  /// An Error names what cannot be encoded, or assumptions that contradict each
  /// other.  The application and the budget must outlive it.
  /// `profile`: instead of the level.
  [[nodiscard]] static Result<std::unique_ptr<UnserialSqlInputs>> make(
      const sql::Application& application, Base level, const Profile* profile,
      Notion notion, std::uint64_t loop_bound, const Budget& budget);

  [[nodiscard]] std::optional<Choice> next() override;
  [[nodiscard]] bool is_exhausted() const override {
    return models_->is_exhausted() && why_not_all_.empty();
  }
  [[nodiscard]] std::string why() const override;
  [[nodiscard]] std::optional<Activity> activity() override {
    return models_->activity();
  }
  [[nodiscard]] std::optional<VerifyBounds> bounds() const override;

 private:
  explicit UnserialSqlInputs(const sql::Application& application)
      : application_(application) {}

  const sql::Application& application_;
  std::uint64_t rounds_ = 0;
  std::string why_not_all_;  ///< an engine may do other things
  std::unique_ptr<SqlQuestion> question_;
  std::unique_ptr<UnserialModels> models_;
};

/// The same; where something cannot be encoded, inputs of all kinds.
[[nodiscard]] Result<std::unique_ptr<InputChoices>> make_unserial_choices(
    const sql::Application& application, Base level, const Profile* profile,
    Notion notion, std::uint64_t loop_bound, const Budget& budget);

}  // namespace txscope::verify
