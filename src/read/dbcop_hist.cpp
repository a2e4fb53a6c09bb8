#include "read/formats.h"

namespace txscope {
namespace {

Match looks_like_dbcop_hist(const Sample&) { return Match::No; }

Result<History> read_dbcop_hist(Opened& opened) {
  return Error{Place{opened.path, 0, 0, {}}, "dbcop-hist is not supported yet",
               "", ""};
}

std::unique_ptr<HistorySource> open_dbcop_hist(Opened opened) {
  return one_history(Format::DbcopHist, std::move(opened), read_dbcop_hist);
}

}  // namespace

const FormatEntry kDbcopHistFormat{
    Format::DbcopHist, "dbcop-hist",          "dbcop 0.2, text", {"hist"},
    {".hist", ".txt"}, looks_like_dbcop_hist, open_dbcop_hist};

}  // namespace txscope
