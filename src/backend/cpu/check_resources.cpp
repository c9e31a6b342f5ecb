#include "backend/cpu/check_resources.h"

#include "backend/cpu/thread_context.h"
#include "simt/ops.h"
#include "support/diagnostic.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/MathExtras.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

// A callee of more instructions than this (its own inlined callees counted) is called, not copied. It bounds the
// code that a chain of functions, each calling the next twice, can grow to.
constexpr uint64_t maxInlineSize = 4000;
// The most instructions that a kernel may grow to by copying functions with barriers, which cannot be called.
constexpr uint64_t maxKernelSize = 400000;

/// What a function and everything it calls amount to.
struct Facts {
  uint64_t instructions = 0;
  uint64_t localBytes = 0;
  bool barrier = false;
  bool recursive = false;
};

uint64_t allocaBytes(const AllocaInst &a, const DataLayout &dl) {
  uint64_t count = 1;
  if (const auto *n = dyn_cast<ConstantInt>(a.getArraySize()))
    count = n->getLimitedValue();
  return SaturatingMultiply(count, dl.getTypeAllocSize(a.getAllocatedType()).getFixedValue());
}

bool isBarrier(const CallBase &call) {
  std::optional<simt::Op> op = simt::calledOp(&call);
  return op && simt::info(*op).has(simt::Convergent);
}

class CallTree {
public:
  explicit CallTree(Module &m) : m(m) {
    CallGraph graph(m);
    // Callees come before callers.
    for (auto scc = scc_begin(&graph); !scc.isAtEnd(); ++scc)
      add(*scc, scc.hasCycle());
  }

  void check() const {
    for (Function &f : m) {
      if (f.isDeclaration())
        continue;
      const Facts &facts = of(f);
      if (facts.recursive && facts.barrier)
        refuseBarrierInRecursion(f);
      if (isKernel(f) && facts.localBytes > maxLocalBytes)
        refuseLocalBytes(f, facts.localBytes);
      if (isKernel(f) && facts.instructions > maxKernelSize)
        refuseSize(f);
    }
  }

  void mark() const {
    for (Function &f : m) {
      if (f.isDeclaration())
        continue;
      const Facts &facts = of(f);
      if (isKernel(f)) {
        setNumberAttribute(f, localBytesAttribute, facts.localBytes);
      } else if (staysFunction(facts)) {
        f.addFnAttr(outOfLineAttribute);
        if (facts.recursive)
          f.addFnAttr(recursiveAttribute);
      }
    }
  }

private:
  static bool staysFunction(const Facts &facts) {
    return facts.recursive || (facts.instructions > maxInlineSize && !facts.barrier);
  }

  const Facts &of(const Function &f) const { return known.find(&f)->second; }

  void add(const std::vector<CallGraphNode *> &scc, bool cyclic) {
    Facts together;
    together.recursive = cyclic;
    uint64_t deepest = 0;
    for (CallGraphNode *node : scc)
      if (Function *f = node->getFunction(); f && !f->isDeclaration())
        addOwn(*f, together, deepest);
    together.localBytes = SaturatingAdd(together.localBytes, deepest);
    for (CallGraphNode *node : scc)
      if (Function *f = node->getFunction())
        known[f] = together;
  }

  void addOwn(const Function &f, Facts &together, uint64_t &deepest) const {
    const DataLayout &dl = m.getDataLayout();
    for (const Instruction &i : instructions(f)) {
      together.instructions = SaturatingAdd(together.instructions, uint64_t(1));
      if (const auto *a = dyn_cast<AllocaInst>(&i))
        together.localBytes = SaturatingAdd(together.localBytes, allocaBytes(*a, dl));
      const auto *call = dyn_cast<CallBase>(&i);
      if (!call)
        continue;
      together.barrier |= isBarrier(*call);
      auto callee = known.find(call->getCalledFunction());
      if (callee == known.end())
        continue;
      const Facts &facts = callee->second;
      together.barrier |= facts.barrier;
      deepest = std::max(deepest, facts.localBytes);
      if (!staysFunction(facts))
        together.instructions = SaturatingAdd(together.instructions, facts.instructions);
    }
  }

  static CompileError errorAt(ErrorKind kind, const Function &f, std::string message,
                              std::string hint) {
    Diagnostic d;
    d.kind = kind;
    d.message = std::move(message);
    d.hint = std::move(hint);
    if (const DISubprogram *s = f.getSubprogram()) {
      d.file = s->getFilename().str();
      d.span.line = d.span.endLine = s->getLine();
    }
    return CompileError(std::move(d));
  }

  /// The user's name of a function: what its debug information says, else its symbol.
  static std::string nameOf(const Function &f) {
    const DISubprogram *s = f.getSubprogram();
    return (s && !s->getName().empty() ? s->getName() : f.getName()).str();
  }

  [[noreturn]] static void refuseBarrierInRecursion(const Function &f) {
    throw errorAt(
        ErrorKind::Unsupported, f, "'" + nameOf(f) + "' calls itself and can reach a barrier",
        "move the barrier out of the recursive function, or write the recursion as a loop");
  }

  [[noreturn]] static void refuseLocalBytes(const Function &f, uint64_t bytes) {
    throw errorAt(ErrorKind::Lowering, f,
                  "kernel '" + nameOf(f) + "' needs " + std::to_string(bytes) +
                      " bytes of local memory per thread; the limit is " +
                      std::to_string(maxLocalBytes),
                  "make its local arrays smaller, or keep the data in a device array");
  }

  [[noreturn]] static void refuseSize(const Function &f) {
    throw errorAt(ErrorKind::Lowering, f,
                  "kernel '" + nameOf(f) + "' grows to more than " + std::to_string(maxKernelSize) +
                      " instructions when the device functions that hold its barriers are copied "
                      "into it",
                  "call the device functions that contain barriers fewer times, for example in a "
                  "loop");
  }

  Module &m;
  DenseMap<const Function *, Facts> known;
};

} // namespace

PreservedAnalyses CheckResources::run(Module &m, ModuleAnalysisManager &) {
  CallTree calls(m);
  calls.check();
  calls.mark();
  return PreservedAnalyses::none();
}

} // namespace heddle::cpu
