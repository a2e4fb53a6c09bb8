// The kinds of findings: anomalies come from the dictionary, the others stand
// here.
#include <algorithm>
#include <array>
#include <cstdio>

#include "report/dictionary/dictionary.h"
#include "report/document/document.h"

namespace txscope::report::document {
namespace {

struct OtherKind {
  std::string_view id;
  std::string_view title;
  std::string_view summary;
  std::string_view word;
};

constexpr auto kOtherKinds = std::to_array<OtherKind>({
    {"race", "Race",
     "Concurrent transactions lead to something that no serial order produces",
     "serializable"},
    {"anomaly", "Anomaly",
     "A history shows something that the isolation level forbids", ""},
    {"broken-rule", "Broken rule",
     "A rule of the application is false in a run that can happen", ""},
    {"failed-assert", "Failed assertion",
     "An assertion is false in a run that can happen", ""},
    {"program-error", "Error of the program",
     "The program ends with an error that no rule describes", ""},
    {"deadlock", "Deadlock", "Transactions wait for locks of each other",
     "deadlock"},
    {"error", "Failing transaction",
     "A transaction fails because of others, which happens in no serial order",
     "retry"},
    {"not-robust", "Not robust",
     "Leaving serializable adds behaviour that no serial order has",
     "serializable"},
    {"not-explained", "Not explained",
     "No order of the transactions explains what the clients saw", ""},
    {"protocol", "Broken property of a protocol",
     "A behaviour of the specification violates what it promises", ""},
    {"hang", "Request that does not end",
     "A request stood still although nothing was left to wait for", ""},
    {"undecided", "Undecided",
     "A question could not be decided; this is not a pass", ""},
});

std::string words_of(std::string id) {
  std::replace(id.begin(), id.end(), '-', ' ');
  return capitalised(std::move(id));
}

}  // namespace

KindInfo kind_info(std::string_view id) {
  for (const OtherKind& kind : kOtherKinds)
    if (kind.id == id)
      return {std::string(kind.id), std::string(kind.title),
              std::string(kind.summary), std::string(kind.word)};
  const auto* entry = dictionary::find(id);
  if (entry == nullptr) return kind_info("anomaly");
  return {std::string(id), words_of(std::string(id)),
          capitalised(std::string(entry->summary)), std::string(entry->name)};
}

std::string kind_of_anomaly(std::string_view words, std::string_view id) {
  for (const std::string_view name : {words, id}) {
    if (name.empty()) continue;
    if (dictionary::find(name) != nullptr) return dictionary::canonical(name);
  }
  return "anomaly";
}

std::string fingerprint(const std::vector<std::string>& texts) {
  // FNV-1a: the same everywhere and for ever.
  std::uint64_t hash = 14695981039346656037u;
  const auto mix = [&hash](unsigned char c) {
    hash ^= c;
    hash *= 1099511628211u;
  };
  for (const std::string& text : texts) {
    for (const char c : text) mix(static_cast<unsigned char>(c));
    mix(0);
  }
  char digits[17];
  std::snprintf(digits, sizeof digits, "%08x",
                static_cast<unsigned>(hash ^ (hash >> 32)));
  return digits;
}

std::string capitalised(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text;
}

std::string_view name(Tone tone) {
  switch (tone) {
    case Tone::Plain: return "plain";
    case Tone::Good: return "pass";
    case Tone::Bad: return "fail";
    case Tone::Open: return "open";
  }
  return "";
}

}  // namespace txscope::report::document
