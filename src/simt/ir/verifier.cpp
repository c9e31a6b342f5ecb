#include "simt/ir/verifier.h"

#include "simt/ir/inline_assembly.h"
#include "simt/ir/kernel_parameters.h"
#include "simt/ir/ops.h"
#include "simt/ir/sites.h"
#include "support/diagnostic.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/ModuleSlotTracker.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle::simt {

using namespace llvm;

// Exact operations and hints that every back end lowers without library calls.
bool isAllowedIntrinsic(Intrinsic::ID id) {
  switch (id) {
  case Intrinsic::sqrt:
  case Intrinsic::fabs:
  case Intrinsic::floor:
  case Intrinsic::ceil:
  case Intrinsic::trunc:
  case Intrinsic::rint:
  case Intrinsic::nearbyint:
  case Intrinsic::round:
  case Intrinsic::roundeven:
  case Intrinsic::fma:
  case Intrinsic::fmuladd:
  case Intrinsic::copysign:
  case Intrinsic::minnum:
  case Intrinsic::maxnum:
  case Intrinsic::minimum:
  case Intrinsic::maximum:
  case Intrinsic::minimumnum:
  case Intrinsic::maximumnum:
  case Intrinsic::canonicalize:
  case Intrinsic::is_fpclass:
  case Intrinsic::ctpop:
  case Intrinsic::ctlz:
  case Intrinsic::cttz:
  case Intrinsic::bitreverse:
  case Intrinsic::bswap:
  case Intrinsic::fshl:
  case Intrinsic::fshr:
  case Intrinsic::abs:
  case Intrinsic::smin:
  case Intrinsic::smax:
  case Intrinsic::umin:
  case Intrinsic::umax:
  case Intrinsic::scmp:
  case Intrinsic::ucmp:
  case Intrinsic::sadd_sat:
  case Intrinsic::uadd_sat:
  case Intrinsic::ssub_sat:
  case Intrinsic::usub_sat:
  case Intrinsic::sadd_with_overflow:
  case Intrinsic::uadd_with_overflow:
  case Intrinsic::ssub_with_overflow:
  case Intrinsic::usub_with_overflow:
  case Intrinsic::smul_with_overflow:
  case Intrinsic::umul_with_overflow:
  case Intrinsic::fptosi_sat:
  case Intrinsic::fptoui_sat:
  case Intrinsic::memcpy:
  case Intrinsic::memmove:
  case Intrinsic::memset:
  case Intrinsic::lifetime_start:
  case Intrinsic::lifetime_end:
  case Intrinsic::assume:
  case Intrinsic::expect:
  case Intrinsic::experimental_noalias_scope_decl:
  case Intrinsic::dbg_value:
  case Intrinsic::dbg_declare:
  case Intrinsic::dbg_label:
  case Intrinsic::dbg_assign:
    return true;
  default:
    return false;
  }
}

namespace {

bool isKnownAddressSpace(unsigned space) {
  return space == Generic || space == Global || space == Shared || space == Constant ||
         space == Local;
}

/// Returns true if SIMT IR allows values of this type.
bool isAllowedType(const Type *t) {
  if (t->isVoidTy() || t->isHalfTy() || t->isBFloatTy() || t->isFloatTy() || t->isDoubleTy())
    return true;
  if (t->isIntegerTy())
    return t->getIntegerBitWidth() <= 128;
  if (t->isPointerTy())
    return isKnownAddressSpace(t->getPointerAddressSpace());
  if (const auto *s = dyn_cast<StructType>(t))
    return !s->isOpaque() && all_of(s->elements(), isAllowedType);
  if (const auto *a = dyn_cast<ArrayType>(t))
    return isAllowedType(a->getElementType());
  return t->isMetadataTy() || t->isLabelTy();
}

bool isAllowedKernelParameter(const Type *t) {
  if (t->isIntegerTy())
    return t->isIntegerTy(8) || t->isIntegerTy(16) || t->isIntegerTy(32) || t->isIntegerTy(64);
  if (t->isPointerTy())
    return t->getPointerAddressSpace() == Global;
  return t->isHalfTy() || t->isBFloatTy() || t->isFloatTy() || t->isDoubleTy();
}

/// Checks one module and reports each broken rule on a line.
class Checker {
public:
  explicit Checker(const Module &m) : m(m), os(text), slots(&m) {}

