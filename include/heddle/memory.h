/// \file
/// Device memory.
#pragma once

#include "heddle/device.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <vector>

HEDDLE_BEGIN_NAMESPACE

namespace detail {

/// Untyped device memory. Offsets are in bytes; copies outside the memory throw Error (Argument).
class HEDDLE_EXPORT Memory {
public:
  Memory(const Device &device, std::size_t count, std::size_t elementBytes);
  /// Wraps existing memory, such as a variable of a program, and keeps `owner` alive.
  Memory(const Device &device, void *address, std::size_t bytes, std::shared_ptr<void> owner);
  Memory(const Memory &) = default; // not movable: a moved-from object would have no owner
  Memory &operator=(const Memory &) = default;

  Device device() const { return device_; }
  void *address() const { return address_; }
  std::size_t bytes() const { return bytes_; }
  const std::shared_ptr<void> &owner() const { return owner_; }

  void upload(std::size_t offset, const void *from, std::size_t bytes, const Stream &stream) const;
  void download(std::size_t offset, void *to, std::size_t bytes, const Stream &stream) const;
  void fill(unsigned char value, const Stream &stream) const;

private:
  Device device_;
  void *address_ = nullptr;
  std::size_t bytes_ = 0;
  std::shared_ptr<void> owner_;
};

} // namespace detail

/// `size()` uninitialized elements in device memory. The memory is freed when the last handle is destroyed and all
/// launches that use it have finished.
///
/// Copies between host and device run in `stream`, by default the device's default stream.
template <typename T> class Buffer {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>,
                "a buffer's elements are copied as bytes: they must be trivially copyable");

public:
  /// Throws Error (Memory) with the requested and the free bytes; the device stays usable.
  Buffer(const Device &device, std::size_t size) : memory_(device, size, sizeof(T)), size_(size) {}
  /// Wraps existing memory.
  explicit Buffer(const detail::Memory &memory)
      : memory_(memory), size_(memory.bytes() / sizeof(T)) {}
  /// Allocates a buffer and copies `values` to it.
  Buffer(const Device &device, const std::vector<T> &values) : Buffer(device, values.size()) {
    copyFrom(values);
  }
  Buffer(const Device &device, std::initializer_list<T> values) : Buffer(device, values.size()) {
    copyFrom(values.begin(), values.size());
  }

  std::size_t size() const { return size_; }
  std::size_t bytes() const { return memory_.bytes(); }
  Device device() const { return memory_.device(); }
  /// The device address. On the CPU the program may access it directly while no kernel uses it.
  T *data() const { return static_cast<T *>(memory_.address()); }

  /// Copies `count` elements to the buffer, starting at element `first`. The source may be changed once this returns.
  /// Throws Error (Argument) if they do not fit.
  void copyFrom(const T *from, std::size_t count, std::size_t first = 0) const {
    copyFrom(from, count, first, Stream::defaultOf(device()));
  }
  void copyFrom(const T *from, std::size_t count, std::size_t first, const Stream &stream) const {
    memory_.upload(bytesOf(first), from, bytesOf(count), stream);
  }
  void copyFrom(const std::vector<T> &values) const { copyFrom(values.data(), values.size()); }

  /// Copies `count` elements to the host, starting at element `first` of the buffer. Waits for the stream's work.
  /// Throws the error of a kernel that stopped.
  void copyTo(T *to, std::size_t count, std::size_t first = 0) const {
    copyTo(to, count, first, Stream::defaultOf(device()));
  }
  void copyTo(T *to, std::size_t count, std::size_t first, const Stream &stream) const {
    memory_.download(bytesOf(first), to, bytesOf(count), stream);
  }
  /// Copies all elements to the host.
  std::vector<T> toVector() const {
    std::vector<T> values(size_);
    copyTo(values.data(), size_);
    return values;
  }

  /// Sets every byte to `value`.
  void fillBytes(unsigned char value) const { fillBytes(value, Stream::defaultOf(device())); }
  void fillBytes(unsigned char value, const Stream &stream) const { memory_.fill(value, stream); }

  const detail::Memory &memory() const { return memory_; }

private:
  /// Size of `count` elements; SIZE_MAX, which no memory has, on overflow.
  static std::size_t bytesOf(std::size_t count) {
    return count > SIZE_MAX / sizeof(T) ? SIZE_MAX : count * sizeof(T);
  }

  detail::Memory memory_;
  std::size_t size_;
};

HEDDLE_END_NAMESPACE
