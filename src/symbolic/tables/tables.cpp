#include "symbolic/tables/tables.h"

#include <algorithm>
#include <utility>

namespace txscope::symbolic {

using smt::Term;

std::vector<Term> flattened(const GuardedRow& row) {
  std::vector<Term> out = {row.present};
  for (const SqlTerm& c : row.columns) {
    out.push_back(c.null);
    out.push_back(c.value);
  }
  return out;
}

SymbolicTables::Suspended SymbolicTables::suspend() {
  return {std::exchange(views_, {}), std::exchange(view_reads_, {}),
          std::exchange(target_reads_, {}), std::exchange(changed_, {})};
}

void SymbolicTables::resume(Suspended statement) {
  views_ = std::move(statement.views);
  view_reads_ = std::move(statement.view_reads);
  target_reads_ = std::move(statement.target_reads);
  changed_ = std::move(statement.changed);
}

SeenRows SymbolicTables::rows() {
  SeenRows out([this](TableId table) -> const std::vector<GuardedRow>& {
    return view(table);
  });
  if (!options_.has_exact_reads) return out;
  out.schema = &schema_;
  out.asks = [this](TableId table, std::size_t r, Term when) {
    ask(view_reads_, table, r, when);
  };
  return out;
}

void symbolic::SymbolicTables::ask(const std::map<Place, std::size_t>& reads,
                                   TableId table, std::size_t r, Term when) {
  if (!options_.has_exact_reads) return;
  const auto read = reads.find({table, r});
  if (read == reads.end()) return;  // its own row, or nobody else writes it
  Term& guard = reads_[read->second].places[0].guard;
  guard = path_.t.any_of(
      {guard, path_.t.all_of({path_.alive, is_external_[read->second], when})});
}

void SymbolicTables::ask_for_target(TableId table, std::size_t r, Term when) {
  ask(options_.rereads ? target_reads_ : view_reads_, table, r, when);
}

const std::vector<GuardedRow>& SymbolicTables::view(TableId table) {
  const auto [entry, is_new] = views_.try_emplace(table.index);
  if (!is_new) return entry->second;
  for (std::size_t r = 0; r < universe_.keys(table).size(); ++r) {
    entry->second.push_back(current(table, r, For::View));
  }
  return entry->second;
}

std::vector<GuardedRow> SymbolicTables::targets(TableId table) {
  if (!options_.rereads) return view(table);
  std::vector<GuardedRow> out;
  for (std::size_t r = 0; r < universe_.keys(table).size(); ++r) {
    out.push_back(current(table, r, For::Target));
  }
  return out;
}

GuardedRow symbolic::SymbolicTables::with_own(TableId table, std::size_t r,
                                              GuardedRow row) {
  const auto own = own_.find({table, r});
  if (own == own_.end()) return row;
  return path_.choose(own->second.is_written, own->second.now, row);
}

GuardedRow symbolic::SymbolicTables::asked(TableId table, std::size_t r,
                                           Term when, For what) {
  const GuardedRow row = options_.rereads ? current(table, r, what)
                                          : with_own(table, r, view(table)[r]);
  ask(options_.rereads ? last_reads_ : view_reads_, table, r, when);
  return row;
}

GuardedRow symbolic::SymbolicTables::current(TableId table, std::size_t r,
                                             For what) {
  last_reads_.erase({table, r});
  const auto own = own_.find({table, r});
  const Term is_own =
      own == own_.end() ? path_.t.boolean(false) : own->second.is_written;
  if (path_.t.is_true(is_own)) return own->second.now;
  GuardedRow row = read(table, r, path_.t.negation(is_own), what);
  if (own == own_.end()) return row;
  return path_.choose(is_own, own->second.now, row);
}

GuardedRow symbolic::SymbolicTables::read(TableId table, std::size_t r,
                                          Term when, For what) {
  if (what == For::Target) target_reads_.erase({table, r});
  if (options_.fixed) {
    if (const GuardedRow* known = options_.fixed(table, r)) return *known;
  }
  const sql::Table& shape = schema_.at(table);
  const sql::Row& key = universe_.keys(table)[r].key;
  GuardedRow row;
  row.present = path_.t.unknown(shape.name + " present");
  for (std::size_t c = 0; c < shape.columns.size(); ++c) {
    row.columns.push_back(read_column(shape, c, key));
  }
  GuardedRead event;
  event.places = {{universe_.id(table, r),
                   options_.has_exact_reads
                       ? path_.t.boolean(false)  // until it is asked for
                       : path_.t.all_of({path_.alive, when})}};
  event.values = flattened(row);
  is_external_.push_back(when);
  if (what == For::View) view_reads_[{table, r}] = reads_.size();
  last_reads_[{table, r}] = reads_.size();
  // Of a row that is read for both, the target's counts.
  if (what != For::Check) target_reads_.try_emplace({table, r}, reads_.size());
  reads_.push_back(std::move(event));
  return row;
}

SqlTerm symbolic::SymbolicTables::read_column(const sql::Table& shape,
                                              std::size_t c,
                                              const sql::Row& key) {
  if (shape.has_primary_key) {
    const auto& columns = shape.unique.front().columns;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (columns[k] == c) return path_.q.constant(key[k]);
    }
  }
  const sql::Column& column = shape.columns[c];
  const Term null = column.is_nullable
                        ? path_.t.unknown(column.name + " is null")
                        : path_.t.boolean(false);
  if (kind_of(column.type.name) == sql::Kind::Text ||
      kind_of(column.type.name) == sql::Kind::Timestamp) {
    return {null, path_.t.unknown(column.name, smt::Bounds{}),
            kind_of(column.type.name), 0, longest(column.type)};
  }
  return path_.q.unknown(column.name, column.type, null, column.at);
}

