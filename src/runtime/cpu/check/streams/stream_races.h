// Finds races between two operations of different streams.
#pragma once

#include "runtime/cpu/check/findings.h"
#include "runtime/cpu/check/streams/operation_accesses.h"

#include <span>
#include <vector>

namespace heddle::cpu {

/// Memory that two operations may access and at least one may write.
struct CommonMemory {
  AccessedRange first, second; ///< with equal bounds
};

/// Returns the races of two unordered operations, one for each pair of source positions.
std::vector<Finding> findStreamRaces(const OperationAccesses &first,
                                     const OperationAccesses &second,
                                     std::span<const CommonMemory> memory, BlockRunner *runner);

} // namespace heddle::cpu
