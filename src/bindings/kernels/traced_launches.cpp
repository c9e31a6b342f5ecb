#include "bindings/kernels/traced_launches.h"

#include "bindings/interpreter/gil.h"
#include "bindings/kernels/kernel_names.h"
#include "bindings/kernels/launch_values.h"
#include "runtime/cpu/device.h"
#include "runtime/cpu/trace/trace_request.h"

#include <array>

#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace heddle {

namespace {

/// (file, line, column, function, message): the message names the wait of a step, or the array of an access.
nb::tuple toPythonTupleOrDict(const simt::SiteInfo &site) {
  return nb::make_tuple(site.file, site.line, site.column, site.function, site.message);
}

/// (site, kind, whether it is to shared memory, bytes, lanes, addresses).
nb::tuple toPythonTupleOrDict(const cpu::TracedRequest &request) {
  nb::list addresses;
  for (uint64_t address : request.addresses)
    addresses.append(address);
  return nb::make_tuple(request.site, nameOfOperation(cpu::toFoundOp(request.kind)),
                        request.isShared, request.bytes, request.lanes, addresses);
}

/// (site, lanes, requests).
nb::tuple toPythonTupleOrDict(const cpu::TracedWarpStep &step) {
  nb::list requests;
  for (const cpu::TracedRequest &request : step.requests)
    requests.append(toPythonTupleOrDict(request));
  return nb::make_tuple(step.site, step.lanes, requests);
}

nb::dict toPythonTupleOrDict(const cpu::FinishedTrace &trace) {
  nb::list sites, warps;
  for (const simt::SiteInfo &site : trace.sites)
    sites.append(toPythonTupleOrDict(site));
  for (const std::vector<cpu::TracedWarpStep> &steps : trace.warps) {
    nb::list warp;
    for (const cpu::TracedWarpStep &step : steps)
      warp.append(toPythonTupleOrDict(step));
    warps.append(warp);
  }
  const cpu::ProgramText &program = trace.note->program;
  nb::dict d;
  d["kernel"] = kernelNameOfSymbol(trace.symbol);
  d["grid"] = tupleOf(cpu::toIndex(trace.shape.grid));
  d["block_shape"] = tupleOf(cpu::toIndex(trace.shape.block));
  d["block"] = tupleOf(trace.block);
  d["launch_file"] = trace.note->file;
  d["launch_line"] = trace.note->line;
  d["program_file"] = program.text ? program.file : "";
  d["program_text"] = programTextOrNone(program);
  d["sites"] = sites;
  d["warps"] = warps;
  d["is_cut"] = trace.isCut;
  d["mistakes"] = trace.findings.size();
  return d;
}

/// True if a name on the command line means the kernel: with or without template arguments and namespaces.
bool matchesKernelName(const std::string &symbol, const std::string &wanted) {
  std::string name = kernelNameOfSymbol(symbol);
  std::string plain = name.substr(0, name.find('<'));
  size_t scope = plain.rfind("::");
  std::string last = scope == std::string::npos ? plain : plain.substr(scope + 2);
  return wanted == symbol || wanted == name || wanted == plain || wanted == last;
}

void requestTrace(const std::string &kernel, uint64_t launch, std::array<uint32_t, 3> block,
                  uint32_t maxSteps) {
  cpu::requestTrace({[kernel](const std::string &symbol) {
                       return kernel.empty() || matchesKernelName(symbol, kernel);
                     },
                     launch, block, maxSteps});
}

nb::tuple waitAndTakeTrace() {
  {
    WithoutGil release;
    cpu::waitForWorkAtExit(); // leaves errors to the program
  }
  auto [trace, launched] = cpu::endRequestAndTakeTrace();
  nb::list launches;
  for (const cpu::LaunchedKernel &one : launched)
    launches.append(nb::make_tuple(kernelNameOfSymbol(one.symbol), tupleOf(one.grid),
                                   tupleOf(one.block), one.count, one.isWanted));
  return nb::make_tuple(trace ? nb::object(toPythonTupleOrDict(*trace)) : nb::none(), launches);
}

} // namespace

void bindTracedLaunches(nb::module_ &m) {
  m.def("request_trace", requestTrace, nb::arg("kernel"), nb::arg("launch"), nb::arg("block"),
        nb::arg("max_steps"),
        "Traces one block of a launch on the CPU device: launch number `launch`, from 1, of the "
        "kernel, or of all kernels if its name is empty. Records max_steps steps of each thread.");
  m.def("take_trace", waitAndTakeTrace,
        "Waits for the CPU device and ends the request. Returns the trace as a dict, or None, and "
        "a list of (kernel, grid, block, count, is_wanted) with the launches since the request.");
}

} // namespace heddle
