#include "bindings/arguments/allocations.h"

#include "bindings/arrays/device_array.h"
#include "bindings/values/numpy_classes.h"
#include "runtime/device.h"

#include <algorithm>

namespace nb = nanobind;

namespace heddle {

namespace {

/// Limit on the chain of owners from a view to its allocation.
constexpr unsigned maxOwners = 16;

/// The allocation of a NumPy array's base. The base may refer to other memory and show only a part of it.
std::optional<MemoryRange> findNumPyAllocation(nb::handle array, MemoryRange elements) {
  nb::object owner = nb::borrow(array), base = owner.attr("base");
  if (!isNumPyArray(base))
    return elements;
  for (unsigned n = 0; isNumPyArray(base); ++n) {
    if (n == maxOwners)
      return std::nullopt;
    owner = base;
    base = owner.attr("base");
  }
  auto *low = reinterpret_cast<const char *>(
      nb::cast<uintptr_t>(nb::object(owner.attr("ctypes").attr("data"))));
  const char *high = low + nb::cast<size_t>(nb::object(owner.attr("nbytes")));
  return MemoryRange{std::min(low, elements.low), std::max(high, elements.high)};
}

/// The value of an int attribute; nullopt if there is none.
std::optional<uintptr_t> readIntAttribute(nb::handle object, const char *name) {
  nb::object found = nb::getattr(object, name, nb::none());
  uintptr_t value;
  if (!PyLong_Check(found.ptr()) || !nb::try_cast(found, value))
    return std::nullopt;
  return value;
}

/// A heddle buffer or CuPy memory, which may come from a pool.
struct Allocation {
  MemoryRange memory;
  MemoryRange requested; ///< without the bytes that a pool added to round the size up
};

/// The allocation of a memory object; nullopt for other objects.
std::optional<Allocation> findMemoryAllocation(nb::handle memory) {
  if (nb::isinstance<Buffer>(memory)) {
    const Buffer &buffer = *nb::inst_ptr<Buffer>(memory);
    auto *low = static_cast<const char *>(buffer.address());
    MemoryRange range{low, low + buffer.bytes()};
    return Allocation{range, range};
  }
  std::optional<uintptr_t> address = readIntAttribute(memory, "ptr"),
                           bytes = readIntAttribute(memory, "size");
  if (!address || !bytes)
    return std::nullopt;
  auto *low = reinterpret_cast<const char *>(*address);
  uintptr_t requested = readIntAttribute(memory, "_requested_size").value_or(*bytes);
  return Allocation{{low, low + *bytes}, {low, low + std::min(requested, *bytes)}};
}

/// The allocation that a device array refers to; nullopt if the array was made from a NumPy array.
std::optional<MemoryRange> findDeviceArrayAllocation(const DeviceArray &array,
                                                     MemoryRange elements) {
  if (!array.address)
    return elements;
  nb::object owner = array.owner;
  for (unsigned n = 0; n < maxOwners && owner.is_valid() && !owner.is_none(); ++n) {
    std::optional<Allocation> found = findMemoryAllocation(owner);
    if (found && found->memory.low <= elements.low && elements.high <= found->memory.high)
      return MemoryRange{found->requested.low, std::max(found->requested.high, elements.high)};
    if (isNumPyArray(owner))
      return std::nullopt;
    owner = nb::getattr(owner, "owner", nb::none());
  }
  return std::nullopt;
}

} // namespace

std::optional<MemoryRange> allocationOfPointer(nb::handle pointer) {
  nb::object owner = nb::getattr(pointer, "mem", pointer);
  for (unsigned n = 0; n < maxOwners && !owner.is_none(); ++n) {
    if (std::optional<Allocation> found = findMemoryAllocation(owner))
      return found->requested;
    owner = nb::getattr(owner, "owner", nb::none());
  }
  return std::nullopt;
}

std::optional<MemoryRange> allocationOfArray(nb::handle array, MemoryRange elements) {
  if (isNumPyArray(array))
    return findNumPyAllocation(array, elements);
  if (isDeviceArray(array))
    return findDeviceArrayAllocation(*nb::inst_ptr<DeviceArray>(array), elements);
  return std::nullopt;
}

} // namespace heddle
