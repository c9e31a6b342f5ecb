#include "bindings/host/host_function.h"

#include "bindings/arguments/slots.h"
#include "bindings/host/array_memory.h"
#include "bindings/host/exact_arguments.h"
#include "bindings/host/generator.h"
#include "bindings/host/host_values.h"
#include "bindings/host/number_attributes.h"
#include "bindings/host/printed_line.h"
#include "bindings/host/results.h"
#include "bindings/host/shared_containers.h"
#include "bindings/host/texts.h"
#include "bindings/interpreter/gil.h"
#include "bindings/interpreter/vectorcall_type.h"
#include "bindings/interpreter/warnings.h"
#include "bindings/runtime.h"
#include "bindings/source/constants.h"
#include "frontend/python/compile_kernel.h"
#include "frontend/python/emit/parallel/shared_rows.h"
#include "frontend/python/types/literal_wanted.h"
#include "host/foreign_functions.h"
#include "host/interrupts.h"
#include "host/memory.h"
#include "host/parallel_loops.h"

#include "llvm/ADT/STLExtras.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace heddle {

using python::KernelArgument;
using python::Type;

namespace {

/// The device whose memory host functions use: the CPU device.
const Device &hostDevice() {
  static const Device *found = [] {
    auto device = llvm::find_if(devices(), [](const auto &d) { return d->usesHostMemory(); });
    return device->get();
  }();
  return *found;
}

std::map<std::string, Type> parseTypesOfVariables(const nb::dict &locals) {
  std::map<std::string, Type> types;
  for (auto [name, type] : locals) {
    std::string variable = nb::cast<std::string>(nb::str(name));
    python::Constant known = constantOfObject(type);
    if (known.kind != python::ConstantKind::Type)
      throw nb::type_error(("locals= takes a dict from names of variables to types of numbers; '" +
                            variable + "' is " + known.describe())
                               .c_str());
    types[variable] = known.type;
  }
  return types;
}

FastMath parseFastMathFlags(nb::handle flags) {
  constexpr std::pair<const char *, FastMath> freedoms[] = {
      {"reassoc", FastMath::Reassociate}, {"nsz", FastMath::NoSignedZeros},
      {"arcp", FastMath::Reciprocals},    {"contract", FastMath::Contract},
      {"afn", FastMath::Approximate},     {"fast", FastMath::All},
      {"nnan", FastMath::None},           {"ninf", FastMath::None},
  };
  FastMath out = FastMath::None;
  for (nb::handle flag : flags)
    out = out | llvm::find_if(freedoms, [&](auto &known) {
                  return nb::cast<std::string>(flag) == known.first;
                })->second;
  return out;
}

} // namespace

HostFunction::HostFunction(nb::object function, nb::dict options)
    : BaseDispatcher(std::move(function)) {
  auto flag = [&](const char *name) {
    return options.contains(name) && nb::cast<bool>(nb::bool_(nb::object(options[name])));
  };
  if (options.contains("fastmath"))
    options_.fastMath = parseFastMathFlags(nb::object(options["fastmath"]));
  options_.cache = flag("cache");
  options_.debug = flag("debug");
  options_.optimize = flag("opt");
  checks_ = {.bounds = flag("boundscheck"),
             .divisors = flag("zero_division"),
             .values = true,
             .nones = true};
  // Without a GIL, the lock that takes its place must not serialize compiled code.
  releasesGil_ = isFreeThreaded || flag("nogil");
  setParallel(flag("parallel"));
  if (options.contains("locals"))
    declareVariables(parseTypesOfVariables(nb::borrow<nb::dict>(options["locals"])));
}

host::Outcome HostFunction::runVariant(const HostVariant &variant, const uint64_t *arguments,
                                       uint64_t *results, host::CallMemory *keeper) {
  // Threads that share a loop may need the GIL to print.
  if (!releasesGil_ && !variant.sharesLoops)
    return host::call(variant.module->entry(), arguments, results, keeper, variant.keepsArguments);
  WithoutGil release;
  return host::call(variant.module->entry(), arguments, results, keeper, variant.keepsArguments);
}

