// Device memory that code outside of heddle can read without calling heddle.
//
//     kernel argument                    kernels use      complete on the host when
//     device, mapped, managed memory     in place         the host waits for the stream
//     the same, exported                 in place         a launch on the default stream returns
//     other host memory (NumPy)          as if copied     the launch returns
//
// Memory is exported while a buffer, a DLPack capsule or a NumPy array of it lives, and while a device array is over memory
// that the device has not allocated. Views are known by their addresses.
#pragma once

#include <nanobind/nanobind.h>

namespace heddle {

/// Exports the bytes from `low` to before `high` until stopExporting() is called as often. With the GIL, as the others.
void startExporting(const void *low, const void *high);
void stopExporting(const void *low, const void *high);
/// Whether one of the bytes is exported.
bool isExported(const void *low, const void *high);

void bindExportedMemory(nanobind::module_ &m);

} // namespace heddle
