#include "simt_interpreter/warp.h"

#include "llvm/Support/ErrorHandling.h"

#pragma GCC diagnostic error "-Wswitch" // for simt::WarpOp

namespace heddle::interpreter {

using llvm::APInt;

namespace {

bool containsLane(LaneMask lanes, unsigned lane) { return lanes >> lane & 1; }

/// The terms of the pseudocode of "shfl.sync" in the PTX ISA. CUDA's intrinsics compute operand c from the width:
/// (32 - width) << 8, plus 31 except for `up`.
struct Shuffle {
  Shuffle(unsigned lane, const WarpRequest &request, unsigned clamp)
      : distance(request.lane & 31), segment((32 - request.width) & 31),
        maxLane((lane & segment) | (clamp & ~segment)), minLane(lane & segment) {}

  unsigned distance, segment, maxLane, minLane;
};

unsigned sourceOfShuffleUp(unsigned lane, const WarpRequest &request) {
  Shuffle s(lane, request, 0);
  int source = int(lane) - int(s.distance);
  return source >= int(s.maxLane) ? unsigned(source) : lane;
}

unsigned sourceOfShuffleDown(unsigned lane, const WarpRequest &request) {
  Shuffle s(lane, request, 31);
  return lane + s.distance <= s.maxLane ? lane + s.distance : lane;
}

unsigned sourceOfShuffleXor(unsigned lane, const WarpRequest &request) {
  Shuffle s(lane, request, 31);
  return (lane ^ s.distance) <= s.maxLane ? lane ^ s.distance : lane;
}

unsigned sourceOfShuffleIndex(unsigned lane, const WarpRequest &request) {
  Shuffle s(lane, request, 31);
  unsigned source = s.minLane | (s.distance & ~s.segment);
  return source <= s.maxLane ? source : lane;
}

} // namespace

APInt computeWarpResult(unsigned lane, LaneMask together,
                        const std::array<WarpRequest, 32> &requests, uint64_t &undefinedReads) {
  using enum simt::WarpOp;
  const WarpRequest &own = requests[lane];
  LaneMask same = 0; // lanes with the same value as this lane
  LaneMask nonzero = 0;
  for (unsigned other = 0; other < 32; ++other) {
    if (!containsLane(together, other))
      continue;
    const APInt &value = requests[other].value;
    same |= LaneMask(value == own.value) << other;
    nonzero |= LaneMask(!value.isZero()) << other;
  }
  auto read = [&](unsigned source) {
    if (containsLane(together, source))
      return requests[source].value;
    ++undefinedReads;
    return APInt(own.value.getBitWidth(), 0);
  };
  auto reduce = [&](auto combine) {
    APInt total = own.value; // starts with this lane's value: every reduction is commutative
    for (unsigned other = 0; other < 32; ++other)
      if (other != lane && containsLane(together, other))
        total = combine(total, requests[other].value);
    return total;
  };
  switch (simt::toWarpOp(own.op)) {
  case WarpBarrier:
  case WarpActive:
    return APInt(32, together);
  case WarpBallot:
    return APInt(32, nonzero);
  case WarpAll:
    return APInt(1, nonzero == together);
  case WarpAny:
    return APInt(1, nonzero != 0);
  case WarpEqual:
    return APInt(1, same == together);
  case WarpMatchAny:
    return APInt(32, same);
  case WarpMatchAll:
    return APInt(32, same == together ? together : 0);
  case ShuffleIndex:
    return read(sourceOfShuffleIndex(lane, own));
  case ShuffleUp:
    return read(sourceOfShuffleUp(lane, own));
  case ShuffleDown:
    return read(sourceOfShuffleDown(lane, own));
  case ShuffleXor:
    return read(sourceOfShuffleXor(lane, own));
  case WarpAdd:
    return reduce([](const APInt &a, const APInt &b) { return a + b; });
  case WarpMin:
    return reduce([](const APInt &a, const APInt &b) { return a.slt(b) ? a : b; });
  case WarpMax:
    return reduce([](const APInt &a, const APInt &b) { return a.sgt(b) ? a : b; });
  case WarpUMin:
    return reduce([](const APInt &a, const APInt &b) { return a.ult(b) ? a : b; });
  case WarpUMax:
    return reduce([](const APInt &a, const APInt &b) { return a.ugt(b) ? a : b; });
  case WarpAnd:
    return reduce([](const APInt &a, const APInt &b) { return a & b; });
  case WarpOr:
    return reduce([](const APInt &a, const APInt &b) { return a | b; });
  case WarpXor:
    return reduce([](const APInt &a, const APInt &b) { return a ^ b; });
  }
  llvm_unreachable("not a warp operation");
}

} // namespace heddle::interpreter
