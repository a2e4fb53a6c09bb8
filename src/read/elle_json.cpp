#include "read/formats.h"

namespace txscope {
namespace {

Match looks_like_elle_json(const Sample&) { return Match::No; }

Result<History> read_elle_json(Opened& opened) {
  return Error{Place{opened.path, 0, 0, {}}, "elle-json is not supported yet",
               "", ""};
}

std::unique_ptr<HistorySource> open_elle_json(Opened opened) {
  return one_history(Format::ElleJson, std::move(opened), read_elle_json);
}

}  // namespace

const FormatEntry kElleJsonFormat{
    Format::ElleJson, "elle-json",          "elle-cli's JSON", {},
    {".json"},        looks_like_elle_json, open_elle_json};

}  // namespace txscope
