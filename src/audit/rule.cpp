#include "audit/rule.h"

#include <array>

#include "model/level.h"

namespace txscope::audit {
namespace {

struct Profile {
  std::string_view name;
  Rule rule;
};

// READ UNCOMMITTED is held against nothing weaker than READ COMMITTED; SQLite
// runs one writer at a time.
constexpr std::array<Profile, 11> kProfiles = {{
    {"postgresql:read-committed", Rule::PostgresReadCommitted},
    {"postgresql:read-uncommitted", Rule::PostgresReadCommitted},
    {"postgresql:repeatable-read", Rule::PostgresRepeatableRead},
    {"postgresql:serializable", Rule::Serializable},
    {"mariadb:read-committed", Rule::MariadbReadCommitted},
    {"mariadb:repeatable-read", Rule::MariadbRepeatableRead},
    {"mariadb:repeatable-read+snapshot", Rule::MariadbSnapshot},
    {"mariadb:serializable", Rule::Serializable},
    {"sqlite", Rule::Serializable},
    {"sqlite:serializable", Rule::Serializable},
    {"oracle:serializable", Rule::Snapshot},
}};

Error wrong_level(std::string what, std::string hint) {
  Error error;
  error.what = std::move(what);
  error.hint = std::move(hint);
  return error;
}

std::optional<Rule> rule_of(Base base) {
  switch (base) {
    case Base::ReadCommitted: return Rule::ReadCommitted;
    case Base::Prefix: return Rule::Prefix;
    case Base::SnapshotIsolation: return Rule::Snapshot;
    case Base::Serializable: return Rule::Serializable;
    default: return std::nullopt;
  }
}

constexpr std::string_view kKnown =
    "a log is held against read-committed, prefix, snapshot-isolation, "
    "serializable, the strict- forms of the last three, or what a product "
    "does, as postgresql:read-committed";

}  // namespace

Result<AuditLevel> parse_audit_level(std::string_view name,
                                     std::string_view order) {
  AuditLevel level;
  std::optional<Order> asked;
  if (!order.empty()) {
    auto parsed = parse_order(order);
    if (!parsed) return parsed.error();
    if (*parsed == Order::None)
      return wrong_level("a log is never held against a level without order",
                         "--order session or --order realtime");
    asked = *parsed;
  }
  for (const Profile& profile : kProfiles) {
    if (profile.name != name) continue;
    level.rule = profile.rule;
    level.name = name;
    level.is_strict = asked == Order::Realtime;
    return level;
  }
  if (name.find(':') != name.npos) {
    std::string known = "profiles:";
    for (const Profile& profile : kProfiles)
      known += " " + std::string(profile.name);
    return wrong_level("unknown level '" + std::string(name) + "'", known);
  }
  auto named = parse_level(name);
  if (!named) return named.error();
  if (named->order && asked && *named->order != *asked)
    return wrong_level("'" + std::string(name) + "' fixes the order",
                       "leave --order out");
  const auto rule = rule_of(named->base);
  if (!rule)
    return wrong_level("audit does not decide '" + std::string(name) + "'",
                       std::string(kKnown));
  level.rule = *rule;
  level.name = txscope::name(named->base);
  const std::optional<Order> chosen = named->order ? named->order : asked;
  level.is_strict = chosen == Order::Realtime;
  return level;
}

std::vector<AuditLevel> all_audit_levels() {
  return {{Rule::ReadCommitted, false, "read-committed"},
          {Rule::Prefix, false, "prefix"},
          {Rule::Snapshot, false, "snapshot-isolation"},
          {Rule::Snapshot, true, "snapshot-isolation"},
          {Rule::Serializable, false, "serializable"},
          {Rule::Serializable, true, "serializable"}};
}

}  // namespace txscope::audit
