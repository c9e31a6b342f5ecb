#include "runtime/cpu/check/lints/kernel_lint_cache.h"

#include <utility>

namespace heddle::cpu {

namespace {

/// Limit on the launch shapes of a check. Others hardly tell anything new.
constexpr size_t maxShapes = 8;
/// Limit on the launches whose lints are remembered.
constexpr size_t maxKnown = 64;

} // namespace

KernelLintCache::Key KernelLintCache::makeKey(const LaunchShape &shape,
                                              std::span<const uint64_t> arguments) {
  const Dim3 &grid = shape.grid, &block = shape.block;
  Key key{grid.x, grid.y, grid.z, block.x, block.y, block.z, shape.dynamicSharedBytes};
  key.insert(key.end(), arguments.begin(), arguments.end());
  return key;
}

KernelLintCache::Wanted KernelLintCache::recordShapeAndSelectLints(uint64_t check,
                                                                   const LaunchShape &shape) {
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

std::optional<std::vector<Finding>> KernelLintCache::lookUp(const Key &key) {
  std::lock_guard lock(mutex_);
  auto known = known_.find(key);
  if (known == known_.end())
    return std::nullopt;
  return known->second;
}

void KernelLintCache::store(Key key, std::vector<Finding> lints) {
  std::lock_guard lock(mutex_);
  if (known_.size() == maxKnown)
    known_.clear();
  known_.insert_or_assign(std::move(key), std::move(lints));
}

} // namespace heddle::cpu
