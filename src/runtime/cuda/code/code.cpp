#include "runtime/cuda/code/code.h"

#include "runtime/packed_bytes.h"

namespace heddle::cuda {

namespace {

/// Incremented with each change of the format.
constexpr uint64_t packedVersion = 6;

} // namespace

std::string packPtx(const nvptx::Ptx &ptx) {
  PackedWriter w;
  w.add(packedVersion);
  w.add(ptx.text);
  w.add(uint64_t(ptx.hasAtomicLoops));
  w.add(uint64_t(ptx.reportsErrors));
  w.add(uint64_t(ptx.kernels.size()));
  for (const nvptx::KernelCode &kernel : ptx.kernels) {
    w.add(kernel.name);
    w.add(uint64_t(kernel.coarsening));
    w.add(kernel.coarsened);
    w.add(uint64_t(kernel.cooperative));
    w.add(uint64_t(kernel.recursive));
    w.add(uint64_t(kernel.order));
    w.add(uint64_t(kernel.parameterBytes.size()));
    for (uint32_t size : kernel.parameterBytes)
      w.add(uint64_t(size));
  }
  w.add(uint64_t(ptx.remarks.size()));
  for (const std::string &remark : ptx.remarks)
    w.add(remark);
  return w.take();
}

std::optional<nvptx::Ptx> unpackPtx(std::string_view bytes) {
  PackedReader r(bytes);
  if (r.readNumber() != packedVersion)
    return std::nullopt;
  nvptx::Ptx ptx;
  ptx.text = r.readText();
  ptx.hasAtomicLoops = r.readNumber();
  ptx.reportsErrors = r.readNumber();
  for (uint64_t n = r.readNumber(); n && r.isGood(); --n) {
    nvptx::KernelCode kernel;
    kernel.name = r.readText();
    kernel.coarsening = unsigned(r.readNumber());
    kernel.coarsened = r.readText();
    kernel.cooperative = r.readNumber();
    kernel.recursive = r.readNumber();
    kernel.order = simt::ThreadOrder(r.readNumber());
    for (uint64_t count = r.readNumber(); count && r.isGood(); --count)
      kernel.parameterBytes.push_back(uint32_t(r.readNumber()));
    ptx.kernels.push_back(std::move(kernel));
  }
  for (uint64_t n = r.readNumber(); n && r.isGood(); --n)
    ptx.remarks.push_back(r.readText());
  if (!r.atEnd())
    return std::nullopt;
  return ptx;
}

} // namespace heddle::cuda
