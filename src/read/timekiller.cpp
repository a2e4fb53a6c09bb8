#include "read/formats.h"

namespace txscope {
namespace {

Match looks_like_timekiller(const Sample&) { return Match::No; }

Result<History> read_timekiller(Opened& opened) {
  return Error{Place{opened.path, 0, 0, {}}, "timekiller is not supported yet",
               "", ""};
}

std::unique_ptr<HistorySource> open_timekiller(Opened opened) {
  return one_history(Format::TimeKiller, std::move(opened), read_timekiller);
}

}  // namespace

const FormatEntry kTimeKillerFormat{
    Format::TimeKiller, "timekiller",          "TimeKiller's JSON", {"aion"},
    {".json"},          looks_like_timekiller, open_timekiller};

}  // namespace txscope
