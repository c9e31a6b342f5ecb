// The extension module heddle._heddle: Python bindings of the compiler and the runtime.

#include "bindings/dispatch/base_dispatcher.h"
#include "bindings/host/c_function.h"
#include "bindings/host/host_function.h"
#include "bindings/interpreter/exit_status.h"
#include "bindings/interpreter/public_function.h"
#include "bindings/interpreter/serialized_scope.h"
#include "bindings/kernels/cuda_program.h"
#include "bindings/kernels/kernel_output.h"
#include "bindings/kernels/kernels.h"
#include "bindings/kernels/ufunc_loop.h"
#include "bindings/runtime.h"
#include "bindings/types/types.h"

#include "llvm/Config/llvm-config.h"

#include <nanobind/nanobind.h>

NB_MODULE(_heddle, m) {
  nanobind::set_leak_warnings(
      false); // module globals keep kernels alive until the interpreter is gone
  heddle::serializedScopeLock = nanobind::list().release().ptr();
  m.attr("__version__") = HEDDLE_VERSION;
  m.attr("llvm_version") = LLVM_VERSION_STRING;
  heddle::bindRuntime(m);
  heddle::bindTypes(m);
  heddle::bindPythonFunctions(m);
  heddle::bindBaseDispatcher(m);
  heddle::bindKernels(m);
  heddle::bindKernelOutput(m);
  heddle::bindUfuncLoops(m);
  heddle::bindHostFunctions(m);
  heddle::bindCFunctions(m);
  heddle::bindCudaPrograms(m);
  heddle::bindPublicFunction(m);
  heddle::bindExitStatus(m);
}
