#include "check/anomaly.h"

#include <algorithm>
#include <array>
#include <optional>

namespace txscope {
namespace {

// Kinds of cycle from the most special to the most general: of several cases,
// the most general one fits them all.
enum class Class : std::uint8_t { G0, G1c, GSingle, GNonadjacent, G2Item };

struct ClassRow {
  std::string_view id;
  std::string_view words;
};
constexpr std::array<ClassRow, 5> kClasses = {{
    {"G0", "dirty write"},
    {"G1c", "circular information flow"},
    {"G-single", "read skew"},
    {"G-nonadjacent", "nonadjacent anti-dependencies"},
    {"G2-item", "anti-dependency cycle"},
}};

struct BadReadRow {
  std::string_view id;
  std::string_view words;
};
// Indexed by BadReadKind.
constexpr std::array<BadReadRow, 6> kBadReads = {{
    {"G1a", "aborted read"},
    {"G1b", "intermediate read"},
    {"thin-air-read", "a value nobody wrote"},
    {"internal", "internal inconsistency"},
    {"incompatible-order", "lists in two orders"},
    {"unexplained-read", "a read without a possible writer"},
}};

struct Named {
  Class kind = Class::G0;
  std::string_view words;
  bool has_session = false;
  bool has_realtime = false;
};

bool is_rw(const Edge& edge) { return edge.kind == EdgeKind::AntiDependency; }

bool has_kind(const Cycle& cycle, EdgeKind kind) {
  return std::any_of(cycle.begin(), cycle.end(),
                     [&](const Edge& edge) { return edge.kind == kind; });
}

bool has_adjacent_rw(const Cycle& cycle) {
  for (std::size_t i = 0; i < cycle.size(); ++i)
    if (is_rw(cycle[i]) && is_rw(cycle[(i + 1) % cycle.size()])) return true;
  return false;
}

bool is_forced(const Edge& edge) {
  return edge.kind == EdgeKind::WriteOrder &&
         edge.reason == WriteOrderReason::Forced;
}

Class class_of(const Cycle& cycle) {
  const auto count = std::count_if(cycle.begin(), cycle.end(), is_rw);
  if (count > 1)
    return has_adjacent_rw(cycle) ? Class::G2Item : Class::GNonadjacent;
  // The other answer to a forced write order closes a cycle with one rw.
  if (count == 1 || std::any_of(cycle.begin(), cycle.end(), is_forced))
    return Class::GSingle;
  return has_kind(cycle, EdgeKind::ReadsFrom) ? Class::G1c : Class::G0;
}

// Two transactions that both read and write one key.
bool is_lost_update(const Cycle& cycle) {
  if (cycle.size() != 2 || cycle[0].key != cycle[1].key) return false;
  const bool has_rw = is_rw(cycle[0]) || is_rw(cycle[1]);
  const auto fits = [](const Edge& edge) {
    return is_rw(edge) || edge.kind == EdgeKind::WriteOrder;
  };
  return has_rw && fits(cycle[0]) && fits(cycle[1]);
}

// wr, rw, wr, rw: two readers see two writes in opposite orders.
bool is_long_fork(const Cycle& cycle) {
  if (cycle.size() != 4) return false;
  for (std::size_t i = 0; i < 4; ++i) {
    const bool expects_rw = is_rw(cycle[0]) == (i % 2 == 0);
    if (is_rw(cycle[i]) != expects_rw) return false;
    if (!expects_rw && cycle[i].kind != EdgeKind::ReadsFrom) return false;
  }
  return true;
}

std::string_view words_for_single(const Cycle& cycle, Base base) {
  const auto rw = std::find_if(cycle.begin(), cycle.end(), is_rw);
  if (base == Base::MonotonicAtomicView) return "non-monotonic read";
  if (rw == cycle.end()) {  // forced write orders alone
    return base == Base::ReadAtomic ? "fractured read" : "causality violation";
  }
  if (cycle.size() == 2) {
    const Edge& other = cycle[rw == cycle.begin() ? 1 : 0];
    switch (other.kind) {
      case EdgeKind::Session:
      case EdgeKind::Realtime: return "stale read";
      case EdgeKind::ReadsFrom:
        return other.key == rw->key ? "non-repeatable read" : "fractured read";
      case EdgeKind::WriteOrder:
      case EdgeKind::AntiDependency: return "read skew";
    }
  }
  const bool is_causal = !has_kind(cycle, EdgeKind::WriteOrder);
  return is_causal ? "causality violation" : "read skew";
}

std::string_view words_of(const Cycle& cycle, Class kind, Base base) {
  if (is_lost_update(cycle)) return "lost update";
  if (is_long_fork(cycle)) return "long fork";
  if (kind == Class::GSingle) return words_for_single(cycle, base);
  if (kind == Class::G2Item && cycle.size() == 2) return "write skew";
  return kClasses[static_cast<std::size_t>(kind)].words;
}

Named name_of(const Cycle& cycle, Base base) {
  Named named;
  named.kind = class_of(cycle);
  named.words = words_of(cycle, named.kind, base);
  named.has_session = has_kind(cycle, EdgeKind::Session);
  named.has_realtime = has_kind(cycle, EdgeKind::Realtime);
  return named;
}

Named join(const Named& a, const Named& b) {
  Named both = a.kind >= b.kind ? a : b;
  if (a.words != b.words)
    both.words = kClasses[static_cast<std::size_t>(both.kind)].words;
  both.has_session = a.has_session || b.has_session;
  both.has_realtime = a.has_realtime || b.has_realtime;
  return both;
}

}  // namespace

std::string_view edge_letters(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::Session: return "so";
    case EdgeKind::Realtime: return "rt";
    case EdgeKind::ReadsFrom: return "wr";
    case EdgeKind::WriteOrder: return "ww";
    case EdgeKind::AntiDependency: return "rw";
  }
  return "";
}

Anomaly anomaly_of(const History&, Level level, const Refutation& refutation) {
  std::optional<Named> named;
  const BadRead* bad = nullptr;
  for (const Case& c : refutation.cases) {
    if (const auto* cycle = std::get_if<Cycle>(&c.contradiction)) {
      const Named one = name_of(*cycle, level.base);
      named = named ? join(*named, one) : one;
    } else if (bad == nullptr || bad->kind == BadReadKind::NoWriter) {
      bad = &std::get<BadRead>(c.contradiction);
    }
  }
  if (!named) {
    const auto& row = kBadReads[static_cast<std::size_t>(bad->kind)];
    return {std::string(row.id), std::string(row.words)};
  }
  std::string id(kClasses[static_cast<std::size_t>(named->kind)].id);
  if (named->has_realtime)
    id += "-realtime";
  else if (named->has_session)
    id += "-session";
  return {std::move(id), std::string(named->words)};
}

}  // namespace txscope
