#include "bindings/compile_ahead.h"

#include "backend/nvptx/compile.h"
#include "bindings/deep_stack.h"
#include "bindings/gil.h"
#include "bindings/kernels.h"
#include "frontend/python/compile_kernel.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <optional>
#include <string>

namespace nb = nanobind;
using namespace nb::literals;

namespace heddle {

namespace {

using Capability = std::pair<int, int>;

/// A SIMT module, and what its function returns.
struct Compiled {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  python::Type result;
};

constexpr unsigned debugPtxVersion = 75; // PTX ISA 7.5: differences of labels in .section

/// The target for a capability, or for the current device.
nvptx::Target targetOf(const std::optional<Capability> &capability, bool debug) {
  if (capability) {
    nvptx::Target target = nvptx::targetFor(*capability);
    if (debug)
      target.ptxVersion = std::max(target.ptxVersion, debugPtxVersion);
    return target;
  }
  Device &device = currentDevice();
  if (device.type() != "cuda")
    throw CompileError(ErrorKind::Value, "the current device is " + device.name() +
                                             ", which has no PTX: name a compute capability, such "
                                             "as cc=(9, 0)");
  return nvptx::targetFor(device.computeCapability(), device.driverVersion());
}

Compiled compileWith(Dispatcher &dispatcher, const Signature &signature, const std::string &name) {
  Compiled out;
  bool debug = dispatcher.options().debug;
  if (dispatcher.isDevice()) {
    dispatcher.declare(signature);
    python::FunctionSource &source = dispatcher.source();
    auto f = python::compileFunction(source, source.declaredParameters, name, debug, "PTX");
    out = {std::move(f.context), std::move(f.module), f.result};
  } else {
    dispatcher.checkSignature(signature);
    auto kernel = python::compileKernel(dispatcher.source(), signature.arguments, debug, "PTX");
    out = {std::move(kernel.context), std::move(kernel.module), python::noneType()};
  }
  return out;
}

nb::tuple compileAhead(Dispatcher &dispatcher, const Signature &signature, const std::string &name,
                       const std::optional<Capability> &capability) {
  nvptx::Target target = targetOf(capability, dispatcher.options().debug);
  Compiled compiled;
  withDeepStack([&] { compiled = compileWith(dispatcher, signature, name); });
  std::string text;
  {
    WithoutGil release;
    text = nvptx::compileToPtx(*compiled.module, dispatcher.options(), target).text;
  }
  return nb::make_tuple(text, PythonType{compiled.result});
}

} // namespace

void bindCompileAhead(nb::module_ &m) {
  m.def("compile_ahead", compileAhead, "dispatcher"_a, "signature"_a, "name"_a,
        "capability"_a.none(),
        "PTX of a kernel, or of a device function that is called by `name`, and the type that it "
        "returns. Without a capability, for the current device.");
}

} // namespace heddle
