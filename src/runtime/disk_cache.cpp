#include "runtime/disk_cache.h"

#include "support/hash.h"
#include "support/os/files.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Demangle/Demangle.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <utility>

namespace heddle {

namespace {

constexpr const char *extension = ".entry";
constexpr char magic[8] = {'h', 'e', 'd', 'd', 'l', 'e', 'c', '2'};
constexpr size_t hashDigits = 40;
constexpr size_t labelLengthAt = sizeof(magic) + 8;
constexpr size_t headerBytes = labelLengthAt + 2 + hashDigits;
constexpr size_t longestLabel = 10000;
constexpr uint64_t defaultLimit = uint64_t(1) << 30;
/// A temporary file older than this was left by a killed process.
constexpr int64_t temporarySeconds = 3600;
/// The number of writes between two checks of the directory's size.
constexpr unsigned writesPerSweep = 64;
/// A process does not check at its first write if another one has checked within this time: listing 4,000 files takes
/// longer than compiling a small kernel.
constexpr int64_t secondsBetweenSweeps = 60;
/// Its time of modification is that of the last check.
constexpr const char *sweepLock = "sweep.lock";

/// content: the label and the payload.
std::string makeHeader(std::string_view content, size_t labelBytes) {
  std::string h(magic, sizeof(magic));
  for (int i = 0; i < 8; ++i)
    h += char(uint64_t(content.size()) >> (8 * i));
  h += char(labelBytes);
  h += char(labelBytes >> 8);
  return h + hashOf(content);
}

/// The label and the payload of a file.
struct Content {
  std::string_view label, payload;
};

/// Nothing if the file is damaged.
std::optional<Content> parseFile(std::string_view file) {
  if (file.size() < headerBytes)
    return std::nullopt;
  auto byteAt = [&](size_t i) { return size_t(static_cast<unsigned char>(file[i])); };
  size_t labelBytes = byteAt(labelLengthAt) | byteAt(labelLengthAt + 1) << 8;
  std::string_view content = file.substr(headerBytes);
  if (labelBytes > content.size() || file.substr(0, headerBytes) != makeHeader(content, labelBytes))
    return std::nullopt;
  return Content{content.substr(0, labelBytes), content.substr(labelBytes)};
}

/// The target and the functions, one a line. Omits functions that would make the label too long.
std::string encodeLabel(const DiskCache::Label &label) {
  std::string lines = label.target;
  for (const std::string &function : label.functions)
    if (lines.size() + function.size() < longestLabel)
      lines += "\n" + function;
  return lines;
}

int64_t secondsSinceEpoch() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// Reasons why entries were not used; each is recorded once per process.
struct Refusals {
  std::mutex mutex;
  std::set<std::string> known;
  std::vector<std::string> untold;
};

Refusals &cacheWarnings() {
  static Refusals all;
  return all;
}

void recordCacheWarning(const std::string &why) {
  Refusals &all = cacheWarnings();
  std::lock_guard lock(all.mutex);
  if (all.known.insert(why).second)
    all.untold.push_back(why);
}

/// Sorted by the time of the last use, most recent first.
std::vector<DiskCache::Entry> listEntries(const std::vector<os::PrivateDirectory::File> &files) {
  std::vector<DiskCache::Entry> entries;
  constexpr size_t suffix = std::char_traits<char>::length(extension);
  for (const os::PrivateDirectory::File &file : files)
    if (file.name.size() > suffix && file.name.ends_with(extension))
      entries.push_back({file.name.substr(0, file.name.size() - suffix), file.bytes, file.written});
  std::sort(entries.begin(), entries.end(),
            [](const DiskCache::Entry &a, const DiskCache::Entry &b) {
              return std::pair(b.lastUsed, std::string_view(a.key)) <
                     std::pair(a.lastUsed, std::string_view(b.key));
            });
  return entries;
}

void shrinkDirectoryTo(const os::PrivateDirectory &directory, uint64_t bytes) {
  os::FileLock lock(directory, sweepLock);
  if (!lock.isHeld())
    return;
  directory.touch(sweepLock);
  int64_t now = secondsSinceEpoch();
  std::vector<os::PrivateDirectory::File> files = directory.files();
  for (const os::PrivateDirectory::File &file : files)
    if (file.name.find(".tmp") != std::string::npos && now - file.written > temporarySeconds)
      directory.remove(file.name);
  uint64_t total = 0;
  for (const DiskCache::Entry &e : listEntries(files)) {
    total += e.bytes;
    if (total > bytes)
      directory.remove(e.key + extension);
  }
}

bool wasSweptRecently(const os::PrivateDirectory &directory) {
  std::optional<os::PrivateDirectory::File> lock = directory.findFile(sweepLock);
  if (!lock)
    return false;
  int64_t seconds = secondsSinceEpoch() - lock->written;
  return seconds >= 0 && seconds < secondsBetweenSweeps;
}

} // namespace

DiskCache::DiskCache(std::string directory, uint64_t maxBytes)
    : directory_(std::move(directory)), maxBytes_(maxBytes) {}

DiskCache DiskCache::forKernels() {
  std::string base = os::cacheDirectory();
  return DiskCache(base.empty() ? "" : base + "/kernels");
}

uint64_t DiskCache::configuredMaxBytes() {
  const char *text = std::getenv("HEDDLE_CACHE_MAXSIZE");
  if (!text || !*text)
    return defaultLimit;
  char *end = nullptr;
  double number = std::strtod(text, &end);
  llvm::StringRef suffix(end);
  double unit = 1;
  if (end == text || !(number >= 0))
    return defaultLimit;
  if (!suffix.empty()) {
    size_t power = llvm::StringRef("KMG").find(llvm::toUpper(suffix.front()));
    llvm::StringRef rest = suffix.drop_front();
    if (power == llvm::StringRef::npos || !(rest.empty() || rest == "B" || rest == "iB"))
      return defaultLimit;
    unit = double(uint64_t(1) << (10 * (power + 1)));
  }
  return number * unit > 9e18 ? defaultLimit : uint64_t(number * unit);
}

bool DiskCache::isWritable() const {
  os::PrivateDirectory directory = openDirectory(IfMissing::Create);
  return directory && directory.isWritable();
}

std::string DiskCache::problem() const { return openDirectory(IfMissing::Fail).problem(); }

os::PrivateDirectory DiskCache::openDirectory(IfMissing ifMissing) const {
  return os::PrivateDirectory(directory_, ifMissing);
}

std::optional<std::string> DiskCache::read(const std::string &key) const {
  os::PrivateDirectory directory = openDirectory(IfMissing::Fail);
  std::string name = key + extension;
  std::optional<std::string> bytes = directory ? directory.read(name) : std::nullopt;
  if (!directory.problem().empty())
    recordCacheWarning(
        "compiled code on disk is not used: " + directory.problem() +
        "\n  hint: another user could put code there that this process would run. Remove it or "
        "change its owner or mode, or set HEDDLE_CACHE_DIR to a directory of your own");
  if (!bytes)
    return std::nullopt;
  std::optional<Content> content = parseFile(*bytes);
  if (!content) {
    directory.remove(name);
    return std::nullopt;
  }
  directory.touch(name);
  bytes->erase(0, bytes->size() - content->payload.size());
  return bytes;
}

bool DiskCache::write(const std::string &key, std::string_view payload, const Label &label) const {
  std::string content = encodeLabel(label);
  size_t labelBytes = content.size();
  if (headerBytes + labelBytes + payload.size() > maxBytes_)
    return false;
  os::PrivateDirectory directory = openDirectory(IfMissing::Create);
  content += payload;
  std::string bytes = makeHeader(content, labelBytes) + content;
  if (!directory && directory.problem().empty()) // read() reports the problem
    recordCacheWarning(
        "compiled code is not kept on disk: this process cannot create " +
        (directory_.empty() ? "a directory for it, because HOME is not set" : directory_) +
        "\n  hint: set HEDDLE_CACHE_DIR to a directory that you can write");
  if (!directory || !directory.replace(key + extension, bytes))
    return false;
  // The first write of a process also checks, so that many short processes do not exceed the limit together.
  static std::atomic<unsigned> writes{0};
  unsigned earlier = writes++;
  if (earlier % writesPerSweep == 0 && (earlier > 0 || !wasSweptRecently(directory)))
    shrinkDirectoryTo(directory, maxBytes_);
  return true;
}

std::vector<DiskCache::Entry> DiskCache::list() const {
  os::PrivateDirectory directory = openDirectory(IfMissing::Fail);
  return directory ? listEntries(directory.files()) : std::vector<Entry>();
}

DiskCache::Label DiskCache::readLabelOfEntry(const std::string &key) const {
  os::PrivateDirectory directory = openDirectory(IfMissing::Fail);
  std::optional<std::string> bytes = directory ? directory.read(key + extension) : std::nullopt;
  std::optional<Content> content = bytes ? parseFile(*bytes) : std::nullopt;
  if (!content)
    return {};
  llvm::SmallVector<llvm::StringRef, 4> lines;
  llvm::StringRef(content->label).split(lines, '\n');
  Label label{.target = lines.front().str()};
  for (llvm::StringRef function : llvm::drop_begin(lines))
    label.functions.push_back(llvm::demangle(function));
  return label;
}

size_t DiskCache::clear() const {
  os::PrivateDirectory directory = openDirectory(IfMissing::Fail);
  size_t removed = 0;
  if (directory)
    for (const Entry &e : listEntries(directory.files()))
      removed += directory.remove(e.key + extension);
  return removed;
}

void DiskCache::shrinkTo(uint64_t bytes) const {
  if (os::PrivateDirectory directory = openDirectory(IfMissing::Fail))
    shrinkDirectoryTo(directory, bytes);
}

std::vector<std::string> DiskCache::takeCacheWarnings() {
  Refusals &all = cacheWarnings();
  std::lock_guard lock(all.mutex);
  return std::exchange(all.untold, {});
}

} // namespace heddle
