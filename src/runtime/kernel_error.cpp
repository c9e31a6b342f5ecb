#include "runtime/kernel_error.h"

#include "support/compiler_run.h"
#include "support/shown_file.h"

#include "llvm/Demangle/Demangle.h"

#include <algorithm>

namespace heddle {

namespace {

std::string triple(const uint32_t (&v)[3]) {
  std::string text = "(";
  for (uint32_t n : v)
    text += (text.size() > 1 ? ", " : "") + std::to_string(n);
  return text += ")";
}

/// The kernel's name as its source has it. LLVM ends the process when there is no memory for that.
std::string nameOf(const std::string &symbol) {
  std::string name;
  if (symbol.starts_with("_Z"))
    interruptible([&] { name = llvm::demangle(symbol); });
  return name.empty() ? symbol : name;
}

/// `k.py:14: message` and, below it, who it was.
std::string describe(const std::string &kernel, const simt::SiteInfo &site,
                     const std::string &message, const uint32_t (&thread)[3],
                     const uint32_t (&block)[3]) {
  std::string text;
  if (!site.file.empty() && site.line)
    text = shownFile(site.file) + ":" + std::to_string(site.line) + ": ";
  text += message;
  if (kernel.empty())
    return text;
  text += "\n  kernel " + nameOf(kernel);
  if (block[0] != unknownIndex)
    text += ", block " + triple(block);
  if (thread[0] != unknownIndex)
    text += ", thread " + triple(thread);
  if (!site.function.empty() && site.function != kernel)
    text += ", in " + site.function;
  return text;
}

std::string replaced(std::string text, const std::string &name, int64_t value) {
  for (size_t at; (at = text.find(name)) != std::string::npos;)
    text.replace(at, name.size(), std::to_string(value));
  return text;
}

} // namespace

std::string messageAt(const simt::SiteInfo &site, int64_t index, int64_t extent) {
  return replaced(replaced(site.message, "{index}", index), "{extent}", extent);
}

KernelError::KernelError(std::string kernel, simt::SiteInfo site, std::string message,
                         const uint32_t (&thread)[3], const uint32_t (&block)[3])
    : std::runtime_error(describe(kernel, site, message, thread, block)),
      kernel_(std::move(kernel)), site_(std::move(site)), message_(std::move(message)) {
  std::copy(thread, thread + 3, thread_);
  std::copy(block, block + 3, block_);
}

KernelError stoppedByInterrupt() {
  constexpr uint32_t nobody[3] = {};
  return KernelError("", simt::SiteInfo{.kind = "KernelRuntimeError"},
                     "an interrupt (Ctrl-C) stopped this work before its end: what it was to write "
                     "is incomplete",
                     nobody, nobody);
}

const std::shared_ptr<const KernelError> &errorWithoutMemory() {
  constexpr uint32_t nobody[3] = {};
  static const auto *error = new std::shared_ptr<const KernelError>(std::make_shared<KernelError>(
      "", simt::SiteInfo{.kind = "MemoryError"},
      "no memory was left for a launch, or for saying what stopped it", nobody, nobody));
  return *error;
}

} // namespace heddle
