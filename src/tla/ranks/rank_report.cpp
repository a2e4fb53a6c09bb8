#include "tla/ranks/rank_report.h"

#include <algorithm>
#include <tuple>

#include "base/bytes.h"

namespace txscope::tla::ranks {
namespace {

void put(ByteWriter& out, const Spot& spot) {
  out.text(spot.source != nullptr ? spot.source->file : std::string());
  out.number(spot.line);
  out.number(spot.column);
}

Spot get_spot(ByteReader& in, const FindSource& find_source) {
  Spot spot;
  const std::string_view file = in.text();
  if (!file.empty()) spot.source = find_source(file);
  spot.line = static_cast<std::uint32_t>(in.number());
  spot.column = static_cast<std::uint32_t>(in.number());
  return spot;
}

void put(ByteWriter& out, const Finding& f) {
  out.number(static_cast<std::uint64_t>(f.kind));
  out.text(f.name);
  put(out, f.spot);
  out.number(f.rank);
  out.number(f.fingerprint);
  out.number(f.parent);
  out.number(f.is_stored);
  out.number(f.is_expanded);
  out.text(f.message);
}

Finding get_finding(ByteReader& in, const FindSource& find_source) {
  Finding f;
  f.kind = static_cast<ModelViolation>(in.number());
  f.name = in.text();
  f.spot = get_spot(in, find_source);
  f.rank = in.number();
  f.fingerprint = in.number();
  f.parent = in.number();
  f.is_stored = in.number() != 0;
  f.is_expanded = in.number() != 0;
  f.message = in.text();
  return f;
}

void put(ByteWriter& out, const RankError& e) {
  out.text(e.error.where.file);
  out.number(e.error.where.line);
  out.number(e.error.where.column);
  out.text(e.error.what);
  out.text(e.error.hint);
  out.text(e.error.source_line);
  out.number(e.error.caret);
  out.number(e.is_assertion);
  put(out, e.spot);
  out.text(e.message);
  out.number(e.parent);
  out.number(e.checking);
}

RankError get_error(ByteReader& in, const FindSource& find_source) {
  RankError e;
  e.error.where.file = in.text();
  e.error.where.line = in.number();
  e.error.where.column = static_cast<std::uint32_t>(in.number());
  e.error.what = in.text();
  e.error.hint = in.text();
  e.error.source_line = in.text();
  e.error.caret = static_cast<std::uint32_t>(in.number());
  e.is_assertion = in.number() != 0;
  e.spot = get_spot(in, find_source);
  e.message = in.text();
  e.parent = in.number();
  e.checking = in.number();
  return e;
}

/// The numbers of a report that are added up.
constexpr std::uint64_t RankReport::*kNumbers[] = {
    &RankReport::generated,   &RankReport::distinct,
    &RankReport::waiting,     &RankReport::assertions,
    &RankReport::states_sent, &RankReport::states_spared,
    &RankReport::bytes_sent,  &RankReport::messages_sent};
/// What is true of all if it is true of one.
constexpr bool RankReport::*kFlags[] = {
    &RankReport::is_cut, &RankReport::wants_exit, &RankReport::is_stopped,
    &RankReport::wants_checkpoint};

}  // namespace

std::string packed(const RankReport& report) {
  ByteWriter out;
  for (const auto number : kNumbers) out.number(report.*number);
  for (const auto flag : kFlags) out.number(report.*flag);
  out.number(static_cast<std::uint64_t>(report.spent));
  out.number(report.happened.size());
  for (const bool happened : report.happened) out.number(happened);
  out.number(report.finding.has_value());
  if (report.finding) put(out, *report.finding);
  out.number(report.error.has_value());
  if (report.error) put(out, *report.error);
  out.text(report.trouble);
  return out.take();
}

RankReport unpacked(std::string_view bytes, const FindSource& find_source) {
  ByteReader in(bytes);
  RankReport report;
  for (const auto number : kNumbers) report.*number = in.number();
  for (const auto flag : kFlags) report.*flag = in.number() != 0;
  report.spent = static_cast<Spent>(in.number());
  report.happened.resize(in.number());
  for (std::size_t i = 0; i < report.happened.size(); ++i)
    report.happened[i] = in.number() != 0;
  if (in.number() != 0) report.finding = get_finding(in, find_source);
  if (in.number() != 0) report.error = get_error(in, find_source);
  report.trouble = in.text();
  return report;
}

RankReport sum_of(const std::vector<RankReport>& reports) {
  RankReport sum;
  for (const RankReport& report : reports) {
    for (const auto number : kNumbers) sum.*number += report.*number;
    for (const auto flag : kFlags) sum.*flag = sum.*flag || report.*flag;
    // Memory or time is a reason; that others were told to stop is none.
    if (sum.spent == Spent::Nothing || sum.spent == Spent::Cancelled)
      if (report.spent != Spent::Nothing) sum.spent = report.spent;
    sum.happened.resize(report.happened.size());
    for (std::size_t i = 0; i < report.happened.size(); ++i)
      if (report.happened[i]) sum.happened[i] = true;
    if (report.finding &&
        (!sum.finding || comes_before(*report.finding, *sum.finding)))
      sum.finding = report.finding;
    const auto order = [](const RankError& e) {
      return std::tie(e.parent, e.checking);
    };
    if (report.error &&
        (!sum.error || order(*report.error) < order(*sum.error)))
      sum.error = report.error;
    if (sum.trouble.empty()) sum.trouble = report.trouble;
  }
  return sum;
}

}  // namespace txscope::tla::ranks
