// Small SIMT kernels for the runtime's tests, and how to load and launch them.
#pragma once

#include "runtime/device.h"

#include <memory>
#include <string>
#include <vector>

namespace heddle::test {

/// The device that every test of the runtime uses.
Device &cpu();

/// A loaded SIMT module written as LLVM assembly. The text needs no declarations of simt functions that are in
/// `commonDeclarations`.
std::shared_ptr<Module> loadText(const std::string &text, CompileOptions options = {},
                                 Device &device = cpu());

/// The one kernel @k of a module with this body, parameters and metadata:
///     define void @k(<parameters>) "simt.kernel" { <body> }
std::shared_ptr<Module> loadKernel(const std::string &parameters, const std::string &body,
                                   const std::string &metadata = "", CompileOptions options = {});

/// An argument slot.
inline uint64_t slot(const void *p) { return reinterpret_cast<uint64_t>(p); }

/// a[i] = i for a grid of one dimension, i below n. Parameters: ptr addrspace(1) a, i32 n.
std::shared_ptr<Module> loadIota();
/// Sleeps `count` times about 1 ms, then *flag = 1. Parameters: ptr addrspace(1) flag, i32 count.
std::shared_ptr<Module> loadSlow();

} // namespace heddle::test
