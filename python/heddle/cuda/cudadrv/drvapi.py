"""numba.cuda.cudadrv.drvapi: the C types of the CUDA driver API, for ctypes."""

import ctypes

from heddle.cuda.cudadrv.enums import CU_STREAM_DEFAULT, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD
from heddle.support.missing_names import make_missing_name_error as _missing_name

__all__ = [
    "CU_STREAM_DEFAULT",
    "CU_STREAM_LEGACY",
    "CU_STREAM_PER_THREAD",
    "cu_context",
    "cu_device",
    "cu_device_attribute",
    "cu_device_ptr",
    "cu_event",
    "cu_function",
    "cu_function_attribute",
    "cu_ipc_mem_handle",
    "cu_jit_input_type",
    "cu_jit_option",
    "cu_link_state",
    "cu_module",
    "cu_occupancy_b2d_size",
    "cu_stream",
    "cu_stream_callback_pyobj",
    "cu_uuid",
]

cu_device = cu_device_attribute = cu_function_attribute = ctypes.c_int
cu_jit_option = cu_jit_input_type = ctypes.c_int
cu_device_ptr = ctypes.c_size_t
cu_context = cu_module = cu_function = cu_stream = cu_event = cu_link_state = ctypes.c_void_p
cu_uuid = ctypes.c_byte * 16
cu_stream_callback_pyobj = ctypes.CFUNCTYPE(
    None, cu_stream, ctypes.c_int, ctypes.py_object
)  # (stream, status, argument)
cu_occupancy_b2d_size = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_int)


class cu_ipc_mem_handle(ctypes.Structure):
    """The driver's handle for memory that another process may open."""

    _fields_ = [("reserved", ctypes.c_uint8 * 64)]


def __getattr__(name):
    raise _missing_name("heddle.cuda.cudadrv.drvapi", name)
