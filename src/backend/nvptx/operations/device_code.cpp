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

/// The registers of an access with a cache operator. PTX registers have at least 16 bits.
struct CachedAccess {
  unsigned count, bits; ///< of integers
  IntegerType *held;
  std::string constraint;

  explicit CachedAccess(const Type &type)
      : count(isa<FixedVectorType>(type) ? cast<FixedVectorType>(type).getNumElements() : 1),
        bits(type.getScalarSizeInBits()),
        held(IntegerType::get(type.getContext(), std::max(bits, 16u))),
        constraint(bits <= 16   ? "h"
                   : bits == 32 ? "r"
                                : "l") {}

  /// The opcode's end: ".global.cs.b32 " or ".global.cs.v4.b32 ".
  std::string describe(const Value &pointer, StringRef cacheOperator) const {
    bool isGlobal = pointer.getType()->getPointerAddressSpace() == simt::Global;
    return (isGlobal ? ".global." : ".") + cacheOperator.str() +
           (count == 1 ? "" : ".v" + std::to_string(count)) + ".b" + std::to_string(bits) + " ";
  }

  /// The registers from operand `first` on: "$0" or "{$0, $1, $2, $3}".
  std::string listOperands(unsigned first) const {
    std::string text = "$" + std::to_string(first);
    for (unsigned n = 1; n < count; ++n)
      text += ", $" + std::to_string(first + n);
    return count == 1 ? text : "{" + text + "}";
  }
};

} // namespace

Value *emitCachedLoad(IRBuilderBase &b, Value *pointer, Type *type, StringRef cacheOperator,
                      PtxOrder order) {
  bool isVolatile = order == PtxOrder::Volatile;
  CachedAccess access(*type);
  std::string text = "ld" + access.describe(*pointer, cacheOperator) + access.listOperands(0) +
                     ", [$" + std::to_string(access.count) + "];";
  std::string constraints;
  for (unsigned n = 0; n < access.count; ++n)
    constraints += "=" + access.constraint + ",";
  constraints += isVolatile ? "l,~{memory}" : "l";
  SmallVector<Type *, 4> registers(access.count, access.held);
  Type *result = access.held;
  if (access.count > 1)
    result = StructType::get(b.getContext(), registers);
  CallInst *call =
      b.CreateCall(InlineAsm::get(FunctionType::get(result, {pointer->getType()}, false), text,
                                  constraints, /*hasSideEffects=*/isVolatile),
                   {pointer});
  if (!isVolatile) {
    call->setMemoryEffects(MemoryEffects::readOnly());
    call->setDoesNotThrow();
  }
  if (access.count == 1)
    return b.CreateTrunc(call, type);
  Value *loaded = PoisonValue::get(type);
  for (unsigned n = 0; n < access.count; ++n)
    loaded = b.CreateInsertElement(loaded, b.CreateExtractValue(call, n), n);
  return loaded;
}

CallInst *emitCachedStore(IRBuilderBase &b, Value *pointer, Value *stored,
                          StringRef cacheOperator) {
  CachedAccess access(*stored->getType());
  SmallVector<Value *, 5> operands{pointer};
  for (unsigned n = 0; n < access.count; ++n)
    operands.push_back(access.count == 1 ? b.CreateZExt(stored, access.held)
                                         : b.CreateExtractElement(stored, n));
  std::string text =
      "st" + access.describe(*pointer, cacheOperator) + "[$0], " + access.listOperands(1) + ";";
  std::string constraints = "l";
  SmallVector<Type *, 5> types{pointer->getType()};
  for (unsigned n = 0; n < access.count; ++n) {
    constraints += "," + access.constraint;
    types.push_back(access.held);
  }
  InlineAsm *code = InlineAsm::get(FunctionType::get(b.getVoidTy(), types, false), text,
                                   constraints + ",~{memory}", /*hasSideEffects=*/true);
  return b.CreateCall(code, operands);
}

bool usesWarpgroupProducts(const Module &m) {
  for (const Function &f : m)
    for (const Instruction &i : instructions(f))
      if (const auto *call = dyn_cast<CallInst>(&i); call && call->isInlineAsm())
        if (StringRef(cast<InlineAsm>(call->getCalledOperand())->getAsmString()).contains("wgmma."))
          return true;
  return false;
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
