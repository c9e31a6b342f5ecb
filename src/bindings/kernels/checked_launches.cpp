#include "bindings/kernels/checked_launches.h"

#include "bindings/interpreter/get_or_make.h"
#include "bindings/interpreter/gil.h"
#include "bindings/interpreter/warnings.h"
#include "bindings/kernels/kernel_names.h"
#include "bindings/kernels/launch_values.h"
#include "runtime/cpu/check/checked_launch.h"
#include "runtime/cpu/check/heap_blocks.h"
#include "runtime/cpu/device.h"
#include "simt/check/checking.h"
#include "simt/trace/tracing.h"

#include <atomic>
#include <memory>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace heddle {

namespace {

/// Stores the innermost line of the program, outside this package, in `note`.
void storeCallingLine(cpu::LaunchNote &note) {
  static std::atomic<std::string *> found{nullptr};
  const std::string &package = getOrMake(found, [] {
    return new std::string(
        nb::cast<std::string>(nb::module_::import_("heddle").attr("__path__")[nb::int_(0)]));
  });
  nb::object frame = nb::steal(Py_XNewRef(reinterpret_cast<PyObject *>(PyEval_GetFrame())));
  for (; frame.is_valid() && !frame.is_none(); frame = frame.attr("f_back")) {
    auto file = nb::cast<std::string>(frame.attr("f_code").attr("co_filename"));
    if (file.starts_with(package))
      continue;
    note.file = file;
    note.line = nb::cast<unsigned>(frame.attr("f_lineno"));
    return;
  }
}

const char *nameOfEnumerator(cpu::FindingKind kind) {
  switch (kind) {
  case cpu::FindingKind::Race:
    return "race";
  case cpu::FindingKind::Bounds:
    return "bounds";
  case cpu::FindingKind::Misaligned:
    return "misaligned";
  case cpu::FindingKind::Uninitialized:
    return "uninit";
  case cpu::FindingKind::Barrier:
    return "barrier";
  case cpu::FindingKind::Warp:
    return "warp";
  case cpu::FindingKind::Division:
    return "division";
  case cpu::FindingKind::Leak:
    return "leak";
  case cpu::FindingKind::Lint:
    return "lint";
  }
  return "";
}

const char *nameOfEnumerator(cpu::FindingSpace space) {
  switch (space) {
  case cpu::FindingSpace::None:
    return "";
  case cpu::FindingSpace::Global:
    return "global";
  case cpu::FindingSpace::Shared:
    return "shared";
  case cpu::FindingSpace::Local:
    return "local";
  case cpu::FindingSpace::Constant:
    return "constant";
  }
  return "";
}

const char *nameOfEnumerator(cpu::RaceCause cause) {
  switch (cause) {
  case cpu::RaceCause::None:
    return "";
  case cpu::RaceCause::Barrier:
    return "barrier";
  case cpu::RaceCause::Warp:
    return "warp";
  case cpu::RaceCause::Blocks:
    return "blocks";
  case cpu::RaceCause::Scope:
    return "scope";
  case cpu::RaceCause::Fence:
    return "fence";
  case cpu::RaceCause::Atomic:
    return "atomic";
  case cpu::RaceCause::SameValue:
    return "same value";
  case cpu::RaceCause::Compare:
    return "compare";
  case cpu::RaceCause::Copy:
    return "copy";
  case cpu::RaceCause::Streams:
    return "streams";
  }
  return "";
}

const char *nameOfEnumerator(cpu::FoundOperation::Kind kind) {
  switch (kind) {
  case cpu::FoundOperation::Kind::Launch:
    return "launch";
  case cpu::FoundOperation::Kind::Copy:
    return "copy";
  case cpu::FoundOperation::Kind::Fill:
    return "memset";
  }
  return "";
}

nb::dict toPythonDict(const cpu::FoundOperation &operation) {
  bool isLaunch = operation.kind == cpu::FoundOperation::Kind::Launch;
  nb::dict d;
  d["kind"] = nameOfEnumerator(operation.kind);
  d["stream"] = operation.stream;
  d["kernel"] = kernelNameOfSymbol(operation.kernel);
  d["grid"] = isLaunch ? nb::object(tupleOf(operation.grid)) : nb::none();
  d["block"] = isLaunch ? nb::object(tupleOf(operation.block)) : nb::none();
  d["file"] = operation.file;
  d["line"] = operation.line;
  return d;
}

/// program: of the finding.
nb::dict toPythonDict(const cpu::FoundAccess &access, const cpu::ProgramText &program) {
  const cpu::ProgramText &own = access.operation ? access.operation->program : program;
  nb::dict d;
  d["op"] = nameOfOperation(access.op);
  d["file"] = access.at.file;
  d["text"] = own.file == access.at.file ? programTextOrNone(own) : nb::none();
  d["line"] = access.at.line;
  d["column"] = access.at.column;
  d["function"] = access.at.function;
  d["thread"] = tupleOf(access.thread);
  d["block"] = tupleOf(access.block);
  d["operation"] = access.operation ? nb::object(toPythonDict(*access.operation)) : nb::none();
  return d;
}

nb::dict toPythonDict(const cpu::Finding &finding) {
  nb::list accesses, element;
  for (const cpu::FoundAccess &access : finding.accesses)
    accesses.append(toPythonDict(access, finding.program));
  for (int64_t index : finding.element)
    element.append(index);
  nb::dict d;
  d["kind"] = nameOfEnumerator(finding.kind);
  d["severity"] = finding.isNote() ? "note" : "error";
  d["space"] = nameOfEnumerator(finding.space);
  d["accesses"] = accesses;
  d["loaded"] =
      finding.loaded ? nb::object(toPythonDict(*finding.loaded, finding.program)) : nb::none();
  d["array"] = finding.array;
  d["element"] = finding.element.empty() ? nb::object(nb::none()) : nb::tuple(element);
  d["kernel"] = kernelNameOfSymbol(finding.kernel);
  d["grid"] = tupleOf(finding.grid);
  d["block"] = tupleOf(finding.block);
  d["launch_file"] = finding.launchFile;
  d["launch_line"] = finding.launchLine;
  d["count"] = finding.count;
  d["lint"] = finding.lint;
  d["numbers"] = nb::list();
  for (double number : finding.numbers)
    d["numbers"].attr("append")(number);
  d["why"] = finding.kind == cpu::FindingKind::Race ? std::string(nameOfEnumerator(finding.cause))
                                                    : finding.message;
  return d;
}

nb::list waitAndTakeFindings(std::optional<uint64_t> leaksSince) {
  {
    WithoutGil release;
    cpu::waitForWorkAtExit(); // leaves errors to the program
  }
  cpu::forgetStreamHistory();
  if (leaksSince)
    cpu::reportLeaksSince(*leaksSince);
  nb::list all;
  for (const cpu::Finding &finding : cpu::takeFindings())
    all.append(toPythonDict(finding));
  return all;
}

} // namespace

