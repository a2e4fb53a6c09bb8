#include "read/formats.h"

namespace txscope {
namespace {

Match looks_like_edn(const Sample&) { return Match::No; }

Result<History> read_edn(Opened& opened) {
  return Error{Place{opened.path, 0, 0, {}}, "edn is not supported yet", "",
               ""};
}

std::unique_ptr<HistorySource> open_edn(Opened opened) {
  return one_history(Format::Edn, std::move(opened), read_edn);
}

}  // namespace

const FormatEntry kEdnFormat{Format::Edn,
                             "edn",
                             "Jepsen and Elle histories (EDN)",
                             {"elle", "jepsen"},
                             {".edn"},
                             looks_like_edn,
                             open_edn};

}  // namespace txscope
