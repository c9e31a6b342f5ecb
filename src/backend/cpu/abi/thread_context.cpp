#include "backend/cpu/abi/thread_context.h"

#include "backend/cpu/abi/runtime_symbols.h"
#include "simt/ir/ops.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"

#include <tuple>

namespace heddle::cpu {

using namespace llvm;

namespace {

/// The values of groupedAttribute, in the order of Grouped; No has no attribute.
constexpr StringRef groupedNames[] = {"", "rows", "warps", "wide rows"};

} // namespace

uint64_t numberAttribute(const Function &f, StringRef name) {
  uint64_t value = 0;
  f.getFnAttribute(name).getValueAsString().getAsInteger(10, value);
  return value;
}

void setNumberAttribute(Function &f, StringRef name, uint64_t value) {
  f.addFnAttr(name, std::to_string(value));
}

unsigned widthOf(const Function &kernel) {
  return std::max(1u, unsigned(numberAttribute(kernel, widthAttribute)));
}

Grouped groupedOf(const Function &kernel) {
  StringRef name = kernel.getFnAttribute(groupedAttribute).getValueAsString();
  return Grouped(find(groupedNames, name) - std::begin(groupedNames));
}

void setGrouped(Function &kernel, Grouped grouped) {
  kernel.addFnAttr(groupedAttribute, groupedNames[unsigned(grouped)]);
}

std::optional<std::array<uint32_t, 3>> fixedBlock(const Function &kernel) {
  StringRef text = kernel.getFnAttribute(blockAttribute).getValueAsString(), extent;
  if (text.empty())
    return std::nullopt;
  std::array<uint32_t, 3> extents{};
  for (uint32_t &each : extents) {
    std::tie(extent, text) = text.split(',');
    extent.getAsInteger(10, each);
  }
  return extents;
}

void setFixedBlock(Function &kernel, std::array<uint32_t, 3> extents) {
  auto [x, y, z] = extents;
  kernel.addFnAttr(blockAttribute,
                   std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z));
}

Value *contextOf(Function &f) { return f.getArg(ContextArgument); }

void addContextAttributes(Function &f, unsigned index) {
  LLVMContext &c = f.getContext();
  f.addParamAttr(index, Attribute::NonNull);
  f.addParamAttr(index, Attribute::NoUndef);
  f.addParamAttr(index, Attribute::getWithDereferenceableBytes(c, sizeof(BlockContext)));
  f.addParamAttr(index, Attribute::getWithAlignment(c, Align(alignof(BlockContext))));
}

Value *fieldAddress(IRBuilderBase &b, Value *context, size_t offset) {
  return offset ? b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), context, offset) : context;
}

LoadInst *loadField(IRBuilderBase &b, Value *context, size_t offset, Type *type) {
  return b.CreateLoad(type, fieldAddress(b, context, offset));
}

void markInvariantLoad(LoadInst &load) {
  MDNode *empty = MDNode::get(load.getContext(), {});
  load.setMetadata(LLVMContext::MD_invariant_load, empty);
  load.setMetadata(LLVMContext::MD_noundef, empty);
}

LoadInst *loadConstantField(IRBuilderBase &b, Value *context, size_t offset, Type *type,
                            uint64_t min, uint64_t bound) {
  LoadInst *load = loadField(b, context, offset, type);
  markInvariantLoad(*load);
  if (bound) {
    unsigned bits = type->getIntegerBitWidth();
    MDBuilder md(b.getContext());
    load->setMetadata(LLVMContext::MD_range, md.createRange(APInt(bits, min), APInt(bits, bound)));
  }
  return load;
}

CallInst *allocateFrame(IRBuilderBase &b, Value *context, Value *bytes, Value *alignment) {
  Type *i64 = b.getInt64Ty();
  auto *type = FunctionType::get(b.getPtrTy(), {b.getPtrTy(), i64, i64}, false);
  Module &m = *b.GetInsertBlock()->getModule();
  FunctionCallee allocate = m.getOrInsertFunction(allocateFrameSymbol.name, type);
  cast<Function>(allocate.getCallee())->addFnAttr(Attribute::NoUnwind);
  return b.CreateCall(allocate, {context, bytes, alignment});
}

BasicBlock::iterator entryInsertionPoint(Function &f) {
  return f.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
}

Function *prependParameters(Function &f, ArrayRef<Type *> front, ArrayRef<StringRef> names) {
  SmallVector<Type *, 16> types(front.begin(), front.end());
  append_range(types, f.getFunctionType()->params());
  Function *g = Function::Create(FunctionType::get(f.getReturnType(), types, false),
                                 GlobalValue::InternalLinkage, f.getAddressSpace());
  f.getParent()->getFunctionList().insert(f.getIterator(), g);
  g->takeName(&f);
  g->splice(g->begin(), &f);

  AttributeList old = f.getAttributes();
  SmallVector<AttributeSet, 16> parameters(front.size());
  for (Argument &a : f.args())
    parameters.push_back(old.getParamAttrs(a.getArgNo()));
  g->setAttributes(
      AttributeList::get(f.getContext(), old.getFnAttrs(), old.getRetAttrs(), parameters));
  for (auto [i, name] : enumerate(names))
    g->getArg(unsigned(i))->setName(name);
  for (Argument &a : f.args()) {
    Argument *moved = g->getArg(unsigned(front.size()) + a.getArgNo());
    moved->takeName(&a);
    a.replaceAllUsesWith(moved);
  }
  g->setSubprogram(f.getSubprogram());
  f.setSubprogram(nullptr);
  return g;
}

} // namespace heddle::cpu
