// State shared by the functions of a SIMT module: declarations, constants, sites, debug information.

#include "frontend/python/emit/emitter.h"
#include "frontend/python/emit/function.h"
#include "frontend/python/emit/generators/yielding_function.h"
#include "frontend/python/emit/host_entry.h"
#include "frontend/python/types/characters.h"
#include "simt/ir/sites.h"
#include "simt/ir/verifier.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/ConstantRange.h"

namespace heddle::python {

llvm::Type *memoryType(llvm::LLVMContext &context, Type element) {
  if (element.isRecord() || element.isStructure() || isCharacters(element))
    return llvm::ArrayType::get(llvm::Type::getInt8Ty(context), element->bytes());
  if (element.isComplex()) {
    llvm::Type *part = memoryType(context, floatType(element->bits / 2));
    return llvm::StructType::get(part, part);
  }
  if (element.isFloat() && element->small)
    return llvm::Type::getInt8Ty(context);
  if (element.isHalf())
    return element->brain ? llvm::Type::getBFloatTy(context) : llvm::Type::getHalfTy(context);
  if (element.isFloat())
    return element->bits == 32 ? llvm::Type::getFloatTy(context) : llvm::Type::getDoubleTy(context);
  return llvm::Type::getIntNTy(context, element->bits);
}

llvm::SmallVector<llvm::Type *, 4> partTypes(llvm::LLVMContext &context, Type type) {
  llvm::Type *wide = llvm::Type::getInt64Ty(context);
  llvm::SmallVector<llvm::Type *, 4> out;
  switch (type.kind()) {
  case TypeKind::Bool:
    out.push_back(llvm::Type::getInt1Ty(context));
    break;
  case TypeKind::Int:
  case TypeKind::UInt:
  case TypeKind::Float: // an 8-bit float is a float32 until it is stored
    out.push_back(memoryType(context, typeAfterLoad(type)));
    break;
  case TypeKind::Characters:
    out.append(wordCount(type), wide);
    break;
  case TypeKind::Complex: // real part, imaginary part
    out.append(2, memoryType(context, floatType(type->bits / 2)));
    break;
  case TypeKind::Iterator:
    if (type->iterator == IteratorKind::Enumerate)
      out.push_back(wide);
    [[fallthrough]];
  case TypeKind::Closure:
  case TypeKind::Tuple:
  case TypeKind::Vector:
    for (Type element : type->elements)
      out.append(partTypes(context, element));
    break;
  case TypeKind::String: // address, number and width of the code points
    if (type == runtimeStringType())
      out.append({llvm::PointerType::get(context, 0), wide, wide});
    break;
  case TypeKind::List:
  case TypeKind::Dict:
  case TypeKind::Set:
  case TypeKind::Instance:
  case TypeKind::Caught:
  case TypeKind::Generator:
    out.push_back(llvm::PointerType::get(context, 0));
    break;
  case TypeKind::Record:
  case TypeKind::Pointer:
    out.push_back(llvm::PointerType::get(context, type->space));
    break;
  case TypeKind::DateTime:
  case TypeKind::TimeDelta:
  case TypeKind::Choice:
    out.push_back(wide);
    break;
  case TypeKind::Enum:
    return partTypes(context, type->element);
  case TypeKind::Array:
    out.push_back(llvm::PointerType::get(context, type->space));
    out.append(2 * type->ndim, wide);
    break;
  case TypeKind::Optional: // a flag that there is a value, and the value
    out.push_back(llvm::Type::getInt1Ty(context));
    out.append(partTypes(context, type->element));
    break;
  case TypeKind::Range: // start, step, trip count, stop
    out.append(2, memoryType(context, type->element));
    out.push_back(wide);
    out.push_back(memoryType(context, type->element));
    break;
  default:
    break;
  }
  return out;
}

llvm::Constant *scalarConstant(llvm::LLVMContext &context, const Constant &constant) {
  llvm::Type *type = partTypes(context, constant.type)[0];
  if (constant.kind == ConstantKind::Float)
    return llvm::ConstantFP::get(type, constant.real);
  return llvm::ConstantInt::get(type, uint64_t(constant.integer), false, /*ImplicitTrunc=*/true);
}

ModuleEmitter::ModuleEmitter(llvm::Module &module, Checks checks, Architecture architecture)
    : module_(module), checks_(checks), architecture_(architecture), debugInfo_(module) {
  module_.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
}

llvm::DISubprogram *ModuleEmitter::createSubprogram(TypedFunction &f, llvm::Function &function) {
  const std::string &path = f.source->text.file;
  llvm::DIFile *&file = files_[path];
  if (!file) {
    file = debugInfo_.createFile(path, ""); // sites made from locations need the whole path
    if (files_.size() == 1)
      debugInfo_.createCompileUnit(
          llvm::DISourceLanguageName(llvm::dwarf::DW_LANG_Python), file, "heddle",
          /*isOptimized=*/true, "", 0, "",
          checks_.variables ? llvm::DICompileUnit::FullDebug : llvm::DICompileUnit::LineTablesOnly);
  }
  auto *type = debugInfo_.createSubroutineType(debugInfo_.getOrCreateTypeArray({}));
  auto *scope = debugInfo_.createFunction(
      file, f.source->name, function.getName(), file, f.source->span.line, type,
      f.source->span.line, llvm::DINode::FlagZero,
      llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagOptimized);
  function.setSubprogram(scope);
  return scope;
}

unsigned ModuleEmitter::addSite(const TypedFunction &f, Span span, std::string kind,
                                std::string message, std::string arguments) {
  return simt::addSite(module_, {.kind = std::move(kind),
                                 .message = std::move(message),
                                 .function = f.source->name,
                                 .file = f.source->text.file,
                                 .line = span.line,
                                 .column = span.column + 1,
                                 .arguments = std::move(arguments)});
}

unsigned ModuleEmitter::addRaiseSite(const TypedFunction &f, Span span, const std::string &kind,
                                     const std::vector<Constant> &arguments) {
  for (unsigned n = 0;; ++n) {
    // The handler takes the text from the arguments; here, it only tells sites apart.
    unsigned number = addSite(f, span, kind, n == 0 ? "" : std::to_string(n));
    if (raised_.try_emplace(number, arguments).first->second == arguments)
      return number;
  }
}

void ModuleEmitter::warn(const TypedFunction &f, Span span, std::string message) {
  const SourceText &text = f.source->text;
  bool known = llvm::any_of(warnings_, [&](const Diagnostic &d) {
    return d.file == text.file && d.span.line == span.line && d.span.column == span.column;
  });
  if (!known)
    warnings_.push_back({.message = std::move(message),
                         .file = text.file,
                         .span = span,
                         .sourceLine = text.line(span.line)});
}

llvm::GlobalVariable *
ModuleEmitter::getOrCreateConstantArray(const std::shared_ptr<ConstantArray> &array) {
  llvm::GlobalVariable *&global = constants_[array.get()];
  if (!global) {
    keptArrays_.push_back(array);
    auto *data = llvm::ConstantDataArray::getString(context(), array->bytes, /*AddNull=*/false);
    global = new llvm::GlobalVariable(module_, data->getType(), /*isConstant=*/true,
                                      llvm::GlobalValue::InternalLinkage, data, "constant", nullptr,
                                      llvm::GlobalValue::NotThreadLocal, simt::Constant);
    global->setAlignment(llvm::Align(16));
  }
  return global;
}

llvm::Type *returnTypeOfParts(llvm::LLVMContext &context, llvm::ArrayRef<llvm::Type *> parts) {
  return parts.empty()       ? llvm::Type::getVoidTy(context)
         : parts.size() == 1 ? parts[0]
                             : llvm::StructType::get(context, parts);
}

llvm::Function *ModuleEmitter::getOrDeclareFunction(TypedFunction &f) {
  llvm::Function *&function = functions_[&f];
  if (function)
    return function;
  llvm::SmallVector<llvm::Type *, 8> parameters;
  for (Type t : f.parameters)
    parameters.append(partTypes(context(), t));
  llvm::SmallVector<llvm::Type *, 4> results = partTypes(context(), f.result);
  llvm::Type *owner = llvm::PointerType::get(context(), 0);
  for (Type t : f.parameters)
    parameters.append(countOwners(t, *f.rules), owner);
  results.append(countOwners(f.result, *f.rules), owner);
  if (f.returnsRaised())
    results.push_back(llvm::Type::getInt1Ty(context()));
  llvm::Type *result = returnTypeOfParts(context(), results);
  function = llvm::Function::Create(llvm::FunctionType::get(result, parameters, false),
                                    llvm::GlobalValue::InternalLinkage, f.symbol, module_);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  return function;
}

namespace {

/// Names a kernel parameter like the user's, and adds attributes for the facts that the launch guarantees.
void annotateParameter(llvm::Function &function, unsigned first, const KernelArgument &argument,
                       const std::string &name) {
  auto [type, facts] = argument;
  llvm::LLVMContext &context = function.getContext();
  function.getArg(first)->setName(name);
  if (facts.small)
    function.addParamAttr(
        first, llvm::Attribute::get(context, llvm::Attribute::Range,
                                    llvm::ConstantRange(llvm::APInt(type->bits, 0),
                                                        llvm::APInt(type->bits, 1u << 31))));
  if (type.isRecord())
    function.addParamAttr(
        first, llvm::Attribute::getWithAlignment(context, llvm::Align(type->alignment())));
  if (!type.isArray())
    return;
  unsigned alignment = facts.aligned ? 16 : type->elementAlignment();
  function.addParamAttr(first, llvm::Attribute::getWithAlignment(context, llvm::Align(alignment)));
  if (facts.noAlias)
    function.addParamAttr(first, llvm::Attribute::NoAlias);
  if (facts.fewElements && type->layout != Layout::Any)
    function.addParamAttr(first, llvm::Attribute::get(context, simt::fewElementsAttribute,
                                                      std::to_string(type->element->bytes())));
  llvm::APInt limit(64, facts.fewElements ? uint64_t(1) << 31 : uint64_t(1) << 63);
  for (unsigned axis = 0; axis < type->ndim; ++axis) {
    llvm::Argument *extent = function.getArg(first + 1 + axis);
    extent->setName(name + ".extent" + std::to_string(axis));
    extent->addAttr(llvm::Attribute::get(context, llvm::Attribute::Range,
                                         llvm::ConstantRange(llvm::APInt(64, 0), limit)));
    function.getArg(first + 1 + type->ndim + axis)
        ->setName(name + ".stride" + std::to_string(axis));
  }
}

/// Adds attributes to the pointers of arrays that the kernel does not write.
void markReadOnly(llvm::Function &function, TypedFunction &kernel,
                  const std::vector<bool> &written) {
  unsigned next = 0;
  for (size_t i = 0; i < kernel.parameters.size(); ++i)
    for (llvm::Type *part : partTypes(function.getContext(), kernel.parameters[i])) {
      if (part->isPointerTy() && !written[i])
        function.addParamAttr(next, llvm::Attribute::ReadOnly);
      ++next;
    }
}

/// Makes extents that the launch has fixed known to the kernel.
void replaceFixedExtentsByConstants(llvm::Function &function, const TypedFunction &kernel,
                                    const std::vector<KernelArgument> &arguments) {
  unsigned first = 0;
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    if (unsigned length = arguments[i].facts.rowLength) {
      llvm::Argument *extent = function.getArg(first + arguments[i].type->ndim);
      extent->replaceAllUsesWith(llvm::ConstantInt::get(extent->getType(), length));
    }
    first += partTypes(function.getContext(), kernel.parameters[i]).size();
  }
}

} // namespace

