"""cupy.cuda.texture: arrays that kernels sample between elements.

A texture or surface object is the address of a memory description, which CUDA C++ functions interpret in software
(src/frontend/cuda/headers/heddle/textures.h).
"""

import struct

import numpy as np

from heddle.compat.cupy import device_names, host_names, runtime
from heddle.compat.cupy.kernel_parameters import Handle
from heddle.cuda.native_devices import current_native

__all__ = [
    "CUDAarray",
    "ChannelFormatDescriptor",
    "ResourceDescriptor",
    "SurfaceObject",
    "TextureDescriptor",
    "TextureObject",
]


class ChannelFormatDescriptor:
    """The format of an element of one, two or four numbers: ``x``, ``y``, ``z`` and ``w`` bits each, of kind ``f``
    (``runtime.cudaChannelFormatKindFloat`` ...).
    """

    def __init__(self, x, y, z, w, f):
        bits = [b for b in (x, y, z, w) if b]
        if len(set(bits)) != 1 or bits[0] not in (8, 16, 32) or len(bits) == 3:
            raise ValueError(
                f"an element must have 1, 2 or 4 numbers of 8, 16 or 32 bits, not {(x, y, z, w)}"
            )
        if f not in (0, 1, 2) or (f == runtime.cudaChannelFormatKindFloat and bits[0] == 8):
            raise ValueError(f"there are no {bits[0]}-bit numbers of kind {f}")
        self.channels, self.bytes, self.kind = len(bits), bits[0] // 8, f
        self._format = {"x": x, "y": y, "z": z, "w": w, "f": f}

    @property
    def itemsize(self):
        return self.channels * self.bytes

    def get_channel_format(self):
        return dict(self._format)


class CUDAarray:
    """Memory for a texture or a surface: ``width`` x ``height`` x ``depth`` elements in the format ``desc``; a 0 leaves
    out that dimension. With the flag ``runtime.cudaArrayLayered``, ``depth`` is the number of layers.
    """

    def __init__(self, desc, width, height=0, depth=0, flags=0):
        if width < 1 or height < 0 or depth < 0:
            raise ValueError(f"an array needs at least one element, not {(width, height, depth)}")
        self.desc, self.flags = desc, flags
        self.width, self.height, self.depth = width, height, depth
        self.ndim = 3 if depth else 2 if height else 1
        count = width * max(height, 1) * max(depth, 1)
        self._memory = _select_array_module().zeros(count * desc.itemsize, np.uint8)

    @property
    def ptr(self):
        return self._memory.data.ptr

    def copy_from(self, in_arr, stream=None):
        """Copy the elements of a NumPy or CuPy array of this size; each element's numbers are adjacent."""
        self._check_size_and_synchronize(in_arr, stream)
        self._memory[...] = (
            _select_array_module()
            .ascontiguousarray(_select_array_module().asarray(in_arr))
            .ravel()
            .view(np.uint8)
        )

    def copy_to(self, out_arr, stream=None):
        """Copy the elements to a NumPy or CuPy array of this size."""
        self._check_size_and_synchronize(out_arr, stream)
        memory = (
            _select_array_module().asnumpy(self._memory)
            if isinstance(out_arr, np.ndarray)
            else self._memory
        )
        out_arr[...] = memory.view(out_arr.dtype).reshape(out_arr.shape)

    def _check_size_and_synchronize(self, array, stream):
        if array.nbytes != self._memory.nbytes:
            raise ValueError(
                f"the array has {array.nbytes} bytes, the CUDAarray {self._memory.nbytes}"
            )
        if stream is not None:
            stream.synchronize()


