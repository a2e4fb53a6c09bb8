#include "report/history_lines.h"

#include <map>
#include <nlohmann/json.hpp>

namespace txscope::report {

using Json = nlohmann::ordered_json;

std::string history_lines(const Workload& workload, const exec::Script& script,
                          const explore::ExploredHistory& history) {
  using EventKind = explore::ExploredHistory::Event::Kind;
  // Version numbers, from 1, in the order of the file; 0 is initial.
  std::vector<std::vector<std::uint64_t>> versions;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> last;
  std::uint64_t next = 0;
  for (const explore::ExploredHistory::Txn& txn : history.txns) {
    versions.emplace_back();
    for (const explore::ExploredHistory::Event& event : txn.events) {
      const bool writes = event.kind == EventKind::Write;
      if (writes) last[{txn.instance.index, event.key.index}] = ++next;
      versions.back().push_back(next);
    }
  }
  Json header = {{"txscope", "history"},
                 {"version", 1},
                 {"default", 0},
                 {"judge_aborted", true}};
  std::string out = header.dump() + "\n";
  for (std::size_t t = 0; t < history.txns.size(); ++t) {
    const explore::ExploredHistory::Txn& txn = history.txns[t];
    std::map<std::uint32_t, std::uint64_t> own;
    Json line;
    line["session"] =
        workload.sessions[script.instances[txn.instance.index].session].name;
    line["id"] = exec::instance_name(workload, script, txn.instance);
    line["status"] = txn.is_committed ? "committed" : "aborted";
    line["ops"] = Json::array();
    line["values"] = Json::array();
    for (std::size_t e = 0; e < txn.events.size(); ++e) {
      const explore::ExploredHistory::Event& event = txn.events[e];
      std::uint64_t version = 0;
      if (event.kind == EventKind::Write) {
        version = own[event.key.index] = versions[t][e];
      } else if (event.kind == EventKind::OwnRead) {
        version = own[event.key.index];
      } else if (event.source != exec::kInit) {
        version = last[{event.source.index, event.key.index}];
      }
      line["ops"].push_back(
          Json::array({event.kind == EventKind::Write ? "w" : "r",
                       script.key_name(event.key), version}));
      if (auto name = script.value_name(event.value)) {
        line["values"].push_back(std::move(*name));
      } else {
        line["values"].push_back(event.value);
      }
    }
    out += line.dump() + "\n";
  }
  return out;
}

}  // namespace txscope::report
