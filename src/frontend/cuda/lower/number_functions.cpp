#include "frontend/cuda/lower/number_functions.h"

#include "simt/ir/ops.h"
#include "simt/ir/sites.h"
#include "simt/ir/verifier.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle::cudacpp {

using namespace llvm;

namespace {

using Numbers = MapVector<Function *, uint64_t>;

// No objects exist below this address (vm.mmap_min_addr), and launches treat these values as numbers.
constexpr uint64_t firstNumber = 65536;
// An odd number in a pointer to member denotes a virtual function (Itanium C++ ABI, 2.3).
constexpr uint64_t step = 2;

bool isCallee(const Use &use) {
  const auto *call = dyn_cast<CallBase>(use.getUser());
  return call && call->isCallee(&use);
}

/// Functions with a use of their address other than calls. Excludes those with computed labels, which are rejected.
Numbers numberAddressTakenFunctions(Module &m) {
  Numbers numbers;
  for (Function &f : m)
    if (!all_of(f.uses(), isCallee) &&
        none_of(f.users(), [](const User *u) { return isa<BlockAddress>(u); }))
      numbers.insert({&f, firstNumber + step * numbers.size()});
  return numbers;
}

void replaceAddressByNumber(Function &f, uint64_t number) {
  SmallVector<CallBase *, 8> calls;
  for (Use &use : f.uses())
    if (isCallee(use))
      calls.push_back(cast<CallBase>(use.getUser()));
  f.replaceAllUsesWith(ConstantExpr::getIntToPtr(
      ConstantInt::get(Type::getInt64Ty(f.getContext()), number), f.getType()));
  for (CallBase *call : calls)
    call->setCalledOperand(&f);
}

std::vector<CallInst *> collectIndirectCalls(Module &m) {
  std::vector<CallInst *> calls;
  for (Function &f : m)
    for (Instruction &i : instructions(f))
      if (auto *call = dyn_cast<CallInst>(&i);
          call && !call->isInlineAsm() && !isa<Function>(call->getCalledOperand()))
        calls.push_back(call);
  return calls;
}

/// Adds a block that calls `callee` with the arguments of `call`, between the switch and `after`.
CallInst *addCallCase(CallInst &call, Function &callee, uint64_t number, SwitchInst &choice,
                      BasicBlock &after) {
  auto *block = BasicBlock::Create(call.getContext(), callee.getName(), call.getFunction(), &after);
  choice.addCase(ConstantInt::get(Type::getInt64Ty(call.getContext()), number), block);
  auto *direct = cast<CallInst>(call.clone());
  direct->insertInto(block, block->end());
  direct->setCalledFunction(&callee);
  direct->setCallingConv(callee.getCallingConv());
  BranchInst::Create(&after, block)->setDebugLoc(call.getDebugLoc());
  return direct;
}

void addTrapCase(CallInst &call, BasicBlock &block) {
  IRBuilder<> b(block.getTerminator());
  b.SetCurrentDebugLocation(call.getDebugLoc());
  simt::call(
      b, simt::Op::Trap,
      {b.getInt32(simt::addSite(
          "RuntimeError",
          "a call through a pointer that does not point to a function of this type in this program",
          call))});
}

void lowerIndirectCall(CallInst &call, const Numbers &numbers) {
  BasicBlock *before = call.getParent();
  BasicBlock *after = SplitBlock(before, &call);
  BasicBlock *none = SplitEdge(before, after);
  IRBuilder<> b(before->getTerminator());
  b.SetCurrentDebugLocation(call.getDebugLoc());
  Value *number = b.CreatePtrToInt(call.getCalledOperand(), b.getInt64Ty());
  SwitchInst *choice = b.CreateSwitch(number, none);
  before->getTerminator()->eraseFromParent();
  addTrapCase(call, *none);

  PHINode *result = nullptr;
  if (!call.getType()->isVoidTy()) {
    result = PHINode::Create(call.getType(), 2, "", after->begin());
    result->setDebugLoc(call.getDebugLoc());
    result->addIncoming(Constant::getNullValue(call.getType()), none);
  }
  for (auto [callee, itsNumber] : numbers) {
    if (callee->getFunctionType() != call.getFunctionType() ||
        callee->hasFnAttribute(simt::kernelAttribute))
      continue;
    CallInst *direct = addCallCase(call, *callee, itsNumber, *choice, *after);
    if (result)
      result->addIncoming(direct, direct->getParent());
  }
  if (result)
    call.replaceAllUsesWith(result);
  call.eraseFromParent();
}

} // namespace

bool replaceFunctionPointersByNumbers(Module &m) {
  Numbers numbers = numberAddressTakenFunctions(m);
  for (auto [f, number] : numbers)
    replaceAddressByNumber(*f, number);
  std::vector<CallInst *> calls = collectIndirectCalls(m);
  for (CallInst *call : calls)
    lowerIndirectCall(*call, numbers);
  return !calls.empty();
}

} // namespace heddle::cudacpp
