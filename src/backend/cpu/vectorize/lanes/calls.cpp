#include "backend/cpu/vectorize/lanes/calls.h"

#include "backend/cpu/abi/thread_context.h"
#include "backend/cpu/vectorize/structurize.h"
#include "backend/cpu/vectorize/widen.h"
#include "simt/ir/ops.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle::cpu {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// The memory type of a lane's value: vectors of i1 are packed in memory.
Type *typeInMemory(Type *type) {
  return type->isIntegerTy(1) ? Type::getInt8Ty(type->getContext()) : type;
}

/// The address of a vector's elements in memory, if it was loaded from a read-only array.
struct LoadedVector {
  Value *address = nullptr;
  Align alignment;
};

LoadedVector matchReadOnlyLoad(Value *vector) {
  LoadedVector loaded;
  if (auto *plain = dyn_cast<LoadInst>(vector); plain && plain->isSimple())
    loaded = {plain->getPointerOperand(), plain->getAlign()};
  else if (auto *call = dyn_cast<IntrinsicInst>(vector);
           call && call->getIntrinsicID() == Intrinsic::masked_load)
    loaded = {call->getArgOperand(0), call->getParamAlign(0).valueOrOne()};
  auto *array =
      loaded.address ? dyn_cast<Argument>(getUnderlyingObject(loaded.address, 0)) : nullptr;
  return array && array->hasNoAliasAttr() && array->onlyReadsMemory() ? loaded : LoadedVector();
}

/// Extracts an element of a vector while all lanes are active.
Value *extractElement(IRBuilderBase &b, Value *vector, unsigned lane) {
  if (Value *same = getSplatValue(vector))
    return same;
  LoadedVector loaded = matchReadOnlyLoad(vector);
  if (!loaded.address)
    return b.CreateExtractElement(vector, lane);
  Type *type = vector->getType()->getScalarType();
  uint64_t offset = lane * b.GetInsertBlock()->getDataLayout().getTypeAllocSize(type);
  return b.CreateAlignedLoad(type, b.CreatePtrAdd(loaded.address, b.getInt64(offset)),
                             commonAlignment(loaded.alignment, offset));
}

/// Extracts an index operand of an address: the element is extracted before it is extended and scaled, because
/// addressing modes do both.
Value *extractLaneOfIndex(IRBuilderBase &b, Value *v, unsigned lane) {
  Value *from;
  const APInt *by;
  if (isa<ZExtInst, SExtInst>(v)) {
    auto *extension = cast<CastInst>(v);
    return b.CreateCast(extension->getOpcode(),
                        extractLaneOfIndex(b, extension->getOperand(0), lane),
                        extension->getDestTy()->getScalarType());
  }
  if (match(v, m_Mul(m_Value(from), m_APInt(by))))
    return b.CreateMul(extractLaneOfIndex(b, from, lane), b.getInt(*by));
  if (match(v, m_Shl(m_Value(from), m_APInt(by))))
    return b.CreateShl(extractLaneOfIndex(b, from, lane), b.getInt(*by));
  return extractElement(b, v, lane);
}

/// Extracts a lane's value if `v` is a vector.
Value *extractLane(IRBuilderBase &b, Value *v, unsigned lane) {
  if (!v->getType()->isVectorTy())
    return v;
  auto *address = dyn_cast<GetElementPtrInst>(v);
  if (!address || address->getNumIndices() != 1)
    return extractElement(b, v, lane);
  Value *base = extractLane(b, address->getPointerOperand(), lane), *index = address->getOperand(1);
  if (index->getType()->isVectorTy())
    index = extractLaneOfIndex(b, index, lane);
  return b.CreateGEP(address->getSourceElementType(), base, index, "", address->getNoWrapFlags());
}

} // namespace

Value *LaneCalls::emitPlaceholderCall(IRBuilderBase &b, const CallInst &call,
                                      ArrayRef<Value *> operands, Value *mask) {
  SmallVector<Value *, 8> all(operands);
  if (mask)
    all.push_back(mask);
  SmallVector<Type *, 8> types;
  for (Value *v : all)
    types.push_back(v->getType());
  Type *result = call.getType();
  Type *wide = result->isVoidTy() ? result : VectorType::get(result, width, false);
  std::string name = "heddle.lanes.call" + std::to_string(groups_.size());
  Function *placeholder = Function::Create(FunctionType::get(wide, types, false),
                                           GlobalValue::ExternalLinkage, name, f.getParent());
  Group group{b.CreateCall(placeholder, all),
              call.getCalledFunction(),
              result,
              call.getAttributes(),
              {},
              mask != nullptr};
  if (isa<FPMathOperator>(call))
    group.flags = call.getFastMathFlags();
  groups_.push_back(group);
  return result->isVoidTy() ? nullptr : group.placeholder;
}

void LaneCalls::replacePlaceholders() {
  for (const Group &group : groups_) {
    Function *placeholder = group.placeholder->getCalledFunction();
    replacePlaceholders(group);
    placeholder->eraseFromParent();
  }
}

Value *LaneCalls::createLaneMemory(Type *type) {
  IRBuilder<> b(&f.getEntryBlock(), f.getEntryBlock().begin());
  AllocaInst *memory = b.CreateAlloca(ArrayType::get(typeInMemory(type), width), nullptr, "lanes");
  memory->setAlignment(Align(64));
  memory->setMetadata(scratchMetadata, MDNode::get(f.getContext(), {}));
  return memory;
}

/// Returns true if each lane's call is a few instructions: a plain load and store of shared memory.
bool LaneCalls::isSharedMemoryAtomic(const Group &group) {
  std::optional<simt::Op> op = simt::opNamed(group.callee->getName());
  return op && simt::info(*op).has(simt::ArgMemory) &&
         group.callee->getArg(0)->getType()->getPointerAddressSpace() == simt::Shared;
}

