// Ctrl-C in host functions. Loops in compiled code poll a flag (poll_interrupts.h) and call back here if it is set. The
// program's main thread then runs Python's signal handlers; if one raises, the call ends.
#pragma once

#include "runtime/cpu/code/host_functions.h"

#include "llvm/ADT/ArrayRef.h"

#include <atomic>
#include <cstdint>

namespace heddle::host {

/// The flag: nonzero if a signal may be pending.
std::atomic<uint8_t> &interruptFlag();
/// Installs the signal handler that sets the flag on Ctrl-C.
void watchInterrupts();

/// On the main thread, clears the flag, runs pending signal handlers and returns true if one raised. On other threads,
/// returns false, and clears the flag if the main thread is in no call.
bool runSignalHandlers();

/// The flag and the callback, as symbols for compiled code.
llvm::ArrayRef<cpu::HostFunction> interruptFunctions();

} // namespace heddle::host
