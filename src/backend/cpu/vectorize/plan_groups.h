// Plans the groups of threads that a kernel runs together.
#pragma once

#include "backend/cpu/abi/plan.h"

namespace heddle::cpu {

/// Plans the groups of a kernel among those for its thread order, along `axis`. always: plan groups even if
/// they do not pay off.
Plan planGroups(llvm::Function &kernel, const GroupChoices &choices, char axis, bool always);

} // namespace heddle::cpu
