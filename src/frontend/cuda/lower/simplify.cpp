#include "frontend/cuda/lower/simplify.h"

#include "frontend/cuda/clang/device_headers.h"
#include "frontend/cuda/libraries.h"
#include "frontend/cuda/lower/bool_loads.h"
#include "frontend/cuda/lower/bounded_allocas.h"
#include "frontend/cuda/lower/check_accesses.h"
#include "frontend/cuda/lower/header_functions.h"
#include "frontend/cuda/lower/infer_address_spaces.h"
#include "frontend/cuda/lower/module_variables.h"
#include "frontend/cuda/lower/number_functions.h"
#include "frontend/cuda/lower/place_sites.h"
#include "frontend/cuda/lower/shared_indices.h"
#include "frontend/cuda/lower/total_operations.h"
#include "simt/analysis/call_tree.h"
#include "simt/check/checking.h"
#include "simt/check/forget_locals.h"
#include "simt/check/memory_accesses.h"
#include "simt/ir/inline_assembly.h"
#include "simt/ir/ops.h"
#include "simt/ir/source_positions.h"
#include "simt/ir/verifier.h"
#include "simt/passes/inline_device_functions.h"
#include "simt/passes/insert_warp_barriers.h"
#include "simt/passes/make_loops_reducible.h"
#include "simt/trace/tracing.h"
#include "support/diagnostic.h"
#include "support/pass_runner.h"

#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/Mem2Reg.h"

