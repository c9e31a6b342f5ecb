// Inline PTX barriers for some threads of a block, such as bar.sync 1, 64.
#pragma once

#include "simt/ir/sites.h"

#include <cstdint>
#include <optional>
#include <string>

namespace heddle::simt {

/// The message of the barrier's site. Equal barriers synchronize with each other.
std::string makePartialBarrierMessage(uint64_t number, uint64_t threads);

/// The number of threads for which the barrier at a site waits. 0: for some threads, but the number is known only at run
/// time; the message is empty. None: for all threads.
std::optional<uint32_t> findThreadsOfBarrier(const SiteInfo &site);

/// True if the kernel has such barriers.
bool hasPartialBarriers(llvm::Function &kernel);

} // namespace heddle::simt
