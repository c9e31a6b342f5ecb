// A SIMT module, or an image from another compiler, loaded on a GPU.
#pragma once

#include "runtime/cuda/code/code.h"
#include "runtime/cuda/code/trap_record.h"
#include "runtime/cuda/last_launch.h"
#include "runtime/image.h"

#include "llvm/ADT/SmallVector.h"

#include <map>

namespace heddle::cuda {

class CudaDevice;
class CudaModule;

class CudaKernel final : public Kernel {
public:
  /// The context must be current.
  CudaKernel(CudaModule &module, const nvptx::KernelCode &code);

  const std::string &name() const override { return name_; }
  const std::vector<simt::SiteInfo> &sites() const override;
  uint32_t staticSharedBytes() const override { return staticSharedBytes_; }
  uint32_t localBytes() const override { return localBytes_; }
  uint32_t registers() const override { return registers_; }
  uint32_t maxThreadsPerBlock() const override { return maxThreadsPerBlock_; }
  uint32_t constantBytes() const override { return constantBytes_; }
  bool isCooperative() const override { return cooperative_; }

  Context &context() const { return context_; }
  CUfunction function() const { return function_; }
  const LaunchedKernel &launched() const { return launched_; }
  /// Returns a reference that keeps the module loaded.
  std::shared_ptr<void> shareModule() const;

  /// For kernels of images: the size of each parameter, in bytes. Empty for kernels from SIMT IR, which use one slot
  /// per parameter.
  const std::vector<uint32_t> &parameterBytes() const { return parameterBytes_; }
  /// Queries the parameter sizes from the driver. Throws CompileError (Unsupported) if the driver is too old.
  void queryParameterSizes();

  /// The function and grid to launch for a shape: the kernel, or its coarsened form with fewer blocks. The block's axes
  /// are in the kernel's order (see nvptx::KernelCode).
  struct Form {
    CUfunction function;
    uint32_t gridX;
    Dim3 block;
    bool coarsened;
  };
  Form formFor(const LaunchShape &shape) const {
    if (coarsening_ > 1 && shouldCoarsen(shape))
      return {coarsenedFunction_, (shape.grid.x - 1) / coarsening_ + 1, shape.block, true};
    return {function_, shape.grid.x, blockInKernelOrder(shape.block, order_), false};
  }

  /// Raises the driver's limit on dynamic shared memory (48 KiB by default) for this kernel, once. The context must be
  /// current.
  void allowDynamicShared(uint32_t bytes) const {
    if (bytes > allowedDynamicShared_.load(std::memory_order_relaxed)) [[unlikely]]
      raiseDynamicSharedLimit(bytes);
  }

private:
  bool shouldCoarsen(const LaunchShape &shape) const {
    return shape.grid.y == 1 && shape.grid.z == 1 && shape.block.y == 1 && shape.block.z == 1 &&
           uint64_t(shape.grid.x) * shape.block.x >= coarsenedFrom_ &&
           shape.block.x <= coarsenedMaxThreads_ && shape.dynamicSharedBytes == 0 &&
           !shape.cooperative;
  }
  void raiseDynamicSharedLimit(uint32_t bytes) const;
  int queryAttribute(CUfunction function, int which) const;

  CudaModule &module_;
  Context &context_;
  const std::string name_;
  const LaunchedKernel &launched_;
  CUfunction function_ = nullptr;
  uint32_t staticSharedBytes_ = 0;
  uint32_t localBytes_ = 0;
  uint32_t registers_ = 0;
  uint32_t maxThreadsPerBlock_ = 0;
  uint32_t constantBytes_ = 0;
  const bool cooperative_;
  const simt::ThreadOrder order_;
  mutable std::atomic<uint32_t> allowedDynamicShared_{0};

  std::vector<uint32_t> parameterBytes_;

  CUfunction coarsenedFunction_ = nullptr;
  uint32_t coarsening_ = 1;
  uint32_t coarsenedMaxThreads_ = 0;
  /// Minimum number of threads in the grid that keeps the device busy after coarsening.
  uint64_t coarsenedFrom_ = 0;
};

class CudaModule final : public Image, public std::enable_shared_from_this<CudaModule> {
public:
  /// Loads a module, compiled or from the disk cache. See Device::load.
  static std::shared_ptr<CudaModule> load(CudaDevice &device, simt::OwnedModule code,
                                          const CompileOptions &options);
  /// See heddle::loadImage.
  static std::shared_ptr<CudaModule> loadImage(CudaDevice &device, std::string image,
                                               const std::string &name);
  ~CudaModule() override;

  Kernel &kernel(std::string_view name) override;
  void *variableAddress(std::string_view symbol) override;
  std::string assembly() override { return code_.ptx.text; }
  bool fromCache() const override { return fromCache_; }
  std::string machineCode() override;
  std::vector<uint32_t> parameterBytes(const Kernel &kernel) const override;
  uint64_t variableBytes(std::string_view symbol) override;
  std::vector<std::string> remarks() const override { return code_.ptx.remarks; }

  CudaDevice &device() const { return device_; }
  CUmodule handle() const { return handle_; }
  const std::vector<simt::SiteInfo> &sites() const { return names_->sites; }

private:
  explicit CudaModule(CudaDevice &device) : device_(device) {}
  /// Reads the kernels and initializes the error channel of the loaded module.
  void initialize();
  /// Looks up a kernel in a module loaded from an image. Returns null if there is none.
  CudaKernel *findAndAddKernelOfImage(std::string_view name);
  struct Variable {
    CUdeviceptr address = 0;
    size_t bytes = 0;
  };
  Variable findVariable(std::string_view symbol);

  CudaDevice &device_;
  CompileOptions options_;
  CudaCode code_;
  std::mutex machineCodeMutex_; ///< guards code_.cubin once the module is loaded
  std::shared_ptr<TrapNames> names_ = std::make_shared<TrapNames>();
  std::optional<nvptx::ErrorChannel> channel_;
  CUmodule handle_ = nullptr;
  std::map<std::string, std::unique_ptr<CudaKernel>, std::less<>> kernels_;
  bool fromCache_ = false;
  std::string imageName_; ///< empty for a module from SIMT IR
};

} // namespace heddle::cuda
