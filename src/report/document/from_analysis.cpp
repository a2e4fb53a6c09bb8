// What `analyze` says: the matrix, and a finding per cause.
#include <algorithm>
#include <map>

#include "report/document/documents.h"
#include "report/document/from_engines.h"
#include "report/page/wrap.h"

namespace txscope::report::document {
namespace {

std::string kind_of(const analyze::RaceFinding& found) {
  switch (found.kind) {
    case analyze::FindingKind::Deadlock: return "deadlock";
    case analyze::FindingKind::Error: return "error";
    case analyze::FindingKind::Race: break;
  }
  const std::string kind =
      kind_of_anomaly(found.example.anomaly.words, found.example.anomaly.id);
  return kind == "anomaly" ? "race" : kind;
}

/// Its run, with the rules that no serial order breaks.
Finding run_of(const analyze::RaceFinding& found) {
  if (found.example.steps.empty()) return {};
  Counterexample example = found.example;
  std::erase_if(example.broken, [&](const BrokenRule& broken) {
    const std::string& name_of =
        found.workload.properties[broken.property.index].name;
    return std::find(found.rules.begin(), found.rules.end(), name_of) ==
           found.rules.end();
  });
  return finding_of(found.workload, example);
}

Finding told(const analyze::Analysis& all, const analyze::RaceFinding& found) {
  Finding out = run_of(found);
  out.id = found.id;
  out.kind = kind_of(found);
  out.title = capitalised(found.sentence);
  out.level = all.level;
  out.is_aside = found.kind == analyze::FindingKind::Error;
  if (out.word.empty()) out.word = kind_info(out.kind).word;
  if (out.place.file.empty()) out.place.file = all.file;
  std::vector<Fact> facts;
  std::vector<std::string> pairs;
  for (const analyze::Group& group : found.groups)
    pairs.push_back(all.name_of(group));
  facts.push_back({"transactions", joined(pairs, ", ")});
  if (!found.rules.empty())
    facts.push_back({"breaks", joined(found.rules, ", ")});
  if (!found.suggested.empty())
    facts.push_back(
        {"breaks what the code suggests", joined(found.suggested, "; ")});
  if (!found.code.empty()) facts.push_back({"code", found.code});
  if (!found.before.empty())
    facts.push_back({"after", joined(found.before, "; ")});
  if (!found.serially.empty())
    facts.push_back({"one after the other", found.serially});
  if (!found.safe_from.empty())
    facts.push_back({"weakest level without it", found.safe_from});
  out.facts.insert(out.facts.begin(), facts.begin(), facts.end());
  out.repairs.clear();
  for (const txscope::Repair& repair : found.repairs)
    out.repairs.push_back(tried_repair(found.workload, repair.what(), repair));
  if (found.kind == analyze::FindingKind::Deadlock && found.repairs.empty())
    out.repairs.push_back(
        {"Take the rows in one order everywhere (ORDER BY .. "
         "FOR UPDATE first), or run the transaction again "
         "after the error",
         "",
         false,
         {}});
  if (found.kind == analyze::FindingKind::Error)
    out.repairs.push_back(
        {"Catch the error and run the transaction again", "", false, {}});
  if (out.repairs.empty() && found.has_tried_repairs)
    out.facts.push_back({"fix", "none of the changes that were tried helps"});
  return out;
}

Cell told(const analyze::Cell& cell) {
  Cell out;
  out.text = std::string(name(cell.verdict));
  switch (cell.verdict) {
    case analyze::CellVerdict::Safe:
      out.tone = Tone::Good;
      out.note = "for all arguments and any number of calls";
      break;
    case analyze::CellVerdict::Tried:
      out.tone = Tone::Good;
      out.note = "with the arguments that were tried";
      break;
    case analyze::CellVerdict::Race:
      out.tone = Tone::Bad;
      out.text = "RACE";
      break;
    case analyze::CellVerdict::Undecided: out.tone = Tone::Open; break;
  }
  if (cell.has_deadlock) {
    out.text += " + deadlock";
    out.tone = out.tone == Tone::Good ? Tone::Bad : out.tone;
  }
  if (!cell.errors.empty()) out.text += " + error";
  if (!cell.errors.empty())
    out.note += (out.note.empty() ? "" : "; ") + std::string("fails with ") +
                joined(cell.errors, ", ");
  if (!cell.why.empty()) out.note += (out.note.empty() ? "" : "; ") + cell.why;
  return out;
}

Grid matrix_of(const analyze::Analysis& found) {
  Grid grid;
  grid.title = "Every transaction with every other one";
  grid.is_matrix = true;
  std::map<std::pair<std::size_t, std::size_t>, const analyze::Cell*> cells;
  for (const analyze::Cell& cell : found.cells) cells[{cell.a, cell.b}] = &cell;
  for (const auto& type : found.types) grid.columns.push_back(type.name);
  for (std::size_t a = 0; a < found.types.size(); ++a) {
    Grid::Row row{found.types[a].name, {}};
    for (std::size_t b = 0; b < found.types.size(); ++b) {
      const auto cell = cells.find({a, b});
      if (b < a || cell == cells.end()) {
        row.cells.emplace_back();
        continue;
      }
      row.cells.push_back(told(*cell->second));
      for (const analyze::RaceFinding& one : found.findings)
        for (const analyze::Group& group : one.groups)
          if (group == analyze::Group{a, b} && row.cells.back().finding.empty())
            row.cells.back().finding = one.id;
    }
    grid.rows.push_back(std::move(row));
  }
  return grid;
}

Grid triples_of(const analyze::Analysis& found) {
  Grid grid;
  grid.title = "Three at a time, where no pair of them goes wrong";
  grid.corner = "transactions";
  grid.columns = {"verdict"};
  for (const analyze::Triple& triple : found.triples) {
    analyze::Cell cell;
    cell.verdict = triple.verdict;
    cell.has_deadlock = triple.has_deadlock;
    cell.why = triple.why;
    grid.rows.push_back({found.name_of(triple.group), {told(cell)}});
    for (const analyze::RaceFinding& one : found.findings)
      for (const analyze::Group& group : one.groups)
        if (group == triple.group) grid.rows.back().cells[0].finding = one.id;
  }
  return grid;
}

Grid levels_of(const analyze::LevelTable& table) {
  using Known = analyze::LevelTable::Known;
  Grid grid;
  grid.title = "What is left at stronger levels";
  grid.corner = "rule or finding";
  grid.columns = table.levels;
  for (const auto& row : table.rows) {
    Grid::Row out{row.what, {}};
    for (const Known known : row.at) {
      Cell cell;
      cell.tone = known == Known::Kept    ? Tone::Good
                  : known == Known::Wrong ? Tone::Bad
                                          : Tone::Open;
      cell.text = known == Known::Unknown ? "?"
                  : known == Known::Kept  ? (row.is_rule ? "kept" : "gone")
                                          : (row.is_rule ? "breaks" : "there");
      out.cells.push_back(std::move(cell));
    }
    grid.rows.push_back(std::move(out));
  }
  return grid;
}

Grid needs_of(const analyze::LevelTable& table) {
  Grid grid;
  grid.title = "Levels that suffice, proved for all arguments and any number";
  grid.corner = "transaction";
  grid.columns = {"level", "why not lower"};
  for (const auto& need : table.needs)
    grid.rows.push_back({need.transaction, {{need.level}, {need.reason}}});
  return grid;
}

Grid fates_of(const analyze::Comparison& compared) {
  Grid grid;
  grid.title =
      "Is the fix right? What became of the findings in " + compared.before;
  grid.corner = "finding";
  grid.columns = {"now", "what it was"};
  for (const analyze::FindingFate& one : compared.fates) {
    const analyze::RaceFinding& was = compared.earlier[one.before];
    Cell now{std::string(analyze::name(one.fate)), Tone::Open, "", one.why};
    if (one.fate == analyze::Fate::Proved || one.fate == analyze::Fate::Tried)
      now.tone = Tone::Good;
    if (one.fate == analyze::Fate::Remains || one.fate == analyze::Fate::Kept)
      now.tone = Tone::Bad;
    grid.rows.push_back({was.id, {std::move(now), {was.sentence}}});
  }
  return grid;
}

}  // namespace

void add_analysis(const analyze::Analysis& found,
                  const analyze::Comparison* compared, Document& out) {
  if (compared != nullptr) {
    Grid fates = fates_of(*compared);
    for (std::size_t i = 0; i < compared->fates.size(); ++i)
      if (const auto now = compared->fates[i].now)
        fates.rows[i].cells[0].finding = found.findings[*now].id;
    out.grids.push_back(std::move(fates));
    for (const std::string& cost : compared->costs)
      out.notes.push_back("new: " + cost);
    for (const std::size_t fresh : compared->fresh)
      out.notes.push_back("new: " + found.findings[fresh].sentence);
  }
  if (!found.types.empty()) out.grids.push_back(matrix_of(found));
  if (!found.triples.empty()) out.grids.push_back(triples_of(found));
  if (!found.levels.rows.empty()) out.grids.push_back(levels_of(found.levels));
  if (!found.levels.needs.empty()) out.grids.push_back(needs_of(found.levels));
  for (const analyze::RaceFinding& one : found.findings)
    out.findings.push_back(told(found, one));
  std::size_t races = 0, open = 0, triples = 0;
  for (const analyze::Triple& triple : found.triples)
    triples += triple.verdict == analyze::CellVerdict::Race ? 1 : 0;
  for (const analyze::Cell& cell : found.cells) {
    races += cell.verdict == analyze::CellVerdict::Race ? 1 : 0;
    open += cell.verdict == analyze::CellVerdict::Undecided ? 1 : 0;
  }
  out.headline =
      found.types.empty() ? "No transaction was found in it"
      : races > 0
          ? grouped(races) + " of " + counted(found.cells.size(), "pair") +
                " of transactions can go wrong"
      : triples > 0
          ? counted(triples, "group") + " of three transactions can go wrong"
      : open > 0
          ? grouped(open) + " of " + counted(found.cells.size(), "pair") +
                " of transactions could not be decided"
          : "No race found in " + counted(found.cells.size(), "pair") +
                " of transactions";
  out.headline += " at " + found.level;
  out.checked.push_back({"level", found.level});
  out.checked.push_back({"pairs", grouped(found.cells.size())});
  for (const std::string& rule : found.suggested)
    out.checked.push_back({"suggested rule", rule});
  out.checked.push_back({"searches", grouped(found.searches)});
  for (const std::string& what : found.not_checked)
    out.not_checked.push_back(what);
  for (const std::string& note : found.notes) out.notes.push_back(note);
}

}  // namespace txscope::report::document
