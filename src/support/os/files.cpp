#include "support/os/files.h"

#include <cstdlib>
#include <dlfcn.h>
#include <link.h>
#include <memory>
#include <sys/stat.h>

namespace heddle::os {

namespace {

#ifndef __GLIBC__
const char *secure_getenv(const char *name) { return std::getenv(name); }
#endif

/// The path of the program or library that contains this code; empty if unknown.
std::string pathOfThisCode() {
  Dl_info where;
  link_map *loaded = nullptr;
  if (!::dladdr1(reinterpret_cast<void *>(&pathOfThisCode), &where,
                 reinterpret_cast<void **>(&loaded), RTLD_DL_LINKMAP) ||
      !loaded)
    return "";
  if (*loaded->l_name)
    return loaded->l_name;
  // The code is in the program. Its dli_fname is argv[0], which the caller chooses and which need not be a path.
  std::unique_ptr<char, void (*)(void *)> program(::realpath("/proc/self/exe", nullptr), std::free);
  return program ? program.get() : "";
}

} // namespace

std::string pathFromEnvironment(const char *name) {
  const char *value = secure_getenv(name);
  return value ? value : "";
}

std::string cacheDirectory() {
  if (std::string named = pathFromEnvironment("HEDDLE_CACHE_DIR"); !named.empty())
    return named;
  if (std::string base = pathFromEnvironment("XDG_CACHE_HOME"); !base.empty() && base[0] == '/')
    return base + "/heddle";
  if (std::string home = pathFromEnvironment("HOME"); !home.empty())
    return home + "/.cache/heddle";
  return "";
}

std::string codeDirectory() {
  std::string path = pathOfThisCode();
  return path.substr(0, path.rfind('/') + 1);
}

std::string codeStamp() {
  struct stat s;
  std::string path = pathOfThisCode();
  if (path.empty() || ::stat(path.c_str(), &s) != 0)
    return "";
  return std::to_string(s.st_size) + "-" + std::to_string(s.st_mtime);
}

} // namespace heddle::os
