#include "check/engines.h"

namespace txscope {

Verdict check_by_search(const History&, const Facts&, const OrderIndex&,
                        Level level, const Budget&) {
  return {level, Spent::Cancelled};
}

}  // namespace txscope
