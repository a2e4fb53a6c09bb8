#include "lift/procedure.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "base/ascii.h"

namespace txscope::lift {
namespace {

using Kind = sql::StatementShape::Kind;
using Role = sql::LiteralSlot::Role;
using Values = std::vector<std::string>;  ///< one per instance

/// An UPDATE of so many columns saves a whole object.
constexpr std::size_t kWholeRow = 6;

std::string literal_text(const std::string& value, bool is_number) {
  if (is_number) return value;
  std::string out = "'";
  for (const char c : value) {
    if (c == '\'') out += '\'';
    out += c;
  }
  return out + "'";
}

std::string word_of(const std::string& name) {
  std::string out;
  for (const char c : name)
    out += std::isalnum(static_cast<unsigned char>(c)) != 0 ? ascii::lower(c)
                                                            : '_';
  return out;
}

class ProcedureMaker {
 public:
  ProcedureMaker(const Template& of, const Tables& tables,
                 const Relevance& relevance, const Changes& changes,
                 Domains& domains)
      : of_(of),
        tables_(tables),
        relevance_(relevance),
        changes_(changes),
        domains_(domains),
        needs_(of.steps.size()) {
    made_.of = &of;
  }

  Procedure run() {
    std::vector<std::vector<Replacement>> replaced;
    for (std::size_t s = 0; s < of_.steps.size(); ++s)
      replaced.push_back(replacements(s));
    for (std::size_t s = 0; s < of_.steps.size(); ++s)
      made_.lines.push_back(
          line_of(of_, s, replaced[s], needs_[s], tables_, relevance_));
    return std::move(made_);
  }

 private:
  [[nodiscard]] Values values_at(std::size_t s, std::size_t k) const {
    Values values;
    for (const RunStatement& step : of_.steps[s].of) {
      const sql::LiteralSlot& slot = step.shape->slots[k];
      values.push_back(slot.is_null ? "\1null" : slot.value);
    }
    return values;
  }
  static bool is_constant(const Values& values) {
    return std::all_of(values.begin(), values.end(),
                       [&](const auto& v) { return v == values.front(); });
  }

  std::vector<Replacement> replacements(std::size_t s) {
    const sql::StatementShape& shape = of_.steps[s].shape();
    std::vector<Replacement> all;
    for (std::size_t k = 0; k < shape.slots.size(); ++k)
      all.push_back(replacement(s, k));
    RowPattern pattern;
    pattern.table = main_table(of_, s, relevance_);
    bool has_pattern = shape.kind != Kind::Inserts;
    for (const auto& [column, k] : equalities(shape, pattern.table, tables_)) {
      const std::string value = argument_of(all[k]);
      if (value.empty()) has_pattern = false;
      pattern.values[column] = value;
    }
    if (has_pattern && !pattern.table.empty()) {
      pattern.is_absent = inserts_later(s, pattern);
      made_.patterns.push_back(std::move(pattern));
    }
    return all;
  }

  /// What a call has there; empty: only running it tells.
  [[nodiscard]] std::string argument_of(const Replacement& one) const {
    if (one.is_value) return one.text;
    for (const Parameter& parameter : made_.parameters)
      if (parameter.name == one.text) return parameter.argument;
    return {};
  }

  /// Whether a later INSERT makes the row that was looked for.
  [[nodiscard]] bool inserts_later(std::size_t s,
                                   const RowPattern& pattern) const {
    for (std::size_t later = s + 1; later < of_.steps.size(); ++later) {
      const sql::StatementShape& shape = of_.steps[later].shape();
      if (shape.kind == Kind::Inserts &&
          Relevance::target(shape) == pattern.table)
        return true;
    }
    return false;
  }