class ResourceDescriptor:
    """The memory of a texture: a ``CUDAarray`` (``runtime.cudaResourceTypeArray``), or a CuPy array with elements
    in the format ``chDesc``, used as a whole (``cudaResourceTypeLinear``) or as rows of ``width`` elements
    (``cudaResourceTypePitch2D``).
    """

    def __init__(
        self,
        restype,
        cuArr=None,
        arr=None,
        chDesc=None,
        sizeInBytes=0,
        width=0,
        height=0,
        pitchInBytes=0,
    ):
        if restype == runtime.cudaResourceTypeArray:
            self.cuArr, desc, self._owner = cuArr, cuArr.desc, cuArr
            extents = (cuArr.width, max(cuArr.height, 1), max(cuArr.depth, 1))
            row = cuArr.width * desc.itemsize
            address, layer = cuArr.ptr, row * extents[1]
        elif restype in (runtime.cudaResourceTypeLinear, runtime.cudaResourceTypePitch2D):
            self.arr, self.chDesc, desc, self._owner, address = (
                arr,
                chDesc,
                chDesc,
                arr,
                arr.data.ptr,
            )
            isLinear = restype == runtime.cudaResourceTypeLinear
            extents = (sizeInBytes // desc.itemsize, 1, 1) if isLinear else (width, height, 1)
            row, layer = sizeInBytes if isLinear else pitchInBytes, 0
        else:
            raise NotImplementedError("arrays with levels (mipmaps) are not supported")
        self.restype = restype
        self._start = struct.pack(
            "<Qqq3i3i", address, row, layer, *extents, desc.channels, desc.bytes, desc.kind
        )
        self._isInteger = desc.kind != runtime.cudaChannelFormatKindFloat


class TextureDescriptor:
    """The sampling mode of a texture.

    addressModes: ``runtime.cudaAddressModeClamp`` ... for each axis. filterMode: ``runtime.cudaFilterModeLinear`` ...
    readMode: ``runtime.cudaReadModeNormalizedFloat`` ... borderColors: the values outside the border. normalizedCoords:
    whether coordinates range from 0 to 1. sRGB and maxAnisotropy are ignored.
    """

    def __init__(
        self,
        addressModes=None,
        filterMode=0,
        readMode=0,
        sRGB=None,
        borderColors=None,
        normalizedCoords=None,
        maxAnisotropy=None,
    ):
        modes = [*(addressModes or ()), 0, 0, 0][:3]
        if not addressModes:  # the default
            modes = [
                runtime.cudaAddressModeWrap if normalizedCoords else runtime.cudaAddressModeClamp
            ] * 3
        self._modes, self._linear, self._scaled = modes, filterMode, readMode
        self._normalized = bool(normalizedCoords)
        self._border = [*(borderColors or ()), 0.0, 0.0, 0.0, 0.0][:4]

    def _pack_into_driver_structure(self, isInteger):
        if self._linear and isInteger and not self._scaled:
            raise ValueError(
                "interpolating integers needs readMode=runtime.cudaReadModeNormalizedFloat"
            )
        scaled = bool(self._scaled and isInteger)
        return struct.pack(
            "<6i4f", *self._modes, bool(self._linear), self._normalized, scaled, *self._border
        )


class _Object(Handle):
    """A kernel argument; ``ptr`` is its address as an integer."""

    def __init__(self, resource, how):
        self._resource = resource
        self._description = _select_array_module().asarray(
            np.frombuffer(bytearray(resource._start + how), np.uint8)
        )

    @property
    def ptr(self):
        return self._description.data.ptr

    def __index__(self):
        return self.ptr


class TextureObject(_Object):
    """A kernel argument for a parameter of type ``cudaTextureObject_t``."""

    def __init__(self, ResDesc, TexDesc):
        super().__init__(ResDesc, TexDesc._pack_into_driver_structure(ResDesc._isInteger))
        self.ResDesc, self.TexDesc = ResDesc, TexDesc


class SurfaceObject(_Object):
    """A kernel argument for a parameter of type ``cudaSurfaceObject_t``, to read and write a ``CUDAarray``."""

    def __init__(self, ResDesc):
        super().__init__(ResDesc, TextureDescriptor()._pack_into_driver_structure(isInteger=False))
        self.ResDesc = ResDesc


def _select_array_module():
    """The module with the array class and the functions for the current device."""
    return host_names if current_native().uses_host_memory else device_names
