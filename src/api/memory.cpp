#include "api/access.h"
#include "api/errors.h"
#include "support/diagnostic.h"

#include <limits>

namespace heddle::v1::detail {

namespace {

/// Rejects copies that exceed the memory or use another device's stream.
heddle::Stream &checkRangeAndGetStream(const Memory &memory, size_t offset, size_t bytes,
                                       const Stream &stream) {
  if (offset > memory.bytes() || bytes > memory.bytes() - offset)
    throw CompileError(ErrorKind::Value, "a copy of " + std::to_string(bytes) +
                                             " bytes at byte offset " + std::to_string(offset) +
                                             " does not fit: the buffer has " +
                                             std::to_string(memory.bytes()) + " bytes");
  if (stream.device() != memory.device())
    throw CompileError(ErrorKind::Value, "the buffer is on " + memory.device().name() +
                                             ", the stream is on " + stream.device().name());
  return Access::native(stream);
}

} // namespace

Memory::Memory(const Device &device, size_t count, size_t elementBytes) : device_(device) {
  translateErrors([&] {
    if (count > std::numeric_limits<size_t>::max() / elementBytes)
      throw CompileError(ErrorKind::Memory, "cannot allocate " + std::to_string(count) +
                                                " elements of " + std::to_string(elementBytes) +
                                                " bytes");
    bytes_ = count * elementBytes;
    std::shared_ptr<heddle::Buffer> buffer = Access::native(device).allocate(bytes_);
    address_ = buffer->address();
    owner_ = std::move(buffer);
  });
}

Memory::Memory(const Device &device, void *address, size_t bytes, std::shared_ptr<void> owner)
    : device_(device), address_(address), bytes_(bytes), owner_(std::move(owner)) {}

void Memory::upload(size_t offset, const void *from, size_t bytes, const Stream &stream) const {
  translateErrors([&] {
    heddle::Stream &native = checkRangeAndGetStream(*this, offset, bytes, stream);
    native.upload(static_cast<char *>(address_) + offset, from, bytes);
  });
}

void Memory::download(size_t offset, void *to, size_t bytes, const Stream &stream) const {
  translateErrors([&] {
    heddle::Stream &native = checkRangeAndGetStream(*this, offset, bytes, stream);
    native.download(to, static_cast<char *>(address_) + offset, bytes);
  });
}

void Memory::fill(unsigned char value, const Stream &stream) const {
  translateErrors([&] {
    heddle::Stream &native = checkRangeAndGetStream(*this, 0, bytes_, stream);
    // GPU memory is freed in stream order.
    native.fill(address_, value, bytes_, native.device().usesHostMemory() ? owner_ : nullptr);
  });
}

} // namespace heddle::v1::detail
