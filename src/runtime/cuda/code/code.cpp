#include "runtime/cuda/code/code.h"

#include "runtime/packed_bytes.h"

namespace heddle::cuda {

namespace {

/// Incremented with each change of the format.
constexpr uint64_t formatVersion = 4;

} // namespace

std::string pack(const CudaCode &code) {
  PackedWriter w;
  w.add(formatVersion);
  w.add(code.cubin);
  w.add(code.ptx.text);
  w.add(uint64_t(code.ptx.hasAtomicLoops));
  w.add(uint64_t(code.ptx.reportsErrors));
  w.add(uint64_t(code.ptx.kernels.size()));
  for (const nvptx::KernelCode &kernel : code.ptx.kernels) {
    w.add(kernel.name);
    w.add(uint64_t(kernel.coarsening));
    w.add(kernel.coarsened);
    w.add(uint64_t(kernel.cooperative));
    w.add(uint64_t(kernel.recursive));
    w.add(uint64_t(kernel.order));
  }
  w.add(uint64_t(code.ptx.remarks.size()));
  for (const std::string &remark : code.ptx.remarks)
    w.add(remark);
  return w.take();
}

std::optional<CudaCode> unpack(std::string_view bytes) {
  PackedReader r(bytes);
  if (r.readNumber() != formatVersion)
    return std::nullopt;
  CudaCode code;
  code.cubin = r.readText();
  code.ptx.text = r.readText();
  code.ptx.hasAtomicLoops = r.readNumber();
  code.ptx.reportsErrors = r.readNumber();
  for (uint64_t n = r.readNumber(); n && r.isGood(); --n) {
    nvptx::KernelCode kernel;
    kernel.name = r.readText();
    kernel.coarsening = unsigned(r.readNumber());
    kernel.coarsened = r.readText();
    kernel.cooperative = r.readNumber();
    kernel.recursive = r.readNumber();
    kernel.order = simt::ThreadOrder(r.readNumber());
    code.ptx.kernels.push_back(std::move(kernel));
  }
  for (uint64_t n = r.readNumber(); n && r.isGood(); --n)
    code.ptx.remarks.push_back(r.readText());
  if (!r.atEnd())
    return std::nullopt;
  return code;
}

} // namespace heddle::cuda
