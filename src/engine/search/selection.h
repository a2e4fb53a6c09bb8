#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/server/trace.h"
#include "model/sql/application.h"

namespace txscope::engine {

/// Which calls of an application run: per session their indexes, ascending.
struct Selection {
  std::vector<std::vector<std::uint32_t>> calls;

  [[nodiscard]] static Selection all(const sql::Application& application) {
    Selection selection;
    for (const sql::Session& session : application.sessions) {
      auto& row = selection.calls.emplace_back();
      for (std::uint32_t c = 0; c < session.calls.size(); ++c) row.push_back(c);
    }
    return selection;
  }
  [[nodiscard]] static Selection of(const sql::Application& application,
                                    const std::vector<CallRef>& calls) {
    Selection selection;
    selection.calls.resize(application.sessions.size());
    for (const CallRef& call : calls)
      selection.calls[call.session].push_back(call.call);
    for (auto& row : selection.calls) std::sort(row.begin(), row.end());
    return selection;
  }
  /// Where a call stands among those of its session that run.
  [[nodiscard]] std::optional<std::size_t> position(CallRef call) const {
    const auto& row = calls[call.session];
    const auto found = std::find(row.begin(), row.end(), call.call);
    if (found == row.end()) return std::nullopt;
    return static_cast<std::size_t>(found - row.begin());
  }
  [[nodiscard]] std::vector<CallRef> refs() const {
    std::vector<CallRef> refs;
    for (std::uint32_t s = 0; s < calls.size(); ++s)
      for (const std::uint32_t c : calls[s]) refs.push_back({s, c});
    return refs;
  }
};

}  // namespace txscope::engine
