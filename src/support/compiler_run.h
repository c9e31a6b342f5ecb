// Runs Clang, LLVM and Heddle's passes so that their crashes become exceptions.
#pragma once

#include "support/os/guarded_run.h"

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace heddle {

/// Installs LLVM error handlers that leave the current guarded run.
void installLlvmErrorHandlers();

/// Calls `work` in a guarded run and returns what interrupted it, if anything (support/os/guarded_run.h). Throws only
/// what `work` throws.
template <class Work> os::Interruption runGuardedCompiler(Work &&work) {
  installLlvmErrorHandlers();
  return os::runGuarded(std::forward<Work>(work));
}

/// Throws CompileError (Memory) if memory was exhausted, else CompileError (Internal). `doing` completes the message,
/// as in "compiling for the CPU". `afterCrash` is appended to the message after a crash.
[[noreturn]] void throwInterruption(const os::Interruption &why, const char *doing,
                                    const char *afterCrash = "");

/// Returns the result of `work`. If `work` is interrupted, leaks its captures and calls throwInterruption(); `work`
/// must therefore own everything that it changes. Exceptions thrown by `work` propagate and destroy its captures.
template <class Work> auto runCompiler(const char *doing, Work work) {
  using Result = std::invoke_result_t<Work &>;
  using Place = std::conditional_t<std::is_void_v<Result>, char, std::optional<Result>>;
  Place result{};
  auto mine = std::make_unique<Work>(std::move(work));
  os::Interruption why = runGuardedCompiler([&] {
    std::unique_ptr<Work> owner = std::move(mine);
    if constexpr (std::is_void_v<Result>)
      (*owner)();
    else
      result.emplace((*owner)());
  });
  if (why)
    throwInterruption(why, doing);
  if constexpr (!std::is_void_v<Result>)
    return std::move(*result);
}

} // namespace heddle
