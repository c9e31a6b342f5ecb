#include "support/os/private_directory.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <dirent.h>
#include <fcntl.h>
#include <fstream>
#include <memory>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace heddle::os {

namespace {

#ifdef O_PATH
constexpr int findOnly = O_PATH; // needs no read permission, and does not wait for a pipe's writer
#else
constexpr int findOnly = O_RDONLY | O_NONBLOCK;
#endif

/// Linux's limit on symbolic links in one path.
constexpr unsigned maxLinks = 40;

class Descriptor {
public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor &&other) noexcept : number_(other.release()) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0)
      ::close(number_);
  }
  int get() const { return number_; }
  int release() { return std::exchange(number_, -1); }

private:
  int number_;
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

std::string readAll(int descriptor, size_t size) {
  std::string bytes(size, '\0');
  size_t have = 0;
  while (have < size) {
    ssize_t n = ::read(descriptor, bytes.data() + have, size - have);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      break;
    have += n;
  }
  bytes.resize(have);
  return bytes;
}

/// In a user namespace that does not map root, such as an unprivileged container, root's files have this owner.
std::optional<uid_t> userIdOfUnmappedRoot() {
  std::ifstream map("/proc/self/uid_map");
  uint64_t inside = 0, outside = 0, count = 0;
  bool isMap = false;
  while (map >> inside >> outside >> count) {
    isMap = true;
    if (inside == 0)
      return 0;
  }
  uid_t shown = 0;
  std::ifstream overflow("/proc/sys/kernel/overflowuid");
  return isMap && overflow >> shown ? std::optional(shown) : 0;
}

enum class Place { OnTheWay, Last };

/// Describes how other users could have changed the opened file; empty if they could not.
std::string describeExposure(const struct stat &s, Place place) {
  bool trusted = s.st_uid == ::geteuid() || s.st_uid == 0 ||
                 (place == Place::OnTheWay && s.st_uid == userIdOfUnmappedRoot());
  if (!trusted)
    return "belongs to user " + std::to_string(s.st_uid);
  if (S_ISLNK(s.st_mode))
    return ""; // a symbolic link's mode has no meaning
  bool othersWrite = (s.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  bool keepsEntries = S_ISDIR(s.st_mode) && (s.st_mode & S_ISVTX) && place == Place::OnTheWay;
  return othersWrite && !keepsEntries ? "can be written by other users" : "";
}

/// The components of a path, last one first.
std::vector<std::string> splitPathReversed(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    size_t slash = path.rfind('/');
    std::string_view part = slash == path.npos ? path : path.substr(slash + 1);
    path = slash == path.npos ? "" : path.substr(0, slash);
    if (!part.empty() && part != ".")
      parts.emplace_back(part);
  }
  return parts;
}

std::string makeAbsolute(const std::string &path) {
  char here[4096];
  if (path.empty() || path[0] == '/' || !::getcwd(here, sizeof here))
    return path;
  return std::string(here) + "/" + path;
}

std::optional<std::string> readLink(int link) {
  char target[4096];
  ssize_t length = ::readlinkat(link, "", target, sizeof target);
  if (length <= 0 || size_t(length) == sizeof target)
    return std::nullopt;
  return std::string(target, length);
}

/// Opens one component of a path.
Descriptor openComponent(const Descriptor &from, const std::string &name,
                         PrivateDirectory::IfMissing ifMissing) {
  constexpr int flags = findOnly | O_NOFOLLOW | O_CLOEXEC;
  Descriptor next(::openat(from.get(), name.c_str(), flags));
  if (next.get() >= 0 || errno != ENOENT || ifMissing == PrivateDirectory::IfMissing::Fail)
    return next;
  if (::mkdirat(from.get(), name.c_str(), 0700) != 0 && errno != EEXIST)
    return Descriptor(-1);
  return Descriptor(::openat(from.get(), name.c_str(), flags));
}

