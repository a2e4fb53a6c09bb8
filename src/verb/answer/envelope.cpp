#include <nlohmann/json.hpp>

#include "base/budget.h"
#include "verb/answer/envelope.h"

namespace txscope::verb {

std::string json_envelope(std::string_view verb,
                          const std::vector<std::string>& inputs,
                          nlohmann::ordered_json results, double seconds,
                          nlohmann::ordered_json checked) {
  using Json = nlohmann::ordered_json;
  Json json;
  json["tool"] = "txscope";
  json["version"] = TXSCOPE_VERSION;
  json["verb"] = verb;
  json["input"] = inputs.size() == 1 ? Json(inputs.front()) : Json(inputs);
  json["results"] = std::move(results);
  if (!checked.is_null()) json["checked"] = std::move(checked);
  json["time_ms"] = static_cast<std::int64_t>(seconds * 1000);
  json["peak_memory_mb"] =
      static_cast<std::int64_t>(peak_memory() / (1024 * 1024));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

nlohmann::ordered_json error_fields(const Error& error) {
  using Json = nlohmann::ordered_json;
  const auto number = [](std::uint64_t n) {
    return n == 0 ? Json(nullptr) : Json(n);
  };
  Json json;
  json["message"] = error.what;
  json["file"] = error.where.file;
  json["line"] = number(error.where.line);
  json["column"] = number(error.where.column);
  if (error.where.offset) json["offset"] = *error.where.offset;
  json["hint"] = error.hint.empty() ? Json(nullptr) : Json(error.hint);
  return json;
}

}  // namespace txscope::verb
