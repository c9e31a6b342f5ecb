// Finds and describes lints: findings of kind "lint" (docs/check.md). The caller adds the kernel and the launch to
// them.
#pragma once

#include "runtime/cpu/check/findings.h"
#include "runtime/cpu/check/lints/launch_sample.h"
#include "runtime/cpu/check/lints/occupancy.h"
#include "simt/check/lints/static_lints.h"

#include <span>

namespace heddle::cpu {

/// Finds uncoalesced accesses and bank conflicts. Takes the accesses from the sample.
std::vector<Finding> findAccessLints(LaunchSample &sample);
/// Finds divergent branches and loops. Takes the executions of basic blocks from the sample.
std::vector<Finding> findDivergenceLints(LaunchSample &sample);
std::vector<Finding> makeStaticLintFindings(std::span<const simt::StaticLint> lints);
Finding makeOccupancyFinding(const LowOccupancy &low);

} // namespace heddle::cpu
