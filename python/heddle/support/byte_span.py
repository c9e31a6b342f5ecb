"""The bytes that a strided array spans."""

largest_size = 2**63 - 1


def byte_span(shape, strides, itemsize):
    """The offsets, from the first element, of the first byte of an array and of the byte past the last."""
    if len(strides) != len(shape):
        raise ValueError(
            f"strides {tuple(strides)} do not fit shape {tuple(shape)}: one for each axis"
        )
    if 0 in shape:
        return 0, 0
    reach = [(extent - 1) * stride for extent, stride in zip(shape, strides, strict=True)]
    low, high = sum(r for r in reach if r < 0), sum(r for r in reach if r > 0) + itemsize
    if high - low > largest_size:
        raise MemoryError(
            f"an array of shape {tuple(shape)} spans {high - low} bytes, more than the address space"
        )
    return low, high
