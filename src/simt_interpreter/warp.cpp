#include "simt_interpreter/warp.h"

namespace heddle::interpreter {

using llvm::APInt;
using simt::Op;

namespace {

bool contains(LaneMask lanes, unsigned lane) { return lanes >> lane & 1; }

/// The source lane of a shuffle: the pseudocode of "shfl.sync" in the PTX ISA. CUDA's intrinsics compute operand c from
/// the width: (32 - width) << 8, plus 31 except for `up`.
unsigned sourceLane(unsigned lane, const WarpRequest &request) {
  unsigned distance = request.lane & 31, segment = (32 - request.width) & 31;
  unsigned clamp = request.op == Op::ShuffleUp ? 0 : 31;
  unsigned maxLane = (lane & segment) | (clamp & ~segment);
  unsigned minLane = lane & segment;
  switch (request.op) {
  case Op::ShuffleUp: {
    int source = int(lane) - int(distance);
    return source >= int(maxLane) ? unsigned(source) : lane;
  }
  case Op::ShuffleDown:
    return lane + distance <= maxLane ? lane + distance : lane;
  case Op::ShuffleXor:
    return (lane ^ distance) <= maxLane ? lane ^ distance : lane;
  default: {
    unsigned source = minLane | (distance & ~segment);
    return source <= maxLane ? source : lane;
  }
  }
}

APInt combine(Op op, const APInt &a, const APInt &b) {
  switch (op) {
  case Op::WarpAdd:
    return a + b;
  case Op::WarpMin:
    return a.slt(b) ? a : b;
  case Op::WarpMax:
    return a.sgt(b) ? a : b;
  case Op::WarpUMin:
    return a.ult(b) ? a : b;
  case Op::WarpUMax:
    return a.ugt(b) ? a : b;
  case Op::WarpAnd:
    return a & b;
  case Op::WarpOr:
    return a | b;
  default:
    return a ^ b; // WarpXor
  }
}

} // namespace

APInt computeWarpResult(unsigned lane, LaneMask together,
                        const std::array<WarpRequest, 32> &requests, uint64_t &undefinedReads) {
  const WarpRequest &own = requests[lane];
  LaneMask same = 0; // lanes with the same value as this lane
  LaneMask nonzero = 0;
  APInt total = own.value; // starts with this lane's value: every reduction is commutative
  for (unsigned other = 0; other < 32; ++other) {
    if (!contains(together, other))
      continue;
    const APInt &value = requests[other].value;
    same |= LaneMask(value == own.value) << other;
    nonzero |= LaneMask(!value.isZero()) << other;
    if (other != lane)
      total = combine(own.op, total, value);
  }
  switch (own.op) {
  case Op::WarpBarrier:
  case Op::WarpActive:
    return APInt(32, together);
  case Op::WarpBallot:
    return APInt(32, nonzero);
  case Op::WarpAll:
    return APInt(1, nonzero == together);
  case Op::WarpAny:
    return APInt(1, nonzero != 0);
  case Op::WarpEqual:
    return APInt(1, same == together);
  case Op::WarpMatchAny:
    return APInt(32, same);
  case Op::WarpMatchAll:
    return APInt(32, same == together ? together : 0);
  case Op::ShuffleIndex:
  case Op::ShuffleUp:
  case Op::ShuffleDown:
  case Op::ShuffleXor: {
    unsigned source = sourceLane(lane, own);
    if (contains(together, source))
      return requests[source].value;
    ++undefinedReads;
    return APInt(own.value.getBitWidth(), 0);
  }
  default:
    return total;
  }
}

} // namespace heddle::interpreter
