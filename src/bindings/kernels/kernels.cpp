#include "bindings/kernels/kernels.h"

#include "bindings/interpreter/deep_stack.h"
#include "bindings/interpreter/gil.h"
#include "bindings/interpreter/warnings.h"
#include "bindings/kernels/compile_ahead.h"
#include "bindings/kernels/declared_functions.h"
#include "bindings/source/ast_reader.h"
#include "bindings/source/environment.h"
#include "frontend/python/compile_kernel.h"
#include "frontend/python/rows/row.h"
#include "frontend/python/syntax/scopes.h"
#include "frontend/python/types/records.h"
#include "support/compiler_run.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <tuple>

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace heddle {

using python::KernelArgument;
using python::Type;

namespace {

/// Of a signature that was written: it tells types alone.
std::vector<KernelArgument> withoutFacts(const std::vector<Type> &types) {
  return {types.begin(), types.end()};
}

/// The text of a string that may hold what is not valid Unicode: the name of a file, say.
std::string textOf(nb::handle string) {
  nb::object bytes = string.attr("encode")("utf-8", "replace");
  return nb::cast<std::string>(bytes.attr("decode")("utf-8"));
}

} // namespace

Dispatcher::Dispatcher(nb::object function, nb::dict options) : function_(std::move(function)) {
  auto flag = [&](const char *name, bool otherwise) { // true is what is true in Python
    nb::object value = options.contains(name) ? nb::object(options[name]) : nb::none();
    int truth = value.is_none() ? otherwise : PyObject_IsTrue(value.ptr());
    if (truth < 0)
      throw nb::python_error();
    return truth != 0;
  };
  isDevice_ = flag("device", false);
  options_.debug = flag("debug", false);
  options_.optimize = flag("opt", true);
  options_.fastMath = options_.flushDenormals = flag("fastmath", false);
  options_.cache = flag("cache", false);
  options_.lineInfo = flag("lineinfo", false);
  auto number = [&](const char *name, nb::handle value, unsigned &out) {
    if (!nb::try_cast(value, out))
      throw nb::type_error((std::string(name) + " takes numbers of 0 or more, not " +
                            nb::cast<std::string>(nb::repr(value)))
                               .c_str());
  };
  if (options.contains("max_registers") && !options["max_registers"].is_none())
    number("max_registers", options["max_registers"], options_.maxRegisters);
  if (options.contains("width") && !options["width"].is_none()) {
    if (!nb::try_cast(options["width"], options_.width) || !isWidth(options_.width))
      throw nb::value_error("width takes 1, 4, 8, 16 or 32");
  }
  if (options.contains("launch_bounds")) // a tuple; the Python side has seen to that
    for (size_t i = 0; nb::handle bound : nb::borrow<nb::tuple>(options["launch_bounds"]))
      number("launch_bounds", bound, options_.launchBounds.at(i++));
  if (options.contains("link")) // a list; the Python side has seen to that
    linked_ = nb::borrow<nb::list>(options["link"]);
  nb::object defaults = function_.attr("__defaults__");
  defaults_ = defaults.is_none() ? nb::make_tuple() : defaults;
  nb::object keywordDefaults = function_.attr("__kwdefaults__");
  keywordDefaults_ = keywordDefaults.is_none() ? nb::dict() : nb::borrow<nb::dict>(keywordDefaults);
  parameterCount_ = nb::cast<size_t>(function_.attr("__code__").attr("co_argcount"));
  keywordOnlyCount_ = nb::cast<size_t>(function_.attr("__code__").attr("co_kwonlyargcount"));
  constexpr unsigned varargsFlag = 4; // inspect.CO_VARARGS
  isVariadic_ = nb::cast<unsigned>(function_.attr("__code__").attr("co_flags")) & varargsFlag;
  lines_ = nb::module_::import_("heddle.compiler.source").attr("lines_of")(function_);
}

int Dispatcher::visitReferences(visitproc visit, void *arg) const {
  for (nb::handle held : {nb::handle(function_), nb::handle(defaults_),
                          nb::handle(keywordDefaults_), nb::handle(lines_), nb::handle(linked_)})
    Py_VISIT(held.ptr());
  if (source_)
    Py_VISIT(static_cast<FunctionEnvironment &>(*source_->environment).function().ptr());
  return 0;
}

void Dispatcher::clearReferences() {
  source_.reset();
  function_ = nb::none(); // what still asks for it gets an exception
  defaults_ = nb::make_tuple();
  keywordDefaults_ = nb::dict();
  lines_ = nb::none();
  linked_ = nb::list();
}

python::LinkedCode Dispatcher::linkedCode(unsigned architecture) const {
  return {architecture, codeOf(linked_)};
}

std::string Dispatcher::name() const { return nb::cast<std::string>(function_.attr("__name__")); }

void Dispatcher::readNamedArguments(PyObject *const *values, size_t count, nb::handle keywords,
                                    ArgumentList &arguments) const {
  auto wrong = [&](const std::string &message) {
    throw nb::type_error((name() + "() " + message).c_str());
  };
  nb::object names = function_.attr("__code__").attr("co_varnames"); // keyword-only ones follow
  size_t parameters = parameterCount_ + keywordOnlyCount_;
  auto nameOf = [&](size_t i) { return nb::cast<std::string>(nb::object(names[i])); };
  if (count > parameterCount_ && !isVariadic_)
    wrong("takes " + std::to_string(parameterCount_) + " positional arguments, " +
          std::to_string(count) + " were given");
  std::vector<nb::object> bound(parameters);
  nb::list rest;
  for (size_t i = 0; i < count; ++i)
    if (i < parameterCount_)
      bound[i] = nb::borrow(values[i]);
    else
      rest.append(nb::handle(values[i]));
  for (size_t k = 0; k < (keywords ? nb::len(keywords) : 0); ++k) {
    std::string keyword = nb::cast<std::string>(nb::object(keywords[k]));
    size_t i = 0;
    while (i < parameters && nameOf(i) != keyword)
      ++i;
    if (i == parameters)
      wrong("has no parameter '" + keyword + "'");
    if (bound[i].is_valid())
      wrong("was given '" + keyword + "' twice, by position and by keyword");
    bound[i] = nb::borrow(values[count + k]);
  }
  size_t firstDefault = parameterCount_ - nb::len(defaults_);
  for (size_t i = 0; i < parameters; ++i) {
    if (bound[i].is_valid())
      continue;
    if (i < parameterCount_ && i >= firstDefault)
      bound[i] = nb::object(defaults_[i - firstDefault]);
    else if (i >= parameterCount_ && keywordDefaults_.contains(nb::object(names[i])))
      bound[i] = nb::object(keywordDefaults_[nb::object(names[i])]);
    else
      wrong("needs an argument for '" + nameOf(i) + "'");
  }
  for (size_t i = 0; i < parameters; ++i) {
    if (i == parameterCount_ && isVariadic_)
      arguments.addOwned(nb::tuple(rest));
    arguments.add(bound[i]);
  }
  if (isVariadic_ && !keywordOnlyCount_)
    arguments.addOwned(nb::tuple(rest));
}

void Dispatcher::readArguments(PyObject *const *values, size_t count, nb::handle keywords,
                               ArgumentList &arguments) const {
  if ((keywords && nb::len(keywords)) || isVariadic_ || keywordOnlyCount_) {
    readNamedArguments(values, count, keywords, arguments);
    arguments.findOverlaps();
    return;
  }
  for (size_t i = 0; i < count; ++i)
    arguments.add(values[i]);
  if (count < parameterCount_) {
    size_t defaults = nb::len(defaults_);
    if (count + defaults >= parameterCount_)
      for (size_t i = count + defaults - parameterCount_; i < defaults; ++i)
        arguments.add(nb::object(defaults_[i]));
  }
  arguments.findOverlaps();
}

python::FunctionSource &Dispatcher::source() {
  if (!source_)
    withDeepStack([this] { readSource(); });
  return *source_;
}

namespace {

/// No garbage is collected while it lives: a syntax tree is many objects that come and go together, and to look for
/// garbage among them takes a quarter of the time that reading one does.
class CollectorPause {
public:
  CollectorPause() : collected_(PyGC_Disable()) {}
  CollectorPause(const CollectorPause &) = delete;
  ~CollectorPause() {
    if (collected_)
      PyGC_Enable();
  }

private:
  bool collected_;
};

} // namespace

void Dispatcher::readSource() {
  CollectorPause pause;
  nb::object found =
      nb::module_::import_("heddle.compiler.source").attr("definition_of")(function_, lines_);
  auto source = std::make_unique<python::FunctionSource>();
  source->name = nb::cast<std::string>(function_.attr("__name__"));
  if (source->name == "<lambda>")
    source->name = "lambda";
  source->qualifiedName = nb::cast<std::string>(function_.attr("__qualname__"));
  source->text.file = textOf(function_.attr("__code__").attr("co_filename"));
  source->text.firstLine = nb::cast<unsigned>(found[2]);
  source->text.lines = nb::cast<std::vector<std::string>>(found[3]);
  source->isDevice = isDevice_;
  readFunction(nb::object(found[0]), nb::cast<int>(found[1]), *source);
  size_t defaults = nb::len(defaults_), first = parameterCount_ - defaults;
  for (size_t i = 0; i < source->parameters.size(); ++i) {
    python::Parameter &parameter = source->parameters[i];
    if (parameter.kind == python::ParameterKind::Plain && i >= first)
      parameter.defaultValue = constantOf(nb::object(defaults_[i - first]));
    if (parameter.kind == python::ParameterKind::KeywordOnly &&
        keywordDefaults_.contains(parameter.name.c_str()))
      parameter.defaultValue = constantOf(nb::object(keywordDefaults_[parameter.name.c_str()]));
  }
  source->environment = std::make_shared<FunctionEnvironment>(function_);
  completeNestedFunctions(*source);
  // Another thread may have been as far while this one was in Python.
  if (!source_)
    source_ = std::move(source);
}

namespace {

/// Whether a launch passes values of that type: what may be None, and a range, have no form for it.
bool isLaunched(Type type) {
  return !type.is(python::TypeKind::Optional) && !type.is(python::TypeKind::Range) &&
         (!type.isTuple() || llvm::all_of(type->elements, isLaunched));
}

} // namespace

void Dispatcher::checkSignature(const Signature &signature) {
  python::FunctionSource &source = this->source();
  if (signature.arguments.size() != source.parameters.size())
    throw CompileError(ErrorKind::Type,
                       source.name + "() has " + std::to_string(source.parameters.size()) +
                           (source.parameters.size() == 1 ? " parameter" : " parameters") +
                           ", its signature " + describe(signature) + " has " +
                           std::to_string(signature.arguments.size()));
  if (!isDevice_)
    for (Type type : signature.arguments)
      if (!isLaunched(type))
        throw CompileError(
            ErrorKind::Type,
            "a kernel declares no parameter of type " + type.name() +
                "\n  hint: leave out the signature: a kernel is compiled for None and "
                "for values apart");
  if (!isDevice_ && signature.result && !signature.result.is(python::TypeKind::None))
    throw CompileError(ErrorKind::Type,
                       "a CUDA kernel must have void return type, not " + signature.result.name() +
                           "\n  hint: write void, or device=True for a function that kernels call");
}

void Dispatcher::declare(const Signature &signature) {
  checkSignature(signature);
  python::FunctionSource &source = this->source();
  if (isDevice_) {
    signatures_.push_back(signature);
    // A device function that is declared for several types is inferred from each call's own.
    bool one = signatures_.size() == 1;
    source.declaredParameters.clear();
    for (Type t : one ? signature.arguments : std::vector<Type>{}) {
      python::ArrayTraits traits = t.isArray() ? traitsOf(t) : python::ArrayTraits{};
      traits.space = simt::Generic; // a declared array may be in any memory
      source.declaredParameters.push_back(t.isArray() ? arrayType(t->element, t->ndim, traits) : t);
    }
    source.declaredResult = one ? signature.result : Type();
    return;
  }
  compile(currentDevice(), withoutFacts(signature.arguments), true);
  signatures_.push_back(signature);
}

namespace {

/// Whether elements of one type may be read as those of the other: integers of the same size, the same fields.
bool haveSameBits(Type a, Type b) {
  if (a.isRecord() && b.isRecord())
    return python::sameFields(a, b) && std::max(a->recordAlignment, b->recordAlignment) <= 8;
  return a.isInteger() && b.isInteger() && a->bits == b->bits;
}

/// Whether `from` may be passed to a variant declared for `to`. The only one takes int32 arrays for uint32 arrays, and
/// records whose dtype does not say that they are aligned: numba does not look at all.
bool accepts(Type from, Type to, bool isOnly) {
  if (isOnly && from.isArray() && to.isArray() && haveSameBits(from->element, to->element))
    from = python::arrayType(to->element, from->ndim, traitsOf(from));
  if (to.isPointer()) // an address is an integer in Python
    return from.isInteger() && from->bits == 64;
  return from.isTime() ? from == to : python::convertible(from, to);
}

/// How many arguments need a conversion; the best declared variant has the fewest.
unsigned conversions(const ArgumentList &arguments, const Variant &variant) {
  unsigned n = 0;
  for (size_t i = 0; i < variant.arguments.size(); ++i) {
    Type from = arguments.kernelArguments[i].type, to = variant.arguments[i].type;
    if ((from.isScalar() || from.isComplex()) && from != to)
      n += to.isFloat() || to.isComplex() || !from.isFloat()
               ? 1
               : 100; // a float to an integer loses its fraction
    else if (from.isArray() && from->layout != to->layout)
      n += 1;
  }
  return n;
}

std::string listOf(const std::vector<Type> &types) {
  std::string out = "(";
  for (size_t i = 0; i < types.size(); ++i)
    out += (i ? ", " : "") + types[i].name();
  return out + ")";
}

} // namespace

Variant *Dispatcher::declaredFor(Device &device, const ArgumentList &arguments) {
  Variant *best = nullptr;
  for (auto &variant : variants_) {
    if (!variant->declared || variant->device != &device ||
        variant->arguments.size() != arguments.kernelArguments.size())
      continue;
    bool fits = true;
    for (size_t i = 0; i < variant->arguments.size(); ++i)
      fits = fits && accepts(arguments.kernelArguments[i].type, variant->arguments[i].type,
                             signatures_.size() == 1);
    if (fits && (!best || conversions(arguments, *variant) < conversions(arguments, *best)))
      best = variant.get();
  }
  return best;
}

bool Dispatcher::declareOn(Device &device) {
  bool isNew = false;
  for (size_t i = 0; i < signatures_.size(); ++i) { // by index: another thread may declare one
    std::vector<KernelArgument> arguments = withoutFacts(signatures_[i].arguments);
    if (llvm::any_of(variants_, [&](const std::unique_ptr<Variant> &variant) {
          return variant->declared && variant->device == &device && variant->arguments == arguments;
        }))
      continue;
    compile(device, arguments, true);
    isNew = true;
  }
  return isNew;
}

Variant &Dispatcher::variantFor(Device &device, ArgumentList &arguments) {
  if (!signatures_.empty()) {
    Variant *variant = declaredFor(device, arguments);
    if (!variant && declareOn(device))
      variant = declaredFor(device, arguments);
    if (variant) {
      // Types may be narrower than the arguments': slots are converted one by one.
      arguments.convertTo(variant->arguments);
      return *variant;
    }
    if (!mayCompile_) {
      std::vector<Type> types;
      for (const KernelArgument &argument : arguments.kernelArguments)
        types.push_back(argument.type);
      std::string message =
          "no signature of " + source().name + " takes " + listOf(types) + "; it is declared for";
      for (const Signature &s : signatures_)
        message += "\n  " + listOf(s.arguments);
      if (llvm::any_of(types, [](Type t) { return t.is(python::TypeKind::String); }))
        message += "\n  hint: a string is a constant of what is compiled for it: leave out the "
                   "signatures";
      throw CompileError(ErrorKind::Type, message);
    }
  }
  const auto &exactly = arguments.kernelArguments;
  if (Variant *variant = compiledFor(device, exactly))
    return *variant;
  return compile(device, {exactly.begin(), exactly.end()}, false);
}

Variant *Dispatcher::compiledFor(Device &device, llvm::ArrayRef<KernelArgument> arguments) {
  auto fits = [&](const Variant &variant) {
    return !variant.declared && variant.device == &device &&
           llvm::ArrayRef(variant.arguments) == arguments;
  };
  if (last_ && fits(*last_))
    return last_;
  for (auto &variant : variants_)
    if (fits(*variant))
      return last_ = variant.get();
  return nullptr;
}

void Dispatcher::checkParameters(size_t arguments) {
  python::FunctionSource &source = this->source();
  if (isDevice_)
    throw CompileError(ErrorKind::Type,
                       source.name + " is a device function: call it from a kernel, or leave out "
                                     "device=True to launch it");
  if (arguments != source.parameters.size()) {
    std::string parameters;
    for (auto &p : source.parameters)
      parameters += (parameters.empty() ? "" : ", ") + p.name + (p.defaultValue ? "=" : "");
    throw CompileError(
        ErrorKind::Type,
        source.name + "(" + parameters + ") takes " + std::to_string(source.parameters.size()) +
            (source.parameters.size() == 1 ? " argument, " : " arguments, ") +
            std::to_string(arguments) + (arguments == 1 ? " was" : " were") + " given");
  }
}

Variant &Dispatcher::compile(Device &device, const std::vector<KernelArgument> &arguments,
                             bool declared) {
  checkParameters(arguments.size());
  std::unique_ptr<Variant> variant;
  withDeepStack([&] { variant = makeVariant(device, arguments); });
  variant->declared = declared;
  // Another thread may have compiled the same meanwhile.
  if (Variant *same = declared ? nullptr : compiledFor(device, arguments))
    return *same;
  variants_.push_back(std::move(variant));
  return *variants_.back();
}

namespace {

uint32_t constantBytesOf(const llvm::Module &module) {
  uint64_t bytes = 0;
  for (const llvm::GlobalVariable &global : module.globals())
    if (global.getAddressSpace() == simt::Constant)
      bytes += module.getDataLayout().getTypeAllocSize(global.getValueType());
  return bytes;
}

} // namespace

std::unique_ptr<Variant> Dispatcher::makeVariant(Device &device,
                                                 const std::vector<KernelArgument> &arguments) {
  auto variant = std::make_unique<Variant>();
  variant->device = &device;
  variant->arguments = arguments;
  auto capability = device.computeCapability();
  python::CompiledKernel compiled =
      python::compileKernel(source(), arguments, options_.debug, std::string(device.type()),
                            linkedCode(unsigned(10 * capability.first + capability.second)));
  tellWarnings(compiled.warnings);
  variant->prints = compiled.code.module->getFunction(simt::info(simt::Op::Print).name);
  variant->written = compiled.written;
  variant->typedSource = std::move(compiled.types);
  variant->constantBytes = constantBytesOf(*compiled.code.module);
  for (const auto &place : compiled.named) {
    if (place->device != device.index())
      throw nb::type_error((name() + " names an array in the memory of " + place->deviceName +
                            ", and runs on " + std::string(device.name()) +
                            ": pass the array as an argument, or copy it there")
                               .c_str());
    variant->named.push_back(place->owner);
  }
  {
    WithoutGil release;
    std::tie(compiled.code, variant->bitcode) =
        compilerRun("writing SIMT IR", [code = std::move(compiled.code)]() mutable {
          std::string bitcode;
          llvm::raw_string_ostream out(bitcode);
          llvm::WriteBitcodeToFile(*code.module, out);
          return std::tuple(std::move(code), std::move(bitcode));
        });
    variant->module = device.load(std::move(compiled.code), options_);
  }
  variant->kernel = &variant->module->kernel(compiled.kernel);
  return variant;
}

namespace {

Variant &variantForValues(Dispatcher &self, nb::args values, nb::kwargs named) {
  Device &device = currentDevice();
  ArgumentList arguments(self.function(), &device);
  llvm::SmallVector<PyObject *, 8> pointers;
  for (nb::handle value : values)
    pointers.push_back(value.ptr());
  nb::list names;
  for (auto [name, value] : named) {
    names.append(name);
    pointers.push_back(value.ptr());
  }
  self.readArguments(pointers.data(), values.size(), nb::tuple(names), arguments);
  return self.variantFor(device, arguments);
}

nb::list library() {
  nb::list out;
  for (const python::LibraryRow *row : python::libraryRows()) {
    nb::dict facts;
    facts["name"] = row->name;
    facts["signature"] = row->signature;
    facts["doc"] = row->doc;
    facts["difference"] = row->difference;
    facts["devices"] = row->devices;
    facts["on_host"] = row->targets.include(python::Target::Host);
    nb::list parameters, optional, writes;
    for (const python::SignatureParameter &parameter : python::parametersOf(*row)) {
      if (row->writes >> nb::len(parameters) & 1)
        writes.append(parameter.name);
      if (parameter.optional)
        optional.append(parameter.name);
      parameters.append(parameter.name);
    }
    facts["parameters"] = parameters;
    facts["optional"] = optional;
    facts["writes"] = writes;
    out.append(facts);
  }
  return out;
}

int traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  return nb::inst_ready(self) ? nb::inst_ptr<Dispatcher>(self)->visitReferences(visit, arg) : 0;
}

int clear(PyObject *self) {
  if (nb::inst_ready(self))
    nb::inst_ptr<Dispatcher>(self)->clearReferences();
  return 0;
}

} // namespace

