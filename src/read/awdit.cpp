#include "read/formats.h"

namespace txscope {
namespace {

Match looks_like_awdit(const Sample&) { return Match::No; }

Result<History> read_awdit(Opened& opened) {
  return Error{Place{opened.path, 0, 0, {}}, "awdit is not supported yet", "",
               ""};
}

std::unique_ptr<HistorySource> open_awdit(Opened opened) {
  return one_history(Format::Awdit, std::move(opened), read_awdit);
}

}  // namespace

const FormatEntry kAwditFormat{
    Format::Awdit, "awdit",          "AWDIT's test text", {},
    {".txt"},      looks_like_awdit, open_awdit};

}  // namespace txscope
