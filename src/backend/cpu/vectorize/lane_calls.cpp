#include "backend/cpu/vectorize/lane_calls.h"

#include "backend/cpu/prepare/thread_context.h"
#include "backend/cpu/vectorize/structurize.h"
#include "backend/cpu/vectorize/widen.h"
#include "simt/ir/ops.h"

#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

/// The type of a lane's value in memory: vectors of bits are packed there.
Type *inMemory(Type *type) {
  return type->isIntegerTy(1) ? Type::getInt8Ty(type->getContext()) : type;
}

} // namespace

Value *LaneCalls::add(IRBuilderBase &b, const CallInst &call, ArrayRef<Value *> operands,
                      Value *mask) {
  SmallVector<Value *, 8> all(operands);
  if (mask)
    all.push_back(mask);
  SmallVector<Type *, 8> types;
  for (Value *v : all)
    types.push_back(v->getType());
  Type *result = call.getType();
  Type *wide = result->isVoidTy() ? result : VectorType::get(result, width, false);
  std::string name = "heddle.lanes.call" + std::to_string(groups_.size());
  Function *standIn = Function::Create(FunctionType::get(wide, types, false),
                                       GlobalValue::ExternalLinkage, name, f.getParent());
  Group group{b.CreateCall(standIn, all),
              call.getCalledFunction(),
              result,
              call.getAttributes(),
              {},
              mask != nullptr};
  if (isa<FPMathOperator>(call))
    group.flags = call.getFastMathFlags();
  groups_.push_back(group);
  return result->isVoidTy() ? nullptr : group.standIn;
}

void LaneCalls::expand() {
  for (const Group &group : groups_) {
    Function *standIn = group.standIn->getCalledFunction();
    expand(group);
    standIn->eraseFromParent();
  }
}

Value *LaneCalls::memoryFor(Type *type) {
  IRBuilder<> b(&f.getEntryBlock(), f.getEntryBlock().begin());
  AllocaInst *memory = b.CreateAlloca(ArrayType::get(inMemory(type), width), nullptr, "lanes");
  memory->setAlignment(Align(64));
  memory->setMetadata(scratchMark, MDNode::get(f.getContext(), {}));
  return memory;
}

void LaneCalls::expand(const Group &group) {
  CallInst *call = group.standIn;
  IRBuilder<> b(call);
  Type *bitsType = b.getIntNTy(width);
  SmallVector<Value *, 8> operands(call->args());
  Value *lanes = group.masked ? b.CreateBitCast(operands.pop_back_val(), bitsType)
                              : ConstantInt::get(bitsType, maskTrailingOnes<uint64_t>(width));
  SmallVector<Value *, 8> memory(operands.size());
  for (auto [i, v] : enumerate(operands))
    if (auto *vector = dyn_cast<VectorType>(v->getType())) {
      Type *element = vector->getElementType();
      memory[i] = memoryFor(element);
      Value *stored =
          element->isIntegerTy(1) ? b.CreateZExt(v, VectorType::get(b.getInt8Ty(), vector)) : v;
      b.CreateAlignedStore(stored, memory[i], Align(64));
    }
  Value *results = call->use_empty() ? nullptr : memoryFor(group.result);

  BasicBlock *before = call->getParent();
  BasicBlock *after = SplitBlock(before, call);
  BasicBlock *loop = BasicBlock::Create(f.getContext(), "lane", &f, after);
  before->getTerminator()->setSuccessor(0, loop);
  b.SetInsertPoint(loop);
  PHINode *left = b.CreatePHI(bitsType, 2);
  left->addIncoming(lanes, before);
  Value *lane = b.CreateIntrinsic(Intrinsic::cttz, {bitsType}, {left, b.getTrue()});
  Value *index = b.CreateZExtOrTrunc(lane, b.getInt64Ty());
  auto load = [&](Type *type, Value *from) {
    Type *stored = inMemory(type);
    Value *v = b.CreateLoad(stored, b.CreateInBoundsGEP(stored, from, index));
    return stored == type ? v : b.CreateTrunc(v, type);
  };
  for (auto [i, v] : enumerate(operands))
    if (memory[i])
      v = load(cast<VectorType>(v->getType())->getElementType(), memory[i]);
  CallInst *own;
  if (group.callee->getName().starts_with(trapStandIn)) {
    Function *trap =
        simt::declare(*f.getParent(), operands.size() == 1 ? simt::Op::Trap : simt::Op::TrapIndex);
    own = b.CreateCall(trap, operands,
                       OperandBundleDef(laneBundle, b.CreateZExtOrTrunc(lane, b.getInt32Ty())));
    own->setDoesNotReturn();
  } else {
    own = b.CreateCall(group.callee, operands);
    own->setAttributes(group.attributes);
    if (isa<FPMathOperator>(own))
      own->setFastMathFlags(group.flags);
  }
  own->setDebugLoc(call->getDebugLoc());
  if (results) {
    Type *stored = inMemory(group.result);
    Value *v = stored == group.result ? static_cast<Value *>(own) : b.CreateZExt(own, stored);
    b.CreateStore(v, b.CreateInBoundsGEP(stored, results, index));
  }
  Value *next = b.CreateAnd(left, b.CreateSub(left, ConstantInt::get(bitsType, 1)));
  left->addIncoming(next, loop);
  b.CreateCondBr(b.CreateICmpNE(next, ConstantInt::get(bitsType, 0)), loop, after);

  if (results) {
    b.SetInsertPoint(call);
    Type *stored = VectorType::get(inMemory(group.result), width, false);
    Value *v = b.CreateAlignedLoad(stored, results, Align(64));
    if (stored != call->getType())
      v = b.CreateTrunc(v, call->getType());
    call->replaceAllUsesWith(v);
  }
  call->eraseFromParent();
}

} // namespace heddle::cpu
