// Running the compilers: Clang, LLVM and our own passes over their data.
#pragma once

#include "support/os/guarded_run.h"

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace heddle {

/// Has LLVM's ways of giving up leave the guarded run that they happen in.
void answerForLlvm();

/// Calls `work` in a guarded run (support/os/guarded_run.h). Throws only what `work` throws.
template <class Work> os::Interruption interruptible(Work &&work) {
  answerForLlvm();
  return os::runGuarded(std::forward<Work>(work));
}

/// Throws what an interruption is for the user: CompileError (Memory) where memory ran out, else (Internal). `doing`:
/// "compiling for the CPU", say.
[[noreturn]] void throwInterruption(const os::Interruption &why, const char *doing);

/// What `work` returns. When it is interrupted, what it owns is leaked and what it was doing is thrown. So it owns, by
/// its captures, all that it changes; what it throws itself destroys them.
template <class Work> auto compilerRun(const char *doing, Work work) {
  using Result = std::invoke_result_t<Work &>;
  using Place = std::conditional_t<std::is_void_v<Result>, char, std::optional<Result>>;
  Place result{};
  auto mine = std::make_unique<Work>(std::move(work));
  os::Interruption why = interruptible([&] {
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
