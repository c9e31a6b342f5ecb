// Remembers the lints of a kernel's launches.
#pragma once

#include "runtime/cpu/check/findings.h"
#include "runtime/device.h"
#include "simt/check/lints/static_lints.h"

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <vector>

namespace heddle::cpu {

/// Remembers lints, so that a launch whose shape and arguments are known needs no sample. Thread-safe.
class KernelLintCache {
public:
  /// The shape of a launch, and its arguments that are not addresses.
  using Key = std::vector<uint64_t>;
  static Key makeKey(const LaunchShape &shape, std::span<const uint64_t> arguments);

  enum class Wanted {
    None,
    OfLaunch,
    OfLaunchAndKernel ///< for the first launch of a check
  };
  /// Decides which lints a launch needs, and remembers its shape, because a check (simt::lintingCheck) lints each shape
  /// once.
  Wanted recordShapeAndSelectLints(uint64_t check, const LaunchShape &shape);

  /// Returns the lints that need no launch. The first call finds them with `find`.
  template <class Find> std::vector<simt::StaticLint> getOrFindStaticLints(Find find) {
    std::lock_guard lock(mutex_);
    if (!ofKernel_)
      ofKernel_ = find();
    return *ofKernel_;
  }
  std::optional<std::vector<Finding>> lookUp(const Key &key);
  void store(Key key, std::vector<Finding> lints);

private:
  std::mutex mutex_;
  uint64_t check_ = 0;   ///< the last one
  std::set<Key> shapes_; ///< in that check
  std::optional<std::vector<simt::StaticLint>> ofKernel_;
  std::map<Key, std::vector<Finding>> known_;
};

} // namespace heddle::cpu