void SymbolicTables::pin(TableId table, std::size_t r, Term when) {
  const auto read = target_reads_.find({table, r});
  if (read == target_reads_.end()) return;
  const Term guard = path_.t.all_of({path_.alive, when});
  if (!path_.t.is_false(guard)) pins_.push_back({read->second, guard});
}

void SymbolicTables::write(TableId table, std::size_t r, Term when,
                           const GuardedRow& before, const GuardedRow& after) {
  const Term guard = path_.t.all_of({path_.alive, when});
  if (path_.t.is_false(guard)) return;
  pin(table, r, when);
  writes_.push_back({universe_.id(table, r), guard, flattened(after)});
  const auto [entry, is_new] =
      own_.try_emplace({table, r}, OwnRow{guard, before, after});
  if (!is_new) {
    OwnRow& own = entry->second;
    own.before = path_.choose(own.is_written, own.before, before);
    own.now = path_.choose(guard, after, own.now);
    own.is_written = path_.t.any_of({own.is_written, guard});
  }
  changed_.push_back({table, r, guard, before, after});
}

void SymbolicTables::end_block(Term fails) {
  const Block block = std::move(blocks_.back());
  blocks_.pop_back();
  const Term stays = path_.t.negation(fails);
  for (std::size_t w = block.writes; w < writes_.size(); ++w) {
    writes_[w].guard = path_.t.all_of({writes_[w].guard, stays});
  }
  for (auto& [place, own] : own_) {
    const auto before = block.own.find(place);
    if (before == block.own.end()) {
      own.is_written = path_.t.all_of({own.is_written, stays});
      continue;
    }
    const OwnRow& old = before->second;
    own.is_written = path_.t.choose(fails, old.is_written, own.is_written);
    own.before = path_.choose(fails, old.before, own.before);
    own.now = path_.choose(fails, old.now, own.now);
  }
  changed_.clear();
}

void SymbolicTables::finish(SqlSummary& out) {
  for (const auto& [place, own] : own_) {
    out.changes.push_back(
        {place.first, place.second, own.is_written, own.before, own.now});
  }
  out.reads = std::move(reads_);
  out.writes = std::move(writes_);
  out.pins = std::move(pins_);
  drop_unused_reads(out);
}

/// A statement reads whole tables; most of what it reads decides nothing.
/// A read that nothing depends on excludes no execution.
std::vector<bool> symbolic::SymbolicTables::used_reads(const SqlSummary& out) {
  std::vector<bool> is_used(path_.t.size());
  std::vector<Term> stack = {out.committed, out.aborted, out.cut};
  const auto add = [&](const std::vector<Term>& terms) {
    stack.insert(stack.end(), terms.begin(), terms.end());
  };
  for (const GuardedWrite& w : out.writes) {
    stack.push_back(w.guard);
    add(w.values);
  }
  for (const RowChange& change : out.changes) add(flattened(change.before));
  for (const SqlTerm& slot : out.slots) add({slot.null, slot.value});
  std::vector<bool> is_kept(out.reads.size());
  for (bool has_new = true; has_new;) {
    has_new = false;
    spread(stack, is_used);
    for (std::size_t r = 0; r < out.reads.size(); ++r) {
      const GuardedRead& read = out.reads[r];
      const bool needed =
          std::any_of(read.values.begin(), read.values.end(), [&](Term v) {
            return path_.t.op(v) == smt::Op::Variable && is_used[v.index];
          });
      if (!needed || is_kept[r]) continue;
      is_kept[r] = has_new = true;
      stack.push_back(read.places[0].guard);
    }
  }
  return is_kept;
}

void symbolic::SymbolicTables::drop_unused_reads(SqlSummary& out) {
  std::vector<bool> is_kept;
  if (options_.has_exact_reads) {
    for (const GuardedRead& read : out.reads)
      is_kept.push_back(!path_.t.is_false(read.places[0].guard));
  } else {
    is_kept = used_reads(out);
  }
  std::vector<GuardedRead> kept;
  std::vector<std::size_t> now(out.reads.size());
  for (std::size_t r = 0; r < out.reads.size(); ++r) {
    now[r] = kept.size();
    if (is_kept[r]) kept.push_back(std::move(out.reads[r]));
  }
  out.reads = std::move(kept);
  std::erase_if(out.pins,
                [&](const GuardedPin& p) { return !is_kept[p.read]; });
  for (GuardedPin& pin : out.pins) pin.read = now[pin.read];
}

/// Marks everything that the terms on the stack are made of.
void symbolic::SymbolicTables::spread(std::vector<Term>& stack,
                                      std::vector<bool>& is_used) const {
  while (!stack.empty()) {
    const Term t = stack.back();
    stack.pop_back();
    if (is_used[t.index]) continue;
    is_used[t.index] = true;
    for (const Term operand : path_.t.operands(t)) stack.push_back(operand);
  }
}

}  // namespace txscope::symbolic
