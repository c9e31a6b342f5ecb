// Compiled kernels as Python objects: their code and resource usage.

#include "bindings/interpreter/whole_numbers.h"
#include "bindings/kernels/kernels.h"
#include "support/compiler_run.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace heddle {

namespace {

std::string simtText(const Variant &variant) {
  return runCompiler("printing SIMT IR", [&] {
    llvm::LLVMContext context;
    auto module = llvm::parseBitcodeFile(llvm::MemoryBufferRef(variant.bitcode, "kernel"), context);
    std::string text;
    llvm::raw_string_ostream out(text);
    if (module)
      (*module)->print(out, nullptr);
    else
      llvm::consumeError(module.takeError());
    return text;
  });
}

/// The number of threads in a block given as an int, or a tuple of up to three.
uint32_t countThreadsOfBlock(nb::handle block) {
  uint32_t most = LaunchLimits().maxThreadsPerBlock;
  uint64_t threads = 1;
  if (PyTuple_Check(block.ptr()))
    for (nb::handle extent : nb::borrow<nb::tuple>(block))
      threads =
          std::min<uint64_t>(threads * toUnsigned(extent, "an extent of a block", most), most + 1);
  else
    threads = toUnsigned(block, "the number of threads of a block");
  if (!threads || threads > most)
    throw nb::value_error(
        ("a block has 1 to " + std::to_string(most) + " threads, not " + std::to_string(threads))
            .c_str());
  return threads;
}

uint32_t parseSharedBytes(nb::handle bytes) {
  return toUnsigned(bytes, "the number of bytes of shared memory", UINT32_MAX);
}

uint64_t maxCooperativeBlocks(const Variant &variant, nb::handle block, nb::handle bytes) {
  return variant.device->maxCooperativeBlocks(*variant.kernel, countThreadsOfBlock(block),
                                              parseSharedBytes(bytes));
}

uint32_t countActiveBlocks(const Variant &variant, nb::handle block, nb::handle bytes) {
  return variant.device->activeBlocksPerMultiprocessor(*variant.kernel, countThreadsOfBlock(block),
                                                       parseSharedBytes(bytes));
}

/// Bytes of constant memory as reported by the device, but at least the size of the constant arrays in the code.
uint32_t constantBytes(const Variant &variant) {
  return std::max(variant.kernel->constantBytes(), variant.constantBytes);
}

nb::bytes machineCode(const Variant &variant) {
  std::string code = variant.module->machineCode();
  return nb::bytes(code.data(), code.size());
}

/// Binds numba's names for the properties of a compiled kernel.
void bindNumbaNames(nb::class_<Variant, BaseVariant> &c) {
  c.def(
      "inspect_asm", [](const Variant &v, nb::handle) { return v.module->assembly(); },
      nb::arg("cc").none() = nb::none(), "The assembly; a variant is of one compute capability.");
  c.def("inspect_llvm", simtText);
  c.def_prop_ro("regs_per_thread", [](const Variant &v) { return v.kernel->registers(); })
      .def_prop_ro("const_mem_size", constantBytes)
      .def_prop_ro("shared_mem_per_block",
                   [](const Variant &v) { return v.kernel->staticSharedBytes(); })
      .def_prop_ro("local_mem_per_thread", [](const Variant &v) { return v.kernel->localBytes(); })
      .def("max_cooperative_grid_blocks", maxCooperativeBlocks, nb::arg("blockdim").none(),
           nb::arg("dynsmemsize").none() = 0,
           "The number of blocks of this size (an int or a tuple) that the device runs at once, "
           "the limit for a cooperative grid.");
}

} // namespace

void bindVariants(nb::module_ &m) {
  nb::class_<Variant, BaseVariant> variant(m, "Variant",
                                           "A kernel compiled for one list of argument types.");
  variant.def_prop_ro("simt_ir", simtText, "The kernel as SIMT IR, in LLVM's text form.")
      .def_prop_ro("assembly", [](const Variant &v) { return v.module->assembly(); })
      .def_prop_ro("machine_code", machineCode,
                   "The device's machine code in its file format (a cubin); empty on the CPU.")
      .def_prop_ro(
          "remarks", [](const Variant &v) { return v.module->remarks(); },
          "Optimization remarks of the back end.")
      .def_prop_ro("from_cache", [](const Variant &v) { return v.module->fromCache(); })
      .def_prop_ro(
          "device", [](const Variant &v) { return v.device; }, nb::rv_policy::reference)
      .def_prop_ro("registers", [](const Variant &v) { return v.kernel->registers(); })
      .def_prop_ro("static_shared_bytes",
                   [](const Variant &v) { return v.kernel->staticSharedBytes(); })
      .def_prop_ro("local_bytes", [](const Variant &v) { return v.kernel->localBytes(); })
      .def_prop_ro("const_bytes", constantBytes)
      .def_prop_ro("max_threads_per_block",
                   [](const Variant &v) { return v.kernel->maxThreadsPerBlock(); })
      .def_prop_ro("cooperative", [](const Variant &v) { return v.kernel->isCooperative(); })
      .def("max_cooperative_blocks", maxCooperativeBlocks, nb::arg("block").none(),
           nb::arg("dynamic_shared_bytes").none() = 0)
      .def("active_blocks_per_multiprocessor", countActiveBlocks, nb::arg("block").none(),
           nb::arg("dynamic_shared_bytes").none() = 0)
      .def(
          "suggested_block_size",
          [](const Variant &v, nb::handle bytes) {
            return v.device->suggestedBlockSize(*v.kernel, parseSharedBytes(bytes));
          },
          nb::arg("dynamic_shared_bytes").none());
  bindNumbaNames(variant);
}

} // namespace heddle
