#include "frontend/cuda/lower/kernel_interface.h"

#include "simt/ir/checks.h"
#include "simt/ir/kernel_parameters.h"
#include "simt/ir/ops.h"
#include "simt/ir/verifier.h"
#include "simt/trace/tracing.h"
#include "support/diagnostic.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/IRBuilder.h"

#include <optional>

namespace heddle::cudacpp {

using namespace llvm;

namespace {

// Kernels accept 32,764 bytes of parameters (CUDA C++ Programming Guide, "__global__ Function Parameters").
constexpr size_t maxSlots = 4095;
// More scalars are passed as words.
constexpr size_t maxScalars = 512;

/// A scalar inside a source parameter, or a range of bytes passed as an integer.
struct Leaf {
  Type *type;
  uint64_t offset;
};
using Leaves = std::vector<Leaf>;

/// Calls `found` with each scalar in a value of `type` and its offset, until it returns false.
bool forEachScalar(Type *type, uint64_t offset, const DataLayout &layout,
                   function_ref<bool(Type *, uint64_t)> found) {
  if (auto *s = dyn_cast<StructType>(type)) {
    const StructLayout *l = layout.getStructLayout(s);
    for (unsigned i = 0; i < s->getNumElements(); ++i)
      if (!forEachScalar(s->getElementType(i), offset + l->getElementOffset(i), layout, found))
        return false;
    return true;
  }
  if (auto *a = dyn_cast<ArrayType>(type)) {
    uint64_t size = layout.getTypeAllocSize(a->getElementType());
    for (uint64_t i = 0; size && i < a->getNumElements(); ++i)
      if (!forEachScalar(a->getElementType(), offset + i * size, layout, found))
        return false;
    return true;
  }
  return found(type, offset);
}

bool isSlotType(const Type *type) {
  return type->isPointerTy() || type->isHalfTy() || type->isBFloatTy() || type->isFloatTy() ||
         type->isDoubleTy() || type->isIntegerTy(1) || type->isIntegerTy(8) ||
         type->isIntegerTy(16) || type->isIntegerTy(32) || type->isIntegerTy(64);
}

/// The scalars of a value, one slot each; nothing if a scalar has no slot type or there are too many.
std::optional<Leaves> collectScalars(Type *type, const DataLayout &layout) {
  Leaves leaves;
  bool all = forEachScalar(type, 0, layout, [&](Type *scalar, uint64_t offset) {
    leaves.push_back({scalar, offset});
    return isSlotType(scalar) && leaves.size() <= maxScalars;
  });
  return all ? std::optional(std::move(leaves)) : std::nullopt;
}

/// Splits a value into its pointers and words of at most 8 bytes.
Leaves splitIntoWords(Type *type, const DataLayout &layout) {
  uint64_t bytes = layout.getTypeStoreSize(type);
  DenseMap<uint64_t, Type *> pointers;
  if (bytes <= 8 * maxSlots)
    forEachScalar(type, 0, layout, [&](Type *scalar, uint64_t offset) {
      if (scalar->isPointerTy() && offset % 8 == 0)
        pointers[offset] = scalar;
      return true;
    });
  Leaves leaves;
  for (uint64_t at = 0; at < bytes && leaves.size() <= maxSlots; at += 8) {
    if (Type *pointer = pointers.lookup(at)) {
      leaves.push_back({pointer, at});
      continue;
    }
    for (uint64_t piece = at, end = std::min(at + 8, bytes); piece < end;
         piece += bit_floor(end - piece))
      leaves.push_back({IntegerType::get(type->getContext(), 8 * bit_floor(end - piece)), piece});
  }
  return leaves;
}

/// The number of elements of the largest array in a value of `type`.
uint64_t countElementsOfLargestArray(Type *type) {
  uint64_t most = 0;
  if (auto *s = dyn_cast<StructType>(type))
    for (Type *member : s->elements())
      most = std::max(most, countElementsOfLargestArray(member));
  if (auto *a = dyn_cast<ArrayType>(type))
    most = std::max(a->getNumElements(), countElementsOfLargestArray(a->getElementType()));
  return most;
}

/// True for structures that a kernel reads where the launch has put them. Others become scalars. An array in a structure
/// may be read at an index that is known only at run time; in scalars, each thread would need a copy of it.
bool isReadInPlace(const Argument &a) {
  constexpr uint64_t mostSelectedElements = 8; // selects replace the index
  if (!a.hasByValAttr() || simt::keepsAccessesSeparate() ||
      a.getParamAlign().valueOrOne() > simt::slotBytes)
    return false;
  Type *type = a.getParamByValType();
  uint64_t bytes = a.getParent()->getParent()->getDataLayout().getTypeAllocSize(type);
  bool fillsSlots = bytes % simt::slotBytes == 0 || isPowerOf2_64(bytes % simt::slotBytes);
  return fillsSlots && countElementsOfLargestArray(type) > mostSelectedElements;
}

Type *passedType(const Argument &a) {
  return a.hasByValAttr() ? a.getParamByValType() : a.getType();
}

size_t countSlots(ArrayRef<Leaves> arguments) {
  size_t count = 0;
  for (const Leaves &leaves : arguments)
    count += leaves.size();
  return count;
}

/// The slots of each argument: scalars, or words for structures with too many scalars.
std::vector<Leaves> computeSlotsOfArguments(const Function &f) {
  const DataLayout &layout = f.getParent()->getDataLayout();
  std::vector<Leaves> all;
  for (const Argument &a : f.args())
    all.push_back(isReadInPlace(a) ? splitIntoWords(passedType(a), layout)
                                   : collectScalars(passedType(a), layout)
                                         .value_or(splitIntoWords(passedType(a), layout)));
  if (countSlots(all) > maxScalars)
    for (const Argument &a : f.args())
      if (a.hasByValAttr())
        all[a.getArgNo()] = splitIntoWords(passedType(a), layout);
  return all;
}

/// True if a value that is not a structure can be assembled from words.
bool canPassAsWords(const Argument &a) {
  return a.hasByValAttr() || isSlotType(a.getType()) || a.getType()->isIntegerTy(128);
}

/// The type of the kernel parameter for a scalar of `type`.
Type *toKernelParameterType(Type *type) {
  if (type->isPointerTy())
    return PointerType::get(type->getContext(), simt::Global);
  if (type->isIntegerTy(1))
    return Type::getInt8Ty(type->getContext());
  return type;
}

/// Converts a kernel parameter back to `type`.
Value *convertFromKernelParameter(IRBuilder<> &b, Argument *argument, Type *type) {
  if (type->isPointerTy())
    return b.CreateAddrSpaceCast(argument, type);
  if (type->isIntegerTy(1))
    return b.CreateICmpNE(argument, b.getInt8(0));
  return argument;
}

/// The source parameter number of each argument.
std::vector<size_t> mapArgumentsToParameters(const Function &f, const KernelInfo &kernel) {
  std::vector<size_t> numbers;
  // Clang omits arguments of empty class type; every other parameter is one argument.
  size_t parameter = 0;
  for (const Argument &a : f.args()) {
    while (parameter < kernel.parameters.size() &&
           kernel.parameters.size() - parameter > f.arg_size() - a.getArgNo())
      ++parameter;
    if (parameter == kernel.parameters.size())
      throw CompileError(ErrorKind::Internal, "kernel " + kernel.name + " has unknown parameters");
    numbers.push_back(parameter++);
  }
  return numbers;
}

/// Explains why no launch can pass this kernel's arguments; empty if one can.
std::string explainUnlaunchable(const Function &f, const KernelInfo &kernel,
                                ArrayRef<Leaves> leaves, ArrayRef<size_t> parameters) {
  auto at = [&](size_t parameter) {
    const Parameter &p = kernel.parameters[parameter];
    return "kernel " + kernel.name + ": parameter " + std::to_string(parameter + 1) +
           (p.name.empty() ? "" : " (" + p.name + ")") + " of type '" + p.type.spelling + "' ";
  };
  for (const Argument &a : f.args())
    if (!canPassAsWords(a))
      return at(parameters[a.getArgNo()]) +
             "cannot be passed by a launch\n  hint: pass a pointer to it";
  size_t count = 0;
  for (size_t i = 0; i < leaves.size(); ++i)
    if ((count += leaves[i].size()) > maxSlots)
      return at(parameters[i]) + "is too large: the arguments of a kernel have at most " +
             std::to_string(8 * maxSlots) + " bytes, in at most " + std::to_string(maxSlots) +
             " parts\n  hint: pass a pointer to it";
  return {};
}

bool isPointerWithBounds(const Argument &a) {
  return a.getType()->isPointerTy() && !a.hasByValAttr();
}

/// Marks the pointers whose bounds are passed in the last parameters of `made`.
void markPointersWithBounds(Function &made, ArrayRef<unsigned> pointers) {
  LLVMContext &c = made.getContext();
  unsigned next = unsigned(made.arg_size() - 2 * pointers.size());
  ConstantRange before(APInt::getSignedMinValue(64), APInt(64, 1));
  ConstantRange after(APInt(64, 0), APInt::getSignedMinValue(64));
  for (unsigned pointer : pointers) {
    Argument *a = made.getArg(pointer);
    a->addAttr(Attribute::get(c, simt::boundsAttribute, std::to_string(next)));
    for (const ConstantRange &range : {before, after}) {
      made.getArg(next)->setName(a->getName() + (&range == &before ? ".before" : ".after"));
      made.addParamAttr(next++, Attribute::get(c, Attribute::Range, range));
    }
  }
}

void markStructure(Argument &parameter, uint64_t bytes) {
  AttrBuilder attributes(parameter.getContext());
  attributes.addAttribute(simt::structureAttribute, std::to_string(bytes))
      .addAttribute(Attribute::ReadOnly)
      .addAttribute(Attribute::NoAlias)
      .addAttribute(Attribute::NonNull)
      .addDereferenceableAttr(bytes)
      .addAlignmentAttr(Align(simt::slotBytes));
  parameter.addAttrs(attributes);
}

void replaceKernelArgumentsBySlots(Function &old, KernelInfo &kernel, bool bounds) {
  const DataLayout &layout = old.getParent()->getDataLayout();
  std::vector<Leaves> leaves = computeSlotsOfArguments(old);
  std::vector<size_t> parameters = mapArgumentsToParameters(old, kernel);
  kernel.unlaunchable = explainUnlaunchable(old, kernel, leaves, parameters);
  if (!kernel.unlaunchable.empty()) {
    old.replaceAllUsesWith(ConstantPointerNull::get(old.getType()));
    old.eraseFromParent();
    return;
  }
  std::vector<Type *> types;
  std::vector<unsigned> firstParameters; // of each argument
  for (const Argument &a : old.args()) {
    firstParameters.push_back(unsigned(types.size()));
    for (const Leaf &leaf : leaves[a.getArgNo()]) {
      Type *type = toKernelParameterType(leaf.type);
      if (!isReadInPlace(a))
        types.push_back(type);
      kernel.parameters[parameters[a.getArgNo()]].slots.push_back(
          {uint32_t(leaf.offset), uint32_t(layout.getTypeStoreSize(type))});
    }
    if (isReadInPlace(a))
      types.push_back(PointerType::get(old.getContext(), 0));
  }

  SmallVector<unsigned, 8> pointers;
  if (bounds && types.size() + 2 * old.arg_size() <= maxScalars) {
    for (const Argument &a : old.args())
      if (isPointerWithBounds(a)) {
        pointers.push_back(firstParameters[a.getArgNo()]);
        kernel.bounded.push_back(uint32_t(parameters[a.getArgNo()]));
      }
    types.insert(types.end(), 2 * pointers.size(), Type::getInt64Ty(old.getContext()));
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
      if (a.getType()->isIntegerTy(128)) {
        Value *low = b.CreateZExt(argument, a.getType());
        Value *high = b.CreateShl(b.CreateZExt(made->getArg(next++), a.getType()), 64);
        a.replaceAllUsesWith(b.CreateOr(low, high));
        continue;
      }
      if (a.hasNoAliasAttr())
        argument->addAttr(Attribute::NoAlias);
      a.replaceAllUsesWith(convertFromKernelParameter(b, argument, leaves[a.getArgNo()][0].type));
      continue;
    }
    AllocaInst *copy = b.CreateAlloca(a.getParamByValType(), nullptr, a.getName());
    copy->setAlignment(a.getParamAlign().valueOrOne());
    if (isReadInPlace(a)) {
      // LLVM removes the copy unless the kernel writes to it.
      Argument *structure = made->getArg(next++);
      structure->setName(a.getName() + ".passed");
      markStructure(*structure, layout.getTypeAllocSize(a.getParamByValType()));
      b.CreateMemCpy(copy, copy->getAlign(), structure, Align(simt::slotBytes),
                     layout.getTypeAllocSize(a.getParamByValType()));
      a.replaceAllUsesWith(copy);
      continue;
    }
    for (const Leaf &leaf : leaves[a.getArgNo()])
      b.CreateAlignedStore(convertFromKernelParameter(b, made->getArg(next++), leaf.type),
                           b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), copy, leaf.offset),
                           commonAlignment(copy->getAlign(), leaf.offset));
    a.replaceAllUsesWith(copy);
  }
  markPointersWithBounds(*made, pointers);
  old.replaceAllUsesWith(made);
  old.eraseFromParent();
}

} // namespace

void makeKernelInterface(llvm::Module &m, std::vector<KernelInfo> &kernels, bool bounds) {
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
    replaceKernelArgumentsBySlots(*m.getFunction(k.symbol), k, bounds);
}

} // namespace heddle::cudacpp
