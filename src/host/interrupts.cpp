#include "host/interrupts.h"

#include "host/call.h"
#include "host/parallel_loops.h"
#include "runtime/device.h"
#include "simt/ir/host_memory.h"
#include "support/os/interrupt_signal.h"

namespace heddle::host {

namespace {

std::atomic<uint8_t> flag{0};

/// Called by compiled code if the flag is set.
void handleInterrupt() {
  if (isParallelLoopStopped() || runSignalHandlers())
    leaveCall({.ending = Ending::Interrupted});
}

} // namespace

std::atomic<uint8_t> &interruptFlag() { return flag; }

void watchInterrupts() { os::watchInterruptSignal(flag); }

bool runSignalHandlers() {
  if (!os::isMainThread()) {
    if (!isMainThreadInCall()) // the main thread is in Python, which handles the signal
      flag = 0;
    return false;
  }
  flag = 0; // cleared before the handlers run, so that another signal sets it again
  return callInterruptCheck();
}

llvm::ArrayRef<cpu::HostFunction> interruptFunctions() {
  static const cpu::HostFunction functions[] = {
      {simt::interruptFlag, &flag},
      {simt::interruptFunction, reinterpret_cast<void *>(handleInterrupt)},
  };
  return functions;
}

} // namespace heddle::host
