#pragma once

#include "tla/evaluate/evaluator_parts.h"

namespace txscope::tla {

/// The operators of the module TLC, and the registers of TLCGet and TLCSet.
struct Evaluator::TlcOperations {
  static Value evaluate(Evaluator& e, const Code& code, Frame* frame);
  static Value register_of(Evaluator& e, Value key, const Code& code);

 private:
  static Value all_registers(Evaluator& e, bool named, const Code& code);
  static Value fact_record(Evaluator& e,
                           std::span<const std::string_view> names);
};

}  // namespace txscope::tla
