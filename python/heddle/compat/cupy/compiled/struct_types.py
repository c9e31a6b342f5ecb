"""Structured dtypes in kernels: C++ structs whose fields are accessed by number, ``x.at<0>()``, as in CuPy.

Also ``cupy.make_aligned_dtype``: CUDA aligns complex128 to 16 bytes, NumPy only to 8.
"""

import hashlib

import numpy as np

_sources = {}  # a struct's C++ name -> its definition

_TRAIT = """\
template <class T, class = void> struct _is_struct { static constexpr bool value = false; };
template <class T> struct _is_struct<T, decltype(void(T::field_count))> { static constexpr bool value = true; };
"""
_TEMPLATE = """\
struct alignas({alignment}) {name} {{
  char _data[{size}];
  static constexpr size_t size = {size}, alignment = {alignment}, field_count = {count};
  __device__ {name}() = default;
  template <class T> explicit __device__ {name}(const T &value) {{ *this = value; }}
  template <size_t field> __device__ auto &at() {{
{accesses}  }}
  template <size_t field> __device__ const auto &at() const {{
    return const_cast<{name} *>(this)->at<field>();
  }}
  template <class T> __device__ {name} &operator=(const T &value) {{
    if constexpr (_is_struct<T>::value) {{
      static_assert(T::field_count == field_count, "the structs have different numbers of fields");
{copies}    }} else {{
{fills}    }}
    return *this;
  }}
  template <class T> __device__ bool operator==(const T &other) const {{
    static_assert(T::field_count == field_count, "the structs have different numbers of fields");
    return {comparison};
  }}
  template <class T> __device__ bool operator!=(const T &other) const {{ return !(*this == other); }}
}};
"""


def name_struct_type(dtype, cpp_type):
    """The C++ name of a structured dtype. cpp_type: a function that gives the C++ name of other dtypes.

    Raises ValueError if the fields are not aligned as CUDA requires.
    """
    alignment, fields = _get_requested_alignment(dtype, dtype.alignment), []
    for name, (field, offset, *_) in _list_fields(dtype):
        needed = find_alignment(field)
        if offset % needed:
            raise ValueError(
                f"Field {name} of {dtype} is at byte {offset}, which is not a multiple of {needed}\n"
                "  hint: cupy.make_aligned_dtype(dtype) aligns the fields"
            )
        alignment = max(alignment, needed)
        fields.append((cpp_type(field), offset))
    if dtype.itemsize % alignment:
        raise ValueError(
            f"{dtype} has {dtype.itemsize} bytes, which is not a multiple of its alignment, {alignment}\n"
            "  hint: cupy.make_aligned_dtype(dtype) adds the padding"
        )
    key = repr((alignment, dtype.itemsize, fields))
    made = "_struct_" + hashlib.blake2s(key.encode(), digest_size=8).hexdigest()
    if made not in _sources:
        _sources[made] = _format_definition(made, alignment, dtype.itemsize, fields)
    return made


def _format_definition(name, alignment, size, fields):
    numbers = range(len(fields))
    accesses = "".join(
        f"    {'else ' if k else ''}if constexpr (field == {k}) return *({kind} *)(_data + {offset});\n"
        for k, (kind, offset) in enumerate(fields)
    )
    same = [f"at<{k}>() == other.template at<{k}>()" for k in numbers]
    return _TEMPLATE.format(
        name=name,
        alignment=alignment,
        size=size,
        count=len(fields),
        accesses=accesses,
        copies="".join(f"      at<{k}>() = value.template at<{k}>();\n" for k in numbers),
        fills="".join(f"      at<{k}>() = value;\n" for k in numbers),
        comparison=" && ".join(same),
    )


def collect_definitions(text):
    """The definitions of the structs that a program names, structs of nested fields first."""
    needed = {}
    _add_definitions(text, needed)
    return _TRAIT + "".join(needed.values()) if needed else ""


def _add_definitions(text, needed):
    for name, source in _sources.items():
        if name in text and name not in needed:
            _add_definitions(source.replace(name, ""), needed)
            needed[name] = source


def _list_fields(dtype):
    """A structured dtype's fields in order of their offsets. (A title is a second name for a field.)"""
    return [(name, dtype.fields[name]) for name in dtype.names]


def _get_requested_alignment(dtype, otherwise):
    return (dtype.metadata or {}).get("__cuda_alignment__", otherwise)


def find_alignment(dtype):
    """The alignment in bytes of values of the dtype in kernels. Raises ValueError for array fields."""
    if dtype.names:
        fields = max((find_alignment(field) for _, (field, *_) in _list_fields(dtype)), default=1)
        return max(_get_requested_alignment(dtype, dtype.alignment), fields)
    if dtype.subdtype is not None:
        raise ValueError(f"kernels do not support array fields, as in {dtype}")
    return _get_requested_alignment(dtype, 1 if dtype.kind in "VSU" else dtype.itemsize)


def make_aligned_dtype(dtype, *, alignment=-1, recurse=True):
    """A structured dtype with the same fields, aligned as kernels require.

    alignment: of the whole struct, a power of two; -1 means the largest alignment of a field. recurse: also align
    nested dtypes. Raises ValueError for a dtype without fields, for fields that are not in order of their offsets, and
    for an alignment smaller than a field's. The same as cupy.make_aligned_dtype (CuPy 14).
    """
    if alignment != -1 and (alignment <= 0 or alignment & (alignment - 1)):
        raise ValueError(f"alignment must be a power of two, not {alignment}")
    dtype = np.dtype(dtype, align=True)
    if not dtype.names:
        raise ValueError("make_aligned_dtype() only supports structured dtypes.")
    formats, offsets, end, lowest, most = [], [], 0, 0, 1
    for name, (field, offset, *_) in _list_fields(dtype):
        if offset < lowest:
            raise ValueError(
                f"make_aligned_dtype() requires fields in order of their offsets; {name} comes too late"
            )
        lowest = offset + field.itemsize
        if field.names and recurse and _get_requested_alignment(field, None) is None:
            field = make_aligned_dtype(field)
        needed = (
            find_alignment(field)
            if recurse or not field.names
            else _get_requested_alignment(field, field.alignment)
        )
        end = -(-end // needed) * needed
        most = max(most, needed)
        formats.append(field)
        offsets.append(end)
        end += field.itemsize
    if alignment != -1 and alignment < most:
        raise ValueError(
            f"make_aligned_dtype(): alignment={alignment} is less than {most}, which a field requires"
        )
    whole = max(most, alignment)
    made = {
        "names": list(dtype.names),
        "formats": formats,
        "offsets": offsets,
        "itemsize": -(-end // whole) * whole,
    }
    metadata = {} if alignment == -1 else {"metadata": {"__cuda_alignment__": alignment}}
    return np.dtype(made, align=True, **metadata)
