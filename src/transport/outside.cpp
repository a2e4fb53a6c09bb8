#include "transport/outside.h"

namespace txscope::transport {
namespace {

Transport* given = nullptr;  // set once, before there are threads

}  // namespace

Transport* outside() { return given; }

void set_outside(Transport* transport) { given = transport; }

bool is_helper() { return outside() != nullptr && outside()->rank() != 0; }

}  // namespace txscope::transport
