#include "runtime/cpu/check/lints/request_statistics.h"

#include "backend/cpu/abi/block_context.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace heddle::cpu {

namespace {

constexpr uint64_t sectorBytes = 32;
// Shared memory has 32 banks of 4 bytes (CUDA C++ Programming Guide, compute capability 5.x and later).
constexpr uint64_t banks = 32, bankBytes = 4;

using Request = std::span<const LaunchSample::SampledAccess>;

bool isSameRequest(const LaunchSample::SampledAccess &a, const LaunchSample::SampledAccess &b) {
  return a.site == b.site && a.kind == b.kind && a.moment == b.moment && a.isShared == b.isShared &&
         a.thread / warpSize == b.thread / warpSize;
}

RequestStatistics countSectors(Request request) {
  std::set<uint64_t> sectors, addresses;
  uint64_t bytes = 0;
  for (const auto &access : request) {
    for (uint64_t at = access.address / sectorBytes;
         at <= (access.address + access.bytes - 1) / sectorBytes; ++at)
      sectors.insert(at);
    if (addresses.insert(access.address).second)
      bytes += access.bytes;
  }
  return {request[0].site,
          request[0].kind,
          false,
          request[0].base,
          1,
          sectors.size(),
          (bytes + sectorBytes - 1) / sectorBytes};
}

/// Lanes that access 8 or 16 bytes each are served per half or quarter of a warp. Lanes that access the same word do
/// not conflict.
RequestStatistics countSharedMemoryPasses(Request request) {
  RequestStatistics counted{request[0].site, request[0].kind, true, request[0].base, 1, 0, 0};
  auto lanesPerPass =
      uint32_t(warpSize * bankBytes / std::max<uint64_t>(request[0].bytes, bankBytes));
  for (size_t i = 0; i < request.size();) {
    std::array<std::set<uint64_t>, banks> words;
    uint32_t part = request[i].thread / lanesPerPass;
    for (; i < request.size() && request[i].thread / lanesPerPass == part; ++i)
      for (uint64_t word = request[i].address / bankBytes;
           word <= (request[i].address + request[i].bytes - 1) / bankBytes; ++word)
        words[word % banks].insert(word);
    counted.units += std::ranges::max(words, {}, &std::set<uint64_t>::size).size();
    ++counted.needed;
  }
  return counted;
}

} // namespace

void RequestStatistics::add(const RequestStatistics &other) {
  requests += other.requests;
  units += other.units;
  needed += other.needed;
}

std::vector<RequestStatistics>
countRequests(std::span<const LaunchSample::SampledAccess> accesses) {
  std::map<std::pair<uint32_t, simt::AccessKind>, RequestStatistics> sites;
  for (size_t begin = 0, end; begin < accesses.size(); begin = end) {
    for (end = begin + 1; end < accesses.size() && isSameRequest(accesses[begin], accesses[end]);)
      ++end;
    Request request = accesses.subspan(begin, end - begin);
    RequestStatistics counted =
        request[0].isShared ? countSharedMemoryPasses(request) : countSectors(request);
    auto [known, isNew] = sites.try_emplace({counted.site, counted.kind}, counted);
    if (!isNew)
      known->second.add(counted);
  }
  std::vector<RequestStatistics> sorted;
  for (const auto &[site, counted] : sites)
    sorted.push_back(counted);
  return sorted;
}

} // namespace heddle::cpu
