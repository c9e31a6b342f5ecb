// A checked launch as a job for the thread pool.
#pragma once

#include "runtime/cpu/queue/pool_job.h"

namespace heddle::cpu {

/// Makes the job of a checked launch. See makeJob().
PoolJob *makeCheckedKernelJob(Scheduler &scheduler, const std::shared_ptr<StreamState> &stream,
                              Commands &given);

} // namespace heddle::cpu