llvm::Function *ModuleEmitter::declareKernel(TypedFunction &kernel,
                                             const std::vector<KernelArgument> &arguments) {
  llvm::SmallVector<llvm::Type *, 16> parameters;
  for (Type t : kernel.parameters)
    for (llvm::Type *part : partTypes(context(), t))
      parameters.push_back(part->isIntegerTy(1) ? llvm::Type::getInt8Ty(context()) : part);
  auto *function = llvm::Function::Create(
      llvm::FunctionType::get(llvm::Type::getVoidTy(context()), parameters, false),
      llvm::GlobalValue::ExternalLinkage, kernel.symbol, module_);
  function->addFnAttr(simt::kernelAttribute);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  unsigned next = 0;
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    unsigned count = partTypes(context(), kernel.parameters[i]).size();
    if (count)
      annotateParameter(*function, next, arguments[i], kernel.source->parameters[i].name);
    next += count;
  }
  functions_[&kernel] = function;
  return function;
}

void ModuleEmitter::emitKernel(FunctionInstances &instances, TypedFunction &kernel,
                               const std::vector<KernelArgument> &arguments,
                               const std::vector<bool> &written) {
  llvm::Function *function = declareKernel(kernel, arguments);
  markReadOnly(*function, kernel, written);
  FunctionEmitter(*this, kernel, *function).run();
  replaceFixedExtentsByConstants(*function, kernel, arguments);
  emitReachedFunctions(instances, {&kernel});
  debugInfo_.finalize();
}

