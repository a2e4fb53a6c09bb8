#include "engine/identity/session_marks.h"

#include <algorithm>
#include <set>
#include <string>

#include "model/sql/walk.h"

namespace txscope::engine {
namespace {

/// The file without what sessions run.
std::string without_annotations(const std::string& source) {
  std::string rest;
  for (std::size_t at = 0; at < source.size();) {
    const std::size_t end = std::min(source.find('\n', at), source.size());
    const std::string line = source.substr(at, end - at);
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string::npos || line.compare(first, 3, "--@") != 0)
      rest += line + "\n";
    at = end + 1;
  }
  return rest;
}

/// Looks for what the far numbers or texts of another length would change.
class Limits {
 public:
  explicit Limits(const sql::Application& application) {
    for (const sql::Table& table : application.schema.tables)
      for (const sql::Column& column : table.columns) note(column.type);
    for (const sql::Routine& routine : application.routines) {
      for (const auto& variable : routine.variables) note(variable.type);
      sql::for_each_pl(routine.body, [this](const sql::PlStatement& s) {
        sql::for_each_part(
            s, [this](const sql::Expr& e) { walk(e); },
            [this](const sql::DbStatement& d) {
              sql::for_each_part(
                  d, [this](const sql::Expr& e) { walk(e); },
                  [this](const sql::Query& q) { walk(q); });
            },
            [](const sql::PlBlock&) {});
      });
    }
  }
  [[nodiscard]] bool has_small_numbers() const { return has_small_; }
  [[nodiscard]] std::size_t longest_text() const { return longest_; }

 private:
  void note(const sql::Type& type) {
    has_small_ |= type.name == sql::TypeName::SmallInt;
    const bool is_limited =
        type.name == sql::TypeName::Varchar || type.name == sql::TypeName::Char;
    if (is_limited && type.size > 0)
      longest_ = std::min<std::size_t>(longest_, type.size);
  }
  void walk(const sql::Expr& e) {
    if (e.op == sql::Op::Cast) note(e.type);
    sql::for_each_part(
        e, [this](const sql::Expr& part) { walk(part); },
        [this](const sql::Query& q) { walk(q); });
  }
  void walk(const sql::Query& query) {
    sql::for_each_part(
        query, [this](const sql::Expr& e) { walk(e); },
        [this](const sql::Query& q) { walk(q); });
  }

  bool has_small_ = false;
  std::size_t longest_ = SIZE_MAX;
};

const Profile* level_of(const sql::Call& call) {
  return call.level ? call.level->profile : nullptr;
}

/// Texts that only one session has, and has only to store.
class OwnTexts {
 public:
  OwnTexts(const sql::Application& application, const Identifiers& identifiers,
           const sql::MemoryDatabase& initial) {
    const std::string source = without_annotations(application.source);
    const std::size_t longest = Limits(application).longest_text();
    std::set<sql::Value> elsewhere;
    for (std::uint8_t s = 0; s < application.sessions.size(); ++s) {
      const auto& calls = application.sessions[s].calls;
      std::size_t count = 0;
      for (std::size_t c = 0; c < calls.size(); ++c) {
        for (std::size_t i = 0; i < calls[c].arguments.size(); ++i) {
          const sql::Value& value = calls[c].arguments[i];
          if (value.kind() != sql::Kind::Text) continue;
          const bool is_own = identifiers.blank_arguments[s][c][i] &&
                              value.text().size() <= longest &&
                              source.find(value.text()) == std::string::npos;
          // Those of sessions that are alike come at the same places.
          const RowMark mark{0, s, kTexts + static_cast<std::uint32_t>(count)};
          const auto [entry, is_new] = texts_.try_emplace(value, mark);
          count += is_new ? 1 : 0;
          if (!is_own || entry->second.session != s) elsewhere.insert(value);
        }
      }
    }
    for (const sql::Value& value : elsewhere) texts_.erase(value);
    for (std::size_t t = 0; t < application.schema.tables.size(); ++t) {
      if (texts_.empty()) return;
      for (const sql::Row& row : initial.rows(TableId(t)))
        for (const sql::Value& value : row)
          if (value.kind() == sql::Kind::Text) texts_.erase(value);
    }
  }
  [[nodiscard]] const std::map<sql::Value, RowMark>& all() const {
    return texts_;
  }
  /// Whether one session may stand for the other.
  [[nodiscard]] bool are_alike(const sql::Session& a,
                               const sql::Session& b) const {
    if (a.calls.size() != b.calls.size()) return false;
    std::map<sql::Value, sql::Value> renamed;
    for (std::size_t c = 0; c < a.calls.size(); ++c) {
      const sql::Call& x = a.calls[c];
      const sql::Call& y = b.calls[c];
      if (x.routine != y.routine || x.retries != y.retries ||
          level_of(x) != level_of(y) ||
          x.arguments.size() != y.arguments.size() || !x.open.empty() ||
          !y.open.empty()) {
        return false;
      }
      for (std::size_t i = 0; i < x.arguments.size(); ++i) {
        const sql::Value& one = x.arguments[i];
        const sql::Value& other = y.arguments[i];
        if (one == other && texts_.count(one) == 0) continue;
        if (texts_.count(one) == 0 || texts_.count(other) == 0) return false;
        const auto [entry, is_new] = renamed.try_emplace(one, other);
        if (entry->second != other) return false;
      }
    }
    // Two texts of one session must not become one.
    std::set<sql::Value> others;
    for (const auto& [from, to] : renamed)
      if (!others.insert(to).second) return false;
    return true;
  }