host::Outcome HostFunction::resumeGenerator(const HostVariant &variant, host::Owner &generator,
                                            simt::GeneratorStep &step, host::CallMemory &keeper) {
  if (!releasesGil_ && !variant.sharesLoops)
    return host::resumeGenerator(generator, step, &keeper, variant.keepsArguments);
  WithoutGil release;
  return host::resumeGenerator(generator, step, &keeper, variant.keepsArguments);
}

nb::object HostFunction::tryCallFast(nb::handle positional, nb::handle named) {
  const auto *variant = static_cast<const HostVariant *>(last_);
  llvm::SmallVector<PyObject *, 8> values;
  llvm::SmallVector<uint64_t, 24> slots;
  if (!variant || variant->resultOwners || variant->keepsArguments ||
      !bindArgumentsIfSimple(positional.ptr(), named.ptr(), values) ||
      !appendSlotsIfExactTypes(values, variant->arguments, slots))
    return {};
  llvm::SmallVector<uint64_t, 16> results(variant->resultSlots);
  host::Outcome outcome = runVariant(*variant, slots.data(), results.data());
  if (outcome.ending != host::Ending::Returned)
    raise(*variant, outcome);
  return ResultReader(results.data(), {}, {}, variant->resultSlots)
      .readValue(variant->result, variant->resultConstant ? &*variant->resultConstant : nullptr);
}

nb::object HostFunction::call(nb::handle positional, nb::handle named) {
  if (nb::object result = tryCallFast(positional, named); result.is_valid())
    return result;
  ArgumentList arguments(function(), &hostDevice());
  HostValues others;
  arguments.setOtherValues(others);
  readArguments(positional, named, arguments);
  HostVariant &variant = findOrCompileVariant(arguments);
  llvm::SmallVector<uint64_t, 16> results(variant.resultSlots + variant.resultOwners);
  KeptArguments kept(arguments);
  host::Outcome outcome =
      runVariant(variant, arguments.slots.data(), results.data(), &others.madeByCall());
  others.copyBackLists();
  if (outcome.ending != host::Ending::Returned)
    raise(variant, outcome);
  others.markReturned();
  if (variant.result.isGenerator())
    return nb::cast(new HostGenerator(*this, variant, *reinterpret_cast<host::Owner *>(results[0]),
                                      positional, named, arguments, others),
                    nb::rv_policy::take_ownership);
  return ResultReader(results.data(), arguments.arrays, arguments.slots, variant.resultSlots,
                      others.lists(), others.generators())
      .readValue(variant.result, variant.resultConstant ? &*variant.resultConstant : nullptr);
}

std::pair<host::Owner *, Type> HostFunction::makeDictOrSet(Type argument, uint64_t slot) {
  ArgumentList arguments(function(), &hostDevice());
  arguments.kernelArguments.push_back({argument, {}});
  arguments.slots.push_back(slot);
  const HostVariant &variant = findOrCompileVariant(arguments);
  llvm::SmallVector<uint64_t, 4> results(variant.resultSlots + variant.resultOwners);
  host::Outcome outcome = runVariant(variant, arguments.slots.data(), results.data());
  if (outcome.ending != host::Ending::Returned)
    raise(variant, outcome);
  return {reinterpret_cast<host::Owner *>(results[0]), variant.result};
}

HostVariant *HostFunction::compileDeclared(const Signature &signature) {
  checkParameterCount(signature);
  setSignaturesForCalls({}); // recursive calls must not convert to an earlier signature
  HostVariant &variant = compileAndAddVariant(signature.arguments, signature.result, true);
  signatures_.push_back(signature);
  setSignaturesForCalls(signatures_);
  return &variant;
}

void HostFunction::recompile() {
  forgetSource();
  for (const BaseVariant *variant : discardVariants())
    compileAndAddVariant(variant->signature().arguments,
                         variant->declared ? variant->result : Type(), variant->declared);
  setSignaturesForCalls(signatures_);
}

