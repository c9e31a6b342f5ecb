// The thresholds of thresholds.def.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace heddle::thresholds {

#define THRESHOLD(name, value, reason) extern const unsigned &name;
#include "simt/thresholds.def"

/// Changes a threshold for later compilations, on all threads, to measure its effect. Returns the previous value;
/// nullopt if no threshold has that name.
std::optional<unsigned> exchangeByName(llvm::StringRef name, unsigned value);

/// The names and values of the changed thresholds, for cache keys.
std::string describeChanges();

} // namespace heddle::thresholds