  std::string run() {
    checkModule();
    for (const GlobalVariable &g : m.globals())
      checkGlobal(g);
    for (const Function &f : m)
      f.isDeclaration() ? checkDeclaration(f) : checkDefinition(f);
    return text;
  }

private:
  void report(const Twine &rule) { os << rule << "\n"; }
  void report(const Function &f, const Twine &rule) {
    os << "function '" << f.getName() << "': " << rule << "\n";
  }
  void report(const Instruction &i, const Twine &rule) {
    os << "function '" << i.getFunction()->getName() << "': " << rule << ": ";
    i.print(os, slots);
    os << "\n";
  }

  void checkModule() {
    if (!m.getModuleInlineAsm().empty())
      report("module-level assembly is not SIMT IR");
    if (!m.alias_empty() || !m.ifunc_empty())
      report("aliases and ifuncs are not SIMT IR");
    try {
      siteCount = sitesOf(m).size();
    } catch (const CompileError &e) {
      report(e.what());
    }
  }

  void checkGlobal(const GlobalVariable &g) {
    auto bad = [&](const Twine &rule) { report("global '" + g.getName() + "': " + rule); };
    if (!g.getValueType()->isSized() || !isAllowedType(g.getValueType()))
      return bad("its type is not a SIMT IR type");
    if (!g.hasInitializer())
      return bad("must have an initializer");
    if (isModuleVariable(g)) {
      if (!g.hasExternalLinkage())
        bad("a module variable is external");
      return;
    }
    if (!g.hasLocalLinkage())
      return bad("must be internal");
    if (g.isThreadLocal())
      return bad("thread-local variables are not SIMT IR");
    if (g.getAddressSpace() == Shared) {
      if (!isa<UndefValue>(g.getInitializer()))
        bad("a shared variable's initializer must be poison or undef");
    } else if (g.getAddressSpace() != Constant) {
      bad("must be in address space 3 (shared) or 4 (constant)");
    }
  }

  void checkDeclaration(const Function &f) {
    if (Intrinsic::ID id = f.getIntrinsicID()) {
      if (!isAllowedIntrinsic(id))
        report(f, "this LLVM intrinsic is not SIMT IR");
      return;
    }
    std::optional<Op> op = opNamed(f.getName());
    if (!op)
      return report(f, "declared but neither a SIMT operation nor an LLVM intrinsic");
    checkSignature(f, info(*op));
  }

  void checkSignature(const Function &f, const OpInfo &row) {
    // Declares the row in an empty module of the same context to get the expected type.
    SmallVector<StringRef, 4> words;
    row.operands.split(words, ' ', -1, false);
    if (f.arg_size() != words.size() || f.isVarArg())
      return report(f, "takes '" + row.operands + "'");
    auto [overload, pointer] = overloadOf(row, f.getFunctionType()->params(), f.getReturnType());
    if ((overload && !isAllowedOverload(row, overload)) || (pointer && !pointer->isPointerTy()))
      return report(f, "takes '" + row.operands + "'");
    Module expected("expected", f.getContext());
    const Function *declared = declare(expected, row.op, overload, pointer);
    if (declared->getName() != f.getName())
      report(f, "its operands belong to '" + declared->getName() + "'");
    else if (declared->getFunctionType() != f.getFunctionType())
      report(f, "takes '" + row.operands + "' and returns '" + row.result + "'");
    else if (row.has(Convergent) && !f.isConvergent())
      report(f, "must be declared convergent");
  }

  static bool isAllowedOverload(const OpInfo &row, const Type *t) {
    SmallVector<StringRef, 4> words;
    row.overloads.split(words, ' ', -1, false);
    std::string name = t->isFloatTy()     ? "f32"
                       : t->isDoubleTy()  ? "f64"
                       : t->isIntegerTy() ? "i" + std::to_string(t->getIntegerBitWidth())
                                          : "";
    return is_contained(words, name);
  }

  void checkDefinition(const Function &f) {
    if (f.getName().starts_with("simt.") || f.getName().starts_with("llvm."))
      report(f, "the name is reserved");
    if (f.isVarArg() || f.hasPersonalityFn() || f.hasGC() || f.hasPrefixData())
      report(f, "varargs, personalities, collectors and prefix data are not SIMT IR");
    f.hasFnAttribute(kernelAttribute) ? checkKernel(f) : checkDeviceFunction(f);
    for (const User *u : f.users()) {
      const auto *call = dyn_cast<CallBase>(u);
      if (!call || call->getCalledOperand() != &f || is_contained(call->args(), &f))
        report(f, "its address is taken");
    }
    for (const Instruction &i : instructions(f))
      checkInstruction(i);
    checkReducible(f);
  }

