#include "frontend/python/emit/generators/split_body.h"

#include "frontend/python/emit/generators/frame.h"
#include "simt/ir/host_memory.h"

#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Local.h"

namespace heddle::python {

namespace {

constexpr const char *suspendMark = "heddle.suspend";

llvm::SmallVector<llvm::CallInst *, 8> findYieldMarks(llvm::Function &body) {
  llvm::SmallVector<llvm::CallInst *, 8> marks;
  for (llvm::Instruction &i : llvm::instructions(body))
    if (auto *call = llvm::dyn_cast<llvm::CallInst>(&i);
        call && call->getCalledFunction() && call->getCalledFunction()->getName() == suspendMark)
      marks.push_back(call);
  return marks;
}

void splitBodyAtYieldMarks(llvm::Function &body) {
  llvm::SmallVector<llvm::CallInst *, 8> marks = findYieldMarks(body);
  auto *ended = llvm::BasicBlock::Create(body.getContext(), "ended", &body);
  llvm::IRBuilder<> b(ended);
  b.CreateRet(b.getInt8(simt::GeneratorEnded));
  llvm::Instruction *start = body.getEntryBlock().getTerminator();
  llvm::BasicBlock *first = start->getSuccessor(0);
  b.SetInsertPoint(start);
  llvm::Value *address = frameSlot(b, body.getArg(0), simt::ResumePointSlot);
  llvm::Value *place = b.CreateLoad(b.getInt64Ty(), address);
  b.CreateStore(b.getInt64(-1), address); // also if it leaves with an exception
  llvm::SwitchInst *choice = b.CreateSwitch(place, ended, marks.size() + 1);
  start->eraseFromParent();
  choice->addCase(b.getInt64(0), first);
  for (unsigned i = 0; i < marks.size(); ++i) {
    llvm::BasicBlock *before = marks[i]->getParent();
    llvm::BasicBlock *rest = before->splitBasicBlock(std::next(marks[i]->getIterator()));
    before->getTerminator()->eraseFromParent();
    marks[i]->eraseFromParent();
    b.SetInsertPoint(before);
    b.CreateStore(b.getInt64(i + 1), address);
    b.CreateRet(b.getInt8(simt::GeneratorYielded));
    choice->addCase(b.getInt64(i + 1), rest);
  }
}

/// Moves values that are used after a yield to stack slots, because their definitions no longer dominate the uses.
void spillLiveValues(llvm::Function &body) {
  llvm::DominatorTree dominators(body);
  llvm::SmallVector<llvm::Instruction *, 16> kept;
  for (llvm::Instruction &i : llvm::instructions(body))
    if (llvm::any_of(i.uses(), [&](llvm::Use &use) { return !dominators.dominates(&i, use); }))
      kept.push_back(&i);
  for (llvm::Instruction *i : kept)
    llvm::DemoteRegToStack(*i, /*VolatileLoads=*/false, body.getEntryBlock().getFirstInsertionPt());
}

ValuesInFrame moveStackSlotsToFrame(llvm::Function &body, uint64_t firstFree) {
  const llvm::DataLayout &layout = body.getDataLayout();
  ValuesInFrame values{.end = firstFree};
  for (llvm::Instruction &i : llvm::make_early_inc_range(body.getEntryBlock())) {
    auto *slot = llvm::dyn_cast<llvm::AllocaInst>(&i);
    if (!slot)
      continue;
    uint64_t offset = llvm::alignTo(values.end, slot->getAlign());
    values.offsets[slot] = offset;
    values.end = offset + slot->getAllocationSize(layout)->getFixedValue();
    llvm::IRBuilder<> b(slot);
    slot->replaceAllUsesWith(b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), body.getArg(0), offset));
    slot->eraseFromParent();
  }
  return values;
}

} // namespace

void emitYieldMark(llvm::IRBuilder<> &b) {
  auto *type = llvm::FunctionType::get(b.getVoidTy(), false);
  llvm::Module &module = *b.GetInsertBlock()->getModule();
  b.CreateCall(module.getOrInsertFunction(suspendMark, type));
}

ValuesInFrame splitAtYields(llvm::Function &body, uint64_t firstFree) {
  splitBodyAtYieldMarks(body);
  spillLiveValues(body);
  return moveStackSlotsToFrame(body, firstFree);
}

} // namespace heddle::python
