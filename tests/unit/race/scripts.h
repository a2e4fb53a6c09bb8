#pragma once

// Applications of psql scripts, for the tests of this folder.

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "race/search/search.h"
#include "support/run_command.h"

namespace txscope::race::scripts {

using nlohmann::json;

/// An application of psql scripts.
struct Scripts {
  std::string schema;
  std::vector<std::string> requests;
  std::vector<std::pair<std::string, std::string>> rules;
};

inline Plan plan_of(const Scripts& scripts,
                    const test::TemporaryDirectory& place) {
  Plan plan;
  plan.directory = place.path();
  plan.rules = scripts.rules;
  for (const std::string& text : scripts.requests) {
    const std::string name = std::to_string(plan.requests.size() + 1);
    place.write(name + ".sql", text);
    plan.requests.push_back({name,
                             {"psql", "-X", "-q", "-A", "-t", "-v",
                              "ON_ERROR_STOP=1", "-f", name + ".sql"}});
  }
  return plan;
}

inline Result<Findings> race_scripts(const Scripts& scripts,
                                     bool reduces = true) {
  const test::TemporaryDirectory place;
  const Plan plan = plan_of(scripts, place);
  auto copies = Copies::from_sql(scripts.schema, "schema.sql");
  if (!copies) return copies.error();
  SearchOptions options;
  options.reduces = reduces;
  return search(plan, **copies, options, Budget::unlimited());
}

using Seen = std::set<std::string>;

inline Seen seen(const Findings& found) {
  Seen result;
  for (const Outcome& one : found.outcomes) {
    json results = json::array();
    for (const RequestEnd& end : one.requests)
      results.push_back({end.printed, end.status});
    result.insert(one.state.dump() + results.dump());
  }
  return result;
}

inline const char* const kBuy =
    "SELECT quantity >= 3 AS ok FROM product WHERE id = 1 \\gset\n"
    "\\if :ok\n"
    "UPDATE product SET quantity = quantity - 3 WHERE id = 1;\n"
    "\\echo ok\n\\else\n\\echo refused\n\\endif\n";
inline const char* const kProduct =
    "CREATE TABLE product (id int PRIMARY KEY, quantity int NOT NULL);"
    "INSERT INTO product VALUES (1, 5)";

}  // namespace txscope::race::scripts