void ModuleEmitter::emitReachedFunctions(FunctionInstances &instances,
                                         std::set<TypedFunction *> done) {
  // Emitting a function declares its callees. Functions that are never declared are unreachable.
  for (bool more = true; more;) {
    more = false;
    for (auto &f : instances.functions())
      if (functions_.count(f.get()) && done.insert(f.get()).second) {
        if (f->isGenerator)
          emitGenerator(*this, *f, *functions_[f.get()]);
        else
          FunctionEmitter(*this, *f, *functions_[f.get()]).run();
        more = true;
      }
  }
}

namespace {

/// The C type of a value: a bool is a byte.
llvm::Type *cTypeOf(llvm::Type *type) {
  llvm::LLVMContext &context = type->getContext();
  if (type->isIntegerTy(1))
    return llvm::Type::getInt8Ty(context);
  auto *structure = llvm::dyn_cast<llvm::StructType>(type);
  if (!structure)
    return type;
  llvm::SmallVector<llvm::Type *, 4> members;
  for (llvm::Type *member : structure->elements())
    members.push_back(cTypeOf(member));
  return llvm::StructType::get(context, members);
}

llvm::Value *convertToCType(llvm::IRBuilder<> &b, llvm::Value *value) {
  llvm::Type *type = cTypeOf(value->getType());
  if (type == value->getType())
    return value;
  if (!type->isStructTy())
    return b.CreateZExt(value, type);
  llvm::Value *out = llvm::PoisonValue::get(type);
  for (unsigned i = 0; i < type->getStructNumElements(); ++i)
    out = b.CreateInsertValue(out, convertToCType(b, b.CreateExtractValue(value, i)), i);
  return out;
}

} // namespace

