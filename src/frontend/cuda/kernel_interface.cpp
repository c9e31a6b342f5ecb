#include "frontend/cuda/kernel_interface.h"

#include "simt/ops.h"
#include "simt/verifier.h"
#include "support/diagnostic.h"

#include "llvm/IR/IRBuilder.h"

namespace heddle::cudacpp {

using namespace llvm;

namespace {

// 4 KiB of parameters are what a kernel of any GPU takes (CUDA C++ Programming Guide, "__global__ Function Parameters").
constexpr size_t maxSlots = 512;

[[noreturn]] void refuse(const KernelInfo &kernel, size_t parameter, const Twine &why) {
  const Parameter &p = kernel.parameters[parameter];
  throw CompileError(ErrorKind::Unsupported, "kernel " + kernel.name + ": parameter " +
                                                 std::to_string(parameter + 1) +
                                                 (p.name.empty() ? "" : " (" + p.name + ")") +
                                                 " of type '" + p.type.spelling + "' " + why.str());
}

/// A scalar inside a parameter of the source.
struct Leaf {
  Type *type;
  uint64_t offset;
};

bool collectLeaves(Type *type, uint64_t offset, const DataLayout &layout,
                   std::vector<Leaf> &leaves) {
  if (leaves.size() > maxSlots)
    return true; // too many anyway
  if (auto *s = dyn_cast<StructType>(type)) {
    const StructLayout *l = layout.getStructLayout(s);
    for (unsigned i = 0; i < s->getNumElements(); ++i)
      if (!collectLeaves(s->getElementType(i), offset + l->getElementOffset(i), layout, leaves))
        return false;
    return true;
  }
  if (auto *a = dyn_cast<ArrayType>(type)) {
    uint64_t size = layout.getTypeAllocSize(a->getElementType());
    for (uint64_t i = 0; i < a->getNumElements() && leaves.size() <= maxSlots; ++i)
      if (!collectLeaves(a->getElementType(), offset + i * size, layout, leaves))
        return false;
    return true;
  }
  bool known = type->isPointerTy() || type->isHalfTy() || type->isBFloatTy() || type->isFloatTy() ||
               type->isDoubleTy() || type->isIntegerTy(8) || type->isIntegerTy(16) ||
               type->isIntegerTy(32) || type->isIntegerTy(64) || type->isIntegerTy(1);
  leaves.push_back({type, offset});
  return known;
}

/// The type of the kernel's parameter that carries a scalar of `type`.
Type *parameterType(Type *type) {
  if (type->isPointerTy())
    return PointerType::get(type->getContext(), simt::Global);
  if (type->isIntegerTy(1))
    return Type::getInt8Ty(type->getContext());
  return type;
}

/// The value of type `type` that the parameter carries.
Value *received(IRBuilder<> &b, Argument *argument, Type *type) {
  if (type->isPointerTy())
    return b.CreateAddrSpaceCast(argument, type);
  if (type->isIntegerTy(1))
    return b.CreateICmpNE(argument, b.getInt8(0));
  return argument;
}

void rewrite(Function &old, KernelInfo &kernel) {
  const DataLayout &layout = old.getParent()->getDataLayout();
  std::vector<std::vector<Leaf>> leaves(old.arg_size());
  std::vector<Type *> types;
  // Clang passes nothing for an empty class; every other parameter is one argument.
  size_t parameter = 0;
  std::vector<size_t> sourceParameter;
  for (Argument &a : old.args()) {
    Type *whole = a.hasByValAttr() ? a.getParamByValType() : a.getType();
    while (parameter < kernel.parameters.size() &&
           kernel.parameters.size() - parameter > old.arg_size() - a.getArgNo())
      ++parameter;
    if (parameter == kernel.parameters.size())
      throw CompileError(ErrorKind::Internal, "kernel " + kernel.name + " has unknown parameters");
    if (!collectLeaves(whole, 0, layout, leaves[a.getArgNo()]))
      refuse(kernel, parameter, "cannot be passed by a launch\n  hint: pass a pointer to it");
    for (const Leaf &leaf : leaves[a.getArgNo()]) {
      types.push_back(parameterType(leaf.type));
      kernel.parameters[parameter].slots.push_back(
          {uint32_t(leaf.offset), uint32_t(layout.getTypeStoreSize(parameterType(leaf.type)))});
    }
    if (types.size() > maxSlots)
      refuse(kernel, parameter,
             "is too large: a kernel takes " + Twine(maxSlots) +
                 " scalars\n  hint: pass a pointer to it");
    ++parameter;
  }

  auto *made = Function::Create(FunctionType::get(old.getReturnType(), types, false),
                                GlobalValue::ExternalLinkage, "", old.getParent());
  made->takeName(&old);
  made->addFnAttr(simt::kernelAttribute);
  if (old.hasFnAttribute("nvvm.maxntid"))
    for (const char *name : {"nvvm.maxntid", "nvvm.minctasm", "nvvm.maxclusterrank"})
      if (old.hasFnAttribute(name))
        made->addFnAttr(old.getFnAttribute(name));
  made->setSubprogram(old.getSubprogram());
  old.setSubprogram(nullptr);
  made->splice(made->begin(), &old);

  IRBuilder<> b(&*made->getEntryBlock().getFirstInsertionPt());
  unsigned next = 0;
  for (Argument &a : old.args()) {
    if (!a.hasByValAttr()) {
      Argument *argument = made->getArg(next++);
      argument->setName(a.getName());
      if (a.hasNoAliasAttr())
        argument->addAttr(Attribute::NoAlias);
      a.replaceAllUsesWith(received(b, argument, leaves[a.getArgNo()][0].type));
      continue;
    }
    AllocaInst *copy = b.CreateAlloca(a.getParamByValType(), nullptr, a.getName());
    copy->setAlignment(a.getParamAlign().valueOrOne());
    for (const Leaf &leaf : leaves[a.getArgNo()])
      b.CreateAlignedStore(received(b, made->getArg(next++), leaf.type),
                           b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), copy, leaf.offset),
                           commonAlignment(copy->getAlign(), leaf.offset));
    a.replaceAllUsesWith(copy);
  }
  old.eraseFromParent();
}

} // namespace

void makeKernelInterface(llvm::Module &m, std::vector<KernelInfo> &kernels) {
  erase_if(kernels, [&](const KernelInfo &k) {
    const Function *f = m.getFunction(k.symbol);
    return !f || f->isDeclaration();
  });
  for (Function &f : m) {
    if (f.isDeclaration())
      continue;
    f.setCallingConv(CallingConv::C);
    f.setLinkage(GlobalValue::InternalLinkage);
    f.setVisibility(GlobalValue::DefaultVisibility);
    f.setComdat(nullptr);
    f.removeFnAttr("target-cpu");
    f.removeFnAttr("target-features");
    for (User *u : f.users())
      if (auto *call = dyn_cast<CallBase>(u))
        call->setCallingConv(CallingConv::C);
  }
  for (KernelInfo &k : kernels)
    rewrite(*m.getFunction(k.symbol), k);
}

} // namespace heddle::cudacpp