  Replacement replacement(std::size_t s, std::size_t k) {
    const sql::StatementShape& shape = of_.steps[s].shape();
    const sql::LiteralSlot& slot = shape.slots[k];
    const sql::NamedColumn column = tables_.resolved(shape, slot.column);
    const LiftedColumn* known = tables_.column(column);
    const std::string as_is = slot.is_unknown
                                  ? std::string("1")
                                  : shape.text.substr(slot.offset, slot.length);
    const std::string domain =
        known == nullptr ? std::string() : tables_.domain(column);
    if (known == nullptr || (slot.role == Role::Other && domain.empty()))
      return {as_is, true};
    const Values values = values_at(s, k);
    if (slot.is_null && is_constant(values)) return {"NULL", true};
    // MySQL's date of nothing.
    if (known->is_time() && slot.value.starts_with("0000"))
      return {"'0001-01-01'", true};
    if (known->is_time() || known->type == "boolean" || known->type == "json" ||
        known->type == "jsonb")
      return {slot.is_unknown ? unknown_value(*known) : as_is, true};
    if (!domain.empty() && slot.role != Role::Compared &&
        slot.role != Role::Computed)
      return key(s, slot, column, *known, domain, values);
    switch (slot.role) {
      case Role::Inserted:
        return {slot.is_unknown ? unknown_value(*known) : as_is, true};
      case Role::Assigned:
        if (const auto computed = computed_value(s, k, column, *known, values))
          return *computed;
        break;
      default: break;
    }
    if (!slot.is_unknown && is_constant(values)) return {as_is, true};
    return parameter("p_" + word_of(column.column), *known,
                     full_name_of(column) + role_name(slot.role), values,
                     slot.is_unknown
                         ? unknown_value(*known)
                         : literal_text(slot.value, known->is_number()));
  }

  static std::string role_name(Role role) {
    return role == Role::Computed ? "+" : role == Role::Compared ? "<" : "";
  }
  static std::string full_name_of(const sql::NamedColumn& column) {
    return column.table + "." + column.column;
  }
  static std::string unknown_value(const LiftedColumn& column) {
    if (column.is_number()) return "1";
    if (column.is_time()) return "'2026-01-01'";
    if (column.type == "boolean") return "true";
    return column.values.empty() ? "'a'"
                                 : literal_text(column.values.front(), false);
  }

  /// A parameter for values that are the same wherever it stands.
  Replacement parameter(const std::string& name, const LiftedColumn& column,
                        const std::string& domain, const Values& values,
                        const std::string& argument) {
    const auto [found, is_new] = bound_.try_emplace({domain, values});
    if (!is_new) return {found->second, false};
    found->second = fresh_name(name);
    made_.parameters.push_back({found->second, column.type, argument});
    return {found->second, false};
  }

  std::string fresh_name(const std::string& wish) {
    std::string name = wish;
    for (int n = 2; !names_.insert(name).second; ++n)
      name = wish + "_" + std::to_string(n);
    return name;
  }

  /// A literal that names a row.
  Replacement key(std::size_t s, const sql::LiteralSlot& slot,
                  const sql::NamedColumn& column, const LiftedColumn& known,
                  const std::string& of, const Values& values) {
    const std::string domain = of + " " + known.type;
    const auto bound = bound_.find({domain, values});
    if (bound != bound_.end() && !slot.is_unknown)
      return {bound->second, false};
    const LiftedTable& table = *tables_.find(column.table);
    const bool is_own_key =
        table.unique.count(column.column) != 0 ||
        (table.key.size() == 1 && table.key[0] == column.column);
    if (slot.role == Role::Inserted && is_own_key) {
      // Every call makes one of its own.
      const std::string name = fresh_name("v_" + word_of(column.column));
      made_.variables.push_back({name, known.type});
      made_.first.push_back(name + " := " +
                            (known.is_integer()
                                 ? "nextval('txscope_fresh')"
                                 : "'x' || nextval('txscope_fresh')"));
      bound_[{domain, values}] = name;
      return {name, false};
    }
    if (is_own_key && table.key.size() == 1 && table.key[0] == column.column)
      if (const auto made = key_of_insert(s, column, known)) {
        bound_[{domain, values}] = *made;
        return {*made, false};
      }
    if (const auto read = earlier_result(s, values, known)) {
      bound_[{domain, values}] = *read;
      return {*read, false};
    }
    const std::size_t n = used_[domain]++;
    return parameter("p_" + word_of(column.column), known, domain, values,
                     domains_.key(domain, n, known));
  }