namespace heddle::cudacpp {

using namespace llvm;

namespace {

/// True if a file is not part of the program: a header of Heddle, CUB, Thrust or libcu++.
bool isFromHeader(StringRef file) {
  return isDeviceHeader(file) || !libraryIncludePath(file).empty();
}

/// The instruction, or for code in CUDA headers the call in the program that leads to it; null if there is none.
const Instruction *findCallInProgram(const Instruction &i,
                                     SmallPtrSetImpl<const Function *> &seen) {
  const DILocation *at = i.getDebugLoc();
  if (!at || !isFromHeader(at->getFilename()))
    return &i;
  if (seen.insert(i.getFunction()).second)
    for (const User *user : i.getFunction()->users())
      if (auto *call = dyn_cast<CallBase>(user))
        if (const Instruction *found = findCallInProgram(*call, seen))
          return found;
  return nullptr;
}

[[noreturn]] void refuseInProgram(const Instruction &i, const std::string &why) {
  SmallPtrSet<const Function *, 8> seen;
  const Instruction *place = findCallInProgram(i, seen);
  throw makeErrorAt(place ? *place : i, ErrorKind::Unsupported, why);
}

/// Adds the attributes of SIMT operations to their declarations. Removes "convergent", which Clang adds to all calls,
/// from calls of LLVM's intrinsics: loops that contain such calls would not be unrolled.
void addOperationAttributes(llvm::Module &m) {
  llvm::Module asDeclared("declarations", m.getContext());
  for (Function &f : make_early_inc_range(m)) {
    if (f.isIntrinsic() && !f.isConvergent())
      for (User *u : f.users())
        if (auto *call = dyn_cast<CallBase>(u))
          call->removeFnAttr(Attribute::Convergent);
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

/// Makes callers copy `byval` arguments, instead of the callee.
void copyByValueArgumentsInCallers(llvm::Module &m) {
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

/// Rejects Clang extensions of CUDA C++ that kernels do not support.
void refuseUnsupportedExtensions(const Instruction &i) {
  if (isa<IndirectBrInst>(i))
    refuseInProgram(i, "kernels do not support computed goto\n  hint: use a switch");
  if (isa<CallBrInst>(i))
    refuseInProgram(i, "inline PTX in a kernel cannot jump to C++ labels (asm goto)\n  hint: set a "
                       "variable in the assembly, and use an if");
  if (i.isIntDivRem() && i.getType()->isIntegerTy() && i.getType()->getIntegerBitWidth() > 64)
    refuseInProgram(i, "kernels do not support division of integers with more than 64 bits");
  if (isVector(i.getType()) ||
      any_of(i.operands(), [](const Use &u) { return isVector(u->getType()); }))
    refuseInProgram(i, "kernels do not support compiler vector types (vector_size, "
                       "ext_vector_type)\n  hint: use a vector type such as float4, or an array");
  if (const auto *call = dyn_cast<IntrinsicInst>(&i)) {
    if (call->getIntrinsicID() == Intrinsic::threadlocal_address)
      refuseInProgram(i, "kernels do not support thread_local variables\n  hint: local variables "
                         "of functions are private to each thread");
    if (call->getIntrinsicID() == Intrinsic::vastart)
      refuseInProgram(i, "kernels do not support variadic functions ('...')\n  hint: use a "
                         "template with typename... Types");
  }
}

/// Rejects code that the verifier would report as an internal error, but that the user can fix.
void rejectUnsupportedCode(llvm::Module &m) {
  if (!m.alias_empty())
    throw CompileError(ErrorKind::Unsupported, "'" + demangle(m.alias_begin()->getName()) +
                                                   "': kernels do not support function aliases");
  for (Function &f : m)
    for (Instruction &i : instructions(f)) {
      refuseUnsupportedExtensions(i);
      if (auto *call = dyn_cast<CallBase>(&i)) {
        if (call->isInlineAsm()) {
          if (std::string problem = simt::parseAssembly(*call).problem; !problem.empty())
            refuseInProgram(i, problem);
          continue;
        }
        const Function *callee = call->getCalledFunction();
        StringRef name = callee->getName();
        if (callee->isIntrinsic() && !simt::isAllowedIntrinsic(callee->getIntrinsicID()))
          refuseInProgram(i, "kernels do not support this compiler builtin (" + name.str() +
                                 ")\n  hint: use CUDA functions or inline PTX");
        if (callee->isDeclaration() && !callee->isIntrinsic() && !simt::opNamed(name))
          refuseInProgram(i, "'" + demangle(name) +
                                 "' is declared, but not defined in this program\n  hint: a "
                                 "program is a single source: define the function in it");
      }
      if (auto *a = dyn_cast<AllocaInst>(&i); a && !a->isStaticAlloca())
        refuseInProgram(i,
                        "the size of an array in a kernel must be a constant\n  hint: use "
                        "extern __shared__, or pass memory in. alloca() also takes a size with a "
                        "limit that the compiler sees, outside loops: alloca(min(n, 64) * 4)");
    }
}

/// The source location from Clang. All computed gotos of a function share one jump, which gets the location of the
/// first.
const DILocation *clangLocation(const Instruction &i) {
  const Instruction *placed = &i;
  if (isa<IndirectBrInst>(i) && !i.getDebugLoc() && pred_size(i.getParent()) > 0)
    placed = (*pred_begin(i.getParent()))->getTerminator();
  return placed->getDebugLoc().get();
}

/// True if the scope is a trap message that Clang has encoded as a function name.
bool isTrapMessageScope(const DILocation &at) {
  return at.getScope()->getSubprogram()->getName().starts_with("__clang_trap_msg");
}

/// Gives every instruction a location in the user's source: the location of the call for code in CUDA headers, and that
/// of the function if Clang provides none.
void completeDebugLocations(llvm::Module &m) {
  for (Function &f : m) {
    if (!f.getSubprogram())
      continue;
    for (Instruction &i : instructions(f)) {
      const DILocation *at = clangLocation(i);
      while (at && at->getInlinedAt() &&
             (isFromHeader(at->getFilename()) || isTrapMessageScope(*at)))
        at = at->getInlinedAt();
      i.setDebugLoc(at ? DebugLoc(at) : simt::artificialLocation(f));
    }
  }
}

void markNoInlineFunctions(llvm::Module &m) {
  simt::CallTree tree(m, /*inlinesConvergent=*/true);
  for (Function &f : m)
    if (!f.isDeclaration() && !f.hasFnAttribute(simt::kernelAttribute) &&
        tree.isKeptOutOfLine(tree.factsOf(f)))
      f.addFnAttr(simt::outOfLineAttribute);
}

/// Marks the accesses of malloc and free, so that checks tell them from those of the program.
void markHeapFunctions(llvm::Module &m) {
  for (Function &f : m) {
    const DISubprogram *program = f.getSubprogram();
    if (program && isDeviceHeader(program->getFilename()) &&
        program->getFilename().ends_with("heap.h"))
      for (Instruction &i : instructions(f))
        if (getLoadStorePointerOperand(&i) || simt::calledOp(&i))
          simt::markHeapManagement(i);
  }
}

/// Inlines functions and promotes C++ variables to registers.
void inlineAndPromote(llvm::Module &m, PassRunner &runner, bool bounds) {
  ModulePassManager unused;
  unused.addPass(GlobalDCEPass()); // so that the call graph contains only used functions
  runner.run(m, unused);
  markNoInlineFunctions(m);
  ModulePassManager inlining;
  inlining.addPass(simt::InlineDeviceFunctions());
  inlining.addPass(GlobalDCEPass());
  runner.run(m, inlining);
  copyByValueArgumentsInCallers(m);
  completeDebugLocations(m); // those of inlined header functions

  FunctionPassManager promotion;
  promotion.addPass(ExpandHeaderFunctions());
  if (callsAlloca(m)) { // the sizes must be in registers
    if (simt::isChecking)
      promotion.addPass(simt::ForgetLocals(simt::ForgetLocals::Unproven));
    promotion.addPass(PromotePass());
    promotion.addPass(BoundedAllocas());
  }
  if (!simt::isChecking)
    promotion.addPass(simt::RemoveForgets()); // of malloc
  if (bounds) {
    // Accesses through pointer variables, such as the parameters of memcpy, then name the variables that they access.
    if (simt::isChecking)
      promotion.addPass(simt::ForgetLocals(simt::ForgetLocals::Unproven));
    promotion.addPass(PromotePass());
    promotion.addPass(CheckAccesses(CheckAccesses::Locals));
  }
  // Each round promotes pointers to the variables of the next.
  constexpr unsigned checkedRounds = 4;
  for (unsigned round = 0; round < (simt::isChecking ? checkedRounds : 1); ++round) {
    if (simt::isChecking)
      promotion.addPass(simt::ForgetLocals(simt::ForgetLocals::Unproven));
    promotion.addPass(SROAPass(SROAOptions::ModifyCFG));
  }
  promotion.addPass(EarlyCSEPass());
  // Arithmetic that LLVM moves out of a branch would look like a use of variables that only the branch sets.
  promotion.addPass(simt::SimplifyControlFlow(
      SimplifyCFGOptions().speculateBlocks(!simt::keepsAccessesSeparate())));
  ModulePassManager promotions;
  promotions.addPass(createModuleToFunctionPassAdaptor(std::move(promotion)));
  runner.run(m, promotions);
  inferAddressSpaces(m);
}

/// True if the source accesses an object of a scalar type, rather than bytes or a member of a structure, according to
/// the type for alias analysis.
bool accessesScalarObject(const Instruction &i) {
  const MDNode *tag = i.getMetadata(LLVMContext::MD_tbaa);
  if (!tag || tag->getOperand(0) != tag->getOperand(1))
    return false;
  const auto *name = dyn_cast<MDString>(cast<MDNode>(tag->getOperand(1))->getOperand(0));
  return name && name->getString() != "omnipotent char";
}

/// Gives accesses of scalar types their natural alignment, which the hardware requires. Clang assumes less where it
/// knows that the address comes from a variable of a smaller type.
void alignScalarAccesses(llvm::Module &m) {
  for (Function &f : m)
    for (Instruction &i : instructions(f)) {
      if (!getLoadStorePointerOperand(&i) || !accessesScalarObject(i))
        continue;
      Align natural = m.getDataLayout().getABITypeAlign(getLoadStoreType(&i));
      if (auto *load = dyn_cast<LoadInst>(&i))
        load->setAlignment(std::max(load->getAlign(), natural));
      else if (auto *store = dyn_cast<StoreInst>(&i))
        store->setAlignment(std::max(store->getAlign(), natural));
    }
}

/// Notes if the program contains PTX, before inlining hides the functions of headers.
void noteInlinePtxOfProgram(llvm::Module &m) {
  auto isInlinePtx = [](const Instruction &i) {
    const auto *call = dyn_cast<CallInst>(&i);
    const auto *code = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
    return code && !code->getAsmString().empty();
  };
  for (const Function &f : m)
    if (const DISubprogram *program = f.getSubprogram();
        program && !isFromHeader(program->getFilename()) && any_of(instructions(f), isInlinePtx))
      m.getOrInsertNamedMetadata(simt::inlinePtxOfProgram);
}

/// True for the copy of a structure that the kernel may also read where the launch has put it, with less alignment.
bool isCopyOfParameter(const AllocaInst &local) {
  return any_of(local.users(), [&](const User *user) {
    const auto *copy = dyn_cast<MemCpyInst>(user);
    return copy && copy->getDest() == &local && isa<Argument>(copy->getSource());
  });
}

/// Aligns local arrays and structures to 16 bytes, the largest alignment of an access, as nvcc does. Programs access arrays
/// of smaller elements as vectors, such as an array of float as float4.
void alignLocals(Function &f) {
  constexpr uint64_t mostBytes = 16;
  for (Instruction &i : instructions(f)) {
    auto *local = dyn_cast<AllocaInst>(&i);
    if (!local || !local->getAllocatedType()->isAggregateType() || isCopyOfParameter(*local))
      continue;
    std::optional<TypeSize> size = local->getAllocationSize(f.getDataLayout());
    if (size && size->getFixedValue())
      local->setAlignment(std::max(local->getAlign(),
                                   Align(std::min(mostBytes, bit_floor(size->getFixedValue())))));
  }
}

/// Converts floats to integers of 8 and 16 bits by way of 32 bits, as nvcc does: only the 32 bits saturate.
///
///     before                                   after
///       call i8 @llvm.fptoui.sat.i8(%x)          %wide = call i32 @llvm.fptoui.sat.i32(%x)
///                                                trunc i32 %wide to i8
void widenConversions(Function &f) {
  for (Instruction &i : make_early_inc_range(instructions(f))) {
    auto *call = dyn_cast<IntrinsicInst>(&i);
    if (!call || !i.getType()->isIntegerTy() || i.getType()->getIntegerBitWidth() >= 32 ||
        (call->getIntrinsicID() != Intrinsic::fptosi_sat &&
         call->getIntrinsicID() != Intrinsic::fptoui_sat))
      continue;
    IRBuilder<> b(call);
    Value *x = call->getArgOperand(0);
    Value *wide = b.CreateIntrinsic(call->getIntrinsicID(), {b.getInt32Ty(), x->getType()}, {x});
    i.replaceAllUsesWith(b.CreateTrunc(wide, i.getType()));
    i.eraseFromParent();
  }
}

} // namespace

void lowerToSimt(llvm::Module &m, const Options &options) {
  addOperationAttributes(m);
  completeDebugLocations(m);
  lowerBoolLoads(m);
  noteInlinePtxOfProgram(m);
  for (Function &f : m) {
    alignLocals(f);
    widenConversions(f);
  }
  PassRunner runner;
  // Otherwise LLVM assumes that accessed pointers are not null, and the checks would not see null pointers.
  if (options.backEnd.bounds)
    for (Function &f : m)
      f.addFnAttr(Attribute::NullPointerIsValid);
  if (simt::keepsAccessesSeparate()) {
    for (Function &f : m)
      f.addFnAttr(Attribute::SanitizeThread); // a speculated load would look like a race
    alignScalarAccesses(m);
    markHeapFunctions(m);
  }
  inlineAndPromote(m, runner, options.backEnd.bounds);
  if (replaceFunctionPointersByNumbers(m))
    inlineAndPromote(m, runner, options.backEnd.bounds);
  lowerModuleVariables(m);
  for (Function &f : m) {
    specializeAddressSpaces(f);
    signExtendSharedIndices(f);
  }
  completeDebugLocations(m);

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
  completeDebugLocations(m);
  rejectUnsupportedCode(m);

  ModulePassManager structure;
  structure.addPass(createModuleToFunctionPassAdaptor(simt::MakeLoopsReducible()));
  runner.run(m, structure);
}

} // namespace heddle::cudacpp