 private:
  /// Numbers are counted from 0, texts from here.
  static constexpr std::uint32_t kTexts = 0x80000000u;
  std::map<sql::Value, RowMark> texts_;
};

bool can_tell(const sql::Application& application,
              const Identifiers& identifiers) {
  if (application.sessions.size() < 2) return false;
  for (const sql::Property& property : application.properties)
    if (!property.variables.empty()) return false;
  for (const sql::Session& session : application.sessions)
    for (const sql::Call& call : session.calls)
      if (!call.settings.empty()) return false;
  bool has_own = false;
  const auto& sequences = application.schema.sequences;
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    // Of values that are never the same no text is known.
    if (sequences[s].name.empty()) return false;
    if (!identifiers.sequences[s]) continue;
    if (identifiers.shown[s]) return false;
    has_own = true;
  }
  return !has_own || !Limits(application).has_small_numbers();
}

}  // namespace

std::optional<SessionMarks> SessionMarks::find(
    const sql::Application& application, const Identifiers& identifiers,
    const sql::MemoryDatabase& initial) {
  if (!can_tell(application, identifiers)) return std::nullopt;
  SessionMarks marks;
  marks.sessions_ = application.sessions.size();
  const OwnTexts texts(application, identifiers, initial);
  std::vector<std::vector<std::uint8_t>> groups;
  for (std::uint8_t s = 0; s < application.sessions.size(); ++s) {
    const auto group =
        std::find_if(groups.begin(), groups.end(), [&](const auto& one) {
          return texts.are_alike(application.sessions[one.front()],
                                 application.sessions[s]);
        });
    if (group == groups.end())
      groups.push_back({s});
    else
      group->push_back(s);
  }
  std::erase_if(groups, [](const auto& group) { return group.size() < 2; });
  if (groups.empty()) return std::nullopt;
  marks.groups_ = std::move(groups);
  marks.texts_ = texts.all();
  marks.blank_ = identifiers.blank_columns;
  return marks;
}

std::optional<RowMark> SessionMarks::of_number(const sql::Value& value) const {
  if (value.kind() != sql::Kind::Integer || value.integer() < kFar)
    return std::nullopt;
  const auto turn = static_cast<std::uint64_t>(value.integer() - kFar);
  if (turn >= 1'000'000 * sessions_) return std::nullopt;
  return RowMark{0, static_cast<std::uint8_t>(turn % sessions_),
                 static_cast<std::uint32_t>(turn / sessions_)};
}

std::optional<RowMark> SessionMarks::of_text(const sql::Value& value) const {
  if (value.kind() != sql::Kind::Text) return std::nullopt;
  const auto found = texts_.find(value);
  if (found == texts_.end()) return std::nullopt;
  return found->second;
}

std::vector<RowMark> SessionMarks::of_row(TableId table,
                                          const sql::Row& row) const {
  std::vector<RowMark> marks;
  for (std::uint32_t c = 0; c < row.size(); ++c) {
    std::optional<RowMark> mark = of_number(row[c]);
    if (blank_[table.index][c] && !mark) mark = of_text(row[c]);
    if (!mark) continue;
    mark->column = c;
    marks.push_back(*mark);
  }
  return marks;
}

}  // namespace txscope::engine
