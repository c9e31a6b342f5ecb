// Raises the exception that ended a call of a host function.
#include "bindings/arguments/slots.h"
#include "bindings/host/host_function.h"
#include "bindings/host/results.h"
#include "bindings/host/texts.h"
#include "bindings/runtime.h"
#include "frontend/python/ssa/text_in_source.h"
#include "host/interrupts.h"
#include "runtime/kernel_error.h"
#include "support/os/code_faults.h"

#include "llvm/Support/FormatVariadic.h"

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace heddle {

using python::Type;

namespace {

/// Replaces the slot offsets of strings, in a value that begins at `slot`, by the strings' addresses.
void replaceTextOffsets(Type type, size_t slot, std::vector<uint64_t> &slots) {
  if (type == python::runtimeStringType())
    slots[slot] = reinterpret_cast<uintptr_t>(&slots[slots[slot]]);
  if (type.isTuple())
    for (Type element : type->elements) {
      replaceTextOffsets(element, slot, slots);
      slot += slotCount(element);
    }
}

/// Replaces the slot offsets of strings in an exception's arguments by the strings' addresses.
void replaceTextOffsets(const python::Constant &known, size_t &slot, std::vector<uint64_t> &slots) {
  for (const python::Constant &item : known.items)
    replaceTextOffsets(item, slot, slots);
  if (known.kind != python::ConstantKind::Unknown)
    return;
  replaceTextOffsets(known.type, slot, slots);
  slot += slotCount(known.type);
}

/// The arguments of an exception, including run-time values.
nb::tuple exceptionArguments(llvm::ArrayRef<python::Constant> known) {
  std::vector<uint64_t> slots = host::valuesOfRaisedException();
  size_t parts = slots.size(), first = 0;
  slots.resize(2 * parts); // the values have no owners
  for (const python::Constant &constant : known)
    replaceTextOffsets(constant, first, slots);
  ResultReader values(slots.data(), {}, {}, parts);
  auto valueOf = [&](const python::Constant &constant) {
    return constant.kind == python::ConstantKind::Unknown ? values.readValue(constant.type, nullptr)
                                                          : toPythonObject(constant);
  };
  nb::list arguments;
  for (const python::Constant &constant : known) {
    if (constant.text != python::textOfPieces) {
      arguments.append(valueOf(constant));
      continue;
    }
    nb::str text("");
    for (const python::Constant &piece : constant.items)
      text = nb::str(text + nb::str(valueOf(piece)));
    arguments.append(text);
  }
  return nb::tuple(arguments);
}

void describeFaultInSite(const host::Outcome &outcome, simt::SiteInfo &site) {
  if (!os::isAccessFault(int(outcome.extent))) {
    site.kind = "RuntimeError";
    site.message = "the processor rejected an instruction of " + site.function + "() (signal " +
                   std::to_string(outcome.extent) + ")";
    return;
  }
  site.kind = "IndexError";
  bool isReported = uint64_t(outcome.index) != reinterpret_cast<uintptr_t>(os::unreportedAddress);
  site.message =
      site.function + "() accessed memory at " +
      (isReported ? llvm::formatv("{0:x}", uint64_t(outcome.index)).str()
                  : "an impossible address") +
      ", which is not mapped: an index is out of bounds\n  hint: with boundscheck=True, or "
      "under NUMBA_BOUNDSCHECK=1, functions check indices and name the line";
}

} // namespace

void HostFunction::raise(const HostVariant &variant, const host::Outcome &outcome) {
  if (PyErr_Occurred()) // printing from Python failed
    throw nb::python_error();
  if (outcome.ending == host::Ending::Interrupted)
    throw Interrupted(); // carries the exception of the signal's handler
  if (outcome.ending == host::Ending::Unprinted)
    throw std::bad_alloc();
  if (outcome.ending == host::Ending::Exhausted) {
    std::string message = "no memory for an array of " + std::to_string(outcome.extent) + " bytes";
    PyErr_SetString(PyExc_MemoryError, message.c_str());
    throw nb::python_error();
  }
  simt::SiteInfo site{.kind = "RecursionError",
                      .message = "a recursion of jitted functions ran out of stack",
                      .function = source().name,
                      .file = source().text.file,
                      .line = source().span.line};
  if (outcome.ending == host::Ending::Raised)
    site = variant.module->sites()[outcome.site];
  if (outcome.ending == host::Ending::Faulted)
    describeFaultInSite(outcome, site);
  nb::object type = findExceptionClass(site.kind);
  if (!type.is_valid())
    type = nb::borrow(PyExc_RuntimeError);
  auto known = outcome.ending == host::Ending::Raised ? variant.raised.find(outcome.site)
                                                      : variant.raised.end();
  nb::object arguments =
      known != variant.raised.end()
          ? nb::object(exceptionArguments(known->second))
          : nb::object(nb::make_tuple(formatTrapMessage(site, outcome.index, outcome.extent)));
  nb::module_::import_("heddle.support.tracebacks")
      .attr("raise_at")(type, arguments, site.file, site.line, site.function);
  throw nb::type_error("an exception was not raised"); // raise_at always raises
}

} // namespace heddle
