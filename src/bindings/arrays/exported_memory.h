// Device memory that other code can read without calling Heddle.
//
//     kernel argument                    kernels use      complete on the host when
//     device, mapped, managed memory     in place         the host waits for the stream
//     the same, exported                 in place         a launch on the default stream returns
//     other host memory (NumPy)          as if copied     the launch returns
//
// Memory is exported while a buffer, a DLPack capsule or a NumPy array refers to it. Memory that the device did not
// allocate is exported while a device array refers to it, and during a launch. Views are recognized by their addresses.
#pragma once

#include <nanobind/nanobind.h>

namespace heddle {

/// Marks [low, high) as exported until a matching call of unmarkExported(). All functions here require the GIL.
void markExported(const void *low, const void *high);
void unmarkExported(const void *low, const void *high);
/// True if any byte of the range is exported.
bool isExported(const void *low, const void *high);
/// True if any memory is exported.
bool hasExportedMemory();

void bindExportedMemory(nanobind::module_ &m);

} // namespace heddle
