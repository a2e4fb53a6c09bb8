#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "model/sql/application.h"
#include "repair/search.h"
#include "robust/result.h"
#include "verb/program/robust_question.h"

namespace txscope::verb {

/// Choices of open inputs that are searched.
inline constexpr std::size_t kMostInputs = 24;

/// Changes of the user's text after which the answer to the same question is
/// "robust"; each was asked again.
class RobustRepairs {
 public:
  /// `application`: of a text in SQL, else null.  Everything must outlive it.
  RobustRepairs(const RobustRequest& request, const RobustQuestion& asked,
                const std::string& text, const sql::Application* application,
                const Budget& budget)
      : request_(request),
        asked_(asked),
        text_(text),
        application_(application),
        budget_(budget) {}

  /// For what the search found.
  void after_search(robust::Notion notion, robust::RobustResult& result) const;
  /// For what the proof left open: constraints.
  void after_proof(robust::RobustResult& result) const;

 private:
  using Helps = std::function<bool(const std::string& text)>;

  [[nodiscard]] bool is_proved(const sql::Application& changed) const;
  [[nodiscard]] bool is_robust(const Program& changed, robust::Notion notion,
                               const Budget& effort) const;
  [[nodiscard]] bool is_robust(const sql::Application& changed,
                               robust::Notion notion,
                               const Budget& effort) const;
  [[nodiscard]] bool is_robust_for_all(const Program& changed,
                                       robust::Notion notion,
                                       const Budget& effort) const;
  [[nodiscard]] bool is_robust_for_all(const sql::Application& changed,
                                       robust::Notion notion,
                                       const Budget& effort) const;
  [[nodiscard]] bool helps(const std::string& text, robust::Notion notion,
                           const Budget& effort) const;
  [[nodiscard]] bool does_the_same(const sql::Application& changed,
                                   const Budget& effort) const;
  /// Without a counterexample: of all transactions.
  [[nodiscard]] repair::Problem problem(
      const robust::Counterexample* example) const;
  [[nodiscard]] std::vector<Repair> found(const repair::Problem& problem,
                                          const Helps& helps,
                                          std::vector<std::string_view> kinds,
                                          const Budget& effort) const;

  const RobustRequest& request_;
  const RobustQuestion& asked_;
  const std::string& text_;
  const sql::Application* application_;
  const Budget& budget_;
};

}  // namespace txscope::verb
