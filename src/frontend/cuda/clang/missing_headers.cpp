#include "frontend/cuda/clang/missing_headers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace heddle::cudacpp {

using llvm::StringRef;

namespace {

/// The header that declares `name`, or all names with that prefix.
struct Row {
  StringRef name, header;
  bool isBegin = false;
};

constexpr Row table[] = {
    {"half", "cuda_fp16.h"},
    {"half2", "cuda_fp16.h"},
    {"__half", "cuda_fp16.h", true},
    {"__float2half", "cuda_fp16.h", true},
    {"__hadd", "cuda_fp16.h", true},
    {"__hmul", "cuda_fp16.h", true},
    {"__hfma", "cuda_fp16.h", true},
    {"hexp", "cuda_fp16.h"},
    {"hsqrt", "cuda_fp16.h"},
    {"nv_bfloat16", "cuda_bf16.h"},
    {"__nv_bfloat16", "cuda_bf16.h", true},
    {"__float2bfloat16", "cuda_bf16.h", true},
    {"__bfloat162float", "cuda_bf16.h"},
    {"__nv_fp4", "cuda_fp4.h", true},
    {"__nv_fp6", "cuda_fp6.h", true},
    {"__nv_fp8", "cuda_fp8.h", true},
    {"__nv_cvt_", "cuda_fp8.h", true},
    {"annotated_ptr", "cuda/annotated_ptr"},
    {"access_property", "cuda/annotated_ptr"},
    {"nvcuda", "mma.h"},
    {"wmma", "mma.h"},
    {"cooperative_groups", "cooperative_groups.h"},
    {"cg", "cooperative_groups.h"},
    {"cuComplex", "cuComplex.h"},
    {"cuFloatComplex", "cuComplex.h"},
    {"cuDoubleComplex", "cuComplex.h"},
    {"make_cu", "cuComplex.h", true},
    {"cuC", "cuComplex.h", true},
    {"complex", "cupy/complex.cuh"},
    {"cub", "cub/cub.cuh"},
    {"curand", "curand_kernel.h", true},
    {"M_", "math.h", true},
    {"CUDART_", "math_constants.h", true},
    {"FLT_", "float.h", true},
    {"DBL_", "float.h", true},
    {"CHAR_", "limits.h", true},
    {"SCHAR_", "limits.h", true},
    {"UCHAR_", "limits.h", true},
    {"SHRT_", "limits.h", true},
    {"USHRT_", "limits.h", true},
    {"INT_", "limits.h", true},
    {"UINT_", "limits.h", true},
    {"LONG_", "limits.h", true},
    {"ULONG_", "limits.h", true},
    {"LLONG_", "limits.h", true},
    {"ULLONG_", "limits.h", true},
    {"SIZE_MAX", "stdint.h"},
    {"INT8_", "stdint.h", true},
    {"INT16_", "stdint.h", true},
    {"INT32_", "stdint.h", true},
    {"INT64_", "stdint.h", true},
    {"UINT8_", "stdint.h", true},
    {"UINT16_", "stdint.h", true},
    {"UINT32_", "stdint.h", true},
    {"UINT64_", "stdint.h", true},
    {"u_int", "sys/types.h", true},
    {"ulong", "sys/types.h"},
    {"ssize_t", "sys/types.h"},
};

constexpr Row ofStd[] = {
    {"is_", "type_traits", true},
    {"enable_if", "type_traits", true},
    {"conditional", "type_traits", true},
    {"remove_", "type_traits", true},
    {"decay", "type_traits", true},
    {"add_", "type_traits", true},
    {"make_signed", "type_traits", true},
    {"make_unsigned", "type_traits", true},
    {"underlying_type", "type_traits", true},
    {"common_type", "type_traits", true},
    {"invoke_result", "type_traits", true},
    {"void_t", "type_traits"},
    {"bool_constant", "type_traits"},
    {"integral_constant", "type_traits"},
    {"true_type", "type_traits"},
    {"false_type", "type_traits"},
    {"numeric_limits", "limits"},
    {"swap", "utility"},
    {"pair", "utility"},
    {"make_pair", "utility"},
    {"exchange", "utility"},
    {"declval", "utility"},
    {"index_sequence", "utility"},
    {"make_index_sequence", "utility"},
    {"tuple", "tuple"},
    {"make_tuple", "tuple"},
    {"get", "tuple"},
    {"array", "array"},
    {"plus", "functional"},
    {"multiplies", "functional"},
    {"less", "functional", true},
    {"greater", "functional", true},
    {"clamp", "algorithm"},
    {"fill", "algorithm", true},
    {"copy", "algorithm", true},
    {"lower_bound", "algorithm"},
    {"upper_bound", "algorithm"},
};

template <size_t n> StringRef findHeaderOfName(const Row (&rows)[n], StringRef name) {
  const Row *row = llvm::find_if(
      rows, [&](const Row &r) { return r.isBegin ? name.starts_with(r.name) : name == r.name; });
  return row == std::end(rows) ? StringRef() : row->header;
}

/// Warp operations had no mask before CUDA 9; the variants without a mask were removed in CUDA 13.
std::string suggestMaskedOperation(StringRef name) {
  for (StringRef old :
       {"__shfl", "__shfl_up", "__shfl_down", "__shfl_xor", "__ballot", "__any", "__all"})
    if (name == old)
      return "warp operations take a mask of the participating lanes: " + name.str() +
             "_sync(0xffffffff, ...)";
  return {};
}

} // namespace

std::string hintForUnknownName(StringRef message) {
  bool isUnknown = message.contains("undeclared identifier") ||
                   message.contains("unknown type name") || message.contains("no member named") ||
                   message.contains("no template named");
  StringRef name = message.split('\'').second.split('\'').first;
  if (!isUnknown || name.empty())
    return {};
  if (std::string hint = suggestMaskedOperation(name); !hint.empty())
    return hint;
  if (name.consume_front("cuda") && !name.empty() && llvm::isUpper(name.front()))
    return "the source has kernels only: Python allocates arrays, passes them to a launch and "
           "waits for it";
  bool isOfStd = message.contains("namespace 'std'");
  StringRef header = isOfStd ? findHeaderOfName(ofStd, name) : findHeaderOfName(table, name);
  if (header.empty())
    return {};
  std::string hint = "'" + name.str() + "' is declared by #include <" + header.str() + ">";
  return name == "cg" ? "#include <" + header.str() + ">, and namespace cg = cooperative_groups;"
                      : hint;
}

} // namespace heddle::cudacpp
