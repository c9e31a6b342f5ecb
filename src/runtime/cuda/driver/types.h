// Types and constants of the CUDA driver API that this runtime uses (cuda.h of CUDA 13.0). Building does not require
// the toolkit's header.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::cuda {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;
using CUstream = struct CUstream_st *;
using CUevent = struct CUevent_st *;
using CUlinkState = struct CUlinkState_st *;
using CUmemoryPool = struct CUmemPoolHandle_st *;
using CUgraph = struct CUgraph_st *;
using CUgraphExec = struct CUgraphExec_st *;
using CUgraphNode = struct CUgraphNode_st *;
using CUuserObject = struct CUuserObject_st *;
using CUhostFn = void (*)(void *);

struct CUuuid {
  unsigned char bytes[16];
};

struct CUipcMemHandle {
  std::byte reserved[64];
};

struct CUmemLocation {
  int type;
  int id;
};

struct CUmemAccessDesc {
  CUmemLocation location;
  int flags;
};

/// CUDA_KERNEL_NODE_PARAMS of CUDA 11.
struct CUkernelNodeParams {
  CUfunction function;
  unsigned gridX, gridY, gridZ;
  unsigned blockX, blockY, blockZ;
  unsigned sharedBytes;
  void **parameters;
  void **extra;
};

/// CUresult.
namespace result {
inline constexpr CUresult success = 0;
inline constexpr CUresult invalidValue = 1;
inline constexpr CUresult outOfMemory = 2;
inline constexpr CUresult noDevice = 100;
inline constexpr CUresult invalidContext = 201;
inline constexpr CUresult noBinaryForGpu = 209;
inline constexpr CUresult eccUncorrectable = 214;
inline constexpr CUresult invalidPtx = 218;
inline constexpr CUresult nvlinkUncorrectable = 220;
inline constexpr CUresult jitCompilerNotFound = 221;
inline constexpr CUresult unsupportedPtxVersion = 222;
inline constexpr CUresult jitCompilationDisabled = 223;
inline constexpr CUresult contained = 226;
inline constexpr CUresult invalidHandle = 400;
inline constexpr CUresult notFound = 500;
inline constexpr CUresult notReady = 600;
inline constexpr CUresult illegalAddress = 700;
inline constexpr CUresult launchOutOfResources = 701;
inline constexpr CUresult launchTimeout = 702;
inline constexpr CUresult peerAccessAlreadyEnabled = 704;
inline constexpr CUresult contextIsDestroyed = 709;
inline constexpr CUresult assertion = 710;
inline constexpr CUresult hardwareStackError = 714;
inline constexpr CUresult illegalInstruction = 715;
inline constexpr CUresult misalignedAddress = 716;
inline constexpr CUresult invalidAddressSpace = 717;
inline constexpr CUresult invalidPc = 718;
inline constexpr CUresult launchFailed = 719;
inline constexpr CUresult tensorMemoryLeak = 721;
inline constexpr CUresult notPermitted = 800;
inline constexpr CUresult notSupported = 801;
inline constexpr CUresult mpsClientTerminated = 810;
inline constexpr CUresult streamCaptureUnsupported = 900;
inline constexpr CUresult streamCaptureInvalidated = 901;
inline constexpr CUresult streamCaptureUnjoined = 904;
inline constexpr CUresult streamCaptureIsolation = 905;
inline constexpr CUresult streamCaptureImplicit = 906;
inline constexpr CUresult capturedEvent = 907;
inline constexpr CUresult externalDevice = 911;
inline constexpr CUresult unknown = 999;
} // namespace result

/// CUlimit.
namespace limit {
inline constexpr int stackBytes = 0;
} // namespace limit

/// CUdevice_attribute, only those that the runtime queries; device_attributes.def lists all.
namespace attribute {
inline constexpr int maxThreadsPerBlock = 1;
inline constexpr int maxBlockDimX = 2;
inline constexpr int maxGridDimX = 5;
inline constexpr int multiprocessorCount = 16;
inline constexpr int maxThreadsPerMultiprocessor = 39;
inline constexpr int capabilityMajor = 75;
inline constexpr int capabilityMinor = 76;
inline constexpr int managedMemory = 83;
inline constexpr int cooperativeLaunch = 95;
inline constexpr int maxSharedMemoryPerBlockOptin = 97;
inline constexpr int memoryPoolsSupported = 115;
} // namespace attribute

/// CUfunction_attribute.
namespace function_attribute {
inline constexpr int maxThreadsPerBlock = 0;
inline constexpr int sharedBytes = 1;
inline constexpr int constantBytes = 2;
inline constexpr int localBytes = 3;
inline constexpr int registers = 4;
inline constexpr int maxDynamicSharedBytes = 8;
} // namespace function_attribute

/// CUjit_option and CUjitInputType.
namespace jit {
inline constexpr int maxRegisters = 0;
inline constexpr int errorLogBuffer = 5;
inline constexpr int errorLogBytes = 6;
inline constexpr int optimizationLevel = 7;
inline constexpr int generateDebugInfo = 11;
inline constexpr int generateLineInfo = 13;
inline constexpr int inputPtx = 1;
} // namespace jit

/// CUmemPool_attribute and CUmemAccess_flags.
namespace pool {
inline constexpr int releaseThreshold = 4;
inline constexpr int reservedBytes = 5;
inline constexpr int usedBytes = 7;
inline constexpr int locationDevice = 1;
inline constexpr int readWrite = 3;
} // namespace pool

inline constexpr int captureRelaxed = 2;            // CU_STREAM_CAPTURE_MODE_RELAXED
inline constexpr unsigned userObjectNoSync = 1;     // CU_USER_OBJECT_NO_DESTRUCTOR_SYNC
inline constexpr unsigned graphUserObjectMove = 1;  // CU_GRAPH_USER_OBJECT_MOVE
inline constexpr unsigned eventDisableTiming = 2;   // CU_EVENT_DISABLE_TIMING
inline constexpr unsigned streamNonBlocking = 1;    // CU_STREAM_NON_BLOCKING
inline constexpr unsigned hostAllocPortable = 1;    // CU_MEMHOSTALLOC_PORTABLE
inline constexpr unsigned hostAllocMapped = 2;      // CU_MEMHOSTALLOC_DEVICEMAP
inline constexpr unsigned hostRegisterPortable = 1; // CU_MEMHOSTREGISTER_PORTABLE
inline constexpr unsigned hostRegisterMapped = 2;   // CU_MEMHOSTREGISTER_DEVICEMAP
inline constexpr unsigned memAttachGlobal = 1;      // CU_MEM_ATTACH_GLOBAL
inline constexpr unsigned ipcLazyPeerAccess = 1;    // CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS
inline constexpr int pointerMemoryType = 2;         // CU_POINTER_ATTRIBUTE_MEMORY_TYPE

/// CU_STREAM_LEGACY and CU_STREAM_PER_THREAD.
inline constexpr uint64_t legacyStreamHandle = 1;
inline constexpr uint64_t perThreadStreamHandle = 2;
inline CUstream streamOfHandle(uint64_t handle) { return reinterpret_cast<CUstream>(handle); }
inline CUstream legacyStream() { return streamOfHandle(legacyStreamHandle); }

} // namespace heddle::cuda
