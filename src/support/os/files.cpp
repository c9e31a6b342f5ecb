#include "support/os/files.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <memory>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle::os {

namespace {

std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0)
      ::close(number);
  }
};

bool writeAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t n = ::write(descriptor, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    bytes.remove_prefix(n);
  }
  return true;
}

} // namespace

std::string cacheDirectory() {
  if (std::string named = environment("HEDDLE_CACHE_DIR"); !named.empty())
    return named;
  if (std::string base = environment("XDG_CACHE_HOME"); !base.empty() && base[0] == '/')
    return base + "/heddle";
  if (std::string home = environment("HOME"); !home.empty())
    return home + "/.cache/heddle";
  return "";
}

bool makeDirectory(const std::string &path) {
  if (path.empty())
    return false;
  for (size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    std::string part = path.substr(0, slash);
    if (::mkdir(part.c_str(), 0700) != 0 && errno != EEXIST && slash == std::string::npos)
      return false;
    if (slash == std::string::npos)
      break;
  }
  struct stat s;
  return ::stat(path.c_str(), &s) == 0 && S_ISDIR(s.st_mode) &&
         ::access(path.c_str(), W_OK | X_OK) == 0;
}

bool replaceFile(const std::string &path, std::string_view bytes) {
  static std::atomic<unsigned> serial{0};
  std::string temporary =
      path + ".tmp" + std::to_string(::getpid()) + "." + std::to_string(serial++);
  int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0)
    return false;
  bool written = writeAll(descriptor, bytes);
  written = ::close(descriptor) == 0 && written;
  if (written && std::rename(temporary.c_str(), path.c_str()) == 0)
    return true;
  ::unlink(temporary.c_str());
  return false;
}

std::optional<std::string> readFile(const std::string &path) {
  // Without blocking: what stands at the path may be a pipe that nobody writes to.
  Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat s;
  if (file.number < 0 || ::fstat(file.number, &s) != 0 || !S_ISREG(s.st_mode))
    return std::nullopt;
  std::string bytes(size_t(s.st_size), '\0');
  size_t have = 0;
  while (have < bytes.size()) {
    ssize_t n = ::read(file.number, bytes.data() + have, bytes.size() - have);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      break;
    have += n;
  }
  bytes.resize(have);
  return bytes;
}

bool removeFile(const std::string &path) { return ::unlink(path.c_str()) == 0; }

std::vector<FileInDirectory> filesIn(const std::string &directory) {
  std::vector<FileInDirectory> files;
  std::unique_ptr<DIR, int (*)(DIR *)> open(::opendir(directory.c_str()), ::closedir);
  if (!open)
    return files;
  while (const dirent *entry = ::readdir(open.get())) {
    struct stat s;
    if (::fstatat(::dirfd(open.get()), entry->d_name, &s, 0) == 0 && S_ISREG(s.st_mode))
      files.push_back({entry->d_name, uint64_t(s.st_size), int64_t(s.st_mtime)});
  }
  return files;
}

std::string codeDirectory() {
  Dl_info where;
  if (!::dladdr(reinterpret_cast<void *>(&codeDirectory), &where) || !where.dli_fname)
    return "";
  std::string path = where.dli_fname;
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

std::string codeStamp() {
  Dl_info where;
  struct stat s;
  if (!::dladdr(reinterpret_cast<void *>(&codeStamp), &where) || !where.dli_fname ||
      ::stat(where.dli_fname, &s) != 0)
    return "";
  return std::to_string(s.st_size) + "-" + std::to_string(s.st_mtime);
}

void touchFile(const std::string &path) { ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0); }

FileLock::FileLock(const std::string &path) {
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    ::close(descriptor_);
    descriptor_ = -1;
  }
}

FileLock::~FileLock() {
  if (descriptor_ >= 0)
    ::close(descriptor_);
}

} // namespace heddle::os