void bindKernels(nb::module_ &m) {
  static PyType_Slot slots[] = {
      {Py_mp_subscript, reinterpret_cast<void *>(configure)},
      {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
      {Py_tp_clear, reinterpret_cast<void *>(clear)},
      {0, nullptr},
  };
  nb::class_<Dispatcher>(m, "DispatcherBase", nb::type_slots(slots),
                         "A function decorated with cuda.jit.")
      .def(nb::init<nb::object, nb::dict>(), nb::arg("function"), nb::arg("options"))
      .def_prop_ro("py_func", &Dispatcher::function, "The function as it was written.")
      .def("declare", &Dispatcher::declare, nb::arg("signature"))
      .def("disable_compile", &Dispatcher::disableCompile)
      .def("variant_for", variantForValues, nb::rv_policy::reference_internal)
      .def("variants", [](nb::handle self) {
        nb::list out;
        for (auto &variant : nb::cast<Dispatcher &>(self).variants())
          out.append(nb::cast(variant.get(), nb::rv_policy::reference_internal, self));
        return out;
      });
  bindVariants(m);
  bindLaunches(m);
  bindCompileAhead(m);
  bindOverloads(m);
  bindDeclaredFunctions(m);
  m.def("library", library,
        "Everything that a kernel may use by name, a dict each: the compiler's tables. on_host: "
        "whether it exists outside of kernels, too; parameters: their names; optional: those that "
        "may be left out; writes: those whose memory it may write.");
}

} // namespace heddle