  void checkKernel(const Function &f) {
    if (!f.getReturnType()->isVoidTy())
      report(f, "a kernel returns void");
    if (f.hasLocalLinkage())
      report(f, "a kernel is not internal");
    for (const Argument &a : f.args())
      if (!(isAllowedKernelParameter(a.getType()) || structureBytesOf(a)) ||
          a.hasPassPointeeByValueCopyAttr())
        report(f, "parameter " + Twine(a.getArgNo()) +
                      " is not i8, i16, i32, i64, half, bfloat, float, double, ptr addrspace(1) or "
                      "a structure");
    if (!f.use_empty())
      report(f, "a kernel is not called by other functions");
  }

  void checkDeviceFunction(const Function &f) {
    if (!f.hasLocalLinkage() && !f.hasFnAttribute(exportAttribute))
      report(f, "a device function is internal");
    for (const Argument &a : f.args())
      if (!isAllowedType(a.getType()) || a.hasPassPointeeByValueCopyAttr())
        report(f, "parameter " + Twine(a.getArgNo()) + " has no SIMT IR type");
    if (!isAllowedType(f.getReturnType()))
      report(f, "its result has no SIMT IR type");
  }

  void checkInstruction(const Instruction &i) {
    if (!isAllowedType(i.getType()))
      report(i, "its type is not a SIMT IR type");
    for (const Use &u : i.operands())
      if (!isa<CallInst>(i) && !isAllowedType(u->getType()))
        report(i, "an operand's type is not a SIMT IR type");
    switch (i.getOpcode()) {
    case Instruction::Alloca:
      checkAlloca(cast<AllocaInst>(i));
      break;
    case Instruction::Store:
      checkWriteTarget(i, cast<StoreInst>(i).getPointerOperand());
      [[fallthrough]];
    case Instruction::Load:
      if (i.isAtomic())
        report(i, "atomic accesses are written as simt.atomic operations");
      break;
    case Instruction::AtomicRMW:
    case Instruction::AtomicCmpXchg:
      report(i, "atomic accesses are written as simt.atomic operations");
      break;
    case Instruction::Fence:
      report(i, "fences are written as simt.fence operations");
      break;
    case Instruction::SDiv:
    case Instruction::UDiv:
    case Instruction::SRem:
    case Instruction::URem:
      checkDivision(i);
      break;
    case Instruction::FPToSI:
    case Instruction::FPToUI:
      report(i, "conversions to integers are written as llvm.fptosi.sat and llvm.fptoui.sat");
      break;
    case Instruction::Call:
      checkCall(cast<CallInst>(i));
      break;
    case Instruction::Invoke:
    case Instruction::CallBr:
    case Instruction::IndirectBr:
    case Instruction::Resume:
    case Instruction::LandingPad:
    case Instruction::CatchPad:
    case Instruction::CleanupPad:
    case Instruction::CatchSwitch:
    case Instruction::CatchRet:
    case Instruction::CleanupRet:
    case Instruction::VAArg:
      report(i, "indirect branches, exceptions and varargs are not SIMT IR");
      break;
    default:
      break;
    }
    checkLocation(i);
  }

  /// Launches and LLVM rely on the readonly attribute of parameters.
  void checkWriteTarget(const Instruction &i, const Value *pointer) {
    SmallVector<const Value *, 4> objects;
    getUnderlyingObjects(pointer, objects, nullptr, /*MaxLookup=*/0);
    for (const Value *object : objects)
      if (const auto *a = dyn_cast<Argument>(object); a && a->onlyReadsMemory())
        report(i,
               "writes to the memory of parameter " + Twine(a->getArgNo()) + ", which is readonly");
  }

  void checkAlloca(const AllocaInst &a) {
    if (!a.isStaticAlloca() || a.isUsedWithInAlloca() || a.isSwiftError())
      report(a, "an alloca has a constant size and stands in the entry block");
    else if (a.getAddressSpace() != Generic)
      report(a, "an alloca is in address space 0");
    else if (!a.getAllocatedType()->isSized() || !isAllowedType(a.getAllocatedType()))
      report(a, "the allocated type is not a SIMT IR type");
  }

