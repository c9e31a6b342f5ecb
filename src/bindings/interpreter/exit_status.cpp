#include "bindings/interpreter/exit_status.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace nb = nanobind;

namespace heddle {

namespace {

std::atomic<bool> failsAtExit{false};

[[maybe_unused]] void exitWithFailureInsteadOfSuccess(int status, void *) {
  if (status != 0 || !failsAtExit)
    return;
  std::fflush(nullptr);
  _exit(1);
}

/// The first call registers the handler: handlers registered before it do not run if it replaces the status.
void setFailureAtExit(bool fails) {
  failsAtExit = fails;
#ifdef __GLIBC__
  [[maybe_unused]] static const int registered = on_exit(exitWithFailureInsteadOfSuccess, nullptr);
#endif
}

} // namespace

void bindExitStatus(nb::module_ &m) {
  m.def("fail_at_exit", &setFailureAtExit, nb::arg("fails"),
        "If fails, a process that would end with status 0 ends with status 1.");
}

} // namespace heddle
