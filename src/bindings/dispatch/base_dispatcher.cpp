#include "bindings/dispatch/base_dispatcher.h"

#include "bindings/dispatch/declared_types.h"
#include "bindings/interpreter/deep_stack.h"
#include "bindings/interpreter/serialized_scope.h"
#include "support/compile_progress.h"
#include "support/diagnostic.h"

#include "llvm/ADT/STLExtras.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace heddle {

using python::KernelArgument;
using python::Type;

std::vector<Type> typesOfKernelArguments(llvm::ArrayRef<KernelArgument> arguments) {
  std::vector<Type> types;
  for (const KernelArgument &argument : arguments)
    types.push_back(argument.type);
  return types;
}

Signature BaseVariant::signature() const { return {result, typesOfKernelArguments(arguments)}; }

std::vector<KernelArgument> kernelArgumentsWithoutFacts(const std::vector<Type> &types) {
  return {types.begin(), types.end()};
}

BaseVariant *BaseDispatcher::findCompiledVariant(const Device *device,
                                                 llvm::ArrayRef<KernelArgument> arguments) {
  auto fits = [&](const BaseVariant &variant) {
    return variant.device == device && llvm::ArrayRef(variant.arguments) == arguments;
  };
  if (last_ && fits(*last_))
    return last_;
  for (auto &variant : variants_)
    if (fits(*variant))
      return last_ = variant.get();
  return nullptr;
}

BaseVariant *BaseDispatcher::findDeclaredVariant(const Device *device,
                                                 const ArgumentList &arguments, bool isOnly) const {
  llvm::ArrayRef<KernelArgument> given = arguments.kernelArguments;
  auto fits = [&](const BaseVariant &variant) {
    return variant.declared && variant.device == device &&
           variant.arguments.size() == given.size() &&
           llvm::all_of(llvm::zip(given, variant.arguments), [&](auto pair) {
             return isAcceptedForDeclaredType(std::get<0>(pair).type, std::get<1>(pair).type,
                                              isOnly);
           });
  };
  BaseVariant *best = nullptr;
  for (auto &variant : variants_)
    if (fits(*variant) && (!best || countConversions(given, variant->arguments) <
                                        countConversions(given, best->arguments)))
      best = variant.get();
  return best;
}

void BaseDispatcher::checkArgumentCount(size_t arguments) {
  const python::FunctionSource &source = this->source();
  size_t count = source.parameters.size();
  if (arguments == count)
    return;
  std::string parameters;
  for (auto &p : source.parameters)
    parameters += (parameters.empty() ? "" : ", ") + p.name + (p.defaultValue ? "=" : "");
  throw CompileError(ErrorKind::Type,
                     source.name + "(" + parameters + ") takes " + std::to_string(count) +
                         (count == 1 ? " argument, " : " arguments, ") + std::to_string(arguments) +
                         (arguments == 1 ? " was" : " were") + " given");
}

void BaseDispatcher::checkParameterCount(const Signature &signature) {
  size_t parameters = source().parameters.size(), given = signature.arguments.size();
  if (parameters != given)
    throw CompileError(ErrorKind::Type, source().name + "() has " + std::to_string(parameters) +
                                            (parameters == 1 ? " parameter" : " parameters") +
                                            ", its signature " + formatSignature(signature) +
                                            " has " + std::to_string(given));
}

void BaseDispatcher::setSignaturesForCalls(const std::vector<Signature> &signatures) {
  python::FunctionSource &source = this->source();
  source.declared.clear();
  for (const Signature &signature : signatures) {
    python::DeclaredTypes &declared = source.declared.emplace_back();
    for (python::Type t : signature.arguments) {
      python::ArrayTraits traits = t.isArray() ? traitsOfArray(t) : python::ArrayTraits{};
      traits.space = simt::Generic; // a declared array may be in any memory
      declared.parameters.push_back(t.isArray() ? arrayType(t->element, t->ndim, traits) : t);
    }
    declared.result = signature.result;
  }
  bool isOne = signatures.size() == 1;
  source.declaredParameters = isOne ? source.declared[0].parameters : std::vector<python::Type>();
  source.declaredResult = isOne ? source.declared[0].result : python::Type();
}

