#pragma once

#include "exec/script.h"
#include "exec/sql/routine/process.h"
#include "explore/sql/universe.h"
#include "model/sql/application.h"

namespace txscope::explore {

/// An application as the search runs it: its rows are the registers, the
/// numbers of their versions the values.  Condition i is property i.
class SqlScript final : public exec::Script {
 public:
  SqlScript(const sql::Application& application, const sql::Routines& routines);

  [[nodiscard]] const sql::Application& application() const {
    return application_;
  }
  [[nodiscard]] const sql::Routines& routines() const { return routines_; }
  [[nodiscard]] Universe& universe() const { return *universe_; }

  /// From now on over this universe, with the keys that are open now.
  void use(Universe& universe);

  [[nodiscard]] std::unique_ptr<exec::Runner> make_runner(
      std::uint64_t loop_bound, const Budget& budget) const override;
  [[nodiscard]] std::string key_name(KeyId key) const override;
  [[nodiscard]] std::optional<std::string> value_name(
      std::int64_t version) const override;
  [[nodiscard]] bool is_outgrown() const override;

 private:
  const sql::Application& application_;
  const sql::Routines& routines_;
  Universe* universe_ = nullptr;
};

}  // namespace txscope::explore
