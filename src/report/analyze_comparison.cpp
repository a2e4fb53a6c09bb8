#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/analyze_report.h"
#include "report/page/wrap.h"

namespace txscope::report {
namespace {

using analyze::Fate;
using Json = nlohmann::ordered_json;

std::size_t count(const analyze::Comparison& compared, Fate fate) {
  return static_cast<std::size_t>(
      std::count_if(compared.fates.begin(), compared.fates.end(),
                    [&](const auto& one) { return one.fate == fate; }));
}

/// Errors are told, but break nothing by themselves.
bool is_worse(const analyze::Analysis& now,
              const analyze::Comparison& compared) {
  return std::any_of(
      compared.fresh.begin(), compared.fresh.end(), [&](std::size_t i) {
        return now.findings[i].kind != analyze::FindingKind::Error;
      });
}

std::string_view headline(const analyze::Analysis& now,
                          const analyze::Comparison& compared) {
  if (count(compared, Fate::Remains) > 0) return "NOT REPAIRED";
  if (is_worse(now, compared)) return "NEW FINDINGS";
  if (count(compared, Fate::Kept) > 0) return "RULES KEPT";
  if (count(compared, Fate::Unknown) > 0) return "UNDECIDED";
  if (!compared.nothing_before.empty()) return "UNDECIDED";
  if (compared.fates.empty()) return "NOTHING TO REPAIR";
  return "REPAIRED";
}

std::string numbers(const analyze::Comparison& compared) {
  const std::size_t all = compared.fates.size();
  if (!compared.nothing_before.empty())
    return "nothing was checked in " + compared.before + ": " +
           compared.nothing_before;
  if (all == 0)
    return "nothing was found in " + compared.before +
           (compared.undecided_before == 0
                ? ""
                : ", and " + grouped(compared.undecided_before) + " of " +
                      counted(compared.pairs_before, "pair") +
                      " of it could not be judged");
  const std::size_t gone =
      count(compared, Fate::Proved) + count(compared, Fate::Tried);
  return grouped(gone) + " of " + counted(all, "finding") + " of " +
         compared.before + (gone == 1 ? " is gone" : " are gone") +
         (compared.fresh.empty()
              ? ""
              : ", " + grouped(compared.fresh.size()) +
                    (compared.fresh.size() == 1 ? " is new" : " are new"));
}

}  // namespace

std::string comparison_text(const analyze::Analysis& now,
                            const analyze::Comparison& compared) {
  std::string text =
      lines(std::string(headline(now, compared)) + "  ", numbers(compared));
  for (const analyze::FindingFate& one : compared.fates) {
    const analyze::RaceFinding& old = compared.earlier[one.before];
    text += lines("  " + std::string(name(one.fate)) + ": ",
                  old.sentence + " [" + old.id + "]" +
                      (one.now && now.findings[*one.now].id != old.id
                           ? ", now [" + now.findings[*one.now].id + "]"
                           : "") +
                      (one.why.empty() ? "" : "; " + one.why));
  }
  for (const std::size_t i : compared.fresh)
    text += lines("  new: ",
                  now.findings[i].sentence + " [" + now.findings[i].id + "]");
  if (!compared.costs.empty())
    text += lines("  what the change costs: ", joined(compared.costs, "; "));
  return text + "\n";
}

Json comparison_json(const analyze::Analysis& now,
                     const analyze::Comparison& compared) {
  Json fates = Json::array();
  for (const analyze::FindingFate& one : compared.fates) {
    const analyze::RaceFinding& old = compared.earlier[one.before];
    Json row = {{"id", old.id},
                {"kind", name(old.kind)},
                {"sentence", old.sentence},
                {"fate", name(one.fate)}};
    if (one.now) row["now"] = now.findings[*one.now].id;
    if (!one.why.empty()) row["why"] = one.why;
    fates.push_back(std::move(row));
  }
  Json fresh = Json::array();
  for (const std::size_t i : compared.fresh)
    fresh.push_back(now.findings[i].id);
  return {{"file", compared.before},
          {"findings", std::move(fates)},
          {"new", std::move(fresh)},
          {"costs", compared.costs}};
}

}  // namespace txscope::report
