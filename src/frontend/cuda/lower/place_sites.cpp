#include "frontend/cuda/lower/place_sites.h"

#include "frontend/cuda/clang/device_headers.h"
#include "frontend/cuda/lower/print_format.h"
#include "simt/ir/checks.h"
#include "simt/ir/ops.h"
#include "simt/ir/sites.h"
#include "simt/ir/source_positions.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle::cudacpp {

using namespace llvm;

namespace {

[[noreturn]] void refuse(const Instruction &i, const std::string &why) {
  throw makeErrorAt(i, ErrorKind::Typing, why);
}

std::string readConstantText(const Instruction &i, const Value *v, const std::string &what) {
  StringRef text;
  if (!getConstantStringInfo(v->stripPointerCasts(), text))
    refuse(i, what + " must be a string known at compile time");
  return text.str();
}

uint64_t readConstantNumber(const Instruction &i, const Value *v, const std::string &what) {
  const auto *number = dyn_cast<ConstantInt>(v);
  if (!number)
    refuse(i, what + " must be a number known at compile time");
  return number->getZExtValue();
}

/// Traps at unreachable code. Without an instruction there, execution would continue with the next code in memory.
void trapAtUnreachable(UnreachableInst &end) {
  IRBuilder<> b(&end);
  simt::call(
      b, simt::Op::Trap,
      {b.getInt32(simt::addSite("RuntimeError",
                                "a function ended without the 'return' that its type requires, or "
                                "unreachable code ran: __builtin_unreachable(), a null pointer",
                                end))});
  Type *type = end.getFunction()->getReturnType();
  type->isVoidTy() ? b.CreateRetVoid() : b.CreateRet(Constant::getNullValue(type));
  end.eraseFromParent();
}

void replaceWithTrapOperation(CallInst &call, const std::string &kind, const std::string &message) {
  IRBuilder<> b(&call);
  simt::call(b, simt::Op::Trap, {b.getInt32(simt::addSite(kind, message, call))});
  call.eraseFromParent();
}

/// Replaces a trap of -G: by checks in place of the branches to it, unless the index is a constant.
void replaceTrapByIndexCheck(CallInst &call) {
  const char *message = "an index is out of bounds of its array";
  BasicBlock *stop = call.getParent();
  SmallVector<BasicBlock *> before(predecessors(stop));
  bool hasBranches =
      &*stop->getFirstNonPHIOrDbg() == &call && all_of(before, [](BasicBlock *block) {
        const auto *branch = dyn_cast<BranchInst>(block->getTerminator());
        return branch && branch->isConditional();
      });
  if (!hasBranches)
    return replaceWithTrapOperation(call, "IndexError", message);
  unsigned site = simt::addSite("IndexError", message, call);
  for (BasicBlock *block : before) {
    auto *branch = cast<BranchInst>(block->getTerminator());
    IRBuilder<> b(branch);
    bool stopsIfTrue = branch->getSuccessor(0) == stop;
    Value *condition = branch->getCondition();
    simt::emitCheck(b, site, stopsIfTrue ? condition : b.CreateNot(condition));
    b.CreateBr(branch->getSuccessor(stopsIfTrue));
    branch->eraseFromParent();
  }
  call.eraseFromParent();
}

/// Rejects a value of the wrong kind: a number passed as an address would be dereferenced.
void checkPrintedKind(const CallInst &call, size_t value, char conversion, PrintedKind wanted,
                      PrintedKind given) {
  auto name = [](PrintedKind kind) {
    return kind == PrintedKind::Integer ? "an integer"
           : kind == PrintedKind::Float ? "a float"
                                        : "an address";
  };
  if (wanted != given)
    refuse(call, std::string("printf: %") + conversion + " takes " + name(wanted) + ", value " +
                     std::to_string(value + 1) + " is " + name(given));
}

void replaceWithPrintOperation(CallInst &call) {
  PrintFormat format =
      readPrintFormat(readConstantText(call, call.getArgOperand(0), "the format of printf"));
  if (!format.problem.empty())
    refuse(call, "printf: " + format.problem);
  uint64_t given = readConstantNumber(call, call.getArgOperand(2), "the count of printed values");
  if (given != format.values.size())
    refuse(call, "printf: the format asks for " + std::to_string(format.values.size()) +
                     " values, " + std::to_string(given) + " are given");
  uint64_t kinds = readConstantNumber(call, call.getArgOperand(3), "the kinds of printed values");
  IRBuilder<> b(&call);
  Value *values = call.getArgOperand(1);
  for (size_t i = 0; i < format.values.size(); ++i) {
    auto [kind, conversion, bits, isSigned] = format.values[i];
    checkPrintedKind(call, i, conversion, kind, PrintedKind(kinds >> (2 * i) & 3));
    if (bits == 64)
      continue;
    Value *place = b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), values, i);
    Value *narrow = b.CreateTrunc(b.CreateLoad(b.getInt64Ty(), place), b.getIntNTy(bits));
    b.CreateStore(b.CreateIntCast(narrow, b.getInt64Ty(), isSigned), place);
  }
  simt::call(b, simt::Op::Print, {b.getInt32(simt::addSite("print", format.text, call)), values});
  call.eraseFromParent();
}

