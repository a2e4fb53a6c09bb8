#pragma once

#include <utility>

#include "txscope/report.h"
#include "verb/answer/detail.h"

namespace txscope::verb {

/// The end of every verb that judges: the report gets what its engine found,
/// and all evidence in the one shape that callers see.
void conclude(Report& report, Detail found);

template <class Part>
void conclude(Report& report, Part found) {
  conclude(report, Detail{std::move(found)});
}

}  // namespace txscope::verb
