#include "robust/proof/type_facts.h"

namespace txscope::robust {

const std::vector<std::uint32_t>& TypeFacts::key_of(TableId table) const {
  static const std::vector<std::uint32_t> none;
  const auto& t = schema.at(table);
  return t.has_primary_key ? t.unique.front().columns : none;
}

TypeFacts::TypeFacts(const sql::Schema& of,
                     const std::vector<std::vector<Summary>>& summaries)
    : schema(of) {
  const std::size_t n = schema.tables.size();
  is_static.assign(n, true);
  has_deletes.assign(n, false);
  is_updated.resize(n);
  for (std::size_t t = 0; t < n; ++t) {
    is_updated[t].assign(schema.tables[t].columns.size(), false);
  }
  for (const auto& roles : summaries) {
    for (const Access& a : roles.front().accesses) {
      const std::size_t t = a.table.index;
      if (a.kind == Access::Kind::Insert) is_static[t] = false;
      if (a.kind == Access::Kind::Delete) {
        is_static[t] = false;
        has_deletes[t] = true;
      }
      if (a.kind != Access::Kind::Update) continue;
      for (std::size_t c = 0; c < a.columns.size(); ++c) {
        if (a.columns[c]) is_updated[t][c] = true;
      }
    }
  }
  // A key that moves is a delete and an insert.
  for (std::size_t t = 0; t < n; ++t) {
    for (const std::uint32_t k : key_of(TableId(t))) {
      if (!is_updated[t][k]) continue;
      is_static[t] = false;
      has_deletes[t] = true;
    }
  }
}

}  // namespace txscope::robust
