// Ctrl-C in functions of the host. Compiled code looks at a flag in its loops (poll_interrupts.h) and asks here where it is
// set. The program's main thread then runs the handlers of signals; where one raises, the call ends.
#pragma once

#include "runtime/cpu/code/host_functions.h"

#include "llvm/ADT/ArrayRef.h"

#include <atomic>
#include <cstdint>

namespace heddle::host {

/// Where a signal may wait to be seen.
std::atomic<uint8_t> &interruptFlag();
/// Has Ctrl-C set the flag.
void watchInterrupts();

/// On the main thread: whether a signal's handler has raised an exception.
bool isInterrupted();

/// The flag and the function for compiled code.
llvm::ArrayRef<cpu::HostFunction> interruptFunctions();

} // namespace heddle::host