bool HostFunction::tryMakeConstantArgument(ArgumentList &arguments, size_t number) {
  size_t slot = 0;
  for (size_t i = 0; i < number; ++i)
    slot += slotCount(arguments.kernelArguments[i].type);
  Type &type = arguments.kernelArguments[number].type;
  bool isNumber = type.isBool() || (type.isInteger() && !type.isEnumMember());
  if ((!isNumber && type != python::runtimeStringType()) || type->object)
    return false;
  uint64_t bits = arguments.slots[slot];
  python::Constant value = type.isBool() ? python::Constant::ofBool(bits)
                           : isNumber    ? python::Constant::ofInt(int64_t(bits), type)
                                         : constantOfObject(toPythonString(&arguments.slots[slot]));
  type = python::literalType(type, value);
  return true;
}

namespace {

/// Raises Python's exception for an integer that cannot convert to the signature's integer type.
void checkIntegerConverts(uint64_t slot, Type from, Type to) {
  if (from.isSigned() && int64_t(slot) < 0 && !to.isSigned())
    throw std::overflow_error("can't convert negative int to unsigned");
  if (to.isSigned() && to->bits == 64 && from == python::intType(64, false) && int64_t(slot) < 0)
    throw std::overflow_error("int too big to convert");
}

void checkIntegersConvert(const ArgumentList &arguments,
                          llvm::ArrayRef<KernelArgument> parameters) {
  size_t slot = 0;
  for (size_t i = 0; i < parameters.size(); ++i) {
    Type from = arguments.kernelArguments[i].type, to = parameters[i].type;
    if (from.isInteger() && to.isInteger() && !to.isEnumMember())
      checkIntegerConverts(arguments.slots[slot], from, to);
    slot += slotCount(from);
  }
}

} // namespace

HostVariant &HostFunction::findOrCompileVariant(ArgumentList &arguments) {
  for (size_t number : literal_)
    tryMakeConstantArgument(arguments, number);
  if (BaseVariant *exact = findCompiledVariant(nullptr, arguments.kernelArguments))
    return static_cast<HostVariant &>(*exact);
  if (!mayCompile_)
    return convertToDeclaredVariant(arguments);
  for (;;)
    try {
      return compileAndAddVariant(typesOfKernelArguments(arguments.kernelArguments), {}, false);
    } catch (const python::LiteralWanted &wanted) {
      if (!tryMakeConstantArgument(arguments, wanted.parameter))
        throw;
      literal_.insert(wanted.parameter);
      if (BaseVariant *exact = findCompiledVariant(nullptr, arguments.kernelArguments))
        return static_cast<HostVariant &>(*exact);
    }
}

HostVariant &HostFunction::convertToDeclaredVariant(ArgumentList &arguments) {
  if (BaseVariant *variant = findDeclaredVariant(nullptr, arguments, /*isOnly=*/false)) {
    checkIntegersConvert(arguments, variant->arguments);
    arguments.convertToParameterTypes(variant->arguments);
    return static_cast<HostVariant &>(*variant);
  }
  std::vector<Signature> known;
  for (auto &variant : variants())
    known.push_back(variant->signature());
  rejectArguments(arguments, "compiled", known);
}

HostVariant &HostFunction::compileAndAddVariant(const std::vector<Type> &arguments, Type result,
                                                bool declared) {
  return static_cast<HostVariant &>(BaseDispatcher::compileAndAddVariant(
      nullptr, kernelArgumentsWithoutFacts(arguments), declared,
      [&] { return compileVariant(arguments, result); }));
}

namespace {

/// Returns the result of `work`. Attributes errors in heddle's own files to the program's line that called heddle.
template <typename Work> auto attributeErrorsToCaller(Work work) {
  try {
    return work();
  } catch (const CompileError &error) {
    Diagnostic d = error.diagnostic();
    nb::module_ tracebacks = nb::module_::import_("heddle.support.tracebacks");
    if (!nb::cast<bool>(tracebacks.attr("is_heddle_file")(d.file)))
      throw;
    auto [file, line, text] = nb::cast<std::tuple<std::string, unsigned, std::string>>(
        tracebacks.attr("find_program_line")());
    d.file = file;
    unsigned end = unsigned(text.size());
    d.span = {line, end - unsigned(llvm::StringRef(text).ltrim().size()), line, end};
    d.sourceLine = text;
    d.compiling.clear();
    throw CompileError(std::move(d));
  }
}

} // namespace

