#include "read/formats.h"

namespace txscope {
namespace {

Match looks_like_dbcop_json(const Sample&) { return Match::No; }

Result<History> read_dbcop_json(Opened& opened) {
  return Error{Place{opened.path, 0, 0, {}}, "dbcop-json is not supported yet",
               "", ""};
}

std::unique_ptr<HistorySource> open_dbcop_json(Opened opened) {
  return one_history(Format::DbcopJson, std::move(opened), read_dbcop_json);
}

}  // namespace

const FormatEntry kDbcopJsonFormat{
    Format::DbcopJson, "dbcop-json",          "dbcop 0.2, JSON", {},
    {".json"},         looks_like_dbcop_json, open_dbcop_json};

}  // namespace txscope
