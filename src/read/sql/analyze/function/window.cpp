#include <algorithm>
#include <array>

#include "read/sql/analyze/expression/expression_shape.h"
#include "read/sql/analyze/rooms.h"

namespace txscope::sql::analyzer {
namespace {

constexpr Type kBigInt{TypeName::BigInt, 0, 0};

struct WindowName {
  std::string_view name;
  WindowFunction function;
  std::size_t least;  // arguments
  std::size_t most;
  std::optional<Type> result;  // none: that of the first argument
};
constexpr std::array<WindowName, 11> kWindowNames = {{
    {"row_number", WindowFunction::RowNumber, 0, 0, kBigInt},
    {"rank", WindowFunction::Rank, 0, 0, kBigInt},
    {"dense_rank", WindowFunction::DenseRank, 0, 0, kBigInt},
    {"percent_rank", WindowFunction::PercentRank, 0, 0, Type{TypeName::Double}},
    {"cume_dist", WindowFunction::CumeDist, 0, 0, Type{TypeName::Double}},
    {"ntile", WindowFunction::Ntile, 1, 1, kInteger},
    {"lag", WindowFunction::Lag, 1, 3, std::nullopt},
    {"lead", WindowFunction::Lead, 1, 3, std::nullopt},
    {"first_value", WindowFunction::FirstValue, 1, 1, std::nullopt},
    {"last_value", WindowFunction::LastValue, 1, 1, std::nullopt},
    {"nth_value", WindowFunction::NthValue, 2, 2, std::nullopt},
}};

// PostgreSQL's bits of WindowDef.frame_options.
enum FrameOption : std::int32_t {
  kNonDefault = 0x00001,
  kRows = 0x00004,
  kGroups = 0x00008,
  kStartUnboundedPreceding = 0x00020,
  kEndUnboundedPreceding = 0x00040,
  kStartUnboundedFollowing = 0x00080,
  kEndUnboundedFollowing = 0x00100,
  kStartCurrentRow = 0x00200,
  kEndCurrentRow = 0x00400,
  kStartPreceding = 0x00800,
  kEndPreceding = 0x01000,
  kStartFollowing = 0x02000,
  kEndFollowing = 0x04000,
  kExcludeCurrentRow = 0x08000,
  kExcludeGroup = 0x10000,
  kExcludeTies = 0x20000,
};

FrameBound::Kind bound_kind(std::int32_t options, bool is_end) {
  const auto has = [&](std::int32_t start, std::int32_t end) {
    return (options & (is_end ? end : start)) != 0;
  };
  using enum FrameBound::Kind;
  if (has(kStartPreceding, kEndPreceding)) return Preceding;
  if (has(kStartCurrentRow, kEndCurrentRow)) return CurrentRow;
  if (has(kStartFollowing, kEndFollowing)) return Following;
  if (has(kStartUnboundedFollowing, kEndUnboundedFollowing))
    return UnboundedFollowing;
  return UnboundedPreceding;
}

}  // namespace

void Windows::check_window(Span at) {
  const Clause clause = level().clause;
  if (clause == Clause::Target || clause == Clause::OrderBy) return;
  source().fail(
      at,
      "window functions are not allowed " + std::string(clause_name(clause)),
      clause == Clause::Where || clause == Clause::Having
          ? "use a subquery: SELECT ... FROM (SELECT ... OVER (...) "
            "AS x FROM ...) t WHERE ..."
          : "");
}

std::optional<Expr> Windows::window_function(const PgQuery__FuncCall& node,
                                             std::string_view name, Span at) {
  const auto known =
      std::find_if(kWindowNames.begin(), kWindowNames.end(),
                   [&](const WindowName& w) { return w.name == name; });
  if (known == kWindowNames.end()) return std::nullopt;
  if (node.over == nullptr) {
    source().fail(at, "window function " + std::string(name) +
                          "() requires an OVER clause");
  }
  check_window(at);
  if (node.agg_filter != nullptr) {
    source().fail(at, "only an aggregate can have FILTER, not " +
                          std::string(name) + "()");
  }
  if (node.agg_distinct || node.n_agg_order > 0 || node.agg_star) {
    source().fail(at, std::string(name) + "() is not an aggregate function");
  }
  const Clause clause = level().clause;
  level().clause = Clause::Window;
  ++scope_.conditional;  // evaluated once per row
  std::vector<Expr> args = all_.expressions.exprs(list(node.n_args, node.args));
  --scope_.conditional;
  level().clause = clause;
  if (args.size() < known->least || args.size() > known->most) {
    all_.functions.unknown_function(name, args, at);
  }
  const bool counts = known->function == WindowFunction::Ntile;
  Type type = known->result.value_or(Type{});
  if (!args.empty() && !counts) {
    // The value and what stands for it have one type.
    std::vector<Expr> values;
    values.push_back(std::move(args[0]));
    if (args.size() == 3) values.push_back(std::move(args[2]));
    type = bare(all_.expressions.match(values, name));
    args[0] = decided(source(), std::move(values[0]));
    if (args.size() == 3) args[2] = decided(source(), std::move(values[1]));
    if (type.name == TypeName::Unknown) type = kText;
  }
  const std::size_t number = counts ? 0 : 1;
  if (args.size() > number) {
    if (!converts(args[number].type, kInteger)) {
      all_.functions.unknown_function(name, args, at);
    }
    args[number] = convert(source(), std::move(args[number]), kInteger);
  }
  WindowCall call;
  call.function = known->function;
  call.args = std::move(args);
  return window_call(std::move(call), type, node, at);
}

Expr Windows::window_call(WindowCall call, Type type,
                          const PgQuery__FuncCall& node, Span at) {
  const Clause clause = level().clause;
  level().clause = Clause::Window;
  ++scope_.conditional;
  const PgQuery__WindowDef& over = *node.over;
  const bool is_name = !view(over.name).empty();
  window_of(is_name ? named_window(view(over.name), at) : over, call);
  --scope_.conditional;
  level().clause = clause;
  // PostgreSQL computes equal calls once: ORDER BY may repeat a target.
  auto& all = level().windows;
  const auto known =
      std::find_if(all.begin(), all.end(),
                   [&](const WindowCall& w) { return is_same(w, call); });
  const auto ordered = std::find_if(
      all.begin(), all.end(),
      [&](const WindowCall& w) { return has_same_order(w, call); });
  call.order = ordered != all.end() ? ordered->order
                                    : static_cast<std::uint32_t>(all.size());
  Expr e = make(Op::Window, type, {}, at);
  e.index = static_cast<std::uint32_t>(known - all.begin());
  if (known == all.end()) all.push_back(std::move(call));
  return e;
}

const PgQuery__WindowDef& Windows::named_window(std::string_view name,
                                                Span at) {
  for (const Node* item : level().named_windows) {
    if (view(item->window_def->name) == name) return *item->window_def;
  }
  source().fail(at, "window '" + std::string(name) + "' does not exist");
}

void Windows::window_of(const PgQuery__WindowDef& definition,
                        WindowCall& call) {
  const Span at = scope_.tree.at(definition.location);
  const std::string base(view(definition.refname));
  if (!base.empty()) {
    if (++scope_.depth > Program::kMaxNesting) {
      source().fail(at, "windows are nested too deeply here");
    }
    const PgQuery__WindowDef& other = named_window(base, at);
    if ((other.frame_options & kNonDefault) != 0) {
      source().fail(at, "cannot copy window '" + base +
                            "' because it has a frame clause");
    }
    window_of(other, call);
    --scope_.depth;
    if (definition.n_partition_clause > 0) {
      source().fail(
          at, "cannot override PARTITION BY clause of window '" + base + "'");
    }
    if (definition.n_order_clause > 0 && !call.order_by.empty()) {
      source().fail(at,
                    "cannot override ORDER BY clause of window '" + base + "'");
    }
  }
  if (definition.n_partition_clause + definition.n_order_clause >
      kMostColumns) {
    source().fail(at, "OVER has too many columns");
  }
  for (const Node* item :
       list(definition.n_partition_clause, definition.partition_clause)) {
    call.partition_by.push_back(decided(source(), all_.expressions.expr(item)));
    all_.operators.check_ordered(Op::Less, call.partition_by.back().type, at,
                                 "PARTITION BY");
  }
  for (const Node* item :
       list(definition.n_order_clause, definition.order_clause)) {
    const PgQuery__SortBy& by = *item->sort_by;
    call.order_by.push_back(all_.queries.sort_key(
        by, decided(source(), all_.expressions.expr(by.node))));
    all_.operators.check_ordered(Op::Less, call.order_by.back().expr.type, at,
                                 "ORDER BY");
  }
  frame(definition, call);
}

void Windows::frame(const PgQuery__WindowDef& definition, WindowCall& call) {
  const std::int32_t options = definition.frame_options;
  Frame& frame = call.frame;
  frame.unit = (options & kRows) != 0     ? Frame::Unit::Rows
               : (options & kGroups) != 0 ? Frame::Unit::Groups
                                          : Frame::Unit::Range;
  frame.exclusion = (options & kExcludeCurrentRow) != 0
                        ? Frame::Exclusion::CurrentRow
                    : (options & kExcludeGroup) != 0 ? Frame::Exclusion::Group
                    : (options & kExcludeTies) != 0  ? Frame::Exclusion::Ties
                                                    : Frame::Exclusion::Nothing;
  frame.start.kind = bound_kind(options, false);
  frame.end.kind = bound_kind(options, true);
  const Span at = scope_.tree.at(definition.location);
  if (frame.unit == Frame::Unit::Groups && call.order_by.empty()) {
    source().fail(at, "GROUPS mode requires an ORDER BY clause");
  }
  const auto offset = [&](FrameBound& bound, const Node* node) {
    if (node == nullptr) return;
    if (frame.unit == Frame::Unit::Range && call.order_by.size() != 1) {
      source().fail(at,
                    "RANGE with offset PRECEDING/FOLLOWING requires exactly "
                    "one ORDER BY column");
    }
    bound.offset = frame_offset(*node, call);
  };
  offset(frame.start, definition.start_offset);
  offset(frame.end, definition.end_offset);
}

/// ROWS and GROUPS count; RANGE adds to the value that ORDER BY sorts by.
Expr Windows::frame_offset(const Node& node, const WindowCall& call) {
  Expr e = all_.expressions.expr(&node);
  const bool is_range = call.frame.unit == Frame::Unit::Range;
  const std::string unit = is_range                               ? "RANGE"
                           : call.frame.unit == Frame::Unit::Rows ? "ROWS"
                                                                  : "GROUPS";
  if (mentions_column(e, 0) || has_aggregate(e)) {
    source().fail(e.at, "argument of " + unit + " must not contain variables");
  }
  Type wanted = kBigInt;
  if (is_range) {
    const TypeName key = call.order_by[0].expr.type.name;
    if (is_time(key)) {
      wanted = {TypeName::Interval};
    } else if (key == TypeName::Numeric) {
      wanted = {TypeName::Numeric};
    } else if (!is_integer(key)) {
      source().unsupported(
          e.at, "RANGE with offset PRECEDING/FOLLOWING for column type " +
                    to_string(call.order_by[0].expr.type) + " is");
    }
  }
  const bool fits =
      is_range ? converts(e.type, wanted) : assigns(e.type, wanted);
  if (!fits) {
    source().fail(e.at, "argument of " + unit + " must be " +
                            to_string(wanted) + ", not " + to_string(e.type));
  }
  return is_range ? convert(source(), std::move(e), wanted)
                  : assign(source(), std::move(e), wanted);
}

}  // namespace txscope::sql::analyzer
