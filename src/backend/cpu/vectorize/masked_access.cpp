#include "backend/cpu/vectorize/masked_access.h"

namespace heddle::cpu {

using namespace llvm;

std::optional<MaskedAccess> matchMaskedAccess(Instruction &i) {
  auto *call = dyn_cast<IntrinsicInst>(&i);
  if (!call)
    return std::nullopt;
  auto operand = [&](unsigned n) { return call->getArgOperand(n); };
  switch (call->getIntrinsicID()) {
  case Intrinsic::masked_load:
    return MaskedAccess{call, true, true, operand(0), operand(1), nullptr};
  case Intrinsic::masked_gather:
    return MaskedAccess{call, true, false, operand(0), operand(1), nullptr};
  case Intrinsic::masked_store:
    return MaskedAccess{call, false, true, operand(1), operand(2), operand(0)};
  case Intrinsic::masked_scatter:
    return MaskedAccess{call, false, false, operand(1), operand(2), operand(0)};
  default:
    return std::nullopt;
  }
}

} // namespace heddle::cpu