namespace {

/// "float64[:, :]"
std::string formatArrayType(Type array) {
  std::string colons = ":";
  for (unsigned i = 1; i < array->ndim; ++i)
    colons += ", :";
  return array->element.name() + "[" + colons + "]";
}

/// A hint for an array that does not have the declared type. Empty for other types.
std::string hintForArray(const std::string &name, Type given, Type declared) {
  if (!given.isArray() || !declared.isArray() || !given->element.isScalar())
    return "";
  std::string declare = "declare " + formatArrayType(given);
  if (given->ndim != declared->ndim)
    return name + " has " + std::to_string(given->ndim) +
           (given->ndim == 1 ? " dimension: " : " dimensions: ") + declare;
  if (given->element != declared->element)
    return declare + ", or pass a converted copy, " + name + ".astype(np." +
           declared->element.name() + ")";
  if (given->readOnly && !declared->readOnly)
    return name + " is read-only: pass a copy, " + name + ".copy()";
  bool isFortran = declared->layout == python::Layout::F;
  return declare + ", which takes arrays with any strides, or pass a copy, np.as" +
         (isFortran ? "fortran" : "contiguous") + "array(" + name + ")";
}

/// A hint for the first argument that does not convert to the signature's type; empty if there is none.
std::string hintForMismatch(const python::FunctionSource &source,
                            llvm::ArrayRef<KernelArgument> given, const Signature &signature) {
  if (given.size() == signature.arguments.size())
    for (auto [argument, declared, parameter] :
         llvm::zip(given, signature.arguments, source.parameters))
      if (!isAcceptedForDeclaredType(argument.type, declared, /*isOnly=*/true))
        return hintForArray(parameter.name, argument.type, declared);
  return "";
}

} // namespace

void BaseDispatcher::rejectArguments(const ArgumentList &arguments, const std::string &participle,
                                     const std::vector<Signature> &known, const std::string &hint) {
  std::string message = "no signature of " + source().name + " takes " +
                        formatTypes(typesOfKernelArguments(arguments.kernelArguments)) +
                        "; it is " + participle + " for";
  for (const Signature &signature : known)
    message += "\n  " + formatTypes(signature.arguments);
  if (known.size() == 1 && hint.empty())
    if (std::string ofArray = hintForMismatch(source(), arguments.kernelArguments, known[0]);
        !ofArray.empty())
      message += "\n  hint: " + ofArray;
  throw CompileError(ErrorKind::Type, message + hint);
}

BaseVariant &
BaseDispatcher::compileAndAddVariant(Device *device, const std::vector<KernelArgument> &arguments,
                                     bool declared,
                                     llvm::function_ref<std::unique_ptr<BaseVariant>()> make) {
  checkArgumentCount(arguments.size());
  CompileProgress progress([&] {
    return source().name + (device ? " for " + std::string(device->name()) : std::string());
  });
  std::unique_ptr<BaseVariant> variant;
  runWithDeepStack([&] { variant = make(); });
  variant->device = device;
  variant->arguments = arguments;
  variant->declared = declared;
  // Another thread may have compiled the same variant.
  if (BaseVariant *same = declared ? nullptr : findCompiledVariant(device, arguments))
    return *same;
  variants_.push_back(std::move(variant));
  return *variants_.back();
}

std::vector<BaseVariant *> BaseDispatcher::discardVariants() {
  std::vector<BaseVariant *> discarded;
  for (std::unique_ptr<BaseVariant> &variant : variants_) {
    discarded.push_back(variant.get());
    discarded_.push_back(std::move(variant));
  }
  variants_.clear();
  last_ = nullptr;
  return discarded;
}

namespace {

nb::list variantsOf(nb::handle self) {
  nb::list out;
  for (auto &variant : nb::cast<BaseDispatcher &>(self).variants())
    out.append(nb::cast(variant.get(), nb::rv_policy::reference_internal, self));
  return out;
}

} // namespace

void bindBaseDispatcher(nb::module_ &m) {
  nb::class_<BaseVariant>(m, "BaseVariant", "Code for one list of argument types.")
      .def_prop_ro("signature", &BaseVariant::signature)
      .def_prop_ro("typed_source", [](const BaseVariant &v) { return v.typedSource; });
  nb::class_<BaseDispatcher, PythonFunction>(m, "BaseDispatcher", "A function with its variants.")
      .def("declare", &BaseDispatcher::compileDeclared, nb::arg("signature"),
           nb::rv_policy::reference_internal, serialized)
      .def("recompile", &BaseDispatcher::recompile, serialized)
      .def("disable_compile", &BaseDispatcher::disableCompile, nb::arg("val") = true, serialized)
      .def("variants", variantsOf, serialized);
}

} // namespace heddle