/// CUDA's name of a warp operation in errors. All barriers of a kind share a name, including those in inline PTX.
///
///     simt.warp.shuffle.up     __shfl_up_sync()
///     simt.warp.reduce.umin    __reduce_min_sync()
std::string cudaNameOfWarpOperation(simt::Op op) {
  if (op == simt::Op::WarpBarrier)
    return "__syncwarp()";
  if (op == simt::Op::WarpActive)
    return "__activemask()";
  StringRef name = simt::info(op).name;
  if (!name.consume_front("simt.warp."))
    return name.str();
  std::string words;
  for (StringRef word : split(name, '.')) {
    if (word == "index")
      continue;
    words += "_" + StringSwitch<std::string>(word)
                       .Case("equal", "uni")
                       .Case("shuffle", "shfl")
                       .Case("umin", "min")
                       .Case("umax", "max")
                       .Default(word.str());
  }
  return "_" + words + "_sync()";
}

void replaceTrapPrintOrBarrierCall(CallInst &call) {
  const Function *callee = call.getCalledFunction();
  if (!callee)
    return;
  Intrinsic::ID id = callee->getIntrinsicID();
  if (id == Intrinsic::ubsantrap)
    return replaceTrapByIndexCheck(call);
  if (id ==
      Intrinsic::trap) // also of uncallable functions, such as the destructor of an abstract class
    return replaceWithTrapOperation(call, "RuntimeError", "__builtin_trap() was called");
  if (callee->getName() == "__heddle_failed")
    return replaceWithTrapOperation(
        call, readConstantText(call, call.getArgOperand(0), "the kind of an error"),
        readConstantText(call, call.getArgOperand(1), "the text of an error"));
  if (callee->getName() == "__heddle_print")
    return replaceWithPrintOperation(call);
  std::optional<simt::Op> op = simt::calledOp(&call);
  if (op && *op != simt::Op::Trap && *op != simt::Op::CheckIndex && simt::info(*op).has(simt::Site))
    call.setArgOperand(
        0, ConstantInt::get(Type::getInt32Ty(call.getContext()),
                            simt::addSite("barrier", cudaNameOfWarpOperation(*op), call)));
}

/// Removes the traps of -G that checks have replaced.
void deleteDeadTrapBlocks(Function &f) {
  SmallVector<BasicBlock *> dead;
  for (BasicBlock &block : f)
    if (&block != &f.getEntryBlock() && pred_empty(&block) &&
        isa<UnreachableInst>(block.getTerminator()))
      dead.push_back(&block);
  DeleteDeadBlocks(dead);
}

} // namespace

CompileError makeErrorAt(const Instruction &i, ErrorKind kind, const std::string &why) {
  simt::SourcePosition at = simt::sourcePositionOf(i);
  std::string place =
      at.line ? at.file + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": "
              : std::string();
  return CompileError(kind, place + why);
}

PreservedAnalyses PlaceSites::run(Module &m, ModuleAnalysisManager &) {
  for (Function &f : m)
    for (Instruction &i : make_early_inc_range(instructions(f)))
      if (auto *call = dyn_cast<CallInst>(&i))
        replaceTrapPrintOrBarrierCall(*call);
  for (Function &f : m)
    deleteDeadTrapBlocks(f);
  for (Function &f : m)
    for (BasicBlock &block : f)
      if (auto *end = dyn_cast<UnreachableInst>(block.getTerminator()))
        trapAtUnreachable(*end);
  return PreservedAnalyses::none();
}

} // namespace heddle::cudacpp
