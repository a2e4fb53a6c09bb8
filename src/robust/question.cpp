#include "robust/question.h"

namespace txscope::robust {
namespace {

template <class Enum, std::size_t N>
std::optional<Enum> named(std::string_view text,
                          const std::array<Enum, N>& all) {
  for (const Enum value : all) {
    if (name(value) == text) return value;
  }
  return std::nullopt;
}

}  // namespace

std::string_view name(Granularity granularity) {
  switch (granularity) {
    case Granularity::Row: return "row";
    case Granularity::Column: return "column";
    case Granularity::Result: return "result";
  }
  return "";
}

std::string_view name(Method method) {
  switch (method) {
    case Method::Auto: return "auto";
    case Method::Search: return "search";
    case Method::Proof: return "proof";
  }
  return "";
}

std::string_view verdict_word(Outcome outcome) {
  switch (outcome) {
    case Outcome::Holds: return "robust";
    case Outcome::Violated: return "not-robust";
    case Outcome::Undecided: return "undecided";
  }
  return "";
}

std::optional<Granularity> parse_granularity(std::string_view text) {
  return named(text, std::array{Granularity::Row, Granularity::Column,
                                Granularity::Result});
}

std::optional<Method> parse_method(std::string_view text) {
  return named(text, std::array{Method::Auto, Method::Search, Method::Proof});
}

}  // namespace txscope::robust
