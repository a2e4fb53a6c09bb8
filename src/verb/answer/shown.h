#pragma once

#include <string>

#include "report/answer_report.h"
#include "report/model_report.h"
#include "report/race/race_report.h"
#include "report/verify_report.h"
#include "txscope/report.h"
#include "verb/answer/detail.h"

namespace txscope::verb {

// What an engine found, as the writers of src/report want it; it points into
// the report.
[[nodiscard]] report::AnswerReport shown(const Report& report,
                                 const ExploreDetail& found);
[[nodiscard]] report::VerifyReport shown(const Report& report,
                                 const VerifyDetail& found);
[[nodiscard]] report::ModelReport shown(const Report& report, const ModelDetail& found);
[[nodiscard]] report::RaceReport shown(const Report& report, const RaceDetail& found);
[[nodiscard]] report::ReplayReport shown(const Report& report,
                                 const ReplayDetail& found);

/// The first, or nothing.
[[nodiscard]] std::string input_of(const Report& report);

}  // namespace txscope::verb
