// Progress messages for long compilations, on a terminal.
#pragma once

#include "support/os/threads.h"

#include <functional>
#include <memory>
#include <string>

namespace heddle {

/// Prints one line on the terminal if the object lives for more than a second, that is, if compilation is slow. Nested
/// objects print nothing. $HEDDLE_PROGRESS sets another number of seconds; 0 disables the line.
class CompileProgress {
public:
  /// Calls `describe` in the constructor, unless no line can be written.
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
