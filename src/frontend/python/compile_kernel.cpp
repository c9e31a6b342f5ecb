#include "frontend/python/compile_kernel.h"

#include "frontend/python/emit/emitter.h"
#include "frontend/python/emit/host_entry.h"
#include "frontend/python/infer/function_instances.h"
#include "frontend/python/infer/written_parameters.h"
#include "frontend/python/rows/over_arrays.h"
#include "frontend/python/rows/print.h"
#include "frontend/python/types/literal_wanted.h"
#include "simt/ir/sites.h"
#include "simt/ir/verifier.h"
#include "support/compiler_run.h"

namespace heddle::python {
namespace {

std::string formatSignature(const FunctionSource &source, const std::vector<Type> &arguments) {
  std::string out = source.name + "(";
  for (size_t i = 0; i < arguments.size(); ++i)
    out += (i ? ", " : "") + arguments[i].name();
  return out + ")";
}

/// True if a value of that type can be returned as a Python object.
bool isReturnable(Type type, const std::optional<Constant> &known) {
  if (type.isTuple()) {
    bool isKnown = known && known->kind == ConstantKind::Tuple;
    for (size_t i = 0; i < type->elements.size(); ++i)
      if (!isReturnable(type->elements[i], isKnown ? std::optional(known->items[i]) : std::nullopt))
        return false;
    return true;
  }
  if (type.isString() && type != runtimeStringType())
    return known && known->kind == ConstantKind::String;
  auto isReturnedObject = [](const Constant &c) {
    return c.kind == ConstantKind::Function || c.kind == ConstantKind::Type ||
           (c.kind == ConstantKind::Namespace && c.object->isReturnable());
  };
  if (type == objectType())
    return known && isReturnedObject(*known);
  if (type.isChoice())
    return llvm::all_of(type->elements, [&](Type f) { return isReturnedObject(*f->object); });
  if (type.is(TypeKind::Optional))
    return isReturnable(type->element, {});
  if (type.isContainer())
    return type->element != randomGeneratorType();
  return type.canBeArrayElement() || type.isString() || type.isArray() || type.isEnumMember() ||
         type.isPointer() || type.is(TypeKind::None);
}

/// The compile-time constants in an argument's type: strings, functions and types.
std::optional<Constant> constantsInArgumentType(Type type) {
  if (const std::string *text = literalString(type))
    return Constant::ofString(*text);
  if (type->object)
    return *type->object;
  if (!type.isTuple())
    return {};
  bool any = false;
  Constant out{.kind = ConstantKind::Tuple};
  if (type->identity)
    out.type = replaceLiteralTypes(type);
  for (Type element : type->elements) {
    std::optional<Constant> known = constantsInArgumentType(element);
    any = any || known;
    out.items.push_back(known.value_or(Constant{.kind = ConstantKind::Unknown}));
  }
  return any ? std::optional(std::move(out)) : std::nullopt;
}

std::vector<Argument> makeArguments(const std::vector<Type> &types, const TargetRules &rules) {
  std::vector<Argument> arguments;
  for (Type t : types) {
    Type type = replaceLiteralTypes(t);
    arguments.push_back(
        {rules.makesArrays ? type : toConstantStringTypes(type), constantsInArgumentType(t)});
  }
  return arguments;
}

/// Runs `work`. Adds a description of the compiled function to errors.
template <typename Work> auto withErrorContext(const std::string &what, Work work) {
  try {
    return work();
  } catch (const LiteralWanted &e) {
    Diagnostic d = e.diagnostic();
    d.compiling = what;
    throw LiteralWanted(std::move(d), e.parameter);
  } catch (const CompileError &e) {
    Diagnostic d = e.diagnostic();
    d.compiling = what;
    throw CompileError(std::move(d));
  }
}

/// A new module, filled by `emit`.
template <typename Emit> simt::OwnedModule emitModule(const FunctionSource &source, Emit emit) {
  return runCompiler("emitting SIMT IR", [&] {
    simt::OwnedModule code;
    code.context = std::make_unique<llvm::LLVMContext>();
    code.module = std::make_unique<llvm::Module>(source.name, *code.context);
    emit(*code.module);
    return code;
  });
}

/// The module with the linked code of functions that `instances` declare.
simt::OwnedModule linkModule(simt::OwnedModule code, FunctionInstances &instances,
                             const LinkedCode &linked) {
  // Compiling may call Python, so it happens outside runCompiler().
  std::vector<const ForeignLibrary *> libraries =
      compileLibrariesFor(*code.module, instances, linked);
  return runCompiler("linking SIMT IR", [&, code = std::move(code)]() mutable {
    linkDeclared(*code.module, instances, libraries);
    return std::move(code);
  });
}

/// The linked module after verification.
simt::OwnedModule linkAndVerify(simt::OwnedModule code, FunctionInstances &instances,
                                const LinkedCode &linked) {
  code = linkModule(std::move(code), instances, linked);
  return runCompiler("verifying SIMT IR", [&, code = std::move(code)]() mutable {
    if (std::string problem = simt::verify(*code.module); !problem.empty())
      throw CompileError(ErrorKind::Internal,
                         "the front end generated invalid SIMT IR: " + problem);
    return std::move(code);
  });
}

void collectDeviceArrays(const Constant &constant,
                         std::vector<std::shared_ptr<DeviceArrayPlace>> &out) {
  if (constant.kind == ConstantKind::DeviceArray)
    out.push_back(constant.place);
  for (const Constant &item : constant.items)
    collectDeviceArrays(item, out);
}

/// Arrays in device memory that the functions refer to by name.
std::vector<std::shared_ptr<DeviceArrayPlace>>
collectDeviceArrays(const FunctionInstances &instances) {
  std::vector<std::shared_ptr<DeviceArrayPlace>> out;
  for (auto &f : instances.functions())
    for (auto &block : f->blocks)
      for (Value *v : block->values)
        if (v->constant)
          collectDeviceArrays(*v->constant, out);
  return out;
}

/// The arguments without the noAlias facts, which do not consider arrays that the code names.
std::vector<KernelArgument> dropNoAlias(std::vector<KernelArgument> arguments) {
  for (KernelArgument &argument : arguments)
    argument.facts.noAlias = false;
  return arguments;
}

} // namespace

CompiledKernel compileKernel(FunctionSource &source, const std::vector<KernelArgument> &arguments,
                             const Checks &checks, const std::string &device,
                             const LinkedCode &linked) {
  std::vector<Type> types;
  for (const KernelArgument &argument : arguments)
    types.push_back(argument.type);
  return withErrorContext(formatSignature(source, types) + " for " + device, [&] {
    FunctionInstances instances(kernelRules);
    TypedFunction &kernel =
        instances.getOrInferInstance(source, makeArguments(types, instances.rules()));
    const TargetRules &rules = instances.rules();
    if (!rules.returnsValue && !kernel.result.is(TypeKind::None))
      for (auto &block : kernel.blocks)
        for (Value *v : block->values)
          if (v->opcode == Opcode::Return && block->reachable &&
              !v->operands[0]->type.is(TypeKind::None))
            fail(source, v->span, ErrorKind::Result, "a " + rules.noun + " cannot return a value",
                 v->operands[0]->type.name(), "write the result to an array argument");
    CompiledKernel result;
    result.kernel = kernel.symbol;
    result.written = findWrittenParameters(kernel);
    result.checksAccesses = checks.bounds && !mayBypassIndexChecks(kernel);
    result.named = collectDeviceArrays(instances);
    const std::vector<KernelArgument> &known =
        result.named.empty() ? arguments : dropNoAlias(arguments);
    result.code = emitModule(source, [&](llvm::Module &module) {
      ModuleEmitter emitter(module, checks, linked.architecture);
      emitter.emitKernel(instances, kernel, known, result.written);
      result.warnings = emitter.warnings();
    });
    result.code = linkAndVerify(std::move(result.code), instances, linked);
    for (auto &f : instances.functions())
      result.types += formatTypedFunction(*f) + "\n";
    return result;
  });
}

CompiledFunction compileFunction(FunctionSource &source, const std::vector<Type> &arguments,
                                 const std::string &name, const Checks &checks,
                                 const std::string &device, const LinkedCode &linked) {
  return withErrorContext(formatSignature(source, arguments) + " for " + device, [&] {
    FunctionInstances instances(kernelRules);
    TypedFunction &f =
        instances.getOrInferInstance(source, makeArguments(arguments, instances.rules()));
    CompiledFunction result;
    result.result = f.result;
    result.code = emitModule(source, [&](llvm::Module &module) {
      ModuleEmitter emitter(module, checks, linked.architecture);
      emitter.emitExportedFunction(instances, f, name);
      result.warnings = emitter.warnings();
    });
    result.code = linkAndVerify(std::move(result.code), instances, linked);
    return result;
  });
}

namespace {

/// Rejects a result that cannot be returned as a Python object.
void checkReturnable(FunctionSource &source, const TypedFunction &f) {
  if (f.result.isGenerator() ? isReturnable(f.result->element, {})
                             : isReturnable(f.result, f.resultConstant))
    return;
  for (auto &block : f.blocks)
    for (Value *v : block->values)
      if (v->opcode == (f.isGenerator ? Opcode::Yield : Opcode::Return) && block->reachable)
        fail(source, v->spanOf(0), ErrorKind::Typing,
             "a " + f.rules->noun + " cannot return this to Python", f.result.name(),
             "return numbers, arrays, None, strings, dtypes, and tuples of these");
}

bool usesThreadPool(const FunctionInstances &instances) {
  return llvm::any_of(instances.functions(), [](const auto &f) {
    return llvm::any_of(f->values, [&](const auto &v) {
      return runsArrayExpressionsOnThreadPool(*f) &&
             (v->opcode == Opcode::Parallel || isArrayExpression(*v) || isReduction(*v));
    });
  });
}

} // namespace

namespace {

/// Emits the functions that test which exceptions the clauses of try statements catch.
void emitExceptClausePredicates(llvm::Module &module,
                                const std::vector<std::vector<std::string>> &caught,
                                Environment &environment) {
  std::vector<simt::SiteInfo> sites =
      caught.empty() ? std::vector<simt::SiteInfo>() : simt::sitesOf(module);
  for (size_t number = 0; number < caught.size(); ++number) {
    std::vector<unsigned> matching;
    for (unsigned i = 0; i < sites.size(); ++i)
      if (llvm::any_of(caught[number], [&](const std::string &name) {
            return environment.isExceptionSubclass(sites[i].kind, name);
          }))
        matching.push_back(i);
    emitCatchPredicateBody(module, number, matching);
  }
}

} // namespace

namespace {

/// True if a value is or contains a container of numba.typed.
bool usesTypedContainers(const FunctionInstances &instances) {
  return llvm::any_of(instances.functions(), [](const auto &f) {
    return llvm::any_of(f->values, [](const auto &v) { return containsSharedType(v->type); });
  });
}

} // namespace

CompiledHostFunction compileHostFunction(FunctionSource &source, const std::vector<Type> &arguments,
                                         Type declared, Checks checks) {
  return withErrorContext(formatSignature(source, arguments), [&] {
    source.declaredResult = declared;
    FunctionInstances instances(hostRules);
    // The program's typed containers survive an exception. A guarded call counts references to them until it returns.
    bool guarded = llvm::any_of(arguments, containsSharedType);
    TypedFunction &f =
        instances.getOrInferInstance(source, makeArguments(arguments, instances.rules()), guarded);
    checkReturnable(source, f);
    CompiledHostFunction result;
    result.keepsArguments = usesTypedContainers(instances);
    result.sharesLoops = usesThreadPool(instances);
    result.parallel = parallelReport(f);
    result.entry = "entry";
    result.result = f.result;
    result.resultConstant = f.resultConstant;
    llvm::LLVMContext context;
    result.resultSlots = partTypes(context, f.result).size();
    result.resultOwners = countOwners(f.result, hostRules);
    std::vector<std::vector<std::string>> caught;
    result.code = emitModule(source, [&](llvm::Module &module) {
      ModuleEmitter emitter(module, checks);
      emitter.setCountsAtomically(result.keepsArguments || result.sharesLoops);
      emitter.emitHostEntry(instances, f, result.entry);
      result.warnings = emitter.warnings();
      result.raised = emitter.raised();
      caught = emitter.caught();
    });
    emitExceptClausePredicates(*result.code.module, caught, *source.environment);
    result.code =
        linkModule(std::move(result.code), instances, {.architecture = ForeignCode::host});
    for (auto &reached : instances.functions())
      result.types += formatTypedFunction(*reached) + "\n";
    return result;
  });
}

simt::OwnedModule compileCCallableEntry(const FunctionSource &source,
                                        llvm::ArrayRef<Type> arguments, Type result,
                                        const std::string &name) {
  auto refuse = [&](const std::string &what, Type type) {
    fail(source, source.span, ErrorKind::Typing, "C cannot " + what + " of this function",
         type.name(),
         type.isArray() ? "declare types.CPointer(" + type->element.name() +
                              "), and make the array inside: carray(pointer, shape)"
                        : "functions called from C take numbers and pointers (types.CPointer)");
  };
  for (size_t i = 0; i < arguments.size(); ++i)
    if (!isPassedInRegister(arguments[i]))
      refuse("pass '" + source.parameters[i].name + "'", arguments[i]);
  if (!result.is(TypeKind::None) && !isPassedInRegister(result))
    refuse("take the result", result);
  return emitModule(
      source, [&](llvm::Module &module) { emitCCallableEntry(module, arguments, result, name); });
}

} // namespace heddle::python
