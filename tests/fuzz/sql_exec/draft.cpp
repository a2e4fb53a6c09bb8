#include "fuzz/sql_exec/draft.h"

namespace txscope::test {
namespace {

using Path = std::vector<std::size_t>;

Draft& at(Draft& root, const Path& path) {
  Draft* node = &root;
  for (const std::size_t i : path) node = &node->parts[i];
  return *node;
}

void collect(const Draft& node, Path& path, std::vector<Path>& all) {
  if (!node.kind.empty()) all.push_back(path);
  for (std::size_t i = 0; i < node.parts.size(); ++i) {
    path.push_back(i);
    collect(node.parts[i], path, all);
    path.pop_back();
  }
}

/// Expressions of the same kind inside `node`, the outermost first.
void same_kind(const Draft& node, const std::string& kind, bool is_root,
               std::vector<Draft>& found) {
  if (!is_root && node.kind == kind) {
    found.push_back(node);
    return;
  }
  for (const Draft& part : node.parts) same_kind(part, kind, false, found);
}

std::vector<Draft> smaller(const Draft& node) {
  std::vector<Draft> found;
  if (node.parts.empty() && node.text.empty()) return found;
  if (node.kind == "opt") {
    found.emplace_back();
    return found;
  }
  same_kind(node, node.kind, true, found);
  if (!node.parts.empty()) {
    Draft null("NULL::" + node.kind);
    null.kind = node.kind;
    found.push_back(null);
  }
  return found;
}

}  // namespace

Draft shrunk(Draft draft, const std::function<bool(const Draft&)>& fails,
             int attempts) {
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    std::vector<Path> paths;
    Path path;
    collect(draft, path, paths);
    for (std::size_t i = 0; i < paths.size() && !is_changed; ++i) {
      for (Draft& replacement : smaller(at(draft, paths[i]))) {
        if (attempts-- <= 0) return draft;
        Draft candidate = draft;
        at(candidate, paths[i]) = std::move(replacement);
        if (!fails(candidate)) continue;
        draft = std::move(candidate);
        is_changed = true;
        break;
      }
    }
  }
  return draft;
}

}  // namespace txscope::test
