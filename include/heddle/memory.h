/// \file
/// Memory of devices.
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

/// A piece of memory without a type. Offsets are bytes; a copy outside of it throws Error (Argument).
class HEDDLE_EXPORT Memory {
public:
  Memory(const Device &device, std::size_t count, std::size_t elementBytes);
  /// Memory that is another's: a variable of a program. `owner` lives as long as this.
  Memory(const Device &device, void *address, std::size_t bytes, std::shared_ptr<void> owner);
  Memory(const Memory &) = default; // and no move: what was moved from would have no owner
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

/// `size()` elements in a device's memory, not initialised. Freed with the last copy of the handle, once the launches
/// that got it have run.
///
/// Copies from and to the host are in the order of `stream`, the device's default stream when it is left out.
template <typename T> class Buffer {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>,
                "a buffer's elements are copied as bytes: they must be trivially copyable");

public:
  /// Throws Error (Memory) naming the bytes asked for and free; the device stays usable.
  Buffer(const Device &device, std::size_t size) : memory_(device, size, sizeof(T)), size_(size) {}
  /// Over memory that there is already.
  explicit Buffer(const detail::Memory &memory)
      : memory_(memory), size_(memory.bytes() / sizeof(T)) {}
  /// With those values.
  Buffer(const Device &device, const std::vector<T> &values) : Buffer(device, values.size()) {
    copyFrom(values);
  }
  Buffer(const Device &device, std::initializer_list<T> values) : Buffer(device, values.size()) {
    copyFrom(values.begin(), values.size());
  }

  std::size_t size() const { return size_; }
  std::size_t bytes() const { return memory_.bytes(); }
  Device device() const { return memory_.device(); }
  /// The address on the device. On the CPU the program may read and write there, when no kernel does.
  T *data() const { return static_cast<T *>(memory_.address()); }

  /// Copies `count` elements to the buffer, from its element `first` on. The source may be changed when this returns.
  /// Throws Error (Argument) when they do not fit.
  void copyFrom(const T *from, std::size_t count, std::size_t first = 0) const {
    copyFrom(from, count, first, Stream::defaultOf(device()));
  }
  void copyFrom(const T *from, std::size_t count, std::size_t first, const Stream &stream) const {
    memory_.upload(bytesOf(first), from, bytesOf(count), stream);
  }
  void copyFrom(const std::vector<T> &values) const { copyFrom(values.data(), values.size()); }

  /// Copies `count` elements to the host, from the buffer's element `first` on: waits for the stream's work. Throws the
  /// error of a kernel that stopped.
  void copyTo(T *to, std::size_t count, std::size_t first = 0) const {
    copyTo(to, count, first, Stream::defaultOf(device()));
  }
  void copyTo(T *to, std::size_t count, std::size_t first, const Stream &stream) const {
    memory_.download(bytesOf(first), to, bytesOf(count), stream);
  }
  /// All elements.
  std::vector<T> toVector() const {
    std::vector<T> values(size_);
    copyTo(values.data(), size_);
    return values;
  }

  /// Sets every byte.
  void fillBytes(unsigned char value) const { fillBytes(value, Stream::defaultOf(device())); }
  void fillBytes(unsigned char value, const Stream &stream) const { memory_.fill(value, stream); }

  const detail::Memory &memory() const { return memory_; }

private:
  /// Of that many elements; what no memory has when the number is too large for one.
  static std::size_t bytesOf(std::size_t count) {
    return count > SIZE_MAX / sizeof(T) ? SIZE_MAX : count * sizeof(T);
  }

  detail::Memory memory_;
  std::size_t size_;
};

HEDDLE_END_NAMESPACE