  void checkDivision(const Instruction &i) {
    if (i.getType()->isIntegerTy() && i.getType()->getIntegerBitWidth() > 64)
      report(i, "division is defined up to 64 bits");
    else if (isZeroOrUndef(i.getOperand(1)))
      report(i, "the divisor is zero");
  }
  static bool isZeroOrUndef(const Value *v) {
    const auto *c = dyn_cast<llvm::Constant>(v);
    return c && (c->isNullValue() || isa<UndefValue>(c));
  }

  void checkCall(const CallInst &call) {
    if (call.isInlineAsm()) {
      if (std::string problem = parseAssembly(call).problem; !problem.empty())
        report(call, problem);
      return;
    }
    const Function *callee = call.getCalledFunction();
    if (!callee)
      return report(call, "indirect calls and calls of another type are not SIMT IR");
    if (const auto *copy = dyn_cast<MemIntrinsic>(&call))
      checkWriteTarget(call, copy->getDest());
    if (call.isMustTailCall())
      report(call, "musttail calls are not SIMT IR");
    if (call.hasOperandBundles() && !isa<AssumeInst>(call))
      report(call, "operand bundles are not SIMT IR");
    std::optional<Op> op = opNamed(callee->getName());
    if (op && callee->isDeclaration())
      checkOperands(call, info(*op));
  }

  void checkOperands(const CallInst &call, const OpInfo &row) {
    if (row.has(Site)) {
      const auto *site = call.arg_size() ? dyn_cast<ConstantInt>(call.getArgOperand(0)) : nullptr;
      if (!site || site->getValue().uge(siteCount))
        report(call, "operand 0 must be the constant index of a site in !simt.sites");
    }
    if (row.has(ArgMemory)) {
      checkWriteTarget(call, call.getArgOperand(0));
      checkLastOperand(call, unsigned(Scope::System), "the scope: the constant 0, 1 or 2");
    }
    if (row.op == Op::LoadCached)
      checkLastOperand(call, 4, "the cache operator: a constant from 0 to 4");
    if (row.op == Op::StoreCached) {
      checkWriteTarget(call, call.getArgOperand(0));
      checkLastOperand(call, 3, "the cache operator: a constant from 0 to 3");
    }
  }

  void checkLastOperand(const CallInst &call, uint64_t largest, const std::string &what) {
    const auto *last =
        call.arg_empty() ? nullptr : dyn_cast<ConstantInt>(*std::prev(call.arg_end()));
    if (!last || last->getValue().ugt(largest))
      report(call, "the last operand is " + what);
  }

  void checkLocation(const Instruction &i) {
    if (!i.getFunction()->getSubprogram() || i.getDebugLoc() || isa<DbgInfoIntrinsic>(i) ||
        isa<LifetimeIntrinsic>(i))
      return;
    if (isa<CallInst>(i) || isa<LoadInst>(i) || isa<StoreInst>(i))
      report(i, "no source location, in a function that has debug information");
  }

  void checkReducible(const Function &f) {
    if (findIrreducibleEntry(f))
      report(f, "a loop has more than one entry (irreducible control flow)");
  }

  const Module &m;
  std::string text;
  raw_string_ostream os;
  ModuleSlotTracker slots;
  size_t siteCount = 0;
};

} // namespace

bool isModuleVariable(const GlobalVariable &g) {
  return !g.isThreadLocal() &&
         (g.getAddressSpace() == Global || (g.getAddressSpace() == Constant && !g.isConstant()));
}

const BasicBlock *findIrreducibleEntry(const Function &f) {
  DominatorTree dominators(const_cast<Function &>(f));
  DenseMap<const BasicBlock *, size_t> position;
  for (const BasicBlock *block : ReversePostOrderTraversal<const Function *>(&f)) {
    position[block] = position.size();
    for (const BasicBlock *next : successors(block))
      if (position.contains(next) && !dominators.dominates(next, block))
        return next;
  }
  return nullptr;
}

std::string verify(const Module &m) {
  std::string broken;
  raw_string_ostream os(broken);
  if (verifyModule(m, &os))
    return broken;
  return Checker(m).run();
}

PreservedAnalyses VerifySimt::run(Module &m, ModuleAnalysisManager &) {
  std::string broken = verify(m);
  if (!broken.empty())
    throw CompileError(ErrorKind::Internal, "not SIMT IR:\n" + broken);
  return PreservedAnalyses::all();
}

} // namespace heddle::simt
