#include "lift/templates.h"

#include <algorithm>
#include <cctype>

#include "base/ascii.h"
#include "lift/relevance.h"
#include "lift/slices.h"

namespace txscope::lift {
namespace {

using Kind = sql::StatementShape::Kind;

constexpr std::size_t kMostSteps = 16;
constexpr std::size_t kMostInstances = 200;

std::string small_word(std::string_view text) {
  std::string out;
  for (const char c : text)
    out += std::isalnum(static_cast<unsigned char>(c)) != 0 ? ascii::lower(c)
                                                            : '_';
  while (out.find("__") != out.npos) out.erase(out.find("__"), 1);
  while (!out.empty() && out.front() == '_') out.erase(0, 1);
  while (!out.empty() && out.back() == '_') out.pop_back();
  return out;
}

class Finder {
 public:
  Finder(const Runs& runs, const Tables& tables, const TemplateOptions& options)
      : runs_(runs),
        tables_(tables),
        options_(options),
        relevance_(runs, tables, options.ignored) {}

  Templates run() {
    for (const Run& one : runs_.runs)
      if (!writes(one)) ++out_.reading_runs;
    if (options_.whole_requests) {
      std::set<std::string> all;
      for (const auto& [name, table] : tables_.all())
        if (relevance_.is_written(name)) all.insert(name);
      if (!all.empty()) take(all, false);
    } else {
      find_groups();
      for (const std::string& table : single_) take({table}, false);
      for (const auto& pair : crosswise_) take(pair, false);
      for (const auto& pair : lock_orders_) take(pair, true);
    }
    name_all();
    return std::move(out_);
  }

 private:
  [[nodiscard]] static bool writes(const Run& run) {
    for (const RunTransaction& transaction : run.transactions)
      for (const RunStatement& step : transaction.steps)
        if (step.shape->is_write()) return true;
    return false;
  }

  /// What every request does to each table, in order.
  struct Access {
    std::size_t first_read = kNever;
    std::size_t first_write = kNever;
    std::size_t last_write = kNever;
    std::size_t writes = 0;
    std::set<std::size_t> locks;  ///< transactions that write or lock it
  };
  static constexpr std::size_t kNever = static_cast<std::size_t>(-1);
  using Accesses = std::map<std::string, Access>;

  [[nodiscard]] Accesses accesses_of(const Run& run) const {
    Accesses all;
    std::size_t at = 0;
    for (std::size_t t = 0; t < run.transactions.size(); ++t)
      for (const RunStatement& step : run.transactions[t].steps) {
        ++at;
        const std::string target = Relevance::target(*step.shape);
        for (const sql::TableUse& use : step.shape->tables) {
          if (!relevance_.is_written(use.name)) continue;
          Access& access = all[use.name];
          if (use.name == target) {
            if (access.first_write == kNever) access.first_write = at;
            access.last_write = at;
            ++access.writes;
          }
          if (use.name != target &&
              !relevance_.seen(*step.shape, use.name).empty() &&
              access.first_read == kNever)
            access.first_read = at;
          if (use.name == target || use.is_locked) access.locks.insert(t);
        }
      }
    return all;
  }

  static bool reads_then_writes(const Accesses& all, const std::string& a,
                                const std::string& b) {
    const auto x = all.find(a);
    const auto y = all.find(b);
    return x != all.end() && y != all.end() && x->second.first_read != kNever &&
           y->second.last_write != kNever &&
           x->second.first_read < y->second.last_write;
  }
  /// Locks a before b in one transaction.
  static bool locks_in_order(const Accesses& all, const std::string& a,
                             const std::string& b) {
    const auto x = all.find(a);
    const auto y = all.find(b);
    if (x == all.end() || y == all.end() || x->second.first_write == kNever ||
        y->second.first_write == kNever ||
        x->second.first_write >= y->second.first_write)
      return false;
    return std::any_of(
        x->second.locks.begin(), x->second.locks.end(),
        [&](std::size_t t) { return y->second.locks.count(t) != 0; });
  }

