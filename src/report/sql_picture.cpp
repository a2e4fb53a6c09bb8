#include <algorithm>

#include "report/lanes.h"
#include "report/sql_report.h"
#include "report/wrap.h"

namespace txscope {
namespace {

using PictureKind = SqlPicture::Step::Kind;

constexpr std::size_t kMaxShownRows = 3;

/// What a statement gave: its one value, its row, or how many rows.
std::string seen_text(const sql::DbStatement* statement,
                      const std::vector<sql::Row>& rows, std::uint64_t count) {
  if (statement == nullptr) return "";
  const bool gives_rows =
      statement->is_select() || !statement->returning.empty();
  if (!gives_rows || (rows.empty() && count > 0)) {
    return std::to_string(count) + (count == 1 ? " row" : " rows");
  }
  if (rows.empty()) return "no row";
  const auto text = [](const sql::Row& row) {
    return row.size() == 1 ? to_string(row.front()) : row_text(row);
  };
  if (rows.size() == 1) return text(rows.front());
  std::string out = std::to_string(rows.size()) + " rows: ";
  for (std::size_t i = 0; i < std::min(rows.size(), kMaxShownRows); ++i) {
    if (i > 0) out += ", ";
    out += text(rows[i]);
  }
  return rows.size() > kMaxShownRows ? out + ", .." : out;
}

class Painter {
 public:
  Painter(const SqlReport& report, const SqlLevel& level)
      : report_(report), application_(*report.application), level_(level) {}

  SqlPicture of(const engine::Violation& violation) {
    SqlPicture out;
    out.level = level_name(level_);
    out.property = violation.property;
    out.value = violation.value.is_null() ? "NULL" : "false";
    out.all_transactions = violation.all_calls;
    for (const engine::CallRef& call : violation.calls) {
      out.transactions.push_back(
          call_name(application_, call.session, call.call));
    }
    for (const engine::Step& step : violation.schedule) {
      out.steps.push_back(picture_of(step));
    }
    for (const TableId table : violation.tables) {
      out.finals.push_back({table, violation.final[table.index]});
    }
    for (const engine::SerialOutcome& serial : violation.serial) {
      out.serial.push_back(picture_of(serial, violation));
    }
    out.is_avoided_serially = violation.is_avoided_serially;
    for (const engine::Step& step : violation.schedule) {
      if (step.kind == engine::Step::Kind::Committed) {
        note_variables(step.session, step.call, step.slots, out);
      }
    }
    return out;
  }

  SqlPicture of(const Violation& violation) {
    const sql::SqlExploration& exploration = *report_.exploration;
    const Code& code = exploration.code();
    SqlPicture out;
    out.level = level_name(level_);
    out.property = property_at(violation.at);
    out.value = "false";
    out.all_transactions = violation.all_instances;
    for (const InstanceId i : violation.instances) {
      out.transactions.push_back(instance_name(exploration.program(), code, i));
    }
    for (const sql::TracedStatement& s : exploration.trace(violation)) {
      out.steps.push_back(picture_of(s));
      if (s.kind == sql::TracedStatement::Kind::Committed) {
        const Code::Instance& i = code.instances[s.instance.index];
        note_variables(i.session, i.call, s.slots, out);
      }
    }
    out.finals = finals(violation.finals);
    for (const SerialRun& run : violation.serial) {
      SqlPicture::Serial serial;
      for (const InstanceId i : run.order) {
        serial.order.push_back(instance_name(exploration.program(), code, i));
      }
      serial.finals = finals(run.finals);
      serial.is_violated = run.is_violated;
      out.serial.push_back(std::move(serial));
    }
    out.is_avoided_serially = violation.is_avoided_serially;
    out.refused_by = violation.refused_by;
    out.anomaly = violation.anomaly;
    out.replay_problem = violation.replay_problem;
    return out;
  }

