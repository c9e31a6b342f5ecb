// Detects Ctrl-C for long-running code.
#pragma once

#include <atomic>
#include <cstdint>

namespace heddle::os {

/// Sets `flag` on Ctrl-C, in addition to the program's own handler. Call again after the program installs another
/// handler. Does nothing if Ctrl-C ends the process or is ignored.
void watchInterruptSignal(std::atomic<uint8_t> &flag);

/// True on the process's initial thread.
bool isMainThread();

} // namespace heddle::os
