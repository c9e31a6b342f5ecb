#include "runtime/cpu/check/findings.h"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <utility>

namespace heddle::cpu {

namespace {

std::mutex findingsMutex;
std::vector<Finding> allFindings;

bool isSamePosition(const FoundAccess &a, const FoundAccess &b) {
  return a.op == b.op && a.at.line == b.at.line && a.at.column == b.at.column &&
         a.at.file == b.at.file;
}

bool isSameFinding(const Finding &a, const Finding &b) {
  return a.kind == b.kind && a.space == b.space && a.cause == b.cause && a.lint == b.lint &&
         a.array == b.array && a.kernel == b.kernel && a.program == b.program &&
         std::ranges::is_permutation(a.accesses, b.accesses, isSamePosition);
}

/// The accesses that race with those of other streams.
std::vector<FoundAccess> listAccessesInStreamRaces() {
  std::vector<FoundAccess> accesses;
  for (const Finding &finding : allFindings)
    if (finding.cause == RaceCause::Streams)
      std::ranges::copy(finding.accesses, std::back_inserter(accesses));
  return accesses;
}

/// True if a use of undefined memory follows from such a race: the write had not run yet. A race names only the last
/// access of a thread that also writes, so that the arrays are compared.
bool isCausedByRace(const Finding &use, const FoundAccess &raced) {
  const FoundAccess &load = use.loaded ? *use.loaded : use.accesses.front();
  return use.kind == FindingKind::Uninitialized && use.kernel == raced.operation->kernel &&
         load.at.message == raced.at.message;
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
  std::vector<FoundAccess> raced = listAccessesInStreamRaces();
  std::erase_if(allFindings, [&](const Finding &finding) {
    return std::ranges::any_of(raced,
                               [&](const auto &one) { return isCausedByRace(finding, one); });
  });
  return std::exchange(allFindings, {});
}

} // namespace heddle::cpu
