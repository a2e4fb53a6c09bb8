// A cycle of transactions as a ring; its edges have words while there is room.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "report/html/parts.h"
#include "report/page/wrap.h"

namespace txscope::report::html_page {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kNodeHeight = 30;
constexpr double kCharWidth = 7.4;
constexpr double kBadgeHeight = 20;
constexpr std::size_t kMostDrawn = 24;
constexpr std::size_t kMostWorded = 8;
constexpr std::size_t kLongestName = 26;

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

struct Point {
  double x = 0;
  double y = 0;
};

/// What an edge means, read along its arrow.
std::string kind_words(const std::string& kind) {
  if (kind == "wr") return "is read by";
  if (kind == "ww") return "is overwritten by";
  if (kind == "rw") return "does not see";
  if (kind == "rt") return "ended before";
  return kind == "so" ? "comes before" : kind;
}

double width_of(const std::string& words) {
  return kCharWidth * static_cast<double>(columns(words));
}

/// Nodes on a circle, edges as arcs just inside of it.
class Ring {
 public:
  explicit Ring(const std::vector<document::Edge>& cycle) : cycle_(cycle) {
    double badge = 0;
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      width_ = std::max(width_,
                        width_of(shortened(cycle[i].from, kLongestName)) + 24);
      badge = std::max(badge, badge_width(i));
    }
    const auto n = static_cast<double>(cycle.size());
    radius_x_ = cycle.size() == 2 ? std::max(width_ * 0.75, badge / 2)
                                  : n * (width_ + badge) / 6;
    radius_y_ = std::max(74.0, n * 24);
  }

  std::string svg(const std::string& id) {
    const double w = 2 * radius_x_ + width_ + 20;
    const double h = 2 * radius_y_ + kNodeHeight + 20;
    std::string out = "<svg class=\"ring\" viewBox=\"" + number(-w / 2) + " " +
                      number(-h / 2) + " " + number(w) + " " + number(h) +
                      "\" width=\"" + number(w) + "\" height=\"" + number(h) +
                      "\" role=\"img\" aria-label=\"A cycle of " +
                      std::to_string(cycle_.size()) +
                      " transactions; its edges are in the list beside "
                      "it\"><defs>";
    for (const char* kind : {"wr", "rw", "ww", "so"})
      out += "<marker id=\"" + id + "-" + kind + "\" class=\"tip " + kind +
             "\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" "
             "markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path "
             "d=\"M0 0L10 5L0 10Z\"/></marker>";
    out += "</defs>";
    for (std::size_t i = 0; i < cycle_.size(); ++i) out += edge(i, id);
    for (std::size_t i = 0; i < cycle_.size(); ++i) out += node(i);
    return out + "</svg>";
  }

 private:
  [[nodiscard]] double angle(double i) const {
    // Two stand side by side, more begin at the top.
    const double start = cycle_.size() == 2 ? kPi : -kPi / 2;
    return start + 2 * kPi * i / static_cast<double>(cycle_.size());
  }
  [[nodiscard]] Point on(double i, double share) const {
    return {radius_x_ * share * std::cos(angle(i)),
            radius_y_ * share * std::sin(angle(i))};
  }

  [[nodiscard]] std::string node(std::size_t i) const {
    const Point p = on(static_cast<double>(i), 1);
    return "<g class=\"node\"><rect x=\"" + number(p.x - width_ / 2) +
           "\" y=\"" + number(p.y - kNodeHeight / 2) + "\" width=\"" +
           number(width_) + "\" height=\"" + number(kNodeHeight) +
           "\" rx=\"6\"/><text x=\"" + number(p.x) + "\" y=\"" +
           number(p.y + 4.5) + "\">" +
           text(shortened(cycle_[i].from, kLongestName)) + "</text></g>";
  }

  /// Where the way from a node's middle to `to` leaves its box.
  [[nodiscard]] Point border(Point from, Point to) const {
    const double dx = to.x - from.x;
    const double dy = to.y - from.y;
    const double half_x = width_ / 2 + 4;
    const double half_y = kNodeHeight / 2 + 4;
    double share = 1;
    if (std::abs(dx) > 1e-9) share = std::min(share, half_x / std::abs(dx));
    if (std::abs(dy) > 1e-9) share = std::min(share, half_y / std::abs(dy));
    return {from.x + dx * share, from.y + dy * share};
  }

  [[nodiscard]] std::string edge(std::size_t i, const std::string& id) const {
    const auto from_at = static_cast<double>(i);
    const Point a = on(from_at, 1);
    const Point b = on(from_at + 1, 1);
    // The middle lies on the circle, half way round.
    const Point bend = on(from_at + 0.5, cycle_.size() == 2 ? 1.25 : 1.0);
    const Point start = border(a, bend);
    const Point end = border(b, bend);
    const std::string kind = known(cycle_[i].kind);
    const Point middle{(start.x + 2 * bend.x + end.x) / 4,
                       (start.y + 2 * bend.y + end.y) / 4};
    return "<path class=\"edge " + kind + "\" marker-end=\"url(#" + id + "-" +
           kind + ")\" d=\"M" + number(start.x) + " " + number(start.y) + "Q" +
           number(bend.x) + " " + number(bend.y) + " " + number(end.x) + " " +
           number(end.y) + "\"/>" + badge_at(i, middle);
  }

  /// "1 is read by"; of a big ring the number alone.
  [[nodiscard]] std::string badge_words(std::size_t i) const {
    std::string words = std::to_string(i + 1);
    if (cycle_.size() <= kMostWorded) words += " " + kind_words(cycle_[i].kind);
    return words;
  }
  [[nodiscard]] double badge_width(std::size_t i) const {
    return width_of(badge_words(i)) + 14;
  }
  [[nodiscard]] std::string badge_at(std::size_t i, Point middle) const {
    const double w = badge_width(i);
    return "<rect class=\"badge " + known(cycle_[i].kind) + "\" x=\"" +
           number(middle.x - w / 2) + "\" y=\"" +
           number(middle.y - kBadgeHeight / 2) + "\" width=\"" + number(w) +
           "\" height=\"" + number(kBadgeHeight) +
           "\" rx=\"10\"/><text class=\"badge\" x=\"" + number(middle.x) +
           "\" y=\"" + number(middle.y + 4) + "\">" + text(badge_words(i)) +
           "</text>";
  }

  static std::string known(const std::string& kind) {
    return kind == "wr" || kind == "rw" || kind == "ww" ? kind : "so";
  }

  const std::vector<document::Edge>& cycle_;
  double width_ = 60;
  double radius_x_ = 100;
  double radius_y_ = 70;
};

}  // namespace

std::string cycle_markup(const document::Finding& finding) {
  const auto& cycle = finding.cycle;
  if (cycle.empty()) return "";
  std::string out =
      "<section class=\"cycle\"><h3>Why no serial order fits: each has to come "
      "before the next</h3><div class=\"cyclebody\">";
  if (cycle.size() <= kMostDrawn) out += Ring(cycle).svg(anchor(finding.id));
  out += "<ol class=\"edges\">";
  for (const document::Edge& edge : cycle)
    out += "<li><strong>" + text(edge.from) +
           "</strong> <span aria-hidden=\"true\">\xE2\x86\x92</span>"
           "<span class=\"away\">before</span> <strong>" +
           text(edge.to) + "</strong> <span class=\"edgekind " +
           text(edge.kind) + "\" title=\"" + text(kind_words(edge.kind)) +
           "\">" + text(edge.kind) + "</span><br>" + text(edge.reason) +
           "</li>";
  return out + "</ol></div></section>\n";
}

}  // namespace txscope::report::html_page
