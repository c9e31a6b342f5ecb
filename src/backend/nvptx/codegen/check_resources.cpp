#include "backend/nvptx/codegen/check_resources.h"

#include "backend/nvptx/operations/device_code.h"
#include "backend/nvptx/operations/error_record.h"
#include "simt/analysis/call_tree.h"
#include "simt/ir/kernel_parameters.h"
#include "simt/ir/ops.h"
#include "simt/ir/source_positions.h"
#include "simt/passes/inline_device_functions.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"

namespace heddle::nvptx {

using namespace llvm;

namespace {

/// Throws if a module of SIMT IR does not fit a GPU.
class Checker {
public:
  Checker(const llvm::Module &m, const simt::CallTree &calls, const Target &target)
      : m(m), calls(calls), target(target) {}

  void check() const {
    for (const Function &f : m) {
      checkNameNotReserved(f);
      if (f.isDeclaration())
        continue;
      checkWideIntegerConversions(f);
      if (isKernel(f))
        checkMemoryAndParameterBytes(f);
    }
    checkConstantMemory();
  }

private:
  [[noreturn]] static void rejectExcessiveUse(const Function &f, uint64_t amount,
                                              const std::string &ofWhat, uint64_t limit,
                                              std::string hint) {
    throw simt::makeErrorAt(simt::sourcePositionOf(f), ErrorKind::Lowering,
                            "kernel '" + simt::sourceName(f) + "' needs " + std::to_string(amount) +
                                " bytes of " + ofWhat + "; the limit is " + std::to_string(limit),
                            std::move(hint));
  }

  /// True for names that this back end or libdevice defines.
  static bool isReservedName(StringRef name) {
    return name.starts_with("__nv") || name == errorChannelName || name == "heddle_trap" ||
           name.starts_with("heddle_grid_") || name == "heddle_dynamic_shared" || name == "vprintf";
  }

  static void checkNameNotReserved(const Function &f) {
    if (!f.isDeclaration() && !f.hasLocalLinkage() && isReservedName(f.getName()))
      throw simt::makeErrorAt(simt::sourcePositionOf(f), ErrorKind::Unsupported,
                              "'" + f.getName().str() + "' is a reserved name in GPU code",
                              "rename the function");
  }

  static bool isWiderThan64Bits(const Type *t) {
    return t->isIntegerTy() && t->getIntegerBitWidth() > 64;
  }

  // LLVM would call libgcc functions for these conversions.
  static void checkWideIntegerConversions(const Function &f) {
    for (const Instruction &i : instructions(f)) {
      bool wide = isa<SIToFPInst, UIToFPInst>(i) && isWiderThan64Bits(i.getOperand(0)->getType());
      if (const auto *call = dyn_cast<IntrinsicInst>(&i))
        wide |= (call->getIntrinsicID() == Intrinsic::fptosi_sat ||
                 call->getIntrinsicID() == Intrinsic::fptoui_sat) &&
                isWiderThan64Bits(call->getType());
      if (wide)
        throw simt::makeErrorAt(
            simt::sourcePositionOf(f), ErrorKind::Unsupported,
            "'" + simt::sourceName(f) +
                "' converts between a float and a 128-bit integer, which GPUs do not support",
            "convert through a 64-bit integer");
    }
  }

  void checkMemoryAndParameterBytes(const Function &f) const {
    if (uint64_t bytes = calls.factsOf(f).localBytes; bytes > simt::maxLocalBytes)
      rejectExcessiveUse(f, bytes, "local memory per thread", simt::maxLocalBytes,
                         "make its local arrays smaller, or keep the data in a device array");
    if (uint64_t bytes = sharedBytes(f); bytes > maxStaticSharedBytes)
      rejectExcessiveUse(f, bytes, "static shared memory per block", maxStaticSharedBytes,
                         "make its shared arrays smaller, or use dynamic shared memory "
                         "(cuda.shared.array with shape 0 and the size at launch)");
    if (uint64_t bytes = parameterBytes(f); bytes > maxParameterBytes())
      rejectExcessiveUse(f, bytes, "parameters", maxParameterBytes(),
                         "pass fewer arguments, or put them into one array");
  }

