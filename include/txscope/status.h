#pragma once

#include <txscope/listener.h>
#include <txscope/report.h>

#include <string_view>
#include <vector>

#include "base/result.h"

namespace txscope::verb {

// Exit statuses; a contract.
inline constexpr int kHolds = 0;
inline constexpr int kViolated = 1;
inline constexpr int kWrong = 2;
inline constexpr int kUndecided = 3;

/// What the caller counts as a failure.
struct StatusOptions {
  std::vector<About> fail_on = {About::Rule, About::Serial, About::Deadlock,
                                About::Level};
  bool allow_vacuous = false;
  bool allow_partial = false;

  [[nodiscard]] bool fails_on(About about) const;
};

/// "rule,serial,deadlock,error"; an empty text is the default.  A history or a
/// log at a level always counts.
[[nodiscard]] Result<std::vector<About>> parse_fail_on(std::string_view names);
[[nodiscard]] std::string_view name(About about);

/// Only rules count, and there is none: nothing that the caller asked for was
/// checked, whatever was found.
[[nodiscard]] bool counts_nothing(const Report& report,
                                  const StatusOptions& options);

/// The exit status of a report; nothing else decides it.  Violated counts more
/// than undecided or vacuous, which count more than holds; an input that could
/// not be read counts more than all of these.
[[nodiscard]] int status_of(const Report& report,
                            const StatusOptions& options = {});
/// The same for a verb that was stopped from outside: what it had reported is
/// known, the rest is undecided.
[[nodiscard]] int status_of(const std::vector<Promise>& told);

}  // namespace txscope::verb
