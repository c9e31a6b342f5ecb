#include "support/file_display_name.h"

#include <map>
#include <mutex>

namespace heddle {

namespace {

struct ShownFiles {
  std::mutex mutex;
  std::map<std::string, std::string> names;
};

ShownFiles &knownDisplayNames() {
  static auto *files = new ShownFiles; // never destroyed: threads may outlive static objects
  return *files;
}

} // namespace

std::string fileDisplayName(const std::string &path) {
  ShownFiles &files = knownDisplayNames();
  {
    std::lock_guard lock(files.mutex);
    auto found = files.names.find(path);
    if (found != files.names.end())
      return found->second;
  }
  size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

void setFileDisplayName(const std::string &path, const std::string &name) {
  ShownFiles &files = knownDisplayNames();
  std::lock_guard lock(files.mutex);
  files.names[path] = name;
}

} // namespace heddle