  /// The limit in PTX ISA 9.0, "Kernel Function Parameters".
  uint64_t maxParameterBytes() const { return target.ptxVersion >= 81 ? 32764 : 4352; }

  uint64_t parameterBytes(const Function &f) const {
    uint64_t bytes = 0;
    for (const Argument &a : f.args()) {
      Type *t = a.getType();
      uint64_t structureBytes = simt::structureBytesOf(a);
      bytes = alignTo(bytes, m.getDataLayout().getABITypeAlign(t));
      bytes += structureBytes ? structureBytes : m.getDataLayout().getTypeAllocSize(t);
    }
    // Add the coarsened form's additional i32, for every kernel.
    return alignTo(bytes, 4) + 4;
  }

  static SmallPtrSet<const Function *, 8> functionsReachedFrom(const Function &f) {
    SmallPtrSet<const Function *, 8> reached{&f};
    SmallVector<const Function *, 8> rest{&f};
    while (!rest.empty())
      for (const Instruction &i : instructions(*rest.pop_back_val()))
        if (const auto *call = dyn_cast<CallBase>(&i))
          if (const Function *callee = call->getCalledFunction();
              callee && !callee->isDeclaration() && reached.insert(callee).second)
            rest.push_back(callee);
    return reached;
  }

  static bool isUsedIn(const Value &v, const SmallPtrSetImpl<const Function *> &functions) {
    return any_of(v.users(), [&](const User *u) {
      if (const auto *i = dyn_cast<Instruction>(u))
        return functions.contains(i->getFunction());
      return isUsedIn(*u, functions);
    });
  }

  uint64_t sharedBytes(const Function &f) const {
    SmallPtrSet<const Function *, 8> reached = functionsReachedFrom(f);
    uint64_t bytes = 0;
    for (const GlobalVariable &g : m.globals()) {
      if (g.getAddressSpace() != simt::Shared || !isUsedIn(g, reached))
        continue;
      const DataLayout &dl = m.getDataLayout();
      bytes = alignTo(bytes, dl.getPreferredAlign(&g));
      bytes += dl.getTypeAllocSize(g.getValueType());
    }
    return bytes;
  }

  void checkConstantMemory() const {
    uint64_t bytes = 0;
    for (const GlobalVariable &g : m.globals())
      if (g.getAddressSpace() == simt::Constant)
        bytes += m.getDataLayout().getTypeAllocSize(g.getValueType());
    if (bytes > maxConstantBytes)
      throw CompileError(ErrorKind::Lowering, "the constant arrays of module '" +
                                                  m.getSourceFileName() + "' take " +
                                                  std::to_string(bytes) + " bytes; the limit is " +
                                                  std::to_string(maxConstantBytes));
  }

  const llvm::Module &m;
  const simt::CallTree &calls;
  const Target &target;
};

void recordCallFacts(llvm::Module &m, const simt::CallTree &calls) {
  for (Function &f : m) {
    if (f.isDeclaration())
      continue;
    simt::CallFacts facts = calls.factsOf(f);
    if (isKernel(f)) {
      if (facts.reachesGridBarrier)
        f.addFnAttr(cooperativeAttribute);
      if (facts.reachesRecursion)
        f.addFnAttr(recursiveAttribute);
    } else if (calls.isKeptOutOfLine(facts)) {
      f.addFnAttr(simt::outOfLineAttribute);
    }
  }
}

} // namespace

PreservedAnalyses CheckResources::run(llvm::Module &m, ModuleAnalysisManager &) {
  simt::CallTree calls(m, /*inlinesConvergent=*/false);
  Checker(m, calls, target).check();
  recordCallFacts(m, calls);
  return PreservedAnalyses::none();
}

} // namespace heddle::nvptx
