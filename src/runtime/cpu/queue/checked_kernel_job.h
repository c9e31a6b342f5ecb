// A checked launch as a job for the thread pool.
#pragma once

#include "runtime/cpu/queue/pool_job.h"

#include <mutex>

namespace heddle::cpu {

/// Held by work that may overlap in time with a checked launch, in another stream: a launch that is repeated restores its
/// arrays first, also the parts that other work writes.
std::mutex &checkedMemoryMutex();

/// Makes the job of a checked launch. See makeJob().
PoolJob *makeCheckedKernelJob(Scheduler &scheduler, const std::shared_ptr<StreamState> &stream,
                              Commands &given);

} // namespace heddle::cpu
