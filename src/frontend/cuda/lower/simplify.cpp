#include "frontend/cuda/lower/simplify.h"

#include "frontend/cuda/clang/device_headers.h"
#include "frontend/cuda/libraries.h"
#include "frontend/cuda/lower/bool_loads.h"
#include "frontend/cuda/lower/check_accesses.h"
#include "frontend/cuda/lower/header_functions.h"
#include "frontend/cuda/lower/infer_address_spaces.h"
#include "frontend/cuda/lower/module_variables.h"
#include "frontend/cuda/lower/number_functions.h"
#include "frontend/cuda/lower/place_sites.h"
#include "frontend/cuda/lower/shared_indices.h"
#include "frontend/cuda/lower/total_operations.h"
#include "simt/analysis/call_tree.h"
#include "simt/ir/inline_assembly.h"
#include "simt/ir/ops.h"
#include "simt/ir/source_positions.h"
#include "simt/ir/verifier.h"
#include "simt/passes/inline_device_functions.h"
#include "simt/passes/make_loops_reducible.h"
#include "support/diagnostic.h"
#include "support/pass_runner.h"

#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

namespace heddle::cudacpp {

using namespace llvm;

namespace {

/// Whether a file is no part of the program: a header of ours, or of CUB, Thrust or libcu++.
bool isIncluded(StringRef file) { return isDeviceHeader(file) || !libraryHeader(file).empty(); }

/// The instruction, or the call in the program that leads to it where it is in a header of CUDA; null if none does.
const Instruction *inProgram(const Instruction &i, SmallPtrSetImpl<const Function *> &seen) {
  const DILocation *at = i.getDebugLoc();
  if (!at || !isIncluded(at->getFilename()))
    return &i;
  if (seen.insert(i.getFunction()).second)
    for (const User *user : i.getFunction()->users())
      if (auto *call = dyn_cast<CallBase>(user))
        if (const Instruction *found = inProgram(*call, seen))
          return found;
  return nullptr;
}

[[noreturn]] void refuseInProgram(const Instruction &i, const std::string &why) {
  SmallPtrSet<const Function *, 8> seen;
  const Instruction *place = inProgram(i, seen);
  throw errorAt(place ? *place : i, ErrorKind::Unsupported, why);
}

/// Gives the declarations of operations the attributes that they have.
void completeDeclarations(llvm::Module &m) {
  llvm::Module asDeclared("declarations", m.getContext());
  for (Function &f : make_early_inc_range(m)) {
    std::optional<simt::Op> op = simt::opNamed(f.getName());
    if (!f.isDeclaration() || !op)
      continue;
    auto [overload, pointer] =
        simt::overloadOf(simt::info(*op), f.getFunctionType()->params(), f.getReturnType());
    f.setAttributes(simt::declare(asDeclared, *op, overload, pointer)->getAttributes());
    f.setDSOLocal(false);
    f.setCallingConv(CallingConv::C);
    for (User *u : f.users())
      if (auto *call = dyn_cast<CallBase>(u))
        call->setAttributes({});
  }
}

/// Copies that the callee of a `byval` argument would get are made by its callers.
void copyByValueArguments(llvm::Module &m) {
  for (Function &f : m)
    for (Instruction &i : make_early_inc_range(instructions(f))) {
      auto *call = dyn_cast<CallInst>(&i);
      for (unsigned n = 0; call && n < call->arg_size(); ++n) {
        Type *type = call->getParamByValType(n);
        if (!type)
          continue;
        IRBuilder<> top(&*f.getEntryBlock().getFirstInsertionPt()), b(call);
        Align align = call->getParamAlign(n).valueOrOne();
        AllocaInst *copy = top.CreateAlloca(type);
        copy->setAlignment(align);
        b.CreateMemCpy(copy, align, call->getArgOperand(n), align,
                       m.getDataLayout().getTypeAllocSize(type));
        call->setArgOperand(n, copy);
        call->removeParamAttr(n, Attribute::ByVal);
      }
    }
  for (Function &f : m)
    for (Argument &a : f.args())
      a.removeAttr(Attribute::ByVal);
}

bool isVector(const Type *type) { return type->isVectorTy(); }

/// Refuses what Clang has beyond CUDA C++ and kernels have not.
void checkExtensions(const Instruction &i) {
  if (isa<IndirectBrInst>(i))
    refuseInProgram(i, "kernels have no goto to a computed label\n  hint: use a switch");
  if (isa<CallBrInst>(i))
    refuseInProgram(
        i, "inline PTX in a kernel does not jump to labels of C++ (asm goto)\n  hint: let it "
           "write a variable, and use an if");
  if (i.isIntDivRem() && i.getType()->isIntegerTy() && i.getType()->getIntegerBitWidth() > 64)
    refuseInProgram(i, "kernels have no division of integers of more than 64 bits");
  if (isVector(i.getType()) ||
      any_of(i.operands(), [](const Use &u) { return isVector(u->getType()); }))
    refuseInProgram(i,
                    "kernels have no vectors of the compiler's own (vector_size, ext_vector_type)\n"
                    "  hint: use a vector type such as float4, or an array");
  if (const auto *call = dyn_cast<IntrinsicInst>(&i)) {
    if (call->getIntrinsicID() == Intrinsic::threadlocal_address)
      refuseInProgram(
          i, "kernels have no thread_local variables\n  hint: a function's own variables are "
             "each thread's own");
    if (call->getIntrinsicID() == Intrinsic::vastart)
      refuseInProgram(i,
                      "kernels have no functions with '...' for further arguments\n  hint: use a "
                      "template with typename... Types");
  }
}

/// Refuses what the verifier would call a mistake of ours: the user can mend these.
void checkCode(llvm::Module &m) {
  if (!m.alias_empty())
    throw CompileError(ErrorKind::Unsupported, "'" + demangle(m.alias_begin()->getName()) +
                                                   "': functions have no aliases in kernels");
  for (Function &f : m)
    for (Instruction &i : instructions(f)) {
      checkExtensions(i);
      if (auto *call = dyn_cast<CallBase>(&i)) {
        if (call->isInlineAsm()) {
          if (std::string problem = simt::parseAssembly(*call).problem; !problem.empty())
            refuseInProgram(i, problem);
          continue;
        }
        const Function *callee = call->getCalledFunction();
        StringRef name = callee->getName();
        if (callee->isIntrinsic() && !simt::isAllowedIntrinsic(callee->getIntrinsicID()))
          refuseInProgram(i, "kernels do not have this builtin of the compiler (" + name.str() +
                                 ")\n  hint: use CUDA's own functions, or inline PTX");
        if (callee->isDeclaration() && !callee->isIntrinsic() && !simt::opNamed(name))
          refuseInProgram(
              i, "'" + demangle(name) +
                     "' is declared, but defined nowhere in this program\n  hint: a program is "
                     "one source: define the function in it");
      }
      if (auto *a = dyn_cast<AllocaInst>(&i); a && !a->isStaticAlloca())
        refuseInProgram(
            i, "an array in a kernel has a constant size\n  hint: use extern __shared__, or "
               "pass memory in");
    }
}

/// Where Clang says that an instruction is. It has one jump for all computed gotos of a function: the first one's place.
const DILocation *placeFromClang(const Instruction &i) {
  const Instruction *placed = &i;
  if (isa<IndirectBrInst>(i) && !i.getDebugLoc() && pred_size(i.getParent()) > 0)
    placed = (*pred_begin(i.getParent()))->getTerminator();
  return placed->getDebugLoc().get();
}

/// Whether Clang has written a message into the place, as the name of a function: what a check would say.
bool isMessage(const DILocation &at) {
  return at.getScope()->getSubprogram()->getName().starts_with("__clang_trap_msg");
}

/// Gives every instruction a location in the user's source: that of the call for what is in a header of CUDA, that of the
/// function where Clang knows none.
void completeLocations(llvm::Module &m) {
  for (Function &f : m) {
    if (!f.getSubprogram())
      continue;
    for (Instruction &i : instructions(f)) {
      const DILocation *at = placeFromClang(i);
      while (at && at->getInlinedAt() && (isIncluded(at->getFilename()) || isMessage(*at)))
        at = at->getInlinedAt();
      i.setDebugLoc(at ? DebugLoc(at) : simt::artificialLocation(f));
    }
  }
}

void markOutOfLine(llvm::Module &m) {
  simt::CallTree tree(m, /*inlinesConvergent=*/true);
  for (Function &f : m)
    if (!f.isDeclaration() && !f.hasFnAttribute(simt::kernelAttribute) &&
        tree.isKeptOutOfLine(tree.factsOf(f)))
      f.addFnAttr(simt::outOfLineAttribute);
}

/// Copies functions into their callers, and moves variables of C++ from memory to registers.
void inlineAndPromote(llvm::Module &m, PassRunner &runner, bool bounds) {
  ModulePassManager unused;
  unused.addPass(GlobalDCEPass()); // the call tree has what something calls
  runner.run(m, unused);
  markOutOfLine(m);
  ModulePassManager inlining;
  inlining.addPass(simt::InlineDeviceFunctions());
  inlining.addPass(GlobalDCEPass());
  runner.run(m, inlining);
  copyByValueArguments(m);

  FunctionPassManager promotion;
  promotion.addPass(ExpandHeaderFunctions());
  if (bounds)
    promotion.addPass(CheckAccesses(CheckAccesses::Locals));
  promotion.addPass(SROAPass(SROAOptions::ModifyCFG));
  promotion.addPass(EarlyCSEPass());
  promotion.addPass(SimplifyCFGPass());
  ModulePassManager promotions;
  promotions.addPass(createModuleToFunctionPassAdaptor(std::move(promotion)));
  runner.run(m, promotions);
  inferAddressSpaces(m);
}

} // namespace

void simplify(llvm::Module &m, const Options &options) {
  completeDeclarations(m);
  completeLocations(m);
  testBytesOfBools(m);
  PassRunner runner;
  // LLVM takes for granted that what may be null is not where it is accessed: the checks shall see it.
  if (options.backEnd.bounds)
    for (Function &f : m)
      f.addFnAttr(Attribute::NullPointerIsValid);
  inlineAndPromote(m, runner, options.backEnd.bounds);
  if (numberFunctions(m))
    inlineAndPromote(m, runner, options.backEnd.bounds);
  makeModuleVariables(m);
  for (Function &f : m) {
    nameAddressSpaces(f);
    wrapSharedIndices(f);
  }
  completeLocations(m);

  if (options.backEnd.bounds) {
    ModulePassManager checks;
    checks.addPass(createModuleToFunctionPassAdaptor(CheckAccesses(CheckAccesses::Others)));
    runner.run(m, checks);
    for (Function &f : m)
      f.removeFnAttr(Attribute::NullPointerIsValid);
  }
  FunctionPassManager completion;
  completion.addPass(TotalOperations(options.contractFma));
  ModulePassManager last;
  last.addPass(PlaceSites());
  last.addPass(createModuleToFunctionPassAdaptor(std::move(completion)));
  last.addPass(GlobalDCEPass());
  runner.run(m, last);
  completeLocations(m);
  checkCode(m);

  ModulePassManager structure;
  structure.addPass(createModuleToFunctionPassAdaptor(simt::MakeLoopsReducible()));
  runner.run(m, structure);
}

} // namespace heddle::cudacpp
