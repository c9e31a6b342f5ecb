#include "runtime/disk_cache.h"

#include "support/hash.h"
#include "support/os/files.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>

namespace heddle {

namespace {

constexpr const char *extension = ".entry";
constexpr char magic[8] = {'h', 'e', 'd', 'd', 'l', 'e', 'c', '1'};
constexpr size_t hashDigits = 40;
constexpr size_t headerBytes = sizeof(magic) + 8 + hashDigits;
constexpr uint64_t defaultLimit = uint64_t(1) << 30;
/// A temporary file this old belongs to no living writer.
constexpr int64_t temporarySeconds = 3600;
/// Writes between two looks at the directory's size.
constexpr unsigned writesPerSweep = 64;

std::string header(std::string_view payload) {
  std::string h(magic, sizeof(magic));
  for (int i = 0; i < 8; ++i)
    h += char(uint64_t(payload.size()) >> (8 * i));
  return h + hashOf(payload);
}

int64_t secondsSinceEpoch() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

} // namespace

DiskCache::DiskCache(std::string directory, uint64_t maxBytes)
    : directory_(std::move(directory)), maxBytes_(maxBytes) {}

DiskCache DiskCache::kernels() {
  std::string base = os::cacheDirectory();
  return DiskCache(base.empty() ? "" : base + "/kernels");
}

uint64_t DiskCache::configuredLimit() {
  const char *text = std::getenv("HEDDLE_CACHE_MAXSIZE");
  if (!text || !*text)
    return defaultLimit;
  char *end = nullptr;
  double number = std::strtod(text, &end);
  uint64_t unit = 1;
  switch (*end) {
  case 'k':
  case 'K':
    unit = uint64_t(1) << 10;
    break;
  case 'm':
  case 'M':
    unit = uint64_t(1) << 20;
    break;
  case 'g':
  case 'G':
    unit = uint64_t(1) << 30;
    break;
  }
  if (end == text || !(number >= 0) || number * double(unit) > 9e18)
    return defaultLimit;
  return uint64_t(number * double(unit));
}

std::string DiskCache::pathOf(const std::string &key) const {
  return directory_ + "/" + key + extension;
}

bool DiskCache::writable() const {
  if (directory_.empty() || !os::makeDirectory(directory_))
    return false;
  std::string probe = directory_ + "/probe";
  if (!os::replaceFile(probe, "probe"))
    return false;
  os::removeFile(probe);
  return true;
}

std::optional<std::string> DiskCache::read(const std::string &key) const {
  if (directory_.empty())
    return std::nullopt;
  std::string path = pathOf(key);
  std::optional<std::string> bytes = os::readFile(path);
  if (!bytes)
    return std::nullopt;
  std::string_view payload = std::string_view(*bytes).substr(std::min(headerBytes, bytes->size()));
  if (bytes->size() < headerBytes || bytes->compare(0, headerBytes, header(payload)) != 0) {
    os::removeFile(path);
    return std::nullopt;
  }
  os::touchFile(path);
  bytes->erase(0, headerBytes);
  return bytes;
}

bool DiskCache::write(const std::string &key, std::string_view payload) const {
  if (directory_.empty() || payload.size() + headerBytes > maxBytes_ ||
      !os::makeDirectory(directory_))
    return false;
  std::string bytes = header(payload);
  bytes += payload;
  if (!os::replaceFile(pathOf(key), bytes))
    return false;
  // The first write of a process looks too, so that many short processes do not outgrow the limit together.
  static std::atomic<unsigned> writes{0};
  if (writes++ % writesPerSweep == 0)
    sweep(maxBytes_);
  return true;
}

std::vector<DiskCache::Entry> DiskCache::list() const {
  std::vector<Entry> entries;
  constexpr size_t suffix = std::char_traits<char>::length(extension);
  for (const os::FileInDirectory &file : os::filesIn(directory_))
    if (file.name.size() > suffix && file.name.ends_with(extension))
      entries.push_back({file.name.substr(0, file.name.size() - suffix), file.bytes, file.written});
  std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) {
    return std::pair(b.lastUsed, std::string_view(a.key)) <
           std::pair(a.lastUsed, std::string_view(b.key));
  });
  return entries;
}

size_t DiskCache::clear() const {
  size_t removed = 0;
  for (const Entry &e : list())
    removed += os::removeFile(pathOf(e.key));
  return removed;
}

void DiskCache::sweep(uint64_t bytes) const {
  os::FileLock lock(directory_ + "/sweep.lock");
  if (!lock.held())
    return;
  int64_t now = secondsSinceEpoch();
  for (const os::FileInDirectory &file : os::filesIn(directory_))
    if (file.name.find(".tmp") != std::string::npos && now - file.written > temporarySeconds)
      os::removeFile(directory_ + "/" + file.name);
  uint64_t total = 0;
  for (const Entry &e : list()) {
    total += e.bytes;
    if (total > bytes)
      os::removeFile(pathOf(e.key));
  }
}

} // namespace heddle
