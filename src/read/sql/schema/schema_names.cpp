#include "read/sql/schema/schema_names.h"

#include <algorithm>

namespace txscope::sql {

const std::vector<SchemaNames::Home>* SchemaNames::homes(
    std::string_view name) const {
  const auto found = homes_.find(std::string(name));
  return found == homes_.end() || found->second.empty() ? nullptr
                                                        : &found->second;
}

SchemaNames::Added SchemaNames::add(const std::string& schema,
                                    const std::string& name) {
  std::vector<Home>& all = homes_[name];
  for (const Home& home : all)
    if (home.schema == schema) return {home.key, {}};
  Added added;
  added.key = all.empty() ? name : schema + "." + name;
  for (Home& other : all) {
    if (other.key != name) continue;
    other.key = other.schema + "." + name;
    names_.erase(name);
    names_[other.key] = name;
    added.others.push_back({name, other.key});
  }
  all.push_back({schema, added.key});
  names_[added.key] = name;
  return added;
}

void SchemaNames::remove(std::string_view key) {
  const auto name = names_.find(std::string(key));
  if (name == names_.end()) return;
  std::erase_if(homes_[name->second],
                [&](const Home& home) { return home.key == key; });
  names_.erase(name);
}

std::string SchemaNames::find(std::string_view schema, std::string_view name,
                              const SearchPath& path) const {
  const std::vector<Home>* const all = homes(name);
  if (all == nullptr) return std::string(name);
  const auto in = [&](std::string_view wanted) -> const Home* {
    const auto found =
        std::find_if(all->begin(), all->end(),
                     [&](const Home& home) { return home.schema == wanted; });
    return found == all->end() ? nullptr : &*found;
  };
  if (!schema.empty()) {
    if (const Home* home = in(schema)) return home->key;
  } else {
    for (const std::string& wanted : path)
      if (const Home* home = in(wanted)) return home->key;
    if (const Home* home = in("public")) return home->key;
  }
  return all->size() == 1 ? all->front().key : std::string(name);
}

std::string SchemaNames::schema_of(std::string_view key) const {
  const auto name = names_.find(std::string(key));
  if (name == names_.end()) return {};
  for (const Home& home : homes_.at(name->second))
    if (home.key == key) return home.schema;
  return {};
}

std::vector<std::string> SchemaNames::schemas_of(std::string_view name) const {
  std::vector<std::string> result;
  if (const auto* all = homes(name))
    for (const Home& home : *all) result.push_back(home.schema);
  return result;
}

std::vector<std::string> SchemaNames::keys_of(std::string_view name) const {
  std::vector<std::string> result;
  if (const auto* all = homes(name))
    for (const Home& home : *all) result.push_back(home.key);
  return result;
}

std::string SchemaNames::plain(std::string_view key) const {
  const auto name = names_.find(std::string(key));
  return name == names_.end() ? std::string(key) : name->second;
}

}  // namespace txscope::sql
