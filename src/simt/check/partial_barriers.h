// Partial barriers: inline PTX barriers for only some threads of a block, such as bar.sync 1, 64.
#pragma once

#include "simt/ir/sites.h"

#include <cstdint>
#include <optional>
#include <string>

namespace heddle::simt {

/// The message of the barrier's site. Equal barriers synchronize with each other.
std::string makePartialBarrierMessage(uint64_t number, uint64_t threads);

/// The number of threads for which the barrier at a site waits: nullopt if it waits for all threads, 0 if the number is
/// known only at run time (the site's message is then empty).
std::optional<uint32_t> findPartialBarrierThreadCount(const SiteInfo &site);

/// True if the kernel has partial barriers.
bool hasPartialBarriers(llvm::Function &kernel);

} // namespace heddle::simt
