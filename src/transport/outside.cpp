#include "transport/outside.h"

namespace txscope::transport {
namespace {

Transport* given = nullptr;  // set once, before there are threads

}  // namespace

Transport* outside() { return given; }

void set_outside(Transport* transport) { given = transport; }

}  // namespace txscope::transport
