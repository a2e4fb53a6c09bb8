#include "tla/ranks/coverage_exchange.h"

#include <map>
#include <tuple>
#include <utility>

#include "base/bytes.h"
#include "tla/ranks/rank_search.h"

namespace txscope::tla::ranks {
namespace {

void put(ByteWriter& out, const Place& place) {
  out.text(place.file);
  out.number(place.line);
  out.number(place.column);
}

Place get_place(ByteReader& in) {
  Place place;
  place.file = in.text();
  place.line = in.number();
  place.column = static_cast<std::uint32_t>(in.number());
  return place;
}

/// Adds `more` to what is known of its place, or inserts it there.
template <class Item, class Add>
void merge(std::vector<Item>& all, const std::vector<Item>& more,
           const Add& add) {
  const auto key = [](const Item& item) {
    return std::make_tuple(item.place.file, item.place.line, item.place.column);
  };
  std::map<std::tuple<std::string, std::uint64_t, std::uint32_t>, Item> sorted;
  for (Item& item : all) sorted.emplace(key(item), std::move(item));
  for (const Item& item : more) {
    const auto [at, is_new] = sorted.emplace(key(item), item);
    if (!is_new) add(at->second, item);
  }
  all.clear();
  for (auto& [place, item] : sorted) all.push_back(std::move(item));
}

}  // namespace

std::string packed(const ModelCoverage& coverage,
                   const DistinctByAction& distinct) {
  ByteWriter out;
  out.number(coverage.actions.size());
  for (const ModelCoverage::Action& action : coverage.actions) {
    out.text(action.name);
    put(out, action.place);
    out.number(action.generated);
    out.number(action.distinct);
  }
  out.number(coverage.lines.size());
  for (const ModelCoverage::Line& line : coverage.lines) {
    put(out, line.place);
    out.text(line.text);
    out.number(line.count);
  }
  out.number(distinct.size());
  for (const auto& [key, count] : distinct) {
    out.number(key);
    out.number(count);
  }
  return out.take();
}

void add_coverage(std::string_view bytes, ModelCoverage& coverage,
                  DistinctByAction& distinct) {
  ByteReader in(bytes);
  ModelCoverage other;
  other.actions.resize(in.number());
  for (ModelCoverage::Action& action : other.actions) {
    action.name = in.text();
    action.place = get_place(in);
    action.generated = in.number();
    action.distinct = in.number();
  }
  other.lines.resize(in.number());
  for (ModelCoverage::Line& line : other.lines) {
    line.place = get_place(in);
    line.text = in.text();
    line.count = in.number();
  }
  for (std::uint64_t left = in.number(); left > 0; --left) {
    const std::uint64_t key = in.number();
    distinct[key] += in.number();
  }
  merge(coverage.actions, other.actions,
        [](ModelCoverage::Action& a, const ModelCoverage::Action& b) {
          a.generated += b.generated;
          a.distinct += b.distinct;
        });
  merge(coverage.lines, other.lines,
        [](ModelCoverage::Line& a, const ModelCoverage::Line& b) {
          a.count += b.count;
        });
}

void add_distinct(const DistinctByAction& distinct, ModelCoverage& coverage) {
  for (ModelCoverage::Action& action : coverage.actions) {
    const auto found = distinct.find(
        action_key(action.place.file, action.place.line, action.place.column));
    if (found != distinct.end()) action.distinct += found->second;
  }
}

}  // namespace txscope::tla::ranks
