// A whole history at a glance: sessions down, time to the right.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "report/html/parts.h"
#include "report/page/wrap.h"

namespace txscope::report::html_page {
namespace {

using document::Overview;

constexpr double kWidth = 1000;
constexpr double kBar = 10;
constexpr double kPitch = 14;
constexpr std::size_t kMostLanes = 200;

std::string short_number(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.1f", value);
  std::string out = digits;
  if (out.ends_with(".0")) out.resize(out.size() - 2);
  return out;
}

class Strip {
 public:
  explicit Strip(const Overview& overview)
      : overview_(overview),
        scale_(kWidth /
               static_cast<double>(std::max<std::uint64_t>(overview.end, 1))) {}

  std::string svg() const {
    const std::size_t lanes = std::min(overview_.lanes.size(), kMostLanes);
    const double height = kPitch * static_cast<double>(lanes);
    std::string out = "<svg class=\"strip\" viewBox=\"0 0 " +
                      short_number(kWidth) + " " + short_number(height) +
                      "\" preserveAspectRatio=\"none\" height=\"" +
                      short_number(height) + "\">";
    for (std::size_t i = 0; i < lanes; ++i) out += lane(i);
    return out + "</svg>";
  }

 private:
  [[nodiscard]] std::string lane(std::size_t i) const {
    const double y = kPitch * static_cast<double>(i) + 2;
    std::string plain, aborted, marked;
    for (const Overview::Txn& txn : overview_.lanes[i].txns) {
      if (overview_.is_part && txn.finding.empty()) {
        marked += named(txn, y);
        continue;
      }
      const double x = static_cast<double>(txn.from) * scale_;
      const double w =
          std::max(static_cast<double>(txn.to - txn.from) * scale_ * 0.9, 0.6);
      if (!txn.finding.empty()) {
        marked += "<a href=\"#" + anchor(txn.finding) +
                  "\"><rect class=\"fail\" x=\"" + short_number(x) + "\" y=\"" +
                  short_number(y - 1) + "\" width=\"" +
                  short_number(std::max(w, 4.0)) + "\" height=\"" +
                  short_number(kBar + 2) + "\"><title>" + text(txn.name) +
                  "</title></rect></a>";
        continue;
      }
      (txn.is_aborted ? aborted : plain) +=
          "M" + short_number(x) + " " + short_number(y) + "h" +
          short_number(w) + "v" + short_number(kBar) + "h-" + short_number(w) +
          "z";
    }
    std::string out;
    if (!plain.empty()) out += "<path class=\"txn\" d=\"" + plain + "\"/>";
    if (!aborted.empty())
      out += "<path class=\"txn aborted\" d=\"" + aborted + "\"/>";
    return out + marked;
  }

  /// One by itself, which says what it is.
  [[nodiscard]] std::string named(const Overview::Txn& txn, double y) const {
    const double w =
        std::max(static_cast<double>(txn.to - txn.from) * scale_ * 0.9, 1.5);
    return "<rect class=\"txn" + std::string(txn.is_aborted ? " aborted" : "") +
           "\" x=\"" + short_number(static_cast<double>(txn.from) * scale_) +
           "\" y=\"" + short_number(y) + "\" width=\"" + short_number(w) +
           "\" height=\"" + short_number(kBar) + "\"><title>" +
           text(txn.name + (txn.where.empty() ? "" : ", " + txn.where) + ": " +
                txn.text) +
           "</title></rect>";
  }

  const Overview& overview_;
  const double scale_;
};

std::string strip_box(const Overview& overview) {
  std::string out =
      "<div class=\"stripbox\"><div "
      "class=\"striplanes\" aria-hidden=\"true\">";
  for (std::size_t i = 0; i < std::min(overview.lanes.size(), kMostLanes); ++i)
    out += "<div>" + text(shortened(overview.lanes[i].name, 12)) + "</div>";
  out += "</div>" + Strip(overview).svg() + "</div>\n";
  if (overview.lanes.size() > kMostLanes)
    out += "<p>and " + std::to_string(overview.lanes.size() - kMostLanes) +
           " more sessions</p>";
  if (overview.left_out > 0)
    out +=
        "<p>" + grouped(overview.left_out) + " transactions are not drawn.</p>";
  return out;
}

/// For the search: name, session, where, operations, finding, position.
std::string index_of(const Overview& overview, std::size_t number) {
  using Json = nlohmann::ordered_json;
  Json all = Json::array();
  for (std::size_t i = 0; i < overview.lanes.size(); ++i)
    for (const Overview::Txn& txn : overview.lanes[i].txns)
      all.push_back(
          Json::array({txn.name, i, txn.where, txn.text,
                       txn.finding.empty() ? "" : anchor(txn.finding)}));
  return "<script type=\"application/json\" class=\"index\" id=\"index" +
         std::to_string(number) + "\">" +
         data_block(all.dump(-1, ' ', false, Json::error_handler_t::replace)) +
         "</script>\n";
}

}  // namespace

std::string context_markup(const Overview& part) {
  std::size_t count = 0;
  for (const Overview::Lane& lane : part.lanes) count += lane.txns.size();
  return "<section class=\"context\"><h3>What ran at about the same "
         "time</h3><p>" +
         counted(count, "transaction") + " of " +
         counted(part.lanes.size(), "session") + "; " +
         (part.has_times ? "time" : "the position in the input") +
         " goes to the right. Red: those of this finding.</p>\n" +
         strip_box(part) + "</section>\n";
}

std::string overview_markup(const Overview& overview, std::size_t number) {
  std::string out =
      "<section class=\"overview\" data-index=\"index" +
      std::to_string(number) + "\"><h2>" + text(overview.title) + "</h2><p>" +
      (overview.has_times ? "Time" : "The position in the input") +
      " goes to the right, a row per session. Red: part of a "
      "finding.</p>\n" +
      strip_box(overview);
  out +=
      "<div class=\"needs-script\"><label class=\"filter\">find a "
      "transaction <input type=\"search\" class=\"findtxn\"></label><div "
      "class=\"found\" role=\"status\"></div></div>\n";
  return out + index_of(overview, number) + "</section>\n";
}

}  // namespace txscope::report::html_page
