#include "cli/levels.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "cli/diagnostics.h"

namespace txscope::cli {
namespace {

Error without_place(const Error& cause) {
  return Error{Place{"txscope", 0, 0, {}}, cause.what, cause.hint, ""};
}

// People name products; their levels are for `explore`, of programs.
std::optional<Error> level_of_an_engine(std::string_view text) {
  std::string lower;
  for (const char c : text)
    lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  constexpr std::string_view kPostgres =
      "postgresql read-committed is monotonic-atomic-view, repeatable-read is "
      "snapshot-isolation, serializable is serializable";
  constexpr std::string_view kInnodb =
      "InnoDB's read-committed is monotonic-atomic-view, serializable is "
      "serializable; its repeatable-read is none of these, but with "
      "innodb_snapshot_isolation nearly snapshot-isolation";
  constexpr std::string_view kOracle =
      "oracle read-committed is monotonic-atomic-view, serializable is "
      "snapshot-isolation";
  constexpr std::pair<std::string_view, std::string_view> kProducts[] = {
      {"postgres", kPostgres}, {"mariadb", kInnodb},       {"mysql", kInnodb},
      {"innodb", kInnodb},     {"sqlite", "serializable"}, {"oracle", kOracle}};
  for (const auto& [product, promises] : kProducts) {
    if (!lower.starts_with(product)) continue;
    return wrong_call(
        "'" + std::string(text) + "' is a product, not a level of a history",
        "name what it promises: " + std::string(promises));
  }
  return std::nullopt;
}

}  // namespace

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
                                        const std::string& order_name) {
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
    const auto named = parse_level(part);
    if (!named) {
      if (auto engine = level_of_an_engine(part)) return *std::move(engine);
      return without_place(named.error());
    }
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
  const auto levels = parse_levels(names, "");
  if (!levels) return levels.error();
  const bool asks_all = names.empty() || names == "all";
  std::vector<Base> bases;
  for (const Level level : *levels) {
    if (level.order != Order::Session) {
      return wrong_call("explore works with session order, not with " +
                            std::string(name(level.order)) + " order",
                        "name the level without a prefix");
    }
    if (level.base == Base::ReadUncommitted) {
      if (asks_all) continue;
      return wrong_call(
          "explore does not know read-uncommitted",
          "a read always takes a committed value; read-committed is "
          "the weakest level");
    }
    bases.push_back(level.base);
  }
  return bases;
}

namespace {

/// MySQL's storage engine is MariaDB's, and so its levels are.
bool is_innodb(std::string_view product) {
  return product == "mysql" || product == "innodb";
}

/// "postgresql" names all levels of that product.
bool add_product(const std::string& asked,
                 std::vector<const engine::Profile*>& to) {
  const std::string_view product =
      asked == "all" ? "" : engine::product_named(asked).value_or("none");
  bool found = false;
  for (const engine::Profile& profile : engine::profiles()) {
    if (!profile.name.starts_with(product)) continue;
    found = true;
    to.push_back(&profile);
  }
  return found;
}

/// The levels of products that SQL calls so: "postgresql:repeatable-read, ..".
std::string profiles_called(const std::string& part) {
  std::string called;
  for (const engine::Profile& profile : engine::profiles()) {
    const std::string product(profile.name.substr(0, profile.name.find(':')));
    const auto same = engine::parse_profile(product + ":" + part);
    if (same && *same == &profile)
      called += (called.empty() ? "" : ", ") + std::string(profile.name);
  }
  return called;
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
  std::string theory;
  for (const std::string& part : level_names(names)) {
    const bool is_all = part == "all";
    if (is_innodb(part.substr(0, part.find(':'))) && asked.notes.empty())
      asked.notes.emplace_back(
          "mysql: means InnoDB's rules, as observed on MariaDB; MySQL itself "
          "was not run");
    if ((!is_all || all_has_engines) && add_product(part, asked.profiles) &&
        !is_all) {
      continue;
    }
    if (!is_all && engine::is_profile_name(part)) {
      const auto profile = engine::parse_profile(part);
      if (!profile)
        return wrong_call(profile.error().what, profile.error().hint);
      asked.profiles.push_back(*profile);
      continue;
    }
    const std::string called =
        is_spelled_as_in_sql(part) ? profiles_called(part) : "";
    if (!called.empty() && parse_level(part))
      asked.notes.push_back("'" + part +
                            "' is here the level of theory; what engines do "
                            "under that name: " +
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

}  // namespace txscope::cli
