// Conversions between the handles of include/heddle and runtime objects.
//
// In src/api, `Device`, `Stream` and so on are the handles of heddle::v1; `heddle::Device` is the runtime class.
#pragma once

#include "heddle/heddle.h"
#include "runtime/device.h"

namespace heddle::v1::detail {

struct Access {
  static heddle::Device &native(const Device &device) {
    return *static_cast<heddle::Device *>(device.native_);
  }
  static Device handle(heddle::Device &device) { return Device(&device); }

  static heddle::Stream &native(const Stream &stream) {
    return *static_cast<heddle::Stream *>(stream.native_.get());
  }
  static Stream handle(std::shared_ptr<heddle::Stream> stream) { return Stream(std::move(stream)); }

  static std::shared_ptr<heddle::Event> native(const Event &event) {
    return std::static_pointer_cast<heddle::Event>(event.native_);
  }
  static Kernel handle(std::shared_ptr<void> kernel) { return Kernel(std::move(kernel)); }
};

} // namespace heddle::v1::detail