  /// The number that an earlier INSERT of this call drew.
  std::optional<std::string> key_of_insert(std::size_t s,
                                           const sql::NamedColumn& column,
                                           const LiftedColumn& known) {
    for (std::size_t i = s; i-- > 0;) {
      const sql::StatementShape& shape = of_.steps[i].shape();
      if (shape.kind != Kind::Inserts ||
          Relevance::target(shape) != column.table)
        continue;
      for (const sql::NamedColumn& written : shape.writes)
        if (written.column == column.column) return std::nullopt;
      return need(i, column.column, known.type);
    }
    return std::nullopt;
  }

  /// A variable that takes what a step returns in a column.
  std::string need(std::size_t s, const std::string& column,
                   const std::string& type) {
    auto& needs = needs_[s];
    if (const auto found = needs.find(column); found != needs.end())
      return found->second;
    const std::string name = fresh_name("v_" + word_of(column));
    made_.variables.push_back({name, type});
    needs[column] = name;
    return name;
  }

  /// The columns that a step shows, in order, as far as they are known.
  [[nodiscard]] std::vector<sql::NamedColumn> shown_by(std::size_t s) const {
    const sql::StatementShape& shape = of_.steps[s].shape();
    std::vector<sql::NamedColumn> all;
    for (const sql::NamedColumn& raw : shape.targets) {
      const sql::NamedColumn column = tables_.resolved(shape, raw);
      if (column.column != "*") {
        all.push_back(column);
        continue;
      }
      const std::string name = column.table.empty() && shape.tables.size() == 1
                                   ? shape.tables[0].name
                                   : column.table;
      const LiftedTable* table = tables_.find(name);
      if (table == nullptr || !table->is_known) return {};
      for (const LiftedColumn& one : table->columns)
        all.push_back({name, one.name});
    }
    return all;
  }

  /// What a step returned in its first row, per instance; empty: not told.
  [[nodiscard]] Values result_at(std::size_t s, std::size_t position) const {
    Values values;
    for (const RunStatement& step : of_.steps[s].of) {
      if (step.rows == nullptr || step.rows->empty() ||
          step.rows->front().size() <= position)
        return {};
      const sql::Value& value = step.rows->front()[position];
      values.push_back(value.kind() == sql::Kind::Text
                           ? std::string(value.text())
                           : to_string(value));
    }
    return values;
  }

  /// A column that an earlier read of these tables returned with these values.
  std::optional<std::string> earlier_result(std::size_t s, const Values& values,
                                            const LiftedColumn& known) {
    for (std::size_t i = s; i-- > 0;) {
      if (of_.steps[i].shape().kind != Kind::Selects) continue;
      const auto columns = shown_by(i);
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const LiftedColumn* column = tables_.column(columns[c]);
        if (column == nullptr || column->type != known.type) continue;
        if (!is_readable(i, columns[c]) || result_at(i, c) != values) continue;
        return need(i, columns[c].column, column->type);
      }
    }
    return std::nullopt;
  }

  /// Whether the step, as it is written down, can still show the column.
  [[nodiscard]] bool is_readable(std::size_t s,
                                 const sql::NamedColumn& column) const {
    return std::find(of_.tables.begin(), of_.tables.end(), column.table) !=
               of_.tables.end() &&
           main_table(of_, s, relevance_) == column.table &&
           !of_.steps[s].shape().has_aggregate;
  }

  /// A written value that comes from one that was read: equal to it, or some
  /// steps away from it, or away by another parameter.
  std::optional<Replacement> computed_value(std::size_t s, std::size_t k,
                                            const sql::NamedColumn& column,
                                            const LiftedColumn& known,
                                            const Values& values) {
    for (std::size_t i = s; i-- > 0;) {
      const sql::StatementShape& shape = of_.steps[i].shape();
      if (shape.kind != Kind::Selects || !is_readable(i, column)) continue;
      const auto columns = shown_by(i);
      const bool has_star =
          std::any_of(shape.reads.begin(), shape.reads.end(),
                      [](const auto& one) { return one.column == "*"; });
      const auto at = std::find(columns.begin(), columns.end(), column);
      if (at == columns.end() && !has_star) continue;
      const Values seen =
          at == columns.end()
              ? Values()
              : result_at(i, static_cast<std::size_t>(at - columns.begin()));
      if (!seen.empty()) return from_seen(s, k, i, column, known, values, seen);
      return from_assumed(s, i, column, known);
    }
    return std::nullopt;
  }