/// Opens the directory of an absolute path. Returns -1 on failure; sets `problem` if other users could change the path.
Descriptor openTrustedPath(const std::string &path, PrivateDirectory::IfMissing ifMissing,
                           std::string &problem) {
  std::vector<std::string> parts = splitPathReversed(path);
  Descriptor at(::open("/", findOnly | O_CLOEXEC));
  std::string name = "/";
  unsigned links = 0;
  while (at.get() >= 0) {
    struct stat s;
    if (::fstat(at.get(), &s) != 0 || !S_ISDIR(s.st_mode))
      return Descriptor(-1);
    Place place = parts.empty() ? Place::Last : Place::OnTheWay;
    if (std::string how = describeExposure(s, place); !how.empty()) {
      problem = name + " " + how;
      return Descriptor(-1);
    }
    if (parts.empty())
      return at;
    std::string part = std::move(parts.back());
    parts.pop_back();
    name += (name.ends_with('/') ? "" : "/") + part;
    Descriptor next = openComponent(at, part, ifMissing);
    if (next.get() < 0 || ::fstat(next.get(), &s) != 0)
      return Descriptor(-1);
    if (!S_ISLNK(s.st_mode)) {
      at = std::move(next);
      continue;
    }
    std::optional<std::string> target = readLink(next.get());
    if (!target || ++links > maxLinks)
      return Descriptor(-1);
    if (std::string how = describeExposure(s, Place::OnTheWay); !how.empty()) {
      problem = name + " " + how;
      return Descriptor(-1);
    }
    std::vector<std::string> inserted = splitPathReversed(*target);
    parts.insert(parts.end(), inserted.begin(), inserted.end());
    if (target->front() == '/') {
      at = Descriptor(::open("/", findOnly | O_CLOEXEC));
      name = "/";
    } else {
      name.resize(name.size() - part.size());
    }
  }
  return at;
}

} // namespace

PrivateDirectory::PrivateDirectory(const std::string &path, IfMissing ifMissing)
    : path_(makeAbsolute(path)) {
  if (path_.starts_with('/'))
    descriptor_ = openTrustedPath(path_, ifMissing, problem_).release();
}

PrivateDirectory::~PrivateDirectory() {
  if (descriptor_ >= 0)
    ::close(descriptor_);
}

bool PrivateDirectory::isWritable() const {
  constexpr const char *probe = "probe";
  return replace(probe, probe) && remove(probe);
}

std::optional<std::string> PrivateDirectory::read(const std::string &name) {
  // O_NONBLOCK, because the file may be a pipe without a writer.
  constexpr int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
  Descriptor file(::openat(descriptor_, name.c_str(), flags));
  struct stat s;
  if (file.get() < 0 && errno == ELOOP)
    problem_ = path_ + "/" + name + " is a symbolic link";
  if (file.get() < 0 || ::fstat(file.get(), &s) != 0 || !S_ISREG(s.st_mode))
    return std::nullopt;
  if (std::string how = describeExposure(s, Place::Last); !how.empty()) {
    problem_ = path_ + "/" + name + " " + how;
    return std::nullopt;
  }
  return readAll(file.get(), size_t(s.st_size));
}

bool PrivateDirectory::replace(const std::string &name, std::string_view bytes) const {
  static std::atomic<unsigned> serial{0};
  std::string temporary =
      name + ".tmp" + std::to_string(::getpid()) + "." + std::to_string(serial++);
  constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  int file = ::openat(descriptor_, temporary.c_str(), flags, 0600);
  if (file < 0)
    return false;
  bool written = writeAll(file, bytes);
  written = ::close(file) == 0 && written;
  if (written && ::renameat(descriptor_, temporary.c_str(), descriptor_, name.c_str()) == 0)
    return true;
  remove(temporary);
  return false;
}

bool PrivateDirectory::remove(const std::string &name) const {
  return ::unlinkat(descriptor_, name.c_str(), 0) == 0;
}

void PrivateDirectory::touch(const std::string &name) const {
  ::utimensat(descriptor_, name.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
}

std::vector<PrivateDirectory::File> PrivateDirectory::files() const {
  std::vector<File> found;
  // Not std::filesystem, which ends the process if memory is exhausted.
  int listed = ::openat(descriptor_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  std::unique_ptr<DIR, int (*)(DIR *)> entries(listed < 0 ? nullptr : ::fdopendir(listed),
                                               ::closedir);
  if (!entries)
    return found;
  while (const dirent *entry = ::readdir(entries.get()))
    if (std::optional<File> file = findFile(entry->d_name))
      found.push_back(std::move(*file));
  return found;
}

std::optional<PrivateDirectory::File> PrivateDirectory::findFile(const std::string &name) const {
  struct stat s;
  if (::fstatat(descriptor_, name.c_str(), &s, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(s.st_mode))
    return std::nullopt;
  return File{name, uint64_t(s.st_size), int64_t(s.st_mtime)};
}

FileLock::FileLock(const PrivateDirectory &directory, const std::string &name) {
  constexpr int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC;
  descriptor_ = ::openat(directory.descriptor_, name.c_str(), flags, 0600);
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
