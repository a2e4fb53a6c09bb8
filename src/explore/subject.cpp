#include "explore/subject.h"

#include <algorithm>
#include <set>

#include <algorithm>

namespace txscope::explore {
namespace {

constexpr std::size_t kMaxRows = 64;  // of final values

Step::Kind kind_of(ScheduleStep::Kind kind) {
  switch (kind) {
    case ScheduleStep::Kind::Read: return Step::Kind::Read;
    case ScheduleStep::Kind::Write: return Step::Kind::Write;
    case ScheduleStep::Kind::AssertFailed: return Step::Kind::AssertFailed;
    case ScheduleStep::Kind::Commit: return Step::Kind::Commit;
    case ScheduleStep::Kind::Abort: return Step::Kind::Rollback;
    case ScheduleStep::Kind::Fault: break;
  }
  return Step::Kind::Error;
}

sql::Row row_of(std::int64_t value) { return {sql::Value::integer(value)}; }

}  // namespace

std::vector<Step> ProgramSubject::steps(
    std::span<const ScheduleStep> schedule) const {
  std::vector<Step> out;
  for (const ScheduleStep& event : schedule) {
    Step step;
    step.kind = kind_of(event.kind);
    step.call = *call(event.instance);
    step.at = event.at;
    step.text = one_line(workload().text(event.at));
    if (event.kind == ScheduleStep::Kind::Fault) {
      step.seen = step.code = describe(event.fault);
    }
    RowUse use;
    use.row = row_of(event.value);
    if (event.kind == ScheduleStep::Kind::Read) {
      use.key = code_.key_name(event.key);
      use.writer = call(event.source);
      use.is_own = event.is_own;
      use.is_stale = event.is_stale;
      step.reads.push_back(std::move(use));
    } else if (event.kind == ScheduleStep::Kind::Write) {
      use.key = code_.key_name(event.key);
      use.writer = step.call;
      use.is_own = true;
      step.writes.push_back(std::move(use));
    }
    out.push_back(std::move(step));
  }
  return out;
}

std::vector<FinalTable> ProgramSubject::finals(
    std::span<const FinalValue> values) const {
  if (values.empty()) return {};
  FinalTable registers;
  for (const FinalValue& value : values) {
    if (registers.rows.size() == kMaxRows) break;
    RowUse use;
    use.key = code_.key_name(value.key);
    use.row = row_of(value.value);
    use.writer = call(value.writer);
    registers.rows.push_back(std::move(use));
  }
  return {std::move(registers)};
}

std::vector<NamedValue> ProgramSubject::variables(
    std::size_t condition, std::span<const std::int64_t* const> slots,
    std::span<const ScheduleStep>) const {
  std::vector<NamedValue> out;
  for (const std::uint32_t ref : code_.condition_code[condition].local_refs) {
    const exec::Code::Local& local = code_.local_refs[ref];
    const std::int64_t* own = slots[local.instance.index];
    if (own == nullptr || !code_.is_assigned(own, local.local)) continue;
    NamedValue value{local.name, sql::Value::integer(own[local.slot])};
    if (std::find(out.begin(), out.end(), value) == out.end()) {
      out.push_back(std::move(value));
    }
  }
  return out;
}

std::optional<Observed> ProgramSubject::observed() const {
  std::set<std::uint32_t> keys;
  std::vector<std::uint32_t> locals;
  const auto add = [&](std::uint32_t ref) {
    const auto is_same = [&](std::uint32_t other) {
      return code_.local_refs[other].name == code_.local_refs[ref].name;
    };
    if (std::none_of(locals.begin(), locals.end(), is_same))
      locals.push_back(ref);
  };
  for (std::size_t i = 0; i < code_.conditions.size(); ++i) {
    keys.insert(code_.conditions[i].keys.begin(),
                code_.conditions[i].keys.end());
    for (const std::uint32_t ref : code_.condition_code[i].local_refs) add(ref);
  }
  if (code_.conditions.empty())
    for (std::uint32_t key = 0; key < code_.initial.size(); ++key)
      keys.insert(key);
  Observed out;
  out.keys.assign(keys.begin(), keys.end());
  for (const std::uint32_t ref : locals)
    out.names.push_back(code_.local_refs[ref].name);
  for (const std::uint32_t key : out.keys)
    out.names.push_back(code_.key_name(KeyId(key)));
  out.locals = [this, locals](const std::int64_t* const* slots) {
    SeenOutcome seen;
    for (const std::uint32_t ref : locals) {
      const exec::Code::Local& local = code_.local_refs[ref];
      const std::int64_t* own = slots[local.instance.index];
      const bool has_value =
          own != nullptr && code_.is_assigned(own, local.local);
      seen.push_back(has_value ? std::optional(own[local.slot]) : std::nullopt);
    }
    return seen;
  };
  return out;
}

}  // namespace txscope::explore