std::unique_ptr<HostVariant> HostFunction::compileVariant(const std::vector<Type> &arguments,
                                                          Type result) {
  auto variant = std::make_unique<HostVariant>();
  python::CompiledHostFunction compiled = attributeErrorsToCaller(
      [&] { return python::compileHostFunction(source(), arguments, result, checks_); });
  issueTypeSafetyWarnings(compiled.warnings);
  variant->result = compiled.result;
  variant->resultConstant = compiled.resultConstant;
  variant->resultSlots = compiled.resultSlots;
  variant->resultOwners = compiled.resultOwners;
  variant->sharesLoops = compiled.sharesLoops;
  variant->keepsArguments = compiled.keepsArguments;
  variant->typedSource = std::move(compiled.types);
  variant->parallel = std::move(compiled.parallel);
  variant->raised = std::move(compiled.raised);
  host::watchInterrupts();
  {
    WithoutGil release;
    variant->module =
        host::HostModule::compileOrLoadCached(std::move(compiled.code), options_, source().name);
  }
  warnOfCacheRefusals();
  return variant;
}

namespace {

PyObject *callFunction(PyObject *self, PyObject *positional, PyObject *named) {
  return translatePublicExceptions([&] {
    if (!nb::inst_ready(self))
      throw nb::type_error("this function was not initialized");
    return nb::inst_ptr<HostFunction>(self)->call(positional, named).release().ptr();
  });
}

} // namespace

void bindHostFunctions(nb::module_ &m) {
  redirectPrintsToPython();
  installPythonText();
  m.def("thread_count", host::threadCount, "The number of threads for this thread's prange loops.");
  m.def("most_threads", host::maxThreads, "How many threads can run a loop over prange.");
  m.attr("fewest_shared") = python::minSharedElements;
  m.def("set_thread_count", host::setThreadCount, "Sets thread_count(): 1 to most_threads().");
  m.def("thread_number", host::threadNumber,
        "This thread's number among those that run a prange loop; 0 outside.");
  m.def("chunk_size", host::chunkSize,
        "The number of iterations per chunk of a prange loop; 0: chosen automatically.");
  m.def("set_chunk_size", host::setChunkSize, "Sets chunk_size() for this thread's loops.");
  m.def(
      "define_foreign_function",
      [](const std::string &name, uintptr_t address) {
        host::defineForeignFunction(name, reinterpret_cast<void *>(address));
      },
      nb::arg("name"), nb::arg("address"),
      "Lets host functions compiled from now on call the C function at an address.");
  m.def("live_arrays", host::liveObjectCount,
        "The number of live arrays that host functions have allocated, including returned ones.");
  bindArrayMemory(m);
  bindSharedContainers(m);
  bindNumberAttributes(m);
  bindGenerators(m);
  static PyType_Slot slots[] = {
      {Py_tp_call, reinterpret_cast<void *>(callFunction)},
      {Py_tp_traverse, reinterpret_cast<void *>(traverseFunction)},
      {Py_tp_clear, reinterpret_cast<void *>(clearFunction)},
      {0, nullptr},
  };
  nb::class_<HostVariant, BaseVariant>(m, "HostVariant",
                                       "A function compiled for one list of argument types.")
      .def_prop_ro("assembly", [](const HostVariant &v) { return v.module->assembly(); })
      .def_prop_ro("llvm_ir", [](const HostVariant &v) { return v.module->llvmIr(); })
      .def_prop_ro("parallel_notes",
                   [](const HostVariant &v) {
                     nb::list notes;
                     for (const python::ParallelNote &note : v.parallel)
                       notes.append(nb::make_tuple(note.line, note.text, note.isDetail));
                     return notes;
                   })
      .def_prop_ro("from_cache", [](const HostVariant &v) { return v.module->fromCache(); });
  nb::class_<HostFunction, BaseDispatcher>(m, "HostFunctionBase", nb::type_slots(slots),
                                           "A function decorated with njit.")
      .def(nb::init<nb::object, nb::dict>(), nb::arg("function"), nb::arg("options"));
}

} // namespace heddle
