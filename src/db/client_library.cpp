#include "db/client_library.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace txscope::db {

std::string ClientLibrary::load() {
  if (handle_ != nullptr) return "";
  handle_ = dlopen(file_, RTLD_LAZY | RTLD_LOCAL);
  if (handle_ != nullptr) return "";
  const char* const why = dlerror();
  return why != nullptr ? why : std::string(file_) + " cannot be loaded";
}

void* ClientLibrary::find(const char* function) const {
  void* const handle = handle_;
  void* const found = handle != nullptr ? dlsym(handle, function) : nullptr;
  if (found != nullptr) return found;
  std::fprintf(stderr, "txscope: internal error: %s has no %s\n", file_,
               function);
  std::abort();
}

}  // namespace txscope::db
