#include "frontend/cuda/libraries.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstdlib>
#include <mutex>

namespace heddle::cudacpp {

using llvm::StringRef;

namespace {

std::mutex guard;
std::function<std::string()> finder;

/// Since CUDA 13, toolkits have the libraries in a separate folder.
std::string toolkitLibrariesFolder(StringRef toolkit) {
  llvm::SmallString<128> folder = toolkit;
  llvm::sys::path::append(folder, "include", "cccl");
  bool isThere = !toolkit.empty() && llvm::sys::fs::is_directory(folder + "/cub");
  return isThere ? folder.str().str() : std::string();
}

} // namespace

bool isLibraryHeader(StringRef path) {
  return llvm::any_of(std::initializer_list<StringRef>{"cub/", "cuda/", "nv/", "thrust/"},
                      [&](StringRef folder) { return path.starts_with(folder); });
}

StringRef libraryIncludePath(StringRef file) {
  if (!file.contains("/cccl/"))
    return {};
  for (size_t at = file.rfind('/'); at != StringRef::npos; at = file.rfind('/', at))
    if (StringRef end = file.substr(at + 1); isLibraryHeader(end))
      return end;
  return {};
}

std::string findLibrariesFolder() {
  std::function<std::string()> find;
  {
    std::lock_guard<std::mutex> lock(guard);
    find = finder;
  }
  if (std::string folder = find ? find() : ""; !folder.empty())
    return folder;
  for (const char *variable : {"CUDA_PATH", "CUDA_HOME"})
    if (const char *toolkit = std::getenv(variable))
      return toolkitLibrariesFolder(toolkit);
  return toolkitLibrariesFolder("/usr/local/cuda");
}

bool isNvidiaFolder(StringRef folder) {
  return llvm::any_of(std::initializer_list<StringRef>{"cuda_runtime_api.h", "cuda/std/version"},
                      [&](StringRef header) {
                        llvm::SmallString<128> file = folder;
                        llvm::sys::path::append(file, header);
                        return llvm::sys::fs::exists(file);
                      });
}

void setLibrariesFinder(std::function<std::string()> find) {
  std::lock_guard<std::mutex> lock(guard);
  finder = std::move(find);
}

llvm::ArrayRef<StringRef> libcuHeaderNames() {
  static constexpr StringRef names[] = {
      "algorithm", "array",    "bit",       "cfloat",  "climits",     "cmath",      "complex",
      "cstddef",   "cstdint",  "cstdlib",   "cstring", "exception",   "functional", "iosfwd",
      "istream",   "iterator", "limits",    "memory",  "numeric",     "optional",   "ostream",
      "ratio",     "span",     "stdexcept", "tuple",   "type_traits", "utility",    "variant",
  };
  return names;
}

} // namespace heddle::cudacpp