  /// The log shows what was read.
  std::optional<Replacement> from_seen(std::size_t s, std::size_t k,
                                       std::size_t read,
                                       const sql::NamedColumn& column,
                                       const LiftedColumn& known,
                                       const Values& values,
                                       const Values& seen) {
    if (values == seen)
      return Replacement{need(read, column.column, known.type), false};
    std::vector<std::int64_t> steps;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto now = whole_number(values[i]);
      const auto old = whole_number(seen[i]);
      if (!now || !old) return std::nullopt;
      steps.push_back(*now - *old);
    }
    const std::string name = need(read, column.column, known.type);
    const std::string by = step_text(s, k, steps);
    if (by.empty()) return std::nullopt;
    made_.found.push_back(column.table + "." + column.column +
                          " = what was read" + by);
    return Replacement{name + by, false};
  }

  /// " - 1", " - p_quantity"; empty: neither the same step nor a parameter.
  std::string step_text(std::size_t s, std::size_t k,
                        const std::vector<std::int64_t>& steps) {
    for (std::size_t i = 0; i < of_.steps.size(); ++i) {
      const auto& slots = of_.steps[i].shape().slots;
      for (std::size_t other = 0; other < slots.size(); ++other) {
        if ((i == s && other == k) || steps.size() < 2) continue;
        const Values values = values_at(i, other);
        if (is_constant(values)) continue;
        for (const std::int64_t sign : {-1, 1}) {
          bool fits = true;
          for (std::size_t n = 0; n < steps.size() && fits; ++n) {
            const auto number = whole_number(values[n]);
            fits = number && sign * *number == steps[n];
          }
          if (!fits) continue;
          const LiftedColumn quantity{"quantity", "integer", false, {}, false};
          const Replacement by = parameter("p_quantity", quantity, "quantity",
                                           values, values.front());
          return (sign < 0 ? " - " : " + ") + by.text;
        }
      }
    }
    const bool is_same = std::all_of(steps.begin(), steps.end(),
                                     [&](auto x) { return x == steps[0]; });
    if (!is_same) return {};
    return signed_text(steps[0]);
  }
  static std::string signed_text(std::int64_t step) {
    return (step < 0 ? " - " : " + ") + std::to_string(step < 0 ? -step : step);
  }

  /// The log does not show what was read.
  std::optional<Replacement> from_assumed(std::size_t s, std::size_t read,
                                          const sql::NamedColumn& column,
                                          const LiftedColumn& known) {
    const bool is_whole_row = of_.steps[s].shape().writes.size() >= kWholeRow;
    if (!known.is_number()) {
      if (!is_whole_row || known.values.size() > 1) return std::nullopt;
      return Replacement{need(read, column.column, known.type), false};
    }
    const auto step = changes_.step(column);
    const std::int64_t by = step                                  ? *step
                            : is_whole_row && !known.is_integer() ? 0
                                                                  : 1;
    const std::string name = need(read, column.column, known.type);
    if (by == 0) return Replacement{name, false};
    made_.assumed.push_back(column.table + "." + column.column +
                            " = what was read" + signed_text(by));
    return Replacement{name + signed_text(by), false};
  }

  const Template& of_;
  const Tables& tables_;
  const Relevance& relevance_;
  const Changes& changes_;
  Domains& domains_;
  Procedure made_;
  /// By step: columns that it has to show, and the variables that take them.
  std::vector<Needs> needs_;
  std::map<std::pair<std::string, Values>, std::string> bound_;
  std::map<std::string, std::size_t> used_;  ///< keys so far, by domain
  std::set<std::string> names_;
};

}  // namespace

std::string Domains::key(const std::string& domain, std::size_t n,
                         const LiftedColumn& column) {
  if (column.is_number()) return std::to_string(n + 1);
  auto& texts = texts_[domain];
  if (texts.empty()) texts = column.values;
  return literal_text(n < texts.size() ? texts[n] : "x" + std::to_string(n + 1),
                      false);
}

Procedure make_procedure(const Template& of, const Tables& tables,
                         const Relevance& relevance, const Changes& changes,
                         Domains& domains) {
  return ProcedureMaker(of, tables, relevance, changes, domains).run();
}

}  // namespace txscope::lift
