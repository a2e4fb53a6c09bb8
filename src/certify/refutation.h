#pragma once

#include "certify/certify.h"
#include "certify/reading.h"

namespace txscope::certify {

/// Whether `refutation` proves that the history does not have the level: its
/// cases cover everything that may have happened, and each is impossible.
[[nodiscard]] Certificate certify_refutation(const Reading& reading,
                                             Level level,
                                             const Refutation& refutation);

}  // namespace txscope::certify
