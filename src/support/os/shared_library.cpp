#include "support/os/shared_library.h"

#include <dlfcn.h>

namespace heddle::os {

void *loadSharedLibrary(const std::string &path, std::string &error) {
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *why = dlerror();
    error = why ? why : path;
  }
  return library;
}

void *findSymbol(void *library, const char *name) { return dlsym(library, name); }

} // namespace heddle::os
