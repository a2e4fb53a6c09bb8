#include "db/isolation.h"

#include "db/keeper.h"
#include "model/product/profile.h"

namespace txscope::db {
namespace {

RunLevel made(const Profile& profile, std::string level) {
  RunLevel made;
  made.level = std::move(level);
  const std::string sql(profile.sql);
  switch (profile.product) {
    case Product::PostgreSql:
      made.begin = "BEGIN ISOLATION LEVEL " + sql;
      break;
    case Product::MariaDb:
      // Older servers do not know the variable: only who wants it sets it.
      if (profile.isolation == Isolation::RepeatableReadSnapshot)
        made.session = "SET innodb_snapshot_isolation = ON; ";
      made.session += "SET SESSION TRANSACTION ISOLATION LEVEL " + sql;
      made.begin = "START TRANSACTION";
      break;
    case Product::Sqlite:
    case Product::Oracle: made.begin = "BEGIN"; break;
  }
  return made;
}

const Profile* default_of(Product product) {
  for (const Profile& profile : profiles())
    if (profile.product == product && profile.is_default) return &profile;
  return nullptr;
}

/// Of the product, as a profile, as the product alone, or by a promise.
const Profile* profile_named(Product product, std::string_view level) {
  const ProductAlias* whole = product_named(level);
  if (level.empty() || (whole != nullptr && whole->product == product))
    return default_of(product);
  if (is_profile_name(level)) {
    const auto parsed = parse_profile(level);
    return parsed && (*parsed)->product == product ? *parsed : nullptr;
  }
  const auto theory = parse_level(level);
  if (!theory || theory->order) return nullptr;
  return profile_for(product, theory->base);
}

std::string levels_of(Product product) {
  std::string known;
  for (const Profile& profile : profiles()) {
    if (profile.product != product) continue;
    known += (known.empty() ? "" : ", ") + std::string(profile.name);
    if (profile_for(product, profile.promise) == &profile)
      known += ", " + std::string(name(profile.promise));
  }
  return known;
}

}  // namespace

Result<RunLevel> isolation(Product product, std::string_view level) {
  const Profile* profile = profile_named(product, level);
  if (profile == nullptr)
    return failure("--level: " + std::string(name(product)) +
                       " has no level '" + std::string(level) + "'",
                   "it has " + levels_of(product));
  const auto theory = parse_level(level);
  return made(*profile,
              std::string(theory ? name(theory->base) : profile->name));
}

}  // namespace txscope::db
