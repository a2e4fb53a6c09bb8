#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/history.h"
#include "report/document/document.h"

namespace txscope::report::document {

/// The values of some keys, as far as a drawing has got: of each who wrote it
/// and who has seen it.
///
/// A history does not tell what a key held at which moment, so this is no state
/// of a database: a value appears where a drawn transaction writes or sees it
/// first, and stays.  Of lists, the elements.
class SeenVersions {
 public:
  SeenVersions(const History& history, const std::set<KeyId>& keys);

  /// Takes the next operation that is drawn.
  void take(OpId op);
  /// And the end of a transaction.
  void end(TxnId t);
  /// As it is now; cells that the last step changed are marked.
  [[nodiscard]] std::vector<Table> now() const;

 private:
  struct Version {
    std::string value;
    std::string writer;
    std::vector<std::string> readers;
    std::string pending;  ///< who wrote it, until its end is drawn
    bool is_gone = false;
    bool is_new = false;          ///< by the last step
    bool has_new_reader = false;  ///< the same
  };
  Version& version(KeyId key, const std::string& value);
  void see(KeyId key, Atom value, const std::string& reader);
  void step();

  const History& history_;
  /// Who writes it, by key and value as it is shown.
  std::map<std::pair<KeyId, std::string>, TxnId> writers_;
  std::map<KeyId, std::vector<Version>> versions_;
};

}  // namespace txscope::report::document
