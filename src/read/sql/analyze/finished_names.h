#pragma once

#include "read/sql/analyze/analyzer.h"

namespace txscope::sql {

/// Variables of finished transactions, as session.label.variable: each becomes
/// an index into the property's `variables`.
class FinishedNames : public Names {
 public:
  FinishedNames(const Source& source, const Application& application,
                Property& property)
      : source_(source), application_(application), property_(property) {}

  std::optional<Found> find(std::span<const std::string> name, Span at,
                            bool is_column) const override;

 private:
  [[nodiscard]] Found in_session(std::uint32_t number,
                                 std::span<const std::string> name,
                                 Span at) const;
  [[nodiscard]] Found in_call(VariableRef ref, const Routine& routine,
                              std::span<const std::string> name, Span at) const;

  const Source& source_;
  const Application& application_;
  Property& property_;
};

}  // namespace txscope::sql
