#include "read/formats.h"

namespace txscope {
namespace {

Match looks_like_jsonl(const Sample&) { return Match::No; }

Result<History> read_jsonl(Opened& opened) {
  return Error{Place{opened.path, 0, 0, {}}, "jsonl is not supported yet", "",
               ""};
}

std::unique_ptr<HistorySource> open_jsonl(Opened opened) {
  return one_history(Format::Jsonl, std::move(opened), read_jsonl);
}

}  // namespace

const FormatEntry kJsonlFormat{Format::Jsonl,
                               "jsonl",
                               "txscope's own histories",
                               {"txscope", "json-lines"},
                               {".jsonl"},
                               looks_like_jsonl,
                               open_jsonl};

}  // namespace txscope
