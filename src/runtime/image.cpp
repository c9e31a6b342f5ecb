#include "runtime/image.h"

#include "runtime/cuda/code/module.h"
#include "runtime/cuda/device.h"
#include "support/diagnostic.h"

namespace heddle {

std::shared_ptr<Image> loadImage(Device &device, std::string image, const std::string &name) {
  if (auto *gpu = dynamic_cast<cuda::CudaDevice *>(&device))
    return cuda::CudaModule::loadImage(*gpu, std::move(image), name);
  throw CompileError(ErrorKind::Unsupported,
                     name + " is code for GPUs, and the current device is " + device.name() +
                         "\n  hint: CUDA C++ source, as code=, runs on every device");
}

} // namespace heddle
