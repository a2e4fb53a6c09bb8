#include "read/formats.h"

namespace txscope {
namespace {

Match looks_like_plume(const Sample&) { return Match::No; }

Result<History> read_plume(Opened& opened) {
  return Error{Place{opened.path, 0, 0, {}}, "plume is not supported yet", "",
               ""};
}

std::unique_ptr<HistorySource> open_plume(Opened opened) {
  return one_history(Format::Plume, std::move(opened), read_plume);
}

}  // namespace

const FormatEntry kPlumeFormat{Format::Plume,
                               "plume",
                               "PolySI, Plume and IsoVista text",
                               {"polysi", "isovista"},
                               {".txt"},
                               looks_like_plume,
                               open_plume};

}  // namespace txscope
