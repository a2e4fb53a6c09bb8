#pragma once

#include "certify/certify.h"
#include "certify/reading.h"

namespace txscope::certify {

/// Whether `order` is a commit order that gives the history the level.
[[nodiscard]] Certificate certify_commit_order(const Reading& reading,
                                               Level level,
                                               const CommitOrder& order);

}  // namespace txscope::certify
