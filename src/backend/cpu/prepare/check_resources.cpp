#include "backend/cpu/prepare/check_resources.h"

#include "backend/cpu/abi/plan.h"
#include "backend/cpu/abi/thread_context.h"
#include "simt/analysis/call_tree.h"
#include "simt/ir/source_positions.h"
#include "simt/passes/inline_device_functions.h"

#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/MathExtras.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

// Maximum kernel size after inlining functions with barriers, which cannot be called.
constexpr uint64_t maxKernelSize = 400000;

// Generated code and variables must fit in 2 GiB, because addresses are 32-bit relative.
constexpr uint64_t maxVariableBytes = uint64_t(1) << 30;

void checkVariableSizes(const Module &m) {
  uint64_t bytes = 0;
  for (const GlobalVariable &g : m.globals()) {
    if (g.getAddressSpace() == simt::Shared)
      continue;
    uint64_t own = m.getDataLayout().getTypeAllocSize(g.getValueType());
    bytes = SaturatingAdd(bytes, own);
    if (bytes <= maxVariableBytes)
      continue;
    Diagnostic d;
    d.kind = ErrorKind::Lowering;
    d.message = "variable '" + demangle(g.getName()) + "' of " + std::to_string(own) +
                " bytes: the variables of a program take at most " +
                std::to_string(maxVariableBytes) + " bytes on a CPU";
    d.hint = "keep the data in a device array, and pass it to the kernel";
    throw CompileError(std::move(d));
  }
}

/// Throws if a CPU cannot run a function of the module.
class Checker {
public:
  explicit Checker(const simt::CallTree &calls) : calls(calls) {}

  void check(const Function &f) const {
    simt::CallFacts facts = calls.factsOf(f);
    if (facts.recursive && facts.convergent)
      rejectBarrierInRecursion(f);
    if (isKernel(f) && facts.localBytes > simt::maxLocalBytes)
      rejectLocalBytes(f, facts.localBytes);
    if (isKernel(f) && facts.instructions > maxKernelSize)
      rejectInstructionCount(f);
  }

private:
  [[noreturn]] static void rejectBarrierInRecursion(const Function &f) {
    throw simt::makeErrorAt(
        simt::sourcePositionOf(f), ErrorKind::Unsupported,
        "'" + simt::sourceName(f) + "' calls itself and can reach a barrier or a warp operation",
        "move the barrier out of the recursive function, or write the recursion as a loop");
  }

  [[noreturn]] static void rejectLocalBytes(const Function &f, uint64_t bytes) {
    throw simt::makeErrorAt(simt::sourcePositionOf(f), ErrorKind::Lowering,
                            "kernel '" + simt::sourceName(f) + "' needs " + std::to_string(bytes) +
                                " bytes of local memory per thread; the limit is " +
                                std::to_string(simt::maxLocalBytes),
                            "make its local arrays smaller, or keep the data in a device array");
  }

  [[noreturn]] static void rejectInstructionCount(const Function &f) {
    throw simt::makeErrorAt(
        simt::sourcePositionOf(f), ErrorKind::Lowering,
        "kernel '" + simt::sourceName(f) + "' grows to more than " + std::to_string(maxKernelSize) +
            " instructions when the device functions that hold its barriers are copied "
            "into it",
        "call the device functions that contain barriers fewer times, for example in a "
        "loop");
  }

  const simt::CallTree &calls;
};

void recordCallFacts(Function &f, const simt::CallTree &calls) {
  simt::CallFacts facts = calls.factsOf(f);
  if (isKernel(f)) {
    Plan plan = planOf(f);
    plan.localBytes = facts.localBytes;
    setPlan(f, plan);
  } else if (calls.isKeptOutOfLine(facts)) {
    f.addFnAttr(simt::outOfLineAttribute);
    if (facts.recursive)
      f.addFnAttr(recursiveAttribute);
  }
}

} // namespace

PreservedAnalyses CheckResources::run(Module &m, ModuleAnalysisManager &) {
  checkVariableSizes(m);
  simt::CallTree calls(m, /*inlinesConvergent=*/true);
  Checker checker(calls);
  for (const Function &f : m)
    if (!f.isDeclaration())
      checker.check(f);
  for (Function &f : m)
    if (!f.isDeclaration())
      recordCallFacts(f, calls);
  return PreservedAnalyses::none();
}

} // namespace heddle::cpu
