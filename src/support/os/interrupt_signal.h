// Ctrl-C, as code that runs for long sees it.
#pragma once

#include <atomic>
#include <cstdint>

namespace heddle::os {

/// Has `flag` set where the system tells this process of Ctrl-C, beside what the process does then anyway. Again where the
/// program has another handler by now; nothing where Ctrl-C ends the process or is ignored.
void noteInterrupts(std::atomic<uint8_t> &flag);

/// Whether this is the thread that the process began with.
bool isMainThread();

} // namespace heddle::os
