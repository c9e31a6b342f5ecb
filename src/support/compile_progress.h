// What a terminal shows while something compiles for long.
#pragma once

#include "support/os/threads.h"

#include <functional>
#include <memory>
#include <string>

namespace heddle {

/// While it lives, something is compiled. If that takes longer than a second, a line on the terminal says what; one, also
/// where compiling this leads to compiling other things. HEDDLE_PROGRESS is another number of seconds, or 0: no lines.
class CompileProgress {
public:
  /// `describe` is called at once, and only where a line may be written.
  explicit CompileProgress(const std::function<std::string()> &describe);
  ~CompileProgress();
  CompileProgress(const CompileProgress &) = delete;
  CompileProgress &operator=(const CompileProgress &) = delete;

private:
  struct State;
  std::shared_ptr<State> state_;
  os::Thread thread_;
};

} // namespace heddle