void recordNextLaunchForCheck(const Device &device, const ArgumentList &arguments,
                              std::shared_ptr<const program::ProgramSource> program) {
  if (!simt::isChecking && !simt::isTracing)
    return;
  if (device.type() != "cpu") {
    if (simt::isChecking)
      warnOfUncheckedLaunch();
    return;
  }
  cpu::LaunchNote note;
  storeCallingLine(note);
  if (program)
    note.program = {program->file, std::shared_ptr<const std::string>(program, &program->text)};
  for (const ArrayArgument &array : arguments.arrays) {
    const python::Type &type = arguments.kernelArguments[array.argument].type;
    if (!type.isArray())
      continue;
    cpu::NotedArray noted{.slot = array.slot,
                          .address = arguments.slots[array.slot],
                          .elementBytes = int64_t(type->element->bytes())};
    for (unsigned axis = 0; axis < type->ndim; ++axis) {
      noted.extents.push_back(int64_t(arguments.slots[array.slot + 1 + axis]));
      noted.strides.push_back(int64_t(arguments.slots[array.slot + 1 + type->ndim + axis]));
    }
    note.arrays.push_back(std::move(noted));
  }
  cpu::setNoteOfNextLaunch(std::move(note));
}

void recordNextCopyForCheck() {
  if (!simt::isChecking)
    return;
  cpu::LaunchNote note;
  storeCallingLine(note);
  cpu::setNoteOfNextLaunch(std::move(note));
}

void bindCheckedLaunches(nb::module_ &m) {
  m.def(
      "set_checking", [](bool on) { return simt::isChecking.exchange(on); }, nb::arg("on"),
      "Checks launches on the CPU device from now on, or stops that. Returns the old value.");
  m.def(
      "is_checking", [] { return simt::isChecking.load(); },
      "Returns true if launches on the CPU device are checked.");
  m.def(
      "begin_linting",
      [](bool on) { return simt::lintingCheck.exchange(on ? ++simt::lintedChecks : 0); },
      nb::arg("on"),
      "From now on, each launch shape of a kernel has lints once, or none has. Returns the number "
      "of the check before, for end_linting.");
  m.def(
      "end_linting", [](uint64_t before) { simt::lintingCheck = before; }, nb::arg("before"),
      "Continues with the lints of the check before.");
  m.def(
      "record_host_write_for_check",
      [](uint64_t address, size_t bytes) {
        cpu::recordHostWriteForCheck(reinterpret_cast<void *>(address), bytes);
      },
      nb::arg("address"), nb::arg("nbytes"), "Host code writes to memory of the CPU device.");
  m.def(
      "record_host_copy_for_check",
      [](uint64_t to, uint64_t from, size_t bytes) {
        cpu::recordHostCopyForCheck(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from),
                                    bytes);
      },
      nb::arg("to"), nb::arg("from_"), nb::arg("nbytes"), "The same for a copy.");
  m.def(
      "note_host_work",
      [](Stream &stream, uint64_t address, size_t bytes, bool writes, bool isDone) {
        if (!simt::isChecking)
          return;
        recordNextCopyForCheck();
        WithoutGil release;
        cpu::recordHostWorkForCheck(stream, reinterpret_cast<void *>(address), bytes, writes,
                                    isDone);
      },
      nb::arg("stream"), nb::arg("address"), nb::arg("nbytes"), nb::arg("writes"), nb::arg("done"),
      "Host code accesses memory of the CPU device in the order of a stream. done: the program "
      "knows "
      "that it has done so.");
  m.def(
      "forget_values",
      [](Stream &stream, uint64_t address, size_t bytes) {
        cpu::markUndefinedInStreamOrder(stream, reinterpret_cast<void *>(address), bytes);
      },
      nb::arg("stream"), nb::arg("address"), nb::arg("nbytes"), nb::call_guard<WithoutGil>(),
      "The values in memory of the CPU device are no longer valid, because a pool has given it "
      "away again.");
  m.def("take_findings", waitAndTakeFindings, nb::arg("leaks_since") = nb::none(),
        "Waits for the CPU device, and returns the findings since the last call as dicts. With "
        "leaks_since, a value "
        "of count_allocations(), reports later allocations that are not freed as leaks.");
  m.def(
      "count_checked_launches", [] { return cpu::checkedLaunchCount.load(); },
      "The number of launches of kernels that have been checked so far.");
  m.def("count_allocations", cpu::countHeapBlocksEverAdded,
        "The number of allocations by malloc or new in checked launches so far.");
}

} // namespace heddle