  /// Tables that somebody reads and then writes, or writes twice.
  void find_groups() {
    std::vector<Accesses> all;
    for (const Run& one : runs_.runs)
      if (writes(one)) all.push_back(accesses_of(one));
    std::set<std::string> touched;
    for (const Accesses& one : all)
      for (const auto& [a, access] : one) {
        touched.insert(a);
        if (reads_then_writes(one, a, a) || access.writes > 1)
          single_.insert(a);
      }
    std::set<std::pair<std::string, std::string>> skew;
    std::set<std::pair<std::string, std::string>> order;
    for (const Accesses& one : all)
      for (const auto& [a, x] : one)
        for (const auto& [b, y] : one) {
          if (a == b) continue;
          // Tables that race by themselves are told as such.
          if (single_.count(a) == 0 && single_.count(b) == 0 &&
              reads_then_writes(one, a, b))
            skew.emplace(a, b);
          if (locks_in_order(one, a, b)) order.emplace(a, b);
        }
    for (const auto& [a, b] : skew)
      if (skew.count({b, a}) != 0) crosswise_.insert({a, b});
    for (const auto& [a, b] : order)
      if (order.count({b, a}) != 0) lock_orders_.insert({a, b});
    for (const std::string& table : touched)
      if (single_.count(table) == 0) ++out_.harmless_tables;
  }

  /// What runs have in common, by what they do.
  struct Found {
    std::vector<Flat> flats;
    std::size_t runs = 0;
    std::string route;
    bool has_rounds = false;
  };
  struct FoundList {
    std::map<std::string, Found> by_key;
    std::vector<std::string> order;

    Found& at(const std::string& key) {
      const auto [found, is_new] = by_key.try_emplace(key);
      if (is_new) order.push_back(key);
      return found->second;
    }
  };

  static void add(FoundList& list, const std::string& key, const Run& run,
                  Flat flat, bool has_rounds) {
    Found& into = list.at(key);
    ++into.runs;
    into.has_rounds |= has_rounds;
    if (into.route.empty()) into.route = run.route;
    // The instances that are kept are those with the most rounds.
    if (into.flats.empty() || flat.size() > into.flats.front().size())
      into.flats.assign(1, std::move(flat));
    else if (into.flats.size() < kMostInstances &&
             key_of(flat) == key_of(into.flats.front()))
      into.flats.push_back(std::move(flat));
  }

  void take(const std::set<std::string>& group, bool is_lock_order) {
    FoundList list;
    for (const Run& one : runs_.runs) {
      Flat flat = flat_of(one, relevance_, group);
      const bool has_write = std::any_of(
          flat.begin(), flat.end(),
          [](const FlatStep& step) { return step.step.shape->is_write(); });
      if (!has_write) continue;
      if (is_lock_order || (group.size() == 1 && !options_.whole_requests)) {
        for (Flat& piece :
             is_lock_order ? locks_of_transactions(flat, group) : pieces(flat))
          add(list, key_of(piece), one, piece, false);
        continue;
      }
      Flat once = flat;
      const bool has_rounds = shorten(once, 1);
      shorten(flat, 2);
      add(list, key_of(once), one, std::move(flat), has_rounds);
    }
    std::vector<Template> found;
    for (const std::string& key : list.order) {
      const Found& one = list.by_key[key];
      Template made = template_of(one.flats);
      made.tables.assign(group.begin(), group.end());
      made.runs = one.runs;
      made.has_rounds = one.has_rounds;
      made.route = one.route;
      found.push_back(std::move(made));
    }
    drop_covered(found);
    if (group.size() == 1 && !options_.whole_requests) keep_best(found);
    for (Template& one : found) out_.all.push_back(std::move(one));
  }

  Template template_of(const std::vector<Flat>& flats) {
    Template made;
    made.instances = flats.size();
    for (std::size_t i = 0; i < flats.front().size(); ++i) {
      TemplateStep step;
      for (const Flat& flat : flats) step.of.push_back(flat[i].step);
      const Flat& first = flats.front();
      step.ends_transaction = i + 1 == first.size() ||
                              first[i + 1].transaction != first[i].transaction;
      made.steps.push_back(std::move(step));
    }
    return made;
  }

  /// Whether b does all that a does, in this order, and besides only reads
  /// without locks.
  static bool covers(const Template& b, const Template& a) {
    if (a.steps.size() >= b.steps.size()) return false;
    std::size_t i = 0;
    for (const TemplateStep& step : b.steps) {
      if (i < a.steps.size() &&
          a.steps[i].shape().print == step.shape().print) {
        ++i;
      } else if (step.shape().is_write() || is_locking(step.shape())) {
        return false;
      }
    }
    return i == a.steps.size();
  }

