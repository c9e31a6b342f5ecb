// A checked launch as a job for the thread pool.
#pragma once

#include "runtime/cpu/queue/pool_job.h"

#include <mutex>

namespace heddle::cpu {

/// Held by checked launches, and by work in other streams that may run at the same time: before a launch is repeated,
/// its arrays are restored, including parts that other work writes.
std::mutex &checkedMemoryMutex();

/// Makes the job of a checked launch. See makePoolJob().
PoolJob *makeCheckedKernelJob(Scheduler &scheduler, const std::shared_ptr<StreamState> &stream,
                              Commands &given);

} // namespace heddle::cpu
