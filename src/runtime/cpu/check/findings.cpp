#include "runtime/cpu/check/findings.h"

#include <algorithm>
#include <mutex>

namespace heddle::cpu {

namespace {

std::mutex findingsMutex;
std::vector<Finding> allFindings;

bool isSamePosition(const FoundAccess &a, const FoundAccess &b) {
  return a.op == b.op && a.at.line == b.at.line && a.at.column == b.at.column &&
         a.at.file == b.at.file;
}

bool isSameFinding(const Finding &a, const Finding &b) {
  return a.kind == b.kind && a.space == b.space && a.cause == b.cause && a.array == b.array &&
         a.kernel == b.kernel &&
         std::ranges::is_permutation(a.accesses, b.accesses, isSamePosition);
}

} // namespace

void addFindings(std::vector<Finding> findings) {
  std::lock_guard lock(findingsMutex);
  for (Finding &finding : findings) {
    auto known = std::ranges::find_if(allFindings,
                                      [&](const Finding &f) { return isSameFinding(f, finding); });
    if (known == allFindings.end())
      allFindings.push_back(std::move(finding));
    else
      known->count += finding.count;
  }
}

std::vector<Finding> takeFindings() {
  std::lock_guard lock(findingsMutex);
  return std::exchange(allFindings, {});
}

} // namespace heddle::cpu
