#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/history_builder.h"
#include "read/histories/text_explanation.h"

namespace txscope::read {

/// A history of get, put and append on text, as one of registers that hold
/// text: empty at first.
///
/// A get reads a text, a put writes one.  An append reads the text before it
/// and writes that with its piece at the end.  It does not say which text that
/// was; the gets do.  A text that a get returned is taken apart into pieces,
/// which shows every version it went through and so what its appends read and
/// wrote (see TextVersions).
///   - An append that no get shows may have extended any text, and every get
///     after it has to see a put in between: a write of a value that nobody
///     reads says just that.
///   - A text that cannot be taken apart stays a value that nobody wrote.
///   - A text that can be taken apart in several ways is refused.
///   - If equal pieces were appended to a key several times, time tells most
///     of them apart: a get does not show an append that is yet to begin, and
///     an append does not extend what is yet to be written once it is over.
///     Where several explanations remain they become transactions of unknown
///     outcome, of which at most one can take effect (they all change a token
///     from its initial value), and the append becomes a read of that token.
class TextHistory {
 public:
  void add(const TextEntry& entry) { entries_.push_back(entry); }
  /// Adds the transactions to the builder.
  [[nodiscard]] Result<Done> build(HistoryBuilder& builder,
                                   const std::string& file) const;

 private:
  std::vector<TextEntry> entries_;
};

}  // namespace txscope::read
