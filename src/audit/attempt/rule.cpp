#include "audit/attempt/rule.h"

#include "model/level.h"
#include "model/product/standby.h"

namespace txscope::audit {
namespace {

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

Result<std::optional<Order>> asked_order(std::string_view order) {
  if (order.empty()) return std::optional<Order>();
  const auto parsed = parse_order(order);
  if (!parsed) return parsed.error();
  if (*parsed == Order::None)
    return wrong_level("a log is never held against a level without order",
                       "--order session or --order realtime");
  return std::optional(*parsed);
}

Result<AuditLevel> level_of(const Profile& profile, std::string_view asked_as,
                            std::optional<Order> order) {
  if (!profile.log_rule)
    return wrong_level("audit does not decide '" + std::string(asked_as) + "'",
                       std::string(kKnown));
  return AuditLevel{*profile.log_rule, order == Order::Realtime,
                    std::string(profile.name)};
}

Result<AuditLevel> level_of_theory(std::string_view name,
                                   std::optional<Order> asked) {
  const auto named = parse_level(name);
  if (!named) {
    Error error = named.error();
    if (const std::string called = profiles_called(name); !called.empty())
      error.hint = "of a product: " + called + "; " + error.hint;
    return error;
  }
  if (named->order && asked && *named->order != *asked)
    return wrong_level("'" + std::string(name) + "' fixes the order",
                       "leave --order out");
  const auto rule = rule_of(named->base);
  if (!rule)
    return wrong_level("audit does not decide '" + std::string(name) + "'",
                       std::string(kKnown));
  const std::optional<Order> chosen = named->order ? named->order : asked;
  return AuditLevel{*rule, chosen == Order::Realtime,
                    std::string(txscope::name(named->base))};
}

}  // namespace

Result<AuditLevel> parse_audit_level(std::string_view name,
                                     std::string_view order) {
  const auto asked = asked_order(order);
  if (!asked) return asked.error();
  if (canonical_name(name) == standby_profile().name) {
    AuditLevel level{*standby_profile().log_rule, false,
                     std::string(standby_profile().name)};
    level.is_on_standby = true;
    return level;
  }
  if (!is_profile_name(name)) return level_of_theory(name, *asked);
  const auto profile = parse_profile(name);
  if (!profile) return profile.error();
  return level_of(**profile, name, *asked);
}

Result<std::vector<AuditLevel>> parse_audit_levels(std::string_view name,
                                                   std::string_view order) {
  const ProductAlias* product = product_named(name);
  if (product == nullptr) {
    auto level = parse_audit_level(name, order);
    if (!level) return level.error();
    if (level->is_on_standby)
      return wrong_level("'" + level->name + "' is no level of a whole log",
                         "it is one of transactions, as their own \"level\"");
    return std::vector{*std::move(level)};
  }
  const auto asked = asked_order(order);
  if (!asked) return asked.error();
  std::vector<AuditLevel> levels;
  for (const Profile& profile : profiles()) {
    if (profile.product != product->product || !profile.log_rule) continue;
    levels.push_back(*level_of(profile, profile.name, *asked));
  }
  return levels;
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
