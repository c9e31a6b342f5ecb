#include "host/outer_loops/group_loops.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

namespace heddle::host {

using namespace llvm;

namespace {

class GroupLoops {
public:
  GroupLoops(const OutlinableLoop &outlined, ScalarEvolution &evolution)
      : outlined(outlined), loop(*outlined.loop), f(*loop.getHeader()->getParent()),
        evolution(evolution), expander(evolution, "outlined"), b(f.getContext()),
        before(loop.getLoopPreheader()) {}

  void insertLoops(const simt::Independence &independence, ArrayRef<IterationGroups> groups) {
    // Leave an iteration to the original loop if values of its last iteration are used after it.
    bool leavesOne = hasUsesAfterLoop();
    b.SetInsertPoint(before->getTerminator());
    Value *total = emitExpression(evolution.getTruncateOrZeroExtend(
        evolution.getExitCount(&loop, loop.getLoopLatch()), b.getInt64Ty()));
    Value *independent = emitIndependenceConditions(independence);
    raises = createEntryAlloca();
    if (!leavesOne)
      // 2^64 iterations wrap to 0, and no groups run.
      total = b.CreateAdd(total, b.getInt64(1));
    BasicBlock *rest = SplitBlock(before, before->getTerminator());
    before->getTerminator()->eraseFromParent();
    b.SetInsertPoint(before);
    BasicBlock *enter = BasicBlock::Create(f.getContext(), "groups.enter", &f, rest);
    done = PHINode::Create(b.getInt64Ty(), 4, "done", rest->begin());
    b.CreateCondBr(independent, enter, rest);
    done->addIncoming(b.getInt64(0), before);
    b.SetInsertPoint(enter);
    Value *number = b.getInt64(0);
    for (const IterationGroups &one : groups)
      number = emitGroupLoop(one, number, total, rest);
    done->addIncoming(number, b.GetInsertBlock());
    b.CreateBr(rest);
    resumeOriginalLoop(rest, leavesOne ? nullptr : total);
    for (CallInst *call : calls) {
      InlineFunctionInfo info;
      InlineFunction(*call, info);
    }
  }

private:
  bool hasUsesAfterLoop() const {
    for (BasicBlock *block : loop.blocks())
      for (Instruction &i : *block)
        if (any_of(i.users(), [&](User *u) {
              return !loop.contains(cast<Instruction>(u)->getParent()) &&
                     !isInRaisingBlock(*cast<Instruction>(u));
            }))
          return true;
    BasicBlock *exit = nullptr;
    for (BasicBlock *next : successors(loop.getLoopLatch()))
      if (!loop.contains(next))
        exit = next;
    return !exit || isa<PHINode>(exit->front());
  }

  bool isInRaisingBlock(const Instruction &user) const {
    return is_contained(outlined.raising, user.getParent());
  }

  Value *emitExpression(const SCEV *value) {
    return expander.expandCodeFor(value, value->getType(), before->getTerminator()->getIterator());
  }

  Value *emitIndependenceConditions(const simt::Independence &independence) {
    Value *all = b.getTrue();
    auto require = [&](Value *condition) { all = b.CreateAnd(all, condition); };
    for (const auto &[number, most] : independence.numbers) {
      Value *value = emitExpression(number);
      require(b.CreateICmpSGE(value, b.getInt64(0)));
      require(b.CreateICmpSLE(value, emitExpression(most)));
    }
    for (const auto &[one, other] : independence.apart)
      require(b.CreateOr(b.CreateICmpULE(emitExpression(one.high), emitExpression(other.low)),
                         b.CreateICmpULE(emitExpression(other.high), emitExpression(one.low))));
    return b.CreateFreeze(all);
  }

  Value *createEntryAlloca() {
    BasicBlock &entry = f.getEntryBlock();
    IRBuilder<> atEntry(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
    return atEntry.CreateAlloca(b.getInt8Ty(), nullptr, "raises");
  }

  /// Inserts a loop at the builder's position, which moves past the loop. Returns the number of the next iteration.
  Value *emitGroupLoop(const IterationGroups &groups, Value *first, Value *total,
                       BasicBlock *rest) {
    BasicBlock *check = b.GetInsertBlock();
    auto make = [&](const char *name) {
      return BasicBlock::Create(f.getContext(), name, &f, rest);
    };
    BasicBlock *body = make("groups"), *next = make("groups.next"), *behind = make("groups.end");
    Value *width = b.getInt64(groups.width);
    b.CreateCondBr(b.CreateICmpUGE(b.CreateSub(total, first), width), body, behind);
    b.SetInsertPoint(body);
    PHINode *number = b.CreatePHI(b.getInt64Ty(), 2, "group");
    number->addIncoming(first, check);
    bool mayRaise = !outlined.raising.empty();
    if (mayRaise)
      b.CreateStore(b.getInt8(0), raises);
    SmallVector<Value *> operands{number, raises};
    append_range(operands, groups.lanes.used);
    calls.push_back(b.CreateCall(groups.lanes.function, operands));
    if (mayRaise) {
      Value *wrong = b.CreateICmpNE(b.CreateLoad(b.getInt8Ty(), raises), b.getInt8(0));
      done->addIncoming(number, body);
      b.CreateCondBr(wrong, rest, next);
    } else {
      b.CreateBr(next);
    }
    b.SetInsertPoint(next);
    Value *following = b.CreateAdd(number, width, "", /*HasNUW=*/true);
    number->addIncoming(following, next);
    b.CreateCondBr(b.CreateICmpUGE(b.CreateSub(total, following), width), body, behind);
    b.SetInsertPoint(behind);
    PHINode *after = b.CreatePHI(b.getInt64Ty(), 2);
    after->addIncoming(first, check);
    after->addIncoming(following, next);
    return after;
  }

  /// Starts the original loop at iteration `done`. Skips it if all `total` iterations are done (null: never skip).
  void resumeOriginalLoop(BasicBlock *rest, Value *total) {
    b.SetInsertPoint(rest->getTerminator());
    for (const Carried &one : outlined.carried) {
      Value *start = emitValueInIteration(b, one, one.start, done);
      one.phi->setIncomingValueForBlock(rest, start);
    }
    if (!total)
      return;
    BasicBlock *exit = nullptr;
    for (BasicBlock *next : successors(loop.getLoopLatch()))
      if (!loop.contains(next))
        exit = next;
    Value *over = b.CreateICmpEQ(done, total);
    b.CreateCondBr(b.CreateAnd(over, b.CreateICmpNE(done, b.getInt64(0))), exit, loop.getHeader());
    rest->getTerminator()->eraseFromParent();
  }

  const OutlinableLoop &outlined;
  Loop &loop;
  Function &f;
  ScalarEvolution &evolution;
  SCEVExpander expander;
  IRBuilder<> b;
  BasicBlock *before;
  Value *raises = nullptr;
  PHINode *done = nullptr; ///< iterations that groups have run when the original loop begins
  SmallVector<CallInst *> calls;
};

} // namespace

void addGroupLoops(const OutlinableLoop &outlined, const simt::Independence &independence,
                   ArrayRef<IterationGroups> groups, ScalarEvolution &evolution) {
  GroupLoops(outlined, evolution).insertLoops(independence, groups);
}

} // namespace heddle::host
