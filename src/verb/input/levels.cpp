#include "verb/input/levels.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "verb/input/wrong_call.h"

namespace txscope::verb {
namespace {

Error without_place(const Error& cause) {
  return Error{Place{"txscope", 0, 0, {}}, cause.what, cause.hint, ""};
}

/// A history is of no product: what the product promises is decided.
Result<NamedLevel> promised_by(const std::string& part,
                               std::vector<std::string>& notes) {
  // A product that has one level may be called by the product's name.
  const ProductAlias* product =
      parse_profile(part) ? nullptr : product_named(part);
  if (product != nullptr) {
    std::string promises;
    for (const Profile& profile : profiles())
      if (profile.product == product->product)
        promises += (promises.empty() ? "" : ", ") + std::string(profile.name) +
                    " promises " + std::string(name(profile.promise));
    return wrong_call("'" + part + "' is a product, not a level", promises);
  }
  const auto profile = parse_profile(part);
  if (!profile) return without_place(profile.error());
  notes.push_back(promise_hint(part));
  return NamedLevel{(*profile)->promise, std::nullopt};
}

}  // namespace

std::string promise_hint(const std::string& profile) {
  const auto parsed = parse_profile(profile);
  if (!parsed) return "name a level such as snapshot-isolation";
  return std::string((*parsed)->name) + " promises " +
         std::string(name((*parsed)->promise));
}

std::vector<std::string> level_names(const std::string& names) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= names.size()) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    parts.push_back(names.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

Result<std::vector<Level>> parse_levels(const std::string& names,
                                        const std::string& order_name,
                                        std::vector<std::string>& notes) {
  std::optional<Order> asked;
  if (!order_name.empty()) {
    const auto order = parse_order(order_name);
    if (!order) return without_place(order.error());
    asked = *order;
  }
  std::vector<Level> levels;
  for (const std::string& part : level_names(names.empty() ? "all" : names)) {
    if (part == "all") {
      for (const Base base : all_bases())
        levels.push_back({base, asked.value_or(Order::Session)});
      continue;
    }
    const auto named =
        is_profile_name(part) ? promised_by(part, notes) : parse_level(part);
    if (!named) return without_place(named.error());
    if (named->order && asked && *named->order != *asked)
      return Error{Place{"txscope", 0, 0, {}},
                   "'" + part + "' means " + std::string(name(*named->order)) +
                       " order, but --order says " + std::string(name(*asked)),
                   "leave --order out, or name the level without its prefix",
                   ""};
    levels.push_back(
        {named->base, named->order.value_or(asked.value_or(Order::Session))});
  }
  std::sort(levels.begin(), levels.end(), [](Level a, Level b) {
    return std::pair(a.base, a.order) < std::pair(b.base, b.order);
  });
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  return levels;
}

bool is_whole_ladder(const std::string& names, const std::string& order) {
  return (names.empty() || names == "all") && order.empty();
}

Result<std::vector<Base>> theory_levels(const std::string& names) {
  std::vector<std::string> notes;
  const auto levels = parse_levels(names, "", notes);
  if (!levels) return levels.error();
  if (!notes.empty())
    return wrong_call("'" + names + "' is a level of a product",
                      "name a theoretical level: " + notes.front());
  const bool asks_all = names.empty() || names == "all";
  std::vector<Base> bases;
  for (const Level level : *levels) {
    if (level.order != Order::Session) {
      return wrong_call("programs run in session order, not in " +
                            std::string(name(level.order)) + " order",
                        "name the level without a prefix");
    }
    if (level.base == Base::ReadUncommitted) {
      if (asks_all) continue;
      return wrong_call(
          "programs do not run at read-uncommitted",
          "a read always takes a committed value; read-committed is "
          "the weakest level");
    }
    bases.push_back(level.base);
  }
  return bases;
}

namespace {

/// Of what is asked, InnoDB is called MySQL and never MariaDB.
bool is_about_mysql(const std::vector<std::string>& parts) {
  const auto any = [&](const auto& is_it) {
    return std::any_of(parts.begin(), parts.end(), [&](const auto& part) {
      return is_it(part.substr(0, part.find(':')));
    });
  };
  return any([](const std::string& p) {
           const ProductAlias* product = product_named(p);
           return product != nullptr && !product->note.empty();
         }) &&
         !any([](const std::string& p) {
           const ProductAlias* product = product_named(p);
           return product != nullptr && product->note.empty() &&
                  product->product == Product::MariaDb;
         });
}

/// "postgresql" names all levels of that product.
bool add_product(const std::string& asked, AskedLevels& to) {
  const ProductAlias* product = product_named(asked);
  if (asked != "all" && product == nullptr) return false;
  for (const Profile& profile : profiles())
    if ((product == nullptr || profile.product == product->product) &&
        to.offers(profile))
      to.profiles.push_back(&profile);
  return true;
}

/// What SQL calls so is a product's level, not one of theory.
Error with_profiles(Error error, const std::string& names) {
  for (const std::string& part : level_names(names)) {
    const std::string called = profiles_called(part);
    if (called.empty() || parse_level(part)) continue;
    error.hint = "of an engine: " + called + "; " + error.hint;
  }
  return error;
}

/// READ COMMITTED, as SQL spells it, and not as txscope does.
bool is_spelled_as_in_sql(std::string_view part) {
  return std::any_of(part.begin(), part.end(), [](char c) {
    return c == ' ' || std::isupper(static_cast<unsigned char>(c)) != 0;
  });
}

}  // namespace

Result<AskedLevels> asked_levels(const std::string& names,
                                 bool all_has_engines) {
  AskedLevels asked;
  asked.is_mysql = is_about_mysql(level_names(names));
  std::string theory;
  for (const std::string& part : level_names(names)) {
    const bool is_all = part == "all";
    const ProductAlias* product = product_named(part.substr(0, part.find(':')));
    if (product != nullptr && !product->note.empty() && asked.notes.empty())
      asked.notes.emplace_back(product->note);
    if ((!is_all || all_has_engines) && add_product(part, asked) && !is_all) {
      continue;
    }
    if (!is_all && is_profile_name(part)) {
      const auto profile = parse_profile(part);
      if (!profile)
        return wrong_call(profile.error().what, profile.error().hint);
      if (!asked.offers(**profile)) {
        return wrong_call("MySQL has no level '" + part + "'",
                          "innodb_snapshot_isolation is MariaDB's: " +
                              std::string((*profile)->name));
      }
      asked.profiles.push_back(*profile);
      continue;
    }
    const std::string called =
        is_spelled_as_in_sql(part) ? profiles_called(part) : "";
    if (!called.empty() && parse_level(part))
      asked.notes.push_back(
          "'" + part +
          "' is the theoretical level here; what engines do under that name: " +
          called);
    theory += (theory.empty() ? "" : ",") + part;
  }
  std::sort(asked.profiles.begin(), asked.profiles.end());  // of one table
  asked.profiles.erase(
      std::unique(asked.profiles.begin(), asked.profiles.end()),
      asked.profiles.end());
  if (theory.empty() && !asked.profiles.empty()) return asked;
  auto bases = theory_levels(theory);
  if (!bases) return with_profiles(bases.error(), theory);
  asked.theory = std::move(*bases);
  return asked;
}

}  // namespace txscope::verb