CallInst *LaneCalls::createLaneCall(IRBuilderBase &b, const Group &group,
                                    ArrayRef<Value *> operands, Value *lane) {
  CallInst *own;
  if (group.callee->getName().starts_with(trapPlaceholder)) {
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
  own->setDebugLoc(group.placeholder->getDebugLoc());
  return own;
}

Value *LaneCalls::callEachLane(IRBuilderBase &b, const Group &group, ArrayRef<Value *> operands) {
  Type *type = group.placeholder->getType();
  Value *results =
      type->isVoidTy() || group.placeholder->use_empty() ? nullptr : PoisonValue::get(type);
  for (unsigned lane = 0; lane < width; ++lane) {
    SmallVector<Value *, 8> own(operands);
    for (Value *&v : own)
      v = extractLane(b, v, lane);
    CallInst *call = createLaneCall(b, group, own, b.getInt32(lane));
    if (results)
      results = b.CreateInsertElement(results, call, lane);
  }
  return results;
}

Value *LaneCalls::callActiveLanesInLoop(IRBuilderBase &b, const Group &group,
                                        SmallVector<Value *, 8> operands, Value *lanes,
                                        BasicBlock *after) {
  Type *bitsType = lanes->getType();
  BasicBlock *before = b.GetInsertBlock();
  SmallVector<Value *, 8> memory(operands.size());
  for (auto [i, v] : enumerate(operands))
    if (auto *vector = dyn_cast<VectorType>(v->getType())) {
      Type *element = vector->getElementType();
      memory[i] = createLaneMemory(element);
      Value *stored =
          element->isIntegerTy(1) ? b.CreateZExt(v, VectorType::get(b.getInt8Ty(), vector)) : v;
      b.CreateAlignedStore(stored, memory[i], Align(64));
    }
  bool wanted = !group.result->isVoidTy() && !group.placeholder->use_empty();
  Value *results = wanted ? createLaneMemory(group.result) : nullptr;
  BasicBlock *loop = BasicBlock::Create(f.getContext(), "lane", &f, after);
  BasicBlock *done = BasicBlock::Create(f.getContext(), "lanes.done", &f, after);
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  PHINode *left = b.CreatePHI(bitsType, 2);
  left->addIncoming(lanes, before);
  Value *lane = b.CreateIntrinsic(Intrinsic::cttz, {bitsType}, {left, b.getTrue()});
  Value *index = b.CreateZExtOrTrunc(lane, b.getInt64Ty());
  auto load = [&](Type *type, Value *from) {
    Type *stored = typeInMemory(type);
    Value *v = b.CreateLoad(stored, b.CreateInBoundsGEP(stored, from, index));
    return stored == type ? v : b.CreateTrunc(v, type);
  };
  for (auto [i, v] : enumerate(operands))
    if (memory[i])
      v = load(cast<VectorType>(v->getType())->getElementType(), memory[i]);
  CallInst *own = createLaneCall(b, group, operands, lane);
  if (results) {
    Type *stored = typeInMemory(group.result);
    Value *v = stored == group.result ? static_cast<Value *>(own) : b.CreateZExt(own, stored);
    b.CreateStore(v, b.CreateInBoundsGEP(stored, results, index));
  }
  Value *next = b.CreateAnd(left, b.CreateSub(left, ConstantInt::get(bitsType, 1)));
  left->addIncoming(next, loop);
  b.CreateCondBr(b.CreateICmpNE(next, ConstantInt::get(bitsType, 0)), loop, done);
  b.SetInsertPoint(done);
  Value *v = nullptr;
  if (results) {
    Type *stored = VectorType::get(typeInMemory(group.result), width, false);
    v = b.CreateAlignedLoad(stored, results, Align(64));
    if (stored != group.placeholder->getType())
      v = b.CreateTrunc(v, group.placeholder->getType());
  }
  b.CreateBr(after);
  return v;
}

void LaneCalls::replacePlaceholders(const Group &group) {
  CallInst *call = group.placeholder;
  IRBuilder<> b(call);
  SmallVector<Value *, 8> operands(call->args());
  Value *mask = group.masked ? operands.pop_back_val() : nullptr;
  Type *bitsType = b.getIntNTy(width);
  Constant *all = ConstantInt::get(bitsType, maskTrailingOnes<uint64_t>(width));
  Value *lanes = mask ? b.CreateBitCast(mask, bitsType) : all;

  BasicBlock *before = call->getParent();
  BasicBlock *after = SplitBlock(before, call);
  auto block = [&](const char *name) {
    return BasicBlock::Create(f.getContext(), name, &f, after);
  };
  before->getTerminator()->eraseFromParent();
  b.SetInsertPoint(before);
  SmallVector<std::pair<Value *, BasicBlock *>, 2> results;
  if (isSharedMemoryAtomic(group)) {
    BasicBlock *every = block("all"), *some = mask ? block("some") : nullptr;
    if (some)
      b.CreateCondBr(b.CreateICmpEQ(lanes, all), every, some);
    else
      b.CreateBr(every);
    b.SetInsertPoint(every);
    results.push_back({callEachLane(b, group, operands), every});
    b.CreateBr(after);
    if (some)
      b.SetInsertPoint(some);
  }
  if (results.empty() || mask) {
    Value *result = callActiveLanesInLoop(b, group, operands, lanes, after);
    results.push_back({result, b.GetInsertBlock()});
  }
  if (!call->use_empty()) {
    PHINode *joined = PHINode::Create(call->getType(), 2, "", after->begin());
    for (auto [result, from] : results)
      joined->addIncoming(result, from);
    call->replaceAllUsesWith(joined);
  }
  call->eraseFromParent();
}

} // namespace heddle::cpu
