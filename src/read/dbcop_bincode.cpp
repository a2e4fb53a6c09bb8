#include "read/formats.h"

namespace txscope {
namespace {

Match looks_like_dbcop_bincode(const Sample&) { return Match::No; }

Result<History> read_dbcop_bincode(Opened& opened) {
  return Error{Place{opened.path, 0, 0, {}},
               "dbcop-bincode is not supported yet", "", ""};
}

std::unique_ptr<HistorySource> open_dbcop_bincode(Opened opened) {
  return one_history(Format::DbcopBincode, std::move(opened),
                     read_dbcop_bincode);
}

}  // namespace

const FormatEntry kDbcopBincodeFormat{
    Format::DbcopBincode, "dbcop-bincode", "dbcop 2019, binary",
    {"bincode"},          {".bincode"},    looks_like_dbcop_bincode,
    open_dbcop_bincode};

}  // namespace txscope
