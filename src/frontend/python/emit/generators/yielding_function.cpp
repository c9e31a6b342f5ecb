#include "frontend/python/emit/generators/yielding_function.h"

#include "frontend/python/emit/conversions.h"
#include "frontend/python/emit/function.h"
#include "frontend/python/emit/generators/frame.h"
#include "frontend/python/emit/generators/resuming.h"
#include "frontend/python/emit/generators/split_body.h"
#include "frontend/python/emit/slots.h"
#include "simt/ir/host_memory.h"

namespace heddle::python {

namespace {

llvm::Function *declareFrameFunction(llvm::Module &module, const std::string &name,
                                     llvm::Type *result) {
  llvm::Type *pointer = llvm::PointerType::get(module.getContext(), 0);
  auto *f = llvm::Function::Create(llvm::FunctionType::get(result, {pointer}, false),
                                   llvm::GlobalValue::InternalLinkage, name, module);
  f->addFnAttr(llvm::Attribute::NoUnwind);
  return f;
}

/// `void (ptr frame)`: releases the references of the frame.
llvm::Function *emitFrameRelease(ModuleEmitter &module, const std::string &name,
                                 const std::vector<uint64_t> &offsets) {
  llvm::LLVMContext &context = module.context();
  llvm::Function *f = declareFrameFunction(module.module(), name, llvm::Type::getVoidTy(context));
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "entry", f));
  for (uint64_t offset : offsets) {
    llvm::Value *address = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), f->getArg(0), offset);
    b.CreateCall(getOrEmitReleaseFunction(module), b.CreateLoad(b.getPtrTy(), address));
  }
  b.CreateRetVoid();
  return f;
}

/// Emits the constructor, which a call runs: it allocates the frame and stores the arguments in it.
void emitGeneratorConstructor(ModuleEmitter &module, llvm::Function &constructor,
                              const TypedFunction &f, llvm::Function &resume,
                              llvm::Function &release, uint64_t bytes) {
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(module.context(), "entry", &constructor));
  auto *type = llvm::FunctionType::get(b.getPtrTy(), {b.getInt64Ty()}, false);
  llvm::FunctionCallee allocate =
      module.module().getOrInsertFunction(simt::newGeneratorFunction, type);
  llvm::cast<llvm::Function>(allocate.getCallee())->addRetAttr(llvm::Attribute::NoAlias);
  llvm::Value *frame = b.CreateCall(allocate, {b.getInt64(bytes - simt::ownerBytes)});
  b.CreateStore(&resume, frameSlot(b, frame, simt::ResumeSlot));
  b.CreateStore(&release, frameSlot(b, frame, simt::ReleaseSlot));
  StoredValue stored = generatorArguments(b, f, frame);
  size_t count = partTypes(b.getContext(), stored.type()).size();
  llvm::SmallVector<llvm::Value *, 16> arguments(llvm::make_pointer_range(constructor.args()));
  auto owners = llvm::ArrayRef(arguments).drop_front(count);
  for (llvm::Value *owner : owners)
    b.CreateCall(getOrEmitRetainFunction(module), owner);
  stored.store(llvm::ArrayRef(arguments).take_front(count), owners);
  llvm::Value *result[] = {frame, frame}; // the value and its owner
  b.CreateAggregateRet(result, 2);
}

} // namespace

llvm::Function *getOrDeclareResumeFunction(ModuleEmitter &module, TypedFunction &f) {
  std::string name = module.getOrDeclareFunction(f)->getName().str() + ".resume";
  llvm::Function *known = module.module().getFunction(name);
  return known
             ? known
             : declareFrameFunction(module.module(), name, llvm::Type::getInt8Ty(module.context()));
}

void emitGenerator(ModuleEmitter &module, TypedFunction &f, llvm::Function &constructor) {
  llvm::LLVMContext &context = module.context();
  llvm::Function *resume = getOrDeclareResumeFunction(module, f);
  FunctionEmitter body(module, f, *resume);
  body.run();
  std::vector<uint64_t> owners = frameOwnerOffsets(context, f);
  std::vector<llvm::AllocaInst *> slots = body.emitter().owners().slots();
  uint64_t end = simt::ownerBytes + uint64_t(firstSlotAfterArguments(context, f)) * slotBytes;
  ValuesInFrame values = splitAtYields(*resume, end);
  for (llvm::AllocaInst *slot : slots)
    owners.push_back(values.offsets.at(slot));
  llvm::Function *release =
      emitFrameRelease(module, constructor.getName().str() + ".release", owners);
  emitGeneratorConstructor(module, constructor, f, *resume, *release, values.end);
}

void bindGeneratorArguments(Emitter &e) {
  const TypedFunction &f = e.function();
  llvm::Value *frame = e.llvmFunction().getArg(0);
  StoredValue arguments = generatorArguments(e.b, f, frame);
  for (auto [i, parameter] : llvm::enumerate(f.parameterValues)) {
    StoredValue argument = arguments.element(i);
    e.bind(*parameter, argument.parts());
    e.owners().borrow(*parameter, argument.owners());
  }
}

void emitYield(Emitter &e, Value &given) {
  llvm::IRBuilder<> &b = e.b;
  Type generator = e.function().result, yielded = generator->element;
  llvm::Value *frame = e.llvmFunction().getArg(0);
  Parts parts = convert(e, e.parts(given), given.type, yielded);
  OwnerList owners = e.owners().convertedOwners(given, yielded);
  e.owners().retain(owners);
  StoredValue stored = yieldedValue(b, generator, frame);
  e.owners().release(stored.owners());
  stored.store(parts, owners);
  emitYieldMark(b);
}

} // namespace heddle::python
