#include "runtime/cpu/check/lints/kernel_lints.h"

#include <utility>

namespace heddle::cpu {

namespace {

/// Limit on the launch shapes of a check. Others hardly tell anything new.
constexpr size_t maxShapes = 8;
/// Limit on the launches whose lints are remembered.
constexpr size_t maxKnown = 64;

} // namespace

KernelLints::Key KernelLints::makeKey(const LaunchShape &shape,
                                      std::span<const uint64_t> arguments) {
  const Dim3 &grid = shape.grid, &block = shape.block;
  Key key{grid.x, grid.y, grid.z, block.x, block.y, block.z, shape.dynamicSharedBytes};
  key.insert(key.end(), arguments.begin(), arguments.end());
  return key;
}

KernelLints::Wanted KernelLints::begin(uint64_t check, const LaunchShape &shape) {
  if (!check)
    return Wanted::None;
  std::lock_guard lock(mutex_);
  bool isFirst = std::exchange(check_, check) != check;
  if (isFirst)
    shapes_.clear();
  if (shapes_.size() == maxShapes || !shapes_.insert(makeKey(shape, {})).second)
    return Wanted::None;
  return isFirst ? Wanted::OfLaunchAndKernel : Wanted::OfLaunch;
}

std::optional<std::vector<Finding>> KernelLints::find(const Key &key) {
  std::lock_guard lock(mutex_);
  auto known = known_.find(key);
  if (known == known_.end())
    return std::nullopt;
  return known->second;
}

void KernelLints::store(Key key, std::vector<Finding> lints) {
  std::lock_guard lock(mutex_);
  if (known_.size() == maxKnown)
    known_.clear();
  known_.insert_or_assign(std::move(key), std::move(lints));
}

} // namespace heddle::cpu
