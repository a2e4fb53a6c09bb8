#pragma once

#include <protobuf-c/protobuf-c.h>

#include <cstdint>

namespace txscope::sql {

/// Calls `see` with every message directly inside of one of libpg_query's,
/// whatever it is: statements of logs are looked at for tables and literals
/// only, and protobuf knows where its messages have others.
template <class See>
void for_each_inside(const ProtobufCMessage& message, const See& see) {
  const auto* base = reinterpret_cast<const std::uint8_t*>(&message);
  const ProtobufCMessageDescriptor& type = *message.descriptor;
  for (unsigned i = 0; i < type.n_fields; ++i) {
    const ProtobufCFieldDescriptor& field = type.fields[i];
    if (field.type != PROTOBUF_C_TYPE_MESSAGE) continue;
    if (field.label == PROTOBUF_C_LABEL_REPEATED) {
      const auto count =
          *reinterpret_cast<const std::size_t*>(base + field.quantifier_offset);
      const auto* all =
          *reinterpret_cast<const ProtobufCMessage* const* const*>(
              base + field.offset);
      for (std::size_t k = 0; k < count; ++k)
        if (all[k] != nullptr) see(*all[k]);
      continue;
    }
    const bool is_choice = (field.flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0;
    if (is_choice && *reinterpret_cast<const std::uint32_t*>(
                         base + field.quantifier_offset) != field.id)
      continue;
    const auto* one =
        *reinterpret_cast<const ProtobufCMessage* const*>(base + field.offset);
    if (one != nullptr) see(*one);
  }
}

}  // namespace txscope::sql