  static void drop_covered(std::vector<Template>& all) {
    std::vector<Template> kept;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto by = std::find_if(
          all.begin(), all.end(),
          [&](const Template& other) { return covers(other, all[i]); });
      if (by == all.end())
        kept.push_back(all[i]);
      else
        by->runs += all[i].runs;
    }
    all = std::move(kept);
  }

  /// How well the read of a piece fits its write: columns that are read and
  /// then written, and that it looks for one row.
  [[nodiscard]] std::size_t fit(const Template& one) const {
    const sql::StatementShape& write = one.steps.back().shape();
    std::size_t best = 0;
    for (const TemplateStep& step : one.steps) {
      if (step.shape().is_write()) continue;
      const auto seen = relevance_.seen(step.shape(), one.tables.front());
      std::size_t score = step.shape().is_plain ? 3 : 1;
      for (const sql::NamedColumn& column : write.writes)
        score += seen.count(column.column) != 0 ? 2 : 0;
      best = std::max(best, score);
    }
    return best;
  }

  /// Of pieces that differ in what is read before the same write, as far as
  /// locks and the ends of transactions are the same, the one that fits best.
  void keep_best(std::vector<Template>& all) const {
    std::map<std::string, std::size_t> best;
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::string key;
      for (const TemplateStep& step : all[i].steps) {
        const bool counts = step.shape().is_write() || is_locking(step.shape());
        key += (counts ? step.shape().print : std::string("read")) +
               (step.ends_transaction ? "\n;\n" : "\n");
      }
      const auto [known, is_new] = best.try_emplace(key, i);
      if (is_new) continue;
      const std::size_t runs = all[known->second].runs + all[i].runs;
      if (fit(all[i]) > fit(all[known->second])) known->second = i;
      all[known->second].runs = runs;
    }
    std::set<std::size_t> kept;
    for (const auto& [key, i] : best) kept.insert(i);
    std::vector<Template> rest;
    for (const std::size_t i : kept) rest.push_back(std::move(all[i]));
    all = std::move(rest);
  }

  void name_all() {
    std::map<std::string, std::size_t> used;
    for (Template& one : out_.all) {
      std::string name = small_word(one.route);
      if (name.empty()) {
        bool reads = false;
        for (const TemplateStep& step : one.steps) {
          const sql::StatementShape& shape = step.shape();
          if (shape.is_write()) {
            name = shape.kind == Kind::Inserts   ? "insert"
                   : shape.kind == Kind::Updates ? "update"
                                                 : "delete";
            break;
          }
          reads = true;
        }
        if (reads) name = "read_" + name;
        if (options_.whole_requests)
          name += "_" + small_word(first_target(one));
      }
      if (!options_.whole_requests)
        for (const std::string& table : one.tables)
          name += "_" + small_word(table);
      if (std::isdigit(static_cast<unsigned char>(name[0])) != 0)
        name = "t" + name;
      if (name.size() > 50) name.resize(50);
      const std::size_t number = ++used[name];
      one.name = number == 1 ? name : name + "_" + std::to_string(number);
      if (one.steps.size() > kMostSteps) {
        out_.cut.push_back(one.name + " (" + std::to_string(one.steps.size()) +
                           " statements)");
        cut_down(one);
      }
    }
  }
  static std::string first_target(const Template& one) {
    for (const TemplateStep& step : one.steps)
      if (step.shape().is_write()) return Relevance::target(step.shape());
    return {};
  }

  /// Reads go first, from the beginning.
  static void cut_down(Template& one) {
    for (std::size_t i = 0;
         i < one.steps.size() && one.steps.size() > kMostSteps;) {
      const bool is_free =
          !one.steps[i].shape().is_write() && !is_locking(one.steps[i].shape());
      if (is_free)
        one.steps.erase(one.steps.begin() + static_cast<std::ptrdiff_t>(i));
      else
        ++i;
    }
    if (one.steps.size() > kMostSteps) one.steps.resize(kMostSteps);
    one.steps.back().ends_transaction = true;
  }

  const Runs& runs_;
  const Tables& tables_;
  const TemplateOptions& options_;
  Relevance relevance_;
  std::set<std::string> single_;
  std::set<std::set<std::string>> crosswise_;
  std::set<std::set<std::string>> lock_orders_;
  Templates out_;
};

}  // namespace

Templates find_templates(const Runs& runs, const Tables& tables,
                         const TemplateOptions& options) {
  return Finder(runs, tables, options).run();
}

}  // namespace txscope::lift