void ModuleEmitter::emitExportedFunction(FunctionInstances &instances, TypedFunction &f,
                                         const std::string &name) {
  llvm::Function *body = getOrDeclareFunction(f);
  body->setName(name + ".body");
  emitReachedFunctions(instances, {});
  llvm::SmallVector<llvm::Type *, 8> parameters;
  for (llvm::Argument &argument : body->args())
    parameters.push_back(cTypeOf(argument.getType()));
  llvm::Type *result = cTypeOf(body->getReturnType());
  auto *exported = llvm::Function::Create(llvm::FunctionType::get(result, parameters, false),
                                          llvm::GlobalValue::ExternalLinkage, name, module_);
  exported->addFnAttr(simt::exportAttribute);
  exported->addFnAttr(llvm::Attribute::NoUnwind);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context(), "entry", exported));
  // Without a location here, inlining the body would lose its line information.
  b.SetCurrentDebugLocation(llvm::DILocation::get(
      context(), f.source->span.line, f.source->span.column, createSubprogram(f, *exported)));
  llvm::SmallVector<llvm::Value *, 8> arguments;
  for (llvm::Argument &argument : exported->args()) {
    llvm::Type *type = body->getArg(argument.getArgNo())->getType();
    arguments.push_back(type == argument.getType() ? static_cast<llvm::Value *>(&argument)
                                                   : b.CreateICmpNE(&argument, b.getInt8(0)));
  }
  llvm::Value *value = b.CreateCall(body, arguments);
  result->isVoidTy() ? b.CreateRetVoid() : b.CreateRet(convertToCType(b, value));
  debugInfo_.finalize();
}

namespace {

std::string catchPredicateName(size_t number) { return "heddle.catches." + std::to_string(number); }

} // namespace

llvm::Function *ModuleEmitter::getOrDeclareCatchPredicate(const std::vector<std::string> &classes) {
  size_t number = std::find(caught_.begin(), caught_.end(), classes) - caught_.begin();
  if (number < caught_.size())
    return module_.getFunction(catchPredicateName(number));
  caught_.push_back(classes);
  auto *type = llvm::FunctionType::get(llvm::Type::getInt1Ty(context()),
                                       {llvm::Type::getInt32Ty(context())}, false);
  return llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage,
                                catchPredicateName(number), module_);
}

void emitCatchPredicateBody(llvm::Module &module, size_t number,
                            const std::vector<unsigned> &sites) {
  llvm::LLVMContext &context = module.getContext();
  llvm::Function *f = module.getFunction(catchPredicateName(number));
  auto block = [&](const char *name) { return llvm::BasicBlock::Create(context, name, f); };
  llvm::BasicBlock *entry = block("entry"), *yes = block("yes"), *no = block("no");
  llvm::IRBuilder<> b(entry);
  llvm::SwitchInst *choice = b.CreateSwitch(f->getArg(0), no, sites.size());
  for (unsigned site : sites)
    choice->addCase(b.getInt32(site), yes);
  b.SetInsertPoint(yes);
  b.CreateRet(b.getTrue());
  b.SetInsertPoint(no);
  b.CreateRet(b.getFalse());
}

void ModuleEmitter::emitHostEntry(FunctionInstances &instances, TypedFunction &f,
                                  const std::string &name) {
  llvm::Function *body = getOrDeclareFunction(f);
  emitReachedFunctions(instances, {});
  emitEntryWithSlotArguments(*body, f, name);
  debugInfo_.finalize();
}

} // namespace heddle::python
