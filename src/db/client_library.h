#pragma once

#include <atomic>
#include <string>

namespace txscope::db {

/// A database's client library, loaded when a server is first talked to.  They
/// bring twenty others along (TLS, Kerberos, LDAP), and loading those took
/// longer than checking a thousand transactions, which needs none of them.
class ClientLibrary {
 public:
  constexpr explicit ClientLibrary(const char* file) : file_(file) {}
  ClientLibrary(const ClientLibrary&) = delete;
  ClientLibrary& operator=(const ClientLibrary&) = delete;

  /// Loads it; why it cannot be used, or nothing if it can.  To be asked before
  /// one of its functions is called.  It stays loaded.
  [[nodiscard]] std::string load();
  [[nodiscard]] void* find(const char* function) const;

 private:
  const char* file_;
  std::atomic<void*> handle_ = nullptr;
};

/// A function of such a library, called like the one it stands for.
template <class Function>
class ClientFunction {
 public:
  constexpr ClientFunction(const ClientLibrary& library, const char* name)
      : library_(library), name_(name) {}

  template <class... Arguments>
  auto operator()(Arguments... arguments) {
    void* found = found_.load(std::memory_order_relaxed);
    if (found == nullptr) found_ = found = library_.find(name_);
    return reinterpret_cast<Function*>(found)(arguments...);
  }

 private:
  const ClientLibrary& library_;
  const char* name_;
  std::atomic<void*> found_ = nullptr;
};

}  // namespace txscope::db