 private:
  /// The values of variables that the property mentions.
  void note_variables(std::uint32_t session, std::uint32_t call,
                      const std::vector<sql::Value>& slots,
                      SqlPicture& out) const {
    const sql::Routine& routine =
        application_.at(application_.sessions[session].calls[call].routine);
    for (const sql::VariableRef& ref :
         application_.properties[out.property].variables) {
      if (ref.session != session || ref.call != call ||
          ref.slot >= slots.size()) {
        continue;
      }
      std::pair<std::string, std::string> shown = {
          call_name(application_, session, call) + "." +
              routine.variables[ref.slot].name,
          to_string(slots[ref.slot])};
      if (std::find(out.variables.begin(), out.variables.end(), shown) ==
          out.variables.end()) {
        out.variables.push_back(std::move(shown));
      }
    }
  }

  [[nodiscard]] std::uint32_t property_at(Span at) const {
    const auto& all = application_.properties;
    for (std::size_t p = 0; p < all.size(); ++p) {
      if (all[p].at.offset == at.offset) return static_cast<std::uint32_t>(p);
    }
    return 0;
  }

  [[nodiscard]] std::string statement_text(const sql::DbStatement* statement,
                                           const std::vector<sql::Value>& slots,
                                           Span at) const {
    if (statement == nullptr) return one_line(application_.text(at));
    return one_line(sql::text_with_values(application_, *statement, slots));
  }

  [[nodiscard]] SqlPicture::Step picture_of(const engine::Step& step) const {
    SqlPicture::Step out;
    out.session = step.session;
    out.call = step.call;
    out.attempt = step.attempt;
    out.at = step.at;
    out.statement = statement_text(step.statement, step.slots, step.at);
    switch (step.kind) {
      case engine::Step::Kind::Executed:
        out.seen = seen_text(step.statement, step.rows, step.count);
        break;
      case engine::Step::Kind::Waits:
        out.kind = PictureKind::Wait;
        out.waits_for = step.waits_for;
        break;
      case engine::Step::Kind::Failed:
        out.kind = PictureKind::Error;
        out.seen = step.message;
        out.code = step.code;
        break;
      case engine::Step::Kind::Committed:
        out.kind = PictureKind::Commit;
        out.statement = "COMMIT";
        break;
      case engine::Step::Kind::RolledBack:
        out.kind = PictureKind::Rollback;
        out.statement = "ROLLBACK";
        break;
    }
    return out;
  }

  [[nodiscard]] SqlPicture::Step picture_of(
      const sql::TracedStatement& traced) const {
    const sql::SqlExploration& exploration = *report_.exploration;
    const Code::Instance& instance =
        exploration.code().instances[traced.instance.index];
    SqlPicture::Step out;
    out.session = instance.session;
    out.call = instance.call;
    out.at = traced.at;
    switch (traced.kind) {
      case sql::TracedStatement::Kind::Executed:
        out.statement =
            statement_text(traced.statement, traced.slots, traced.at);
        out.seen = seen_text(traced.statement, traced.result.rows,
                             traced.result.count);
        break;
      case sql::TracedStatement::Kind::Failed:
        out.kind = PictureKind::Error;
        out.statement =
            statement_text(traced.statement, traced.slots, traced.at);
        out.seen = traced.error.message;
        out.code =
            traced.statement == nullptr ? "raised" : traced.error.sqlstate;
        break;
      case sql::TracedStatement::Kind::Committed:
        out.kind = PictureKind::Commit;
        out.statement = "COMMIT";
        break;
    }
    for (const InstanceId i : traced.misses) {
      out.misses.push_back(
          instance_name(exploration.program(), exploration.code(), i));
    }
    return out;
  }

