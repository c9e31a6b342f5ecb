// Properties of the machine: memory, processor, floating-point state.
#pragma once

#include <cstdint>
#include <string>

namespace heddle::os {

struct Memory {
  uint64_t available = 0; ///< bytes that can be allocated without swapping
  uint64_t total = 0;
};

/// The machine's total and available memory, or the limits of the process's control group if they are lower.
Memory usableMemory();

/// The processor's marketing name, such as "AMD EPYC 9654 96-Core Processor".
std::string processorName();

/// A stable identifier of this machine (32 hexadecimal digits); all zeros if it has none.
std::string machineId();

/// Size of the last-level cache that one core uses; 0 if unknown.
uint64_t lastLevelCacheBytes();

/// The processor's maximum clock rate in kHz, or the current one if the system does not report a maximum; 0 if unknown.
uint64_t clockKilohertz();

/// Sets round to nearest, no flush to zero and no traps while the object lives, then restores the thread's settings. On
/// x86, also restores the exception flags, so that a kernel does not change the caller's flags.
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
