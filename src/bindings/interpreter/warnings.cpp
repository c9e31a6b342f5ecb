#include "bindings/interpreter/warnings.h"

#include "runtime/disk_cache.h"

#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace heddle {

namespace {

void issueHeddleWarning(const std::string &text, int stackLevel) {
  nb::object category = nb::module_::import_("heddle.errors").attr("HeddleWarning");
  if (PyErr_WarnEx(category.ptr(), text.c_str(), stackLevel) != 0)
    throw nb::python_error();
}

} // namespace

void issueTypeSafetyWarnings(const std::vector<Diagnostic> &warnings) {
  if (warnings.empty() ||
      !PyObject_IsTrue(nb::module_::import_("heddle.config").attr("WARNINGS").ptr()))
    return;
  nb::object category = nb::module_::import_("heddle.errors").attr("NumbaTypeSafetyWarning");
  for (const Diagnostic &warning : warnings)
    if (PyErr_WarnExplicit(category.ptr(), warning.message.c_str(), warning.file.c_str(),
                           int(warning.span.line), nullptr, nullptr) != 0)
      throw nb::python_error();
}

void warnOfCacheRefusals() {
  std::vector<std::string> refusals = DiskCache::takeCacheWarnings();
  if (refusals.empty())
    return;
  nb::object category = nb::module_::import_("heddle.errors").attr("NumbaSystemWarning");
  for (const std::string &why : refusals)
    if (PyErr_WarnEx(category.ptr(), why.c_str(), /*stack_level=*/1) != 0)
      throw nb::python_error();
}

void warnOfUnraisedKernelError(const KernelError &error) {
  std::string text = "a kernel failed, and the program ended without waiting for it\n";
  text += error.site().kind + ": " + error.what() +
          "\n  hint: call cuda.synchronize() after a launch to raise its error there";
  issueHeddleWarning(text, /*stackLevel=*/1);
}

void warnOfKernelArguments(const std::string &text) {
  issueHeddleWarning(text, /*stackLevel=*/2); // cupy.RawKernel.__call__ is a Python function
}

void warnOfUncheckedLaunch() {
  issueHeddleWarning("this launch on a GPU is not checked\n  hint: create the stream and the "
                     "arrays inside of the block "
                     "of heddle.check(), or set HEDDLE_DEVICE=cpu",
                     /*stackLevel=*/1);
}

} // namespace heddle