  [[nodiscard]] SqlPicture::Serial picture_of(
      const engine::SerialOutcome& serial,
      const engine::Violation& violation) const {
    SqlPicture::Serial out;
    // A session's calls in `order` are its next ones among those needed.
    std::vector<std::vector<std::uint32_t>> calls(application_.sessions.size());
    for (const engine::CallRef& c : violation.calls) {
      calls[c.session].push_back(c.call);
    }
    std::vector<std::size_t> next(calls.size());
    for (const std::uint32_t session : serial.order) {
      const std::size_t n = next[session]++;
      const std::uint32_t call = n < calls[session].size()
                                     ? calls[session][n]
                                     : static_cast<std::uint32_t>(n);
      out.order.push_back(call_name(application_, session, call));
      if (session < serial.ends.size() && call < serial.ends[session].size() &&
          !serial.ends[session][call].is_committed) {
        out.aborted.push_back(out.order.back());
      }
    }
    for (const TableId table : violation.tables) {
      out.finals.push_back({table, serial.final[table.index]});
    }
    out.is_violated = violation.property < serial.is_violated.size() &&
                      serial.is_violated[violation.property];
    return out;
  }

  /// The tables of some rows, with all rows they have in the end.
  [[nodiscard]] std::vector<SqlPicture::TableRows> finals(
      const std::vector<FinalValue>& values) const {
    const sql::Universe& universe = report_.exploration->universe();
    std::vector<SqlPicture::TableRows> out;
    for (std::size_t t = 0; t < application_.schema.tables.size(); ++t) {
      const TableId table(t);
      const bool is_mentioned =
          std::any_of(values.begin(), values.end(), [&](const FinalValue& v) {
            return universe.table_of(v.key) == table;
          });
      if (!is_mentioned) continue;
      SqlPicture::TableRows rows{table, {}};
      for (const sql::Universe::Entry& entry : universe.keys(table)) {
        std::int64_t version = entry.initial;
        for (const FinalValue& v : values) {
          if (entry.open && v.key == *entry.open) version = v.value;
        }
        if (version != sql::Universe::kAbsent) {
          rows.rows.push_back(universe.row(version));
        }
      }
      out.push_back(std::move(rows));
    }
    return out;
  }

  const SqlReport& report_;
  const sql::Application& application_;
  const SqlLevel& level_;
};

}  // namespace

std::vector<SqlPicture> pictures(const SqlReport& report,
                                 const SqlLevel& level) {
  Painter painter(report, level);
  std::vector<SqlPicture> out;
  if (level.profile != nullptr) {
    for (std::size_t i = 0; i < level.profile->violations.size(); ++i) {
      out.push_back(painter.of(level.profile->violations[i]));
      if (i < level.repairs.size()) out.back().repairs = level.repairs[i];
    }
  } else {
    for (const auto& v : level.theory->violations) {
      out.push_back(painter.of(v));
    }
  }
  return out;
}

std::string level_name(const SqlLevel& level) {
  return std::string(level.profile != nullptr ? level.profile->profile->name
                                              : name(level.theory->level));
}

Outcome verdict_of(const SqlLevel& level) {
  return level.profile != nullptr ? level.profile->verdict
                                  : level.theory->verdict;
}

bool is_complete(const SqlLevel& level) {
  return level.profile != nullptr ? level.profile->is_complete
                                  : level.theory->is_complete;
}

Outcome verdict_of(const SqlReport& report, const SqlLevel& level,
                   std::size_t property) {
  if (level.profile != nullptr) {
    return level.profile->properties[property].verdict;
  }
  const Program& program = report.exploration->program();
  const PropertyId id = program.end_conditions[property].property;
  return level.theory->properties[id.index].verdict;
}

std::uint64_t violating(const SqlReport& report, const SqlLevel& level,
                        std::size_t property) {
  if (level.profile != nullptr) {
    return level.profile->properties[property].violating;
  }
  const Program& program = report.exploration->program();
  const PropertyId id = program.end_conditions[property].property;
  return level.theory->properties[id.index].violating;
}

std::string call_name(const sql::Application& application,
                      std::uint32_t session, std::uint32_t call) {
  const sql::Session& s = application.sessions[session];
  return s.name + "." + s.calls[call].label;
}

std::string row_text(const sql::Row& row) {
  std::string out = "(";
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) out += ", ";
    out += to_string(row[i]);
  }
  return out + ")";
}

}  // namespace txscope
