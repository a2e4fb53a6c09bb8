#include "small_log.h"

#include <algorithm>
#include <functional>

namespace txscope::test {
namespace {

using S = SmallStatement;

bool is_wanted(const S& s, const SmallRow& row) {
  switch (s.kind) {
    case S::ReadRange:
    case S::AddRange:
    case S::DeleteRange: return row.v && *row.v >= s.a;
    case S::Total: return row.v && *row.v != s.a;
    case S::CountAll: return true;
    default: return row.k == s.a;
  }
}

/// Whether another row has its primary key, its unique one.
bool takes_k(const Lives& rows, int self, const SmallRow& row) {
  return std::any_of(rows.begin(), rows.end(), [&](const auto& other) {
    return other.first != self && other.second.k == row.k;
  });
}
bool takes_u(const Lives& rows, int self, const SmallRow& row) {
  return std::any_of(rows.begin(), rows.end(), [&](const auto& other) {
    return other.first != self && row.u && other.second.u == row.u;
  });
}

SmallRow changed(const S& s, SmallRow row, int count) {
  switch (s.kind) {
    case S::SetKey: row.v = s.b; break;
    case S::AddKey:
    case S::AddRange: row.v = row.v && s.b ? Int(*row.v + *s.b) : Int(); break;
    case S::CountInto: row.v = count; break;
    case S::SetUnique: row.u = s.b; break;
    case S::MoveKey: row.k = *s.b; break;
    default: break;
  }
  return row;
}

std::string sql_of(const S& s, std::string& params) {
  const auto text = [](Int v) { return v ? std::to_string(*v) : "null"; };
  const std::string a = std::to_string(s.a);
  const std::string b = text(s.b);
  params = a;
  switch (s.kind) {
    case S::ReadKey: return "SELECT v, u FROM t WHERE k = $1";
    case S::LockKey: return "SELECT v, u FROM t WHERE k = $1 FOR UPDATE";
    case S::ReadRange: return "SELECT k, v FROM t WHERE v >= $1 ORDER BY k";
    case S::Total: return "SELECT count(*), sum(v) FROM t WHERE v <> $1";
    case S::CountAll: params = ""; return "SELECT count(*) FROM t";
    case S::Insert:
    case S::InsertNothing:
    case S::InsertUpdate:
      params = a + "," + b + "," + text(s.u);
      return std::string("INSERT INTO t (k, v, u) VALUES ($1, $2, $3)") +
             (s.kind == S::Insert          ? ""
              : s.kind == S::InsertNothing ? " ON CONFLICT DO NOTHING"
                                           : " ON CONFLICT (k) DO UPDATE SET "
                                             "v = $2");
    case S::DeleteKey: return "DELETE FROM t WHERE k = $1";
    case S::DeleteRange: return "DELETE FROM t WHERE v >= $1";
    case S::CountInto:
      return "UPDATE t SET v = (SELECT count(*) FROM t) WHERE k = $1";
    default: break;
  }
  params = a + "," + b;
  switch (s.kind) {
    case S::SetKey: return "UPDATE t SET v = $2 WHERE k = $1";
    case S::AddKey: return "UPDATE t SET v = v + $2 WHERE k = $1";
    case S::AddRange: return "UPDATE t SET v = v + $2 WHERE v >= $1";
    case S::SetUnique: return "UPDATE t SET u = $2 WHERE k = $1";
    default: return "UPDATE t SET k = $2 WHERE k = $1";
  }
}

std::string answer_of(const S& s) {
  if (s.answer.is_error)
    return R"(,"error":{"sqlstate":"23505","message":"duplicate key"})";
  if (!s.is_observed) return "";
  if (!s.is_select()) return R"(,"count":)" + std::to_string(s.answer.count);
  std::string text = R"(,"rows":[)";
  for (const auto& row : s.answer.rows) {
    text += text.back() == '[' ? "[" : ",[";
    for (const Int& v : row)
      text += (text.back() == '[' ? "" : ",") +
              (v ? std::to_string(*v) : std::string("null"));
    text += "]";
  }
  return text + "]";
}

}  // namespace

Lives with_own(const Lives& state, const OwnLives& own) {
  Lives rows = state;
  for (const auto& [life, row] : own) {
    if (row)
      rows[life] = *row;
    else
      rows.erase(life);
  }
  return rows;
}

bool is_unique(const Lives& state) {
  return std::none_of(state.begin(), state.end(), [&](const auto& one) {
    return takes_k(state, one.first, one.second) ||
           takes_u(state, one.first, one.second);
  });
}

SmallRow inserted(const S& s) { return {s.a, s.b, s.u}; }

std::optional<int> life_with_key(const Lives& rows, int k) {
  for (const auto& [life, row] : rows)
    if (row.k == k) return life;
  return std::nullopt;
}

bool is_in_the_way(const Lives& rows, const S& s) {
  return takes_k(rows, -1, inserted(s)) || takes_u(rows, -1, inserted(s));
}

SmallAnswer run(const S& s, const Lives& seen, const Lives& latest,
                OwnLives& own, int& next_life) {
  SmallAnswer answer;
  if (s.is_insert()) {
    const auto there = life_with_key(latest, s.a);
    const bool is_update = s.kind == S::InsertUpdate && there;
    const bool is_refused = !is_update && is_in_the_way(latest, s);
    answer.is_error = is_refused && s.kind != S::InsertNothing;
    if (is_refused) return answer;
    SmallRow row = is_update ? latest.at(*there) : inserted(s);
    row.v = s.b;
    own[is_update ? *there : next_life++] = row;
    answer.count = 1;
    return answer;
  }
  std::vector<std::pair<int, SmallRow>> found;
  for (const auto& one : seen)
    if (is_wanted(s, one.second)) found.push_back(one);
  if (s.is_select()) {
    std::stable_sort(found.begin(), found.end(),
                     [](auto& a, auto& b) { return a.second.k < b.second.k; });
    Int sum;
    for (const auto& [life, row] : found) {
      if (s.kind == S::ReadKey || s.kind == S::LockKey)
        answer.rows.push_back({row.v, row.u});
      if (s.kind == S::ReadRange) answer.rows.push_back({row.k, row.v});
      if (row.v) sum = sum.value_or(0) + *row.v;
    }
    const int count = static_cast<int>(found.size());
    if (s.kind == S::Total) answer.rows.push_back({count, sum});
    if (s.kind == S::CountAll) answer.rows.push_back({count});
    return answer;
  }
  const OwnLives before = own;
  Lives now = latest;
  for (const auto& [life, row] : found) {
    ++answer.count;
    if (s.kind == S::DeleteKey || s.kind == S::DeleteRange) {
      own[life] = std::nullopt;
      continue;
    }
    const SmallRow to = changed(s, row, static_cast<int>(seen.size()));
    // Of a key that does not change nobody asks.
    const bool is_refused = (to.u != row.u && takes_u(now, life, to)) ||
                            (to.k != row.k && takes_k(now, life, to));
    if (is_refused) {
      own = before;
      answer = SmallAnswer();
      answer.is_error = true;
      return answer;
    }
    if (to.k != row.k) {
      own[life] = std::nullopt;
      now.erase(life);
      own[next_life] = to;
      now[next_life++] = to;
    } else {
      own[life] = to;
      now[life] = to;
    }
  }
  return answer;
}

bool is_same_answer(const S& s, const SmallAnswer& given) {
  if (s.answer.is_error || given.is_error)
    return s.answer.is_error == given.is_error;
  if (!s.is_observed) return true;
  if (!s.is_select()) return s.answer.count == given.count;
  // Ties of ORDER BY are free: rows of one key, in any order.
  if (s.kind == S::ReadRange) {
    if (s.answer.rows.size() != given.rows.size()) return false;
    for (std::size_t i = 0; i < given.rows.size(); ++i)
      if (s.answer.rows[i][0] != given.rows[i][0]) return false;
  }
  return std::is_permutation(s.answer.rows.begin(), s.answer.rows.end(),
                             given.rows.begin(), given.rows.end());
}

std::string text_of(const SmallLog& log, int more) {
  const auto value = [](Int v) { return v ? std::to_string(*v) : "NULL"; };
  std::string rows;
  for (const SmallRow& row : log.initial)
    rows += (rows.empty() ? "(" : ",(") + std::to_string(row.k) + "," +
            value(row.v) + "," + value(row.u) + ")";
  std::string text =
      R"x({"txscope":"log","version":1,"dialect":"postgresql","setup":[)x"
      R"x("CREATE TABLE t (k INT PRIMARY KEY, v INT, u INT UNIQUE)",)x"
      R"x("CREATE TABLE other (k INT PRIMARY KEY)")x";
  if (!rows.empty()) text += R"(,"INSERT INTO t VALUES )" + rows + "\"";
  text += "]}\n";
  for (std::size_t t = 0; t < log.txns.size(); ++t) {
    const SmallTxn& txn = log.txns[t];
    constexpr const char* kStatus[] = {"committed", "aborted", "unknown"};
    text += R"({"session":)" + std::to_string(txn.session) + R"(,"id":"t)" +
            std::to_string(t) + R"(","status":")" + kStatus[txn.status] +
            R"(","start":)" + std::to_string(txn.start);
    if (txn.status != SmallTxn::Unknown)
      text += R"(,"end":)" + std::to_string(txn.end);
    text += R"(,"statements":[)";
    for (const SmallStatement& s : txn.statements) {
      std::string params;
      const std::string sql = sql_of(s, params);
      text += text.back() == '[' ? "" : ",";
      if (s.is_undone) text += R"({"sql":"SAVEPOINT a"},)";
      text += R"({"sql":")" + sql + R"(","params":[)" + params + "]" +
              answer_of(s) + "}";
      if (s.is_undone) text += R"(,{"sql":"ROLLBACK TO a"})";
    }
    text += "]}\n";
  }
  for (int i = 0; i < more; ++i)
    text += R"({"session":"o)" + std::to_string(i) + R"(","id":"o)" +
            std::to_string(i) +
            R"x(","status":"committed","start":-1,"end":1000,"statements":[)x"
            R"x({"sql":"SELECT count(*) FROM other","rows":[[0]]}]})x"
            "\n";
  return text;
}

}  // namespace txscope::test
