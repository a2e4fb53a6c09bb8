#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace txscope::sql {

/// The schemas that an unqualified name is looked for in, in order.
using SearchPath = std::vector<std::string>;

/// Which schemas have a thing of a name (tables, views, sequences and types are
/// one sort of things, routines another).  A thing's key is its name as long as
/// no other schema has one of that name, and schema.name from then on: so a
/// schema is shown only where it tells things apart.
class SchemaNames {
 public:
  /// What has changed its key.
  struct Renamed {
    std::string from;
    std::string to;
  };
  struct Added {
    std::string key;
    std::vector<Renamed> others;
  };

  /// The key of a thing that is about to be made; made before: its key.
  Added add(const std::string& schema, const std::string& name);
  void remove(std::string_view key);
  /// The key of what a name means.  Without a schema it is the first that the
  /// path has, then that of public, then the only one that there is (a dump
  /// leaves no path at all); of several none, which is the name itself: no
  /// thing has that key then.
  [[nodiscard]] std::string find(std::string_view schema, std::string_view name,
                                 const SearchPath& path) const;
  /// Where the thing with this key is; empty: there is none.
  [[nodiscard]] std::string schema_of(std::string_view key) const;
  /// The schemas that have it.
  [[nodiscard]] std::vector<std::string> schemas_of(
      std::string_view name) const;
  /// The keys of all that have the name.
  [[nodiscard]] std::vector<std::string> keys_of(std::string_view name) const;
  /// A key without its schema.
  [[nodiscard]] std::string plain(std::string_view key) const;

 private:
  struct Home {
    std::string schema;
    std::string key;
  };
  [[nodiscard]] const std::vector<Home>* homes(std::string_view name) const;

  std::unordered_map<std::string, std::vector<Home>> homes_;  // by name
  std::unordered_map<std::string, std::string> names_;        // by key
};

}  // namespace txscope::sql
