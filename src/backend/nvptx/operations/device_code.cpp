#include "backend/nvptx/operations/device_code.h"

#include "simt/ir/ops.h"
#include "support/diagnostic.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"

#include <algorithm>
#include <string>

namespace heddle::nvptx {

using namespace llvm;

void replaceCall(CallInst &call, Value *v) {
  call.replaceAllUsesWith(v);
  call.eraseFromParent();
}

bool lowerOperationCalls(Function &f, function_ref<Value *(CallInst &)> lowered) {
  bool changed = false;
  for (CallInst *call : simtCalls(f))
    if (Value *v = lowered(*call)) {
      replaceCall(*call, v);
      changed = true;
    }
  return changed;
}

Value *emitPtxInstruction(IRBuilder<> &b, const Twine &text, ArrayRef<Value *> operands) {
  Type *type = operands[0]->getType();
  std::string reg = type->isIntegerTy(64) ? "l" : "r", constraints = "=" + reg;
  for (size_t i = 0; i < operands.size(); ++i)
    constraints += "," + reg;
  SmallVector<Type *, 2> types(operands.size(), type);
  auto *code = InlineAsm::get(FunctionType::get(type, types, false), text.str(), constraints,
                              /*hasSideEffects=*/false);
  CallInst *call = b.CreateCall(code, operands);
  call->setDoesNotAccessMemory();
  call->setDoesNotThrow();
  return call;
}

namespace {

/// The opcode's end: ".global.cs.b32 ".
std::string cachedAccessSuffix(const Value &pointer, unsigned bits, StringRef cacheOperator) {
  bool isGlobal = pointer.getType()->getPointerAddressSpace() == simt::Global;
  return (isGlobal ? ".global." : ".") + cacheOperator.str() + ".b" + std::to_string(bits) + " ";
}

std::string chooseRegisterConstraint(unsigned bits) {
  return bits <= 16 ? "h" : bits == 32 ? "r" : "l";
}

/// PTX registers have at least 16 bits.
Type *chooseRegisterType(LLVMContext &c, unsigned bits) {
  return IntegerType::get(c, std::max(bits, 16u));
}

} // namespace

Value *emitCachedLoad(IRBuilderBase &b, Value *pointer, unsigned bits, StringRef cacheOperator,
                      PtxOrder order) {
  bool isVolatile = order == PtxOrder::Volatile;
  Type *held = chooseRegisterType(b.getContext(), bits);
  std::string text = "ld" + cachedAccessSuffix(*pointer, bits, cacheOperator) + "$0, [$1];";
  std::string constraints =
      "=" + chooseRegisterConstraint(bits) + ",l" + (isVolatile ? ",~{memory}" : "");
  CallInst *call = b.CreateCall(InlineAsm::get(FunctionType::get(held, {pointer->getType()}, false),
                                               text, constraints,
                                               /*hasSideEffects=*/isVolatile),
                                {pointer});
  if (!isVolatile) {
    call->setMemoryEffects(MemoryEffects::readOnly());
    call->setDoesNotThrow();
  }
  return b.CreateTrunc(call, b.getIntNTy(bits));
}

CallInst *emitCachedStore(IRBuilderBase &b, Value *pointer, Value *stored,
                          StringRef cacheOperator) {
  unsigned bits = stored->getType()->getIntegerBitWidth();
  Type *held = chooseRegisterType(b.getContext(), bits);
  std::string text = "st" + cachedAccessSuffix(*pointer, bits, cacheOperator) + "[$0], $1;";
  auto *type = FunctionType::get(b.getVoidTy(), {pointer->getType(), held}, false);
  InlineAsm *code = InlineAsm::get(type, text, "l," + chooseRegisterConstraint(bits) + ",~{memory}",
                                   /*hasSideEffects=*/true);
  return b.CreateCall(code, {pointer, b.CreateZExt(stored, held)});
}

namespace {

void forEachInlinePtx(const Module &m, function_ref<void(StringRef)> visit) {
  for (const Function &f : m)
    for (const Instruction &i : instructions(f))
      if (const auto *call = dyn_cast<CallInst>(&i); call && call->isInlineAsm())
        visit(cast<InlineAsm>(call->getCalledOperand())->getAsmString());
}

bool hasInlinePtx(const Module &m, StringRef part) {
  bool found = false;
  forEachInlinePtx(m, [&](StringRef text) { found |= text.contains(part); });
  return found;
}

} // namespace

unsigned findPtxVersionOfHopperInstructions(const Module &m) {
  struct Row {
    StringRef part;
    unsigned version;
  };
  // PTX ISA 9.0, "PTX ISA Notes" of the instructions.
  static constexpr Row rows[] = {
      {"wgmma.", 80},
      {"setmaxnreg.", 80},
      {"elect.sync", 80},
      {"async.bulk", 80},
      {"fence.proxy.async", 80},
      {"mbarrier_init", 80},
      {"expect_tx", 80},
      {"complete_tx", 80},
      {"arrive.release", 80},
      {"arrive_drop.release", 80},
      {"cluster.arrive.relaxed", 80},
      {"wait.acquire", 80},
      {"parity.acquire", 80},
      {"st.async", 81},
      {"red.async", 81},
      {"mbarrier.arrive.relaxed", 86},
      {"arrive_drop.relaxed", 86},
      {"arrive.expect_tx.relaxed", 86},
      {"_wait.relaxed", 86},
      {"parity.relaxed", 86},
      {"sync_restrict", 86},
      {"shared::cta.global", 86},
  };
  unsigned version = 0;
  forEachInlinePtx(m, [&](StringRef text) {
    for (const Row &row : rows)
      if (row.version > version && text.contains(row.part))
        version = row.version;
  });
  return version;
}

bool usesWarpgroupProducts(const Module &m) { return hasInlinePtx(m, "wgmma."); }

bool usesInstructionsOfExactHopper(const Module &m) {
  return usesWarpgroupProducts(m) || hasInlinePtx(m, "setmaxnreg.");
}

bool usesWideAtomics(const Module &m) {
  return any_of(m, [](const Function &f) {
    std::optional<simt::Op> op = simt::opNamed(f.getName());
    return op && simt::info(*op).has(simt::ArgMemory) && f.getReturnType()->isIntegerTy(128);
  });
}

void linkDeviceCode(llvm::Module &m, StringRef text) {
  SMDiagnostic problem;
  std::unique_ptr<llvm::Module> code = parseAssemblyString(text, problem, m.getContext());
  if (!code)
    throw CompileError(ErrorKind::Internal, "device code in line " +
                                                std::to_string(problem.getLineNo()) + ": " +
                                                problem.getMessage().str());
  code->setDataLayout(m.getDataLayout());
  code->setTargetTriple(m.getTargetTriple());
  SmallVector<std::string, 4> names;
  for (const Function &f : *code)
    if (!f.isDeclaration())
      names.push_back(f.getName().str());
  if (Linker::linkModules(m, std::move(code)))
    throw CompileError(ErrorKind::Internal, "device code does not link");
  for (const std::string &name : names)
    m.getFunction(name)->setLinkage(GlobalValue::InternalLinkage);
}

} // namespace heddle::nvptx
