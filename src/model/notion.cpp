#include "model/notion.h"

namespace txscope {

std::string_view name(Notion notion) {
  switch (notion) {
    case Notion::Trace: return "trace";
    case Notion::View: return "view";
    case Notion::History: return "history";
    case Notion::Outcome: return "outcome";
    case Notion::State: return "state";
  }
  return "";
}

std::optional<Notion> parse_notion(std::string_view text) {
  for (const Notion notion : kNotions) {
    if (name(notion) == text) return notion;
  }
  return std::nullopt;
}

}  // namespace txscope
