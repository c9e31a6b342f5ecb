#include "backend/nvptx/tune/spread_constant_loads.h"

#include "simt/ir/ops.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

namespace heddle::nvptx {

using namespace llvm;

namespace {

class Addresses {
public:
  explicit Addresses(Function &f) : b_(&*f.getEntryBlock().getFirstNonPHIOrDbgOrAlloca()) {}

  /// Changes the constants from which the address `use` is computed.
  void makeAddressOpaque(Use &use) {
    Value *address = use.get();
    if (auto *constant = dyn_cast<llvm::Constant>(address))
      return use.set(makeAddressOpaque(*constant));
    auto *i = dyn_cast<Instruction>(address);
    if (!i || !isa<GetElementPtrInst, PHINode, SelectInst>(i) || !seen_.insert(i).second)
      return;
    for (Use &operand : i->operands())
      if (operand->getType() == address->getType())
        makeAddressOpaque(operand);
  }

private:
  Value *makeAddressOpaque(llvm::Constant &address) {
    Value *&own = spread_[&address];
    if (!own)
      own = b_.CreatePtrAdd(&address, getOrEmitOpaqueZero());
    return own;
  }

  /// A zero of which neither LLVM nor ptxas knows that it is one, only that 16 divides it, so that adjacent loads are
  /// combined. ptxas sees through shifts and masks of the lane ID, but not through the number of its bits.
  Value *getOrEmitOpaqueZero() {
    if (!zero_) {
      Value *lane = b_.CreateIntrinsic(b_.getInt32Ty(), Intrinsic::nvvm_read_ptx_sreg_laneid, {});
      auto *type = FunctionType::get(b_.getInt32Ty(), {b_.getInt32Ty()}, /*isVarArg=*/false);
      auto *count = InlineAsm::get(type, "popc.b32 $0, $1;", "=r,r", /*hasSideEffects=*/false);
      Value *atMostFive = b_.CreateCall(type, count, {lane});
      zero_ = b_.CreateZExt(b_.CreateAnd(atMostFive, 16), b_.getInt64Ty());
    }
    return zero_;
  }

  IRBuilder<> b_;
  Value *zero_ = nullptr;
  DenseMap<llvm::Constant *, Value *> spread_;
  SmallPtrSet<Instruction *, 8> seen_;
};

} // namespace

PreservedAnalyses SpreadConstantLoads::run(Function &f, FunctionAnalysisManager &am) {
  const LoopInfo &loops = am.getResult<LoopAnalysis>(f);
  if (loops.empty())
    return PreservedAnalyses::all();
  const UniformityInfo &uniformity = am.getResult<UniformityInfoAnalysis>(f);
  SmallVector<LoadInst *> loads;
  for (Instruction &i : instructions(f)) {
    auto *load = dyn_cast<LoadInst>(&i);
    if (!load || load->getPointerAddressSpace() != simt::Constant)
      continue;
    const Loop *loop = loops.getLoopFor(load->getParent());
    Value *address = load->getPointerOperand();
    if (loop && !loop->isLoopInvariant(address) && uniformity.isUniform(address))
      loads.push_back(load);
  }
  Addresses addresses(f);
  for (LoadInst *load : loads)
    addresses.makeAddressOpaque(load->getOperandUse(LoadInst::getPointerOperandIndex()));
  return loads.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace heddle::nvptx
