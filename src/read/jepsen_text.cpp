#include "read/jepsen_text.h"

namespace txscope {

Result<Done> TextHistory::build(HistoryBuilder&) { return Done{}; }

}  // namespace txscope
