#include "lift/slices.h"

#include <algorithm>

namespace txscope::lift {
namespace {

constexpr std::size_t kLongestBlock = 6;

bool writes(const FlatStep& one) { return one.step.shape->is_write(); }
bool locks(const FlatStep& one) {
  return writes(one) || is_locking(*one.step.shape);
}

/// The same read again, with no write between: the later one stays.
void drop_repeated_reads(Flat& flat) {
  Flat kept;
  for (std::size_t i = 0; i < flat.size(); ++i) {
    bool is_repeated = false;
    for (std::size_t j = i + 1;
         j < flat.size() && !is_repeated && !writes(flat[i]); ++j) {
      if (writes(flat[j])) break;
      is_repeated = flat[j].step.shape == flat[i].step.shape;
    }
    if (!is_repeated) kept.push_back(flat[i]);
  }
  flat = std::move(kept);
}

bool is_same_block(const Flat& flat, std::size_t a, std::size_t b,
                   std::size_t length) {
  for (std::size_t i = 0; i < length; ++i)
    if (flat[a + i].step.shape->print != flat[b + i].step.shape->print)
      return false;
  return true;
}
bool is_same_text(const Flat& flat, std::size_t a, std::size_t b,
                  std::size_t length) {
  for (std::size_t i = 0; i < length; ++i)
    if (flat[a + i].step.shape != flat[b + i].step.shape) return false;
  return true;
}

bool fold_loops(Flat& flat, std::size_t rounds) {
  bool has_folded = false;
  for (std::size_t length = 1; length <= kLongestBlock; ++length) {
    for (std::size_t i = 0; i + 2 * length <= flat.size(); ++i) {
      std::size_t count = 1;
      while (i + (count + 1) * length <= flat.size() &&
             is_same_block(flat, i, i + count * length, length))
        ++count;
      if (count == 1) continue;
      const bool is_write = std::any_of(
          flat.begin() + static_cast<std::ptrdiff_t>(i),
          flat.begin() + static_cast<std::ptrdiff_t>(i + length), locks);
      std::size_t keep = is_write ? std::min(rounds, count) : 1;
      if (keep == 2 && is_same_text(flat, i, i + length, length)) keep = 1;
      if (keep >= count) continue;
      flat.erase(
          flat.begin() + static_cast<std::ptrdiff_t>(i + keep * length),
          flat.begin() + static_cast<std::ptrdiff_t>(i + count * length));
      has_folded = true;
    }
  }
  return has_folded;
}

/// What the transaction of a step has locked before it.
void add_context(const Flat& flat, std::size_t step, Flat& piece) {
  for (std::size_t i = 0; i < step; ++i) {
    if (flat[i].transaction != flat[step].transaction || !locks(flat[i]))
      continue;
    const bool is_there =
        std::any_of(piece.begin(), piece.end(), [&](const FlatStep& one) {
          return one.step.shape->print == flat[i].step.shape->print;
        });
    if (!is_there) piece.push_back(flat[i]);
  }
}

}  // namespace

bool is_locking(const sql::StatementShape& shape) {
  return std::any_of(shape.tables.begin(), shape.tables.end(),
                     [](const sql::TableUse& use) { return use.is_locked; });
}

Flat flat_of(const Run& run, const Relevance& relevance,
             const std::set<std::string>& tables) {
  Flat flat;
  for (std::size_t t = 0; t < run.transactions.size(); ++t)
    for (const RunStatement& step : run.transactions[t].steps)
      if (relevance.matters(*step.shape, tables)) flat.push_back({step, t});
  return flat;
}

bool shorten(Flat& flat, std::size_t rounds) {
  drop_repeated_reads(flat);
  while (!flat.empty() && !writes(flat.back())) flat.pop_back();
  return fold_loops(flat, rounds);
}

std::vector<Flat> pieces(const Flat& whole) {
  Flat flat = whole;
  std::erase_if(flat, [](const FlatStep& one) { return one.step.is_own; });
  drop_repeated_reads(flat);
  std::vector<Flat> all;
  std::vector<std::size_t> reads;  // since the last write
  bool has_new = false;
  for (std::size_t w = 0; w < flat.size(); ++w) {
    if (!writes(flat[w])) {
      if (!has_new) reads.clear();
      has_new = true;
      if (!locks(flat[w])) reads.push_back(w);
      continue;
    }
    has_new = false;
    for (const std::size_t r : reads) {
      Flat piece;
      add_context(flat, r, piece);
      piece.push_back(flat[r]);
      add_context(flat, w, piece);
      piece.push_back(flat[w]);
      all.push_back(std::move(piece));
    }
    if (reads.empty()) {
      Flat piece;
      add_context(flat, w, piece);
      piece.push_back(flat[w]);
      all.push_back(std::move(piece));
    }
    // Another row in the same transaction.
    for (std::size_t v = w + 1; v < flat.size(); ++v)
      if (writes(flat[v]) && flat[v].transaction == flat[w].transaction &&
          flat[v].step.shape->print == flat[w].step.shape->print &&
          flat[v].step.shape != flat[w].step.shape) {
        all.push_back({flat[w], flat[v]});
        break;
      }
  }
  return all;
}

std::vector<Flat> locks_of_transactions(const Flat& flat,
                                        const std::set<std::string>& tables) {
  std::vector<Flat> all;
  for (std::size_t i = 0; i < flat.size();) {
    Flat one;
    std::set<std::string> locked;
    const std::size_t transaction = flat[i].transaction;
    for (; i < flat.size() && flat[i].transaction == transaction; ++i) {
      if (!locks(flat[i])) continue;
      for (const sql::TableUse& use : flat[i].step.shape->tables)
        if ((use.is_written || use.is_locked) && tables.count(use.name) != 0)
          locked.insert(use.name);
      one.push_back(flat[i]);
    }
    if (locked != tables) continue;
    fold_loops(one, 1);
    all.push_back(std::move(one));
  }
  return all;
}

std::string key_of(const Flat& flat) {
  std::string key;
  for (std::size_t i = 0; i < flat.size(); ++i) {
    const bool ends =
        i + 1 == flat.size() || flat[i + 1].transaction != flat[i].transaction;
    key += flat[i].step.shape->print + (ends ? "\n;\n" : "\n");
  }
  return key;
}

}  // namespace txscope::lift
