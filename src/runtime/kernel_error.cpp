#include "runtime/kernel_error.h"

#include "support/compiler_run.h"
#include "support/file_display_name.h"

#include "llvm/Demangle/Demangle.h"

#include <algorithm>
#include <cstdlib>

namespace heddle {

namespace {

std::string formatTriple(const uint32_t (&v)[3]) {
  std::string text = "(";
  for (uint32_t n : v)
    text += (text.size() > 1 ? ", " : "") + std::to_string(n);
  return text += ")";
}

/// Demangles the kernel's name. In a guarded run, because LLVM aborts if memory is exhausted.
std::string demangleName(const std::string &symbol) {
  std::string name;
  if (symbol.starts_with("_Z"))
    runGuardedCompiler([&] { name = llvm::demangle(symbol); });
  return name.empty() ? symbol : name;
}

/// Formats `k.py:14: message` and, below it, the kernel, block and thread.
std::string formatError(const std::string &kernel, const simt::SiteInfo &site,
                        const std::string &message, const uint32_t (&thread)[3],
                        const uint32_t (&block)[3]) {
  std::string text;
  if (!site.file.empty() && site.line)
    text = fileDisplayName(site.file) + ":" + std::to_string(site.line) + ": ";
  text += message;
  if (kernel.empty())
    return text;
  text += "\n  kernel " + demangleName(kernel);
  if (block[0] != unknownIndex)
    text += ", block " + formatTriple(block);
  if (thread[0] != unknownIndex)
    text += ", thread " + formatTriple(thread);
  if (!site.function.empty() && site.function != kernel)
    text += ", in " + site.function;
  return text;
}

/// Replaces {name} by the value, and {name/4} by the value divided by 4, rounded down or up.
std::string replacePlaceholder(std::string text, const std::string &name, int64_t value,
                               bool roundsUp) {
  for (size_t at = 0; (at = text.find("{" + name, at)) != std::string::npos;) {
    size_t end = text.find('}', at), next = at + 1 + name.size();
    int64_t by = text[next] == '/' ? std::strtoll(text.c_str() + next + 1, nullptr, 10) : 1;
    int64_t number = value / by - (value % by < 0) + (roundsUp && value % by > 0);
    text.replace(at, end + 1 - at, std::to_string(number));
  }
  return text;
}

} // namespace

std::string formatTrapMessage(const simt::SiteInfo &site, int64_t index, int64_t extent,
                              const uint64_t *arguments) {
  constexpr std::string_view asUnsigned = "{unsigned index}", opening = "{argument ";
  std::string text =
      replacePlaceholder(replacePlaceholder(site.message, "index", index, /*roundsUp=*/false),
                         "extent", extent, /*roundsUp=*/true);
  for (size_t at; (at = text.find(asUnsigned)) != std::string::npos;)
    text.replace(at, asUnsigned.size(), std::to_string(uint64_t(index)));
  for (size_t at; arguments && (at = text.find(opening)) != std::string::npos;) {
    size_t end = text.find('}', at);
    unsigned slot = unsigned(std::strtoul(text.c_str() + at + opening.size(), nullptr, 10));
    text.replace(at, end + 1 - at, std::to_string(int64_t(arguments[slot])));
  }
  return text;
}

KernelError::KernelError(std::string kernel, simt::SiteInfo site, std::string message,
                         const uint32_t (&thread)[3], const uint32_t (&block)[3])
    : std::runtime_error(formatError(kernel, site, message, thread, block)),
      kernel_(std::move(kernel)), site_(std::move(site)), message_(std::move(message)) {
  std::copy(thread, thread + 3, thread_);
  std::copy(block, block + 3, block_);
}

KernelError makeInterruptError() {
  constexpr uint32_t nobody[3] = {};
  return KernelError("", simt::SiteInfo{.kind = "KernelRuntimeError"},
                     "an interrupt (Ctrl-C) stopped this work before its end: its results are "
                     "incomplete",
                     nobody, nobody);
}

const std::shared_ptr<const KernelError> &outOfMemoryError() {
  constexpr uint32_t nobody[3] = {};
  static const auto *error = new std::shared_ptr<const KernelError>(std::make_shared<KernelError>(
      "", simt::SiteInfo{.kind = "MemoryError"},
      "no memory was left for a launch, or for describing its error", nobody, nobody));
  return *error;
}

} // namespace heddle
