"""The exceptions of cupy.cuda.runtime and cupy.cuda.driver, with CUDA's error codes."""

# Error code -> (the name in CUDA's driver_types.h after "cudaError", CUDA's text for it)
_RUNTIME = {
    0: ("Success", "no error"),
    1: ("InvalidValue", "invalid argument"),
    2: ("MemoryAllocation", "out of memory"),
    100: ("NoDevice", "no CUDA-capable device is detected"),
    101: ("InvalidDevice", "invalid device ordinal"),
    215: ("UnsupportedLimit", "limit is not supported on this architecture"),
    217: ("PeerAccessUnsupported", "peer access is not supported between these two devices"),
    400: ("InvalidResourceHandle", "invalid resource handle"),
    401: ("IllegalState", "the operation cannot be performed in the present state"),
    600: ("NotReady", "device not ready"),
    801: ("NotSupported", "operation not supported"),
    900: ("StreamCaptureUnsupported", "operation not permitted when stream is capturing"),
    903: ("StreamCaptureUnmatched", "capture was not ended in the same stream as it began"),
    904: ("StreamCaptureUnjoined", "capturing stream has unjoined work"),
}

# Error code -> (the name in CUDA's cuda.h after "CUDA_ERROR_", CUDA's text for it)
_DRIVER = {
    1: ("INVALID_VALUE", "invalid argument"),
    2: ("OUT_OF_MEMORY", "out of memory"),
    218: ("INVALID_PTX", "a PTX JIT compilation failed"),
    301: ("FILE_NOT_FOUND", "file not found"),
    500: ("NOT_FOUND", "named symbol not found"),
    720: ("COOPERATIVE_LAUNCH_TOO_LARGE", "too many blocks in cooperative launch"),
}


class _WithStatus(RuntimeError):
    """status: CUDA's error code, an int. why: Heddle's addition to CUDA's text."""

    def __init__(self, status, why=None):
        self.status, self.why = int(status), why
        text = self._describe_status(self.status)
        super().__init__(text if why is None else f"{text}: {why}")

    def __reduce__(self):
        return type(self), (self.status, self.why)


class CUDARuntimeError(_WithStatus):
    """An error of the CUDA runtime."""

    @staticmethod
    def _describe_status(status):
        name, meaning = _RUNTIME.get(status, ("Unknown", f"unknown error {status}"))
        return f"cuda{'' if status == 0 else 'Error'}{name}: {meaning}"


class CUDADriverError(_WithStatus):
    """An error of the CUDA driver."""

    @staticmethod
    def _describe_status(status):
        name, meaning = _DRIVER.get(status, ("UNKNOWN", f"unknown error {status}"))
        return f"CUDA_ERROR_{name}: {meaning}"
