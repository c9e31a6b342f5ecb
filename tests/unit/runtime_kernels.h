// Small SIMT kernels for tests of the runtime, and functions that load and launch them.
#pragma once

#include "runtime/device.h"

#include <memory>
#include <string>
#include <vector>

namespace heddle::test {

/// The device used by all tests of the runtime.
Device &cpu();

/// Loads a SIMT module from LLVM assembly. simt functions in `commonDeclarations` need no declaration in the text.
std::shared_ptr<Module> loadText(const std::string &text, CompileOptions options = {},
                                 Device &device = cpu());

/// Loads a module with a single kernel @k with this body, parameters and metadata:
///     define void @k(<parameters>) "simt.kernel" { <body> }
std::shared_ptr<Module> loadKernel(const std::string &parameters, const std::string &body,
                                   const std::string &metadata = "", CompileOptions options = {});

/// An argument slot.
inline uint64_t slot(const void *p) { return reinterpret_cast<uint64_t>(p); }

/// a[i] = i for i < n in a one-dimensional grid. Parameters: ptr addrspace(1) a, i32 n.
std::shared_ptr<Module> loadIota();
/// Sleeps `count` times for about 1 ms, then sets *flag = 1. Parameters: ptr addrspace(1) flag, i32 count.
std::shared_ptr<Module> loadSlow();

} // namespace heddle::test
