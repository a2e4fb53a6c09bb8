#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analyze/analysis.h"
#include "base/budget.h"
#include "engine/search/explore_profile.h"
#include "exec/sql/routine/ready_application.h"

namespace txscope::analyze {

/// An application that is compiled and set up once, and run with one set of
/// calls after the other, each call in a session of its own.
class CallRunner {
 public:
  /// An Error: the setup fails.
  /// `before`: calls that run after the setup, one after the other.
  [[nodiscard]] static Result<std::unique_ptr<CallRunner>> make(
      sql::Application application, std::uint64_t loop_bound,
      const Budget& budget, const std::vector<sql::Call>& before = {});

  /// Rules that are asked from now on, besides those of the application.
  void ask_also(const std::vector<sql::Property>& rules);

  struct Part {
    const TransactionType* type = nullptr;
    const Arguments* arguments = nullptr;
  };

  /// The calls of application() from now on.
  void call(const std::vector<Part>& parts);
  /// All outcomes of these calls at a level.
  [[nodiscard]] Result<Answer> explore(const std::vector<Part>& parts,
                                       const Profile& profile,
                                       const Budget& budget);
  /// The statements at which the last calls fail with a code, in some
  /// interleaving, and who runs them.
  struct Failure {
    std::size_t part = 0;  ///< of the last calls
    Span at;
    friend bool operator<(const Failure& a, const Failure& b) {
      return a.at.offset < b.at.offset;
    }
  };
  [[nodiscard]] std::set<Failure> failures(const std::string& code,
                                           const Profile& profile,
                                           const Budget& budget);
  /// Codes with which calls fail in some serial order.
  [[nodiscard]] std::set<std::string> serial_errors(const Budget& budget) const;

  /// As the last calls were run.
  [[nodiscard]] const sql::Application& application() const {
    return application_;
  }
  [[nodiscard]] const sql::MemoryDatabase& initial() const {
    return ready_->initial();
  }
  [[nodiscard]] engine::ProfileOptions options() const;

 private:
  CallRunner(sql::Application application, std::uint64_t loop_bound)
      : application_(std::move(application)), loop_bound_(loop_bound) {}

  sql::Application application_;
  std::uint64_t loop_bound_;
  std::unique_ptr<const sql::ReadyApplication> ready_;
};

}  // namespace txscope::analyze
