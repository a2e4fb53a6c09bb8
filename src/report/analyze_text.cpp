#include <algorithm>
#include <map>

#include "report/analyze_report.h"
#include "report/answer_report.h"
#include "report/page/dot.h"
#include "report/page/wrap.h"

namespace txscope::report {
namespace {

/// Types beside each other in the matrix; more are listed.
constexpr std::size_t kMostColumns = 8;

std::string short_verdict(const analyze::Cell& cell) {
  std::string text(name(cell.verdict));
  if (cell.verdict == analyze::CellVerdict::Race) text = "RACE";
  if (cell.verdict == analyze::CellVerdict::Undecided) text = "?";
  if (cell.has_deadlock) text += "+deadlock";
  if (!cell.errors.empty()) text += "+error";
  return text;
}

std::size_t count(const analyze::Analysis& found,
                  analyze::CellVerdict verdict) {
  return static_cast<std::size_t>(std::count_if(
      found.cells.begin(), found.cells.end(),
      [&](const analyze::Cell& cell) { return cell.verdict == verdict; }));
}

std::size_t count(const analyze::Analysis& found, analyze::FindingKind kind) {
  return static_cast<std::size_t>(
      std::count_if(found.findings.begin(), found.findings.end(),
                    [&](const analyze::RaceFinding& finding) {
                      return finding.kind == kind;
                    }));
}

/// The types that could be run; what is said of the others stands below.
std::vector<std::size_t> types_that_run(const analyze::Analysis& found) {
  std::vector<std::size_t> all;
  for (std::size_t t = 0; t < found.types.size(); ++t)
    if (found.types[t].not_checked.empty()) all.push_back(t);
  return all;
}

std::size_t racing_triples(const analyze::Analysis& found) {
  return static_cast<std::size_t>(
      std::count_if(found.triples.begin(), found.triples.end(),
                    [](const analyze::Triple& triple) {
                      return triple.verdict == analyze::CellVerdict::Race;
                    }));
}

std::string headline(const analyze::Analysis& found) {
  const std::size_t races = count(found, analyze::CellVerdict::Race);
  const std::size_t open = count(found, analyze::CellVerdict::Undecided);
  const std::size_t proved = count(found, analyze::CellVerdict::Safe);
  const std::size_t tried = count(found, analyze::CellVerdict::Tried);
  const std::size_t deadlocks = count(found, analyze::FindingKind::Deadlock);
  const std::size_t triples = racing_triples(found);
  std::string text;
  if (found.types.empty())
    text =
        "NOTHING TO CHECK  no procedure, no function that writes and no "
        "session is in it";
  else if (races > 0)
    text = "RACE  " + grouped(races) + " of " +
           counted(found.cells.size(), "pair") +
           " of transactions can go wrong";
  else if (triples > 0)
    text = "RACE  " + counted(triples, "group") +
           " of three transactions can go wrong, and no pair of them";
  else if (deadlocks > 0)
    text = "DEADLOCK  " + counted(deadlocks, "way") + " to wait in a circle";
  else if (open == found.cells.size())
    text = "UNDECIDED  no pair of transactions could be run";
  else if (open > 0)
    text = "UNDECIDED  " + grouped(open) + " of " +
           counted(found.cells.size(), "pair") + " of transactions";
  else if (const std::string nothing = found.why_nothing(); !nothing.empty())
    text = "NOTHING TO CHECK  " + nothing;
  else
    text = "no race found in " + counted(found.cells.size(), "pair") +
           " of transactions";
  text += "  at " + found.level;
  std::string rest;
  if (proved > 0) rest += grouped(proved) + " safe for all inputs";
  if (tried > 0)
    rest += (rest.empty() ? "" : ", ") + grouped(tried) +
            " safe for what was tried";
  if (races > 0 && open > 0)
    rest += (rest.empty() ? "" : ", ") + grouped(open) + " undecided";
  const std::size_t unread = found.types.size() - types_that_run(found).size();
  if (unread > 0)
    rest += (rest.empty() ? "" : ", ") + counted(unread, "transaction") +
            " of " + grouped(found.types.size()) + " could not be run (below)";
  return text + (rest.empty() ? "" : "\n  " + rest) + "\n";
}

std::string list_of_pairs(const analyze::Analysis& found) {
  std::string text;
  for (const analyze::Cell& cell : found.cells) {
    const analyze::TransactionType& a = found.types[cell.a];
    const analyze::TransactionType& b = found.types[cell.b];
    const bool is_plain =
        cell.verdict == analyze::CellVerdict::Safe && !cell.has_deadlock;
    if (is_plain || !a.not_checked.empty() || !b.not_checked.empty()) continue;
    text += "  " + a.name + " x " + b.name + ": " + short_verdict(cell) + "\n";
  }
  return text;
}

std::string matrix(const analyze::Analysis& found) {
  const std::vector<std::size_t> types = types_that_run(found);
  if (types.size() > kMostColumns) return list_of_pairs(found);
  std::map<std::pair<std::size_t, std::size_t>, const analyze::Cell*> cells;
  for (const analyze::Cell& cell : found.cells) cells[{cell.a, cell.b}] = &cell;
  const auto verdict = [&](std::size_t a, std::size_t b) {
    return short_verdict(*cells[{types[a], types[b]}]);
  };
  const auto title = [&](std::size_t t) { return found.types[types[t]].name; };
  std::size_t first = 0;
  std::vector<std::size_t> widths;
  for (std::size_t b = 0; b < types.size(); ++b) {
    first = std::max(first, columns(title(b)));
    std::size_t width = columns(title(b));
    for (std::size_t a = 0; a <= b; ++a)
      width = std::max(width, columns(verdict(a, b)));
    widths.push_back(width);
  }
  std::string line = "  " + padded("", first);
  for (std::size_t b = 0; b < types.size(); ++b)
    line += "  " + padded(title(b), widths[b]);
  std::string text = types.empty() ? "" : trimmed(line);
  for (std::size_t a = 0; a < types.size(); ++a) {
    line = "  " + padded(title(a), first);
    for (std::size_t b = 0; b < types.size(); ++b)
      line += "  " + padded(b < a ? "" : verdict(a, b), widths[b]);
    text += trimmed(line);
  }
  return text;
}

std::string short_verdict(const analyze::Triple& triple) {
  analyze::Cell cell;
  cell.verdict = triple.verdict;
  cell.has_deadlock = triple.has_deadlock;
  return short_verdict(cell);
}

/// What three at a time show that no pair of them shows.
std::string triples(const analyze::Analysis& found) {
  const std::size_t all = found.triples.size() + found.triples_left;
  if (all == 0) return "";
  std::string text = "\n";
  const std::size_t races = racing_triples(found);
  std::size_t open = found.triples_left;
  std::string list;
  for (const analyze::Triple& triple : found.triples) {
    if (triple.verdict == analyze::CellVerdict::Undecided) ++open;
    if (triple.verdict == analyze::CellVerdict::Tried && !triple.has_deadlock)
      continue;
    list +=
        lines("  ", found.name_of(triple.group) + ": " + short_verdict(triple));
  }
  text +=
      lines("three at a time: ",
            counted(all, "group") + " could form a cycle where no pair does; " +
                (races > 0 ? grouped(races) + " can go wrong, " : "") +
                grouped(all - races - open) + " safe for what was tried" +
                (open > 0 ? ", " + grouped(open) + " undecided" : ""));
  return text + list;
}

std::string_view short_level(std::string_view level) {
  return level.substr(level.find(':') + 1);
}

/// From which level on nothing goes wrong, and what is proved to suffice.
std::string level_rows(const analyze::LevelTable& table) {
  using Known = analyze::LevelTable::Known;
  std::size_t first = std::string_view("levels").size();
  for (const auto& row : table.rows)
    first = std::max(first, columns(row.what) + 2);
  const auto word = [](const analyze::LevelTable::Row& row, Known known) {
    if (known == Known::Unknown) return "?";
    if (known == Known::Kept) return row.is_rule ? "kept" : "gone";
    return row.is_rule ? "BREAKS" : "THERE";
  };
  std::string text = padded("levels", first);
  for (const std::string& level : table.levels)
    text += "  " + std::string(short_level(level));
  text = trimmed(text);
  for (const auto& row : table.rows) {
    std::string line = padded("  " + row.what, first);
    for (std::size_t l = 0; l < row.at.size(); ++l)
      line += "  " + padded(word(row, row.at[l]),
                            columns(std::string(short_level(table.levels[l]))));
    text += trimmed(line);
  }
  return text;
}
std::string level_needs(const analyze::LevelTable& table) {
  std::string weak;
  std::string lowest;
  std::string text;
  for (const auto& need : table.needs) {
    const std::string level(short_level(need.level));
    if (need.reason.empty()) {
      weak += (weak.empty() ? "" : ", ") + need.transaction;
      lowest = level;
    } else {
      text += lines(
          "  " + need.transaction + ": ",
          (level.empty() ? "no level" : level) + " (" + need.reason + ")");
    }
  }
  if (table.needs.empty()) return "";
  if (text.empty())
    return lines("proved: ", "all of them may run at " + lowest +
                                 ", with any arguments and in any number");
  return lines("proved: ",
               "with any arguments and in any number, nothing goes wrong if "
               "these run at") +
         text + (weak.empty() ? "" : lines("  " + lowest + ": ", weak));
}
std::string levels(const analyze::LevelTable& table) {
  std::string text = table.rows.empty() ? "" : level_rows(table);
  text += level_needs(table);
  return text.empty() ? "" : "\n" + text;
}

/// With their reasons; what was not checked at all is said elsewhere.
std::vector<std::string> undecided_pairs(const analyze::Analysis& found) {
  std::vector<std::string> out;
  for (const analyze::Cell& cell : found.cells)
    if (cell.verdict == analyze::CellVerdict::Undecided && !cell.why.empty() &&
        found.types[cell.a].not_checked.empty() &&
        found.types[cell.b].not_checked.empty())
      out.push_back(found.types[cell.a].name + " x " +
                    found.types[cell.b].name + ": " + cell.why);
  return out;
}

std::string fixes(const analyze::RaceFinding& finding) {
  std::string text;
  for (const Repair& repair : finding.repairs) {
    text += lines(text.empty() ? "   fix: " : "    or: ", repair.what());
    if (!repair.diff.empty()) text += indented(repair.diff, "        ");
    if (!repair.cost.empty()) text += lines("        costs: ", repair.cost);
    if (!repair.leaves.empty())
      text += lines("        does not repair: ", repair.leaves);
  }
  if (finding.kind == analyze::FindingKind::Deadlock && finding.repairs.empty())
    text += lines("   fix: ",
                  "take the rows in one order everywhere (ORDER BY .. FOR "
                  "UPDATE first), or run the transaction again after the "
                  "error; not tried");
  else if (finding.kind == analyze::FindingKind::Error)
    text += lines("   fix: ",
                  "catch the error and run the transaction again; not tried");
  else if (finding.repairs.empty() && finding.has_tried_repairs)
    text += lines("   fix: ", "none of the changes that were tried helps");
  return text;
}

std::string groups_of(const analyze::Analysis& found,
                      const analyze::RaceFinding& finding) {
  std::vector<std::string> names;
  for (const analyze::Group& group : finding.groups)
    names.push_back(found.name_of(group));
  return joined(names, ", ");
}

}  // namespace

std::string analyze_text(const analyze::Analysis& found) {
  std::string text = headline(found);
  if (const std::string pairs = matrix(found); !pairs.empty())
    text += "\n" + pairs;
  text += triples(found);
  std::size_t number = 0;
  for (const analyze::RaceFinding& finding : found.findings) {
    text += "\n" + lines(std::to_string(++number) + ". ", finding.sentence);
    text += lines("   ", "[" + finding.id + "]  " + groups_of(found, finding));
    if (!finding.accepted.empty())
      text += lines("   ignored: ", finding.accepted);
    if (!finding.rules.empty())
      text += lines("   breaks: ", joined(finding.rules, ", "));
    if (!finding.suggested.empty())
      text += lines("   breaks what the code suggests: ",
                    joined(finding.suggested, "; "));
    if (!finding.before.empty())
      text += lines("   after: ", joined(finding.before, "; "));
    text += fixes(finding);
    if (!finding.serially.empty())
      text += lines("   one after the other: ", finding.serially);
    if (!finding.example.steps.empty())
      text += "\n" + lanes_text(finding.workload, finding.example);
  }
  text += levels(found.levels);
  const std::vector<std::string> open = undecided_pairs(found);
  if (!found.notes.empty() || !found.not_checked.empty() || !open.empty())
    text += "\n";
  for (const std::string& note : found.notes) text += lines("note: ", note);
  for (const std::string& what : found.not_checked)
    text += lines("not checked: ", what);
  for (const std::string& what : open) text += lines("undecided: ", what);
  text += "\n" + counted(found.types.size(), "transaction") + ", " +
          counted(found.cells.size(), "pair") + ", " + grouped(found.searches) +
          (found.searches == 1 ? " search" : " searches") + " with " +
          counted(found.outcomes, "outcome") + ", " +
          counted(found.rules, "rule") +
          (found.suggested.empty()
               ? ""
               : " and " + grouped(found.suggested.size()) + " suggested") +
          " in " + found.file + "\n";
  return text;
}

std::string analyze_lines(const analyze::Analysis& found) {
  std::string text;
  for (const analyze::RaceFinding& finding : found.findings) {
    if (!finding.accepted.empty()) continue;
    text += found.file + ": " + std::string(name(finding.kind)) + ": " +
            finding.sentence + " [" + finding.id + "]\n";
  }
  for (const analyze::Cell& cell : found.cells) {
    if (cell.verdict != analyze::CellVerdict::Undecided) continue;
    text += found.file + ": undecided: " + found.types[cell.a].name + " x " +
            found.types[cell.b].name +
            (cell.why.empty() ? "" : ": " + cell.why) + "\n";
  }
  if (found.types.empty()) text += found.file + ": no transaction was found\n";
  return text;
}

std::string analyze_dot(const analyze::Analysis& found) {
  std::string graphs;
  std::size_t number = 0;
  for (const analyze::RaceFinding& finding : found.findings)
    if (!finding.example.steps.empty())
      graphs += counterexample_dot(finding.workload, finding.example, ++number);
  return dot_graph(graphs);
}

}  // namespace txscope::report
