// What this machine is: its memory, its processor, its floating-point state.
#pragma once

#include <cstdint>
#include <string>

namespace heddle::os {

struct Memory {
  uint64_t available = 0; ///< bytes that can be allocated without swapping
  uint64_t total = 0;
};

/// Memory of the machine, or of the control group that this process is limited to.
Memory memory();

/// The processor's name as its maker gives it, such as "AMD EPYC 9654 96-Core Processor".
std::string processorName();

/// A value that stays the same for this machine (32 hexadecimal digits), or all zeros when it has none.
std::string machineId();

/// Bytes of the last-level cache that a core sees; 0 when unknown.
uint64_t lastLevelCacheBytes();

/// The processor's highest clock in kHz; 0 when unknown.
uint64_t clockKilohertz();

/// Default rounding, no flush to zero and no traps for as long as it lives; then the thread's own settings again
/// (its exception flags too: a kernel must not show in the caller's).
class DefaultFloatEnvironment {
public:
  DefaultFloatEnvironment();
  ~DefaultFloatEnvironment();
  DefaultFloatEnvironment(const DefaultFloatEnvironment &) = delete;
  DefaultFloatEnvironment &operator=(const DefaultFloatEnvironment &) = delete;

private:
  uint64_t saved_;
};

} // namespace heddle::os
