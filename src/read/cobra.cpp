#include "read/formats.h"

namespace txscope {
namespace {

Match looks_like_cobra(const Sample&) { return Match::No; }

Result<History> read_cobra(Opened& opened) {
  return Error{Place{opened.path, 0, 0, {}}, "cobra is not supported yet", "",
               ""};
}

std::unique_ptr<HistorySource> open_cobra(Opened opened) {
  return one_history(Format::Cobra, std::move(opened), read_cobra);
}

}  // namespace

const FormatEntry kCobraFormat{Format::Cobra,
                               "cobra",
                               "a directory of Cobra's T*.log",
                               {},
                               {},
                               looks_like_cobra,
                               open_cobra,
                               true};

}  // namespace txscope
