"""github.com/karpathy/llm.c: the layers of GPT-2, forward and backward, each in several versions (dev/cuda).

softmax_forward_kernel4 is left out, because its warps race for the element that holds the maximum.

The sizes are those of the repository's own benchmarks: 8 x 1024 tokens, 768 channels, 12 heads.
"""

import numpy as np
from entries import (
    BFLOAT16,
    Kernel,
    Launch,
    divide_up,
    make_floats,
    make_ints,
    make_zeros,
    to_bfloat16,
)

_COMMON = "dev/cuda/common.h"
_BATCHES, _CHANNELS, _HEADS = 8, 768, 12
_TOKENS = (1024, 16)
_BFLOAT16 = "#include <cuda_bf16.h>\n#define ENABLE_BF16"


def _kernel(file, function, make, sizes=_TOKENS, **more):
    files = (_COMMON, f"dev/cuda/{file}.cu")
    return Kernel("llm.c", files, function, make, sizes, **more)


def _backward(function, make):
    unused = r"atomicAddX\(__nv_bfloat16"  # it needs uintptr_t, which NVRTC does not have
    defines = "#include <cuda_bf16.h>"
    return _kernel("layernorm_backward", function, make, defines=defines, drop=unused)


def _i(number):
    return np.int32(number)


def _with_bfloat16(launch):
    """The launch with bfloat16 numbers instead of float32."""
    positions = [
        i
        for i, given in enumerate(launch.arguments)
        if isinstance(given, np.ndarray) and given.dtype == np.float32
    ]
    launch.arguments = tuple(
        to_bfloat16(given) if i in positions else given for i, given in enumerate(launch.arguments)
    )
    launch.types = dict.fromkeys(positions, BFLOAT16)
    return launch


def in_bfloat16(make):
    return lambda n: _with_bfloat16(make(n))


# Layers that work on rows


def normalize(block, rows_per_block, shared=0):
    def make(n):
        rows, c = _BATCHES * n, _CHANNELS
        inp, weight, bias = make_floats(rows, c), make_floats(c), make_floats(c)
        arguments = (make_zeros(rows, c), make_zeros(rows), make_zeros(rows), inp, weight, bias)
        grid = (divide_up(rows, rows_per_block),)
        launch = Launch(grid, block, (*arguments, _i(rows), _i(c)), shared)
        if n <= 64:
            deviation = np.sqrt(inp.var(1, keepdims=True) + 1e-5)
            launch.wanted = {0: (inp - inp.mean(1, keepdims=True)) / deviation * weight + bias}
        return launch

    return make


def take_softmax(block, rows_per_block, shared=0):
    def make(n):
        rows, c = _BATCHES * n, 4096
        inp = make_floats(rows, c, low=-4, high=4)
        arguments = (make_zeros(rows, c), inp, _i(rows), _i(c))
        launch = Launch((divide_up(rows, rows_per_block),), block, arguments, shared)
        if n <= 64:
            powers = np.exp(inp.astype(float))
            launch.wanted = {0: powers / powers.sum(1, keepdims=True)}
        return launch

    return make


def add_and_normalize(block, rows_per_block, shared=0, blocks=None):
    def make(n):
        rows, c = _BATCHES * n, _CHANNELS
        numbers = [make_floats(rows, c), make_floats(rows, c, low=-2), make_floats(c)]
        outputs = [make_zeros(*shape) for shape in ((rows, c), (rows, c), (rows,), (rows,))]
        arguments = (*outputs, *numbers, make_floats(c), _i(rows), _i(c))
        return Launch((blocks or divide_up(rows, rows_per_block),), block, arguments, shared)

    return make


def normalize_backward(block, shared, scratch=None, changed=(0, 1, 2), by_rows=None, extra=0):
    """scratch: floats of scratch memory, the fourth argument. extra: temporary arrays at the end."""

    def make(n):
        rows, c = _BATCHES * n, _CHANNELS
        inp = make_floats(rows, c)
        mean, rstd = inp.mean(1), 1 / np.sqrt(inp.var(1) + 1e-5)
        outputs = [make_zeros(rows, c), make_zeros(c), make_zeros(c)]
        outputs += [make_zeros(scratch)] if scratch else []
        inputs = [make_floats(rows, c, low=-2), inp, make_floats(c), mean, rstd]
        sizes = [_i(_BATCHES), _i(n), _i(c)]
        temporary = [make_zeros(c) for _ in range(extra)]
        grid = divide_up(rows, by_rows) if by_rows else 132 * 1024 // block
        grid = min(grid, rows)
        launch = Launch((grid,), (block,), (*outputs, *inputs, *sizes, *temporary), shared)
        launch.changed = changed
        return launch

    return make


def classify(block, rows_per_block=1, has_probabilities=True):
    def make(n):
        rows, v, p = 4 * n, 50257, 50304
        logits = make_floats(rows, p, low=-3, high=3)
        losses = [make_floats(rows, low=0, high=1e-3)]
        arguments = [make_zeros(rows, p), make_zeros(rows)]
        arguments += [np.uint64(0)] if has_probabilities else []  # a null pointer
        arguments += [logits, *losses, make_ints(rows, high=v)]
        sizes = (_i(4), _i(n), _i(v), _i(p))
        return Launch((rows // rows_per_block,), (block,), (*arguments, *sizes))

    return make


# Element by element


def map_elements(inputs, per_thread=1, block=256):
    def make(n):
        count = _BATCHES * n * _CHANNELS * 4
        arrays = [make_floats(count, low=-3, high=3) for _ in range(inputs)]
        arguments = (make_zeros(count), *arrays, _i(count))
        return Launch((divide_up(count, block * per_thread),), (block,), arguments)

    return make


def update_parameters(n):
    count = 16384 * n
    arrays = [make_floats(count), make_floats(count), make_floats(count)]
    arrays += [make_floats(count, low=0)]
    numbers = map(np.float32, (1e-3, 0.9, 0.999, 0.1, 0.001, 1e-8, 0.01))
    return Launch((divide_up(count, 512),), (512,), (*arrays, np.int64(count), *numbers))


def encode(per_thread, block=256):
    def make(n):
        v, c = 50257, _CHANNELS
        tokens = make_ints(_BATCHES, n, high=v)
        arguments = (make_zeros(_BATCHES, n, c), tokens, make_floats(v, c), make_floats(n, c))
        blocks = divide_up(_BATCHES * n * c, block * per_thread)
        return Launch((blocks,), (block,), (*arguments, _i(_BATCHES), _i(n), _i(c)))

    return make


def encode_by_tokens(n):
    launch = encode(1)(n)
    launch.grid = (divide_up(_BATCHES * n, 256),)
    return launch


def encode_backward(by_channels):
    def make(n):
        v, c = 50257, _CHANNELS
        tokens = make_ints(_BATCHES, n, high=v)
        arguments = (make_zeros(v, c), make_zeros(n, c), make_floats(_BATCHES, n, c), tokens)
        blocks = divide_up(c if by_channels else _BATCHES * n * c, 256)
        return Launch((blocks,), (256,), (*arguments, _i(_BATCHES), _i(n), _i(c)))

    return make


def subtract_targets(n):
    rows, v = 4 * n, 50257
    gradients, probabilities = make_floats(rows), make_floats(rows, v, low=1e-4)
    targets, sizes = make_ints(rows, high=v), (_i(4), _i(n), _i(v))
    arguments = (make_zeros(rows, v), gradients, probabilities, targets, *sizes)
    return Launch((divide_up(rows * v, 256),), (256,), arguments)


# Reductions


def sum_squares(n, block=512):
    count = 65536 * n
    return Launch(
        (132 * 2048 // block if n > 64 else 8,),
        (block,),
        (make_zeros(4096), make_floats(count), np.uint64(count)),
    )


def sum_columns(grid, block, shared=0, dtype_of_output=np.float32, extra=()):
    """grid: a function of the number of columns."""

    def make(n):
        columns = 4 * _CHANNELS
        values = make_floats(_BATCHES * n, columns)
        arguments = (make_zeros(columns, dtype=dtype_of_output), values)
        sizes = (_i(_BATCHES), _i(n), _i(columns))
        return Launch(grid(columns), block, (*arguments, *sizes, *extra), shared)

    return make


def sum_columns_of_bfloat16(grid, block, shared, extra):
    """The sums are float32 numbers."""
    make = sum_columns(grid, block, shared, np.float64, extra)

    def make_mixed(n):
        launch = _with_bfloat16(make(n))
        launch.arguments = (make_zeros(4 * _CHANNELS), *launch.arguments[1:])
        return launch

    return make_mixed


# Attention


def _make_heads(n, batches):
    return make_zeros(batches, _HEADS, n, n), make_floats(batches, n, 3 * _CHANNELS)


def multiply_queries(n, batches=2):
    scores, inp = _make_heads(n, batches)
    arguments = (scores, inp, _i(batches), _i(n), _i(_CHANNELS), _i(_HEADS))
    return Launch((divide_up(scores.size, 256),), (256,), arguments)


def take_attention_softmax(n, batches=2):
    scores = make_floats(batches, _HEADS, n, n)
    arguments = (np.zeros_like(scores), scores, _i(batches), _i(n), _i(_HEADS))
    return Launch((divide_up(batches * n * _HEADS, 256),), (256,), arguments)


def sum_values(n, batches=2):
    weights, inp = make_floats(batches, _HEADS, n, n, low=0), _make_heads(n, batches)[1]
    arguments = (make_zeros(batches, n, _CHANNELS), weights, inp)
    sizes = (_i(batches), _i(n), _i(_CHANNELS), _i(_HEADS))
    return Launch((divide_up(batches * n * _HEADS, 256),), (256,), (*arguments, *sizes))


def attend_by_tiles(n, batches=8, tile=32, width=64):
    shape = (batches, _HEADS, n, width)
    arrays = [make_floats(*shape), make_floats(*shape, low=-2), make_floats(*shape, low=0)]
    tiles = divide_up(n, tile)
    sizes = [_i(number) for number in (n, width, tiles, tiles, tile, tile)]
    sums, maxima = make_zeros(*shape[:3]), np.full(shape[:3], -1e4, np.float32)
    arguments = (*arrays, *sizes, np.float32(0.125), sums, maxima, make_zeros(*shape))
    shared = 4 * (3 * tile * width + tile * tile)
    return Launch((batches, _HEADS), (tile,), arguments, shared)


def take_masked_softmax(n, batches=2):
    scores = make_floats(batches * _HEADS, n, n)
    grid = divide_up(batches * _HEADS * n * 32, 256)
    arguments = (np.zeros_like(scores), np.float32(0.125), scores, _i(batches * _HEADS), _i(n))
    return Launch((grid,), (256,), arguments)


def split_heads(n, batches=8):
    arrays = [make_zeros(batches, _HEADS, n, 64) for _ in range(3)]
    inp = make_floats(batches, n, 3, _HEADS, 64)
    sizes = (_i(batches), _i(n), _i(_HEADS), _i(64))
    return Launch((divide_up(arrays[0].size, 256),), (256,), (*arrays, inp, *sizes))


def softmax_backward(grid, block, with_scale=False):
    """grid: a function of the number of tokens, for one head."""

    def make(n, batches=2):
        shape = (batches, _HEADS, n, n)
        weights, gradient = make_floats(*shape, low=0, high=2 / n), make_floats(*shape)
        last = np.float32(0.125) if with_scale else _i(_HEADS)
        sizes = (_i(batches), _i(n), _i(_CHANNELS), last)
        grids = (grid(n), batches * _HEADS)
        return Launch(grids, (block,), (make_zeros(*shape), gradient, weights, *sizes))

    return make


# Products


def multiply_matrices(tile, block):
    def make(n):
        rows, c, columns = _BATCHES * n, _CHANNELS, 4 * _CHANNELS
        inp, weight, bias = make_floats(rows, c), make_floats(columns, c), make_floats(columns)
        arguments = (make_zeros(rows, columns), inp, weight, bias)
        sizes = (_i(c), _i(columns)) if tile == 128 else (_i(rows), _i(c), _i(columns))
        launch = Launch(
            (divide_up(rows, tile), divide_up(columns, tile)), block, (*arguments, *sizes)
        )
        if n <= 64:
            launch.wanted = {0: inp.astype(float) @ weight.T + bias}
        return launch

    return make


def multiply_triangle(n, batches=2):
    inp = make_floats(batches, n, 3 * _CHANNELS)
    arguments = (make_zeros(batches, _HEADS, n, n), inp, _i(n), _i(_CHANNELS), _i(_HEADS))
    return Launch((n // 128, n // 128, batches * _HEADS), (16, 16), arguments)


def permute_axes(n):
    shape = (24, 42, n, 32)
    matrix = make_floats(*shape)
    arguments = (matrix, make_zeros(matrix.size), *map(_i, shape))
    wanted = {1: matrix.transpose(3, 2, 0, 1).ravel()}
    return Launch((divide_up(matrix.size, 256),), (256,), arguments, wanted=wanted)


_WIDE = {"tolerance": 1e-2, "defines": _BFLOAT16}

KERNELS = [
    _kernel(
        "layernorm_forward", "layernorm_forward_kernel1", normalize((256,), 256), sizes=(4096, 16)
    ),
    _kernel(
        "layernorm_forward", "layernorm_forward_kernel3", normalize((256,), 8), sizes=(4096, 16)
    ),
    _kernel(
        "layernorm_forward", "layernorm_forward_kernel4", normalize((256,), 8), sizes=(4096, 16)
    ),
    _kernel(
        "layernorm_forward", "layernorm_forward_kernel5", normalize((256,), 1), sizes=(4096, 16)
    ),
    _kernel(
        "layernorm_forward",
        "layernorm_forward_kernel6",
        normalize((32, 8), 8, 4 * (2 + 8) * _CHANNELS),
        sizes=(4096, 16),
    ),
    _backward(
        "layernorm_backward_kernel1",
        normalize_backward(256, 0, by_rows=256),
    ),
    _backward(
        "layernorm_backward_kernel2<float, float, float, float>",
        normalize_backward(256, 8 * _CHANNELS, changed=(0, 11, 12), by_rows=8, extra=2),
    ),
    _backward(
        "layernorm_backward_kernel3<float, float, float, float>",
        normalize_backward(256, 8 * _CHANNELS),
    ),
    _kernel("softmax_forward", "softmax_forward_kernel1", take_softmax((256,), 256)),
    _kernel("softmax_forward", "softmax_forward_kernel2", take_softmax((256,), 1, 1024)),
    _kernel("softmax_forward", "softmax_forward_kernel3", take_softmax((32,), 1, 128)),
    _kernel("softmax_forward", "softmax_forward_online_kernel1", take_softmax((256,), 256)),
    _kernel("softmax_forward", "softmax_forward_online_kernel2", take_softmax((256,), 8)),
    _kernel("softmax_forward", "softmax_forward_kernel7", take_softmax((256,), 1, 64)),
    _kernel("softmax_forward", "softmax_forward_online_kernel8", take_softmax((256,), 8)),
    _kernel("attention_forward", "attention_query_key_kernel1", multiply_queries),
    _kernel("attention_forward", "attention_softmax_kernel1", take_attention_softmax),
    _kernel("attention_forward", "attention_value_kernel1", sum_values),
    _kernel("attention_forward", "attention_forward_kernel2", attend_by_tiles, (512, 64)),
    _kernel("attention_forward", "softmax_forward_kernel5", take_masked_softmax),
    _kernel("attention_forward", "permute_kernel", split_heads, sizes=(2048, 16)),
    _kernel(
        "attention_backward",
        "softmax_autoregressive_backward_kernel2",
        softmax_backward(lambda n: divide_up(n, 64), 64),
        (512, 16),
    ),
    _kernel(
        "attention_backward",
        "softmax_autoregressive_backward_kernel3",
        softmax_backward(lambda n: divide_up(32 * n, 256), 256),
    ),
    _kernel(
        "attention_backward",
        "softmax_autoregressive_backward_kernel4",
        softmax_backward(lambda n: divide_up(4 * n, 256), 256),
    ),
    _kernel(
        "attention_backward",
        "softmax_autoregressive_backward_kernel5",
        softmax_backward(lambda n: divide_up(4 * n, 256), 256),
    ),
    _kernel(
        "attention_backward",
        "softmax_autoregressive_backward_kernel7<256>",
        softmax_backward(lambda n: n, 256, with_scale=True),
    ),
    _kernel(
        "attention_backward",
        "softmax_autoregressive_backward_kernel8<256>",
        softmax_backward(lambda n: n // 4, 256, with_scale=True),
    ),
    _kernel(
        "matmul_forward", "matmul_forward_kernel1", multiply_matrices(16, (16, 16)), sizes=(256, 16)
    ),
    _kernel("matmul_forward", "matmul_forward_kernel4", multiply_matrices(128, (16, 16))),
    _kernel(
        "trimat_forward",
        "trimul_global<matmul_tri_naive>",
        multiply_triangle,
        (1024, 128),
    ),
    _kernel("trimat_forward", "trimul_global<matmul_tri3>", multiply_triangle, (1024, 128)),
    _kernel("trimat_forward", "trimul_global<matmul_tri4>", multiply_triangle, (1024, 128)),
    _kernel("permute", "permute_kernel", permute_axes, (640, 8)),
    _kernel("adamw", "adamw_kernel2", update_parameters),
    _kernel(
        "gelu_forward",
        "gelu_forward_kernel2",
        in_bfloat16(map_elements(1, 8)),
        **_WIDE,
        sizes=(2048, 16),
    ),
    _kernel(
        "gelu_backward",
        "gelu_backward2",
        in_bfloat16(map_elements(2, 8)),
        **_WIDE,
        sizes=(2048, 16),
    ),
    _kernel("gelu_backward", "gelu_backward1", map_elements(2)),
    _kernel(
        "residual_forward",
        "residual_forward_kernel2",
        in_bfloat16(map_elements(2, 8)),
        **_WIDE,
        sizes=(2048, 16),
    ),
    _kernel(
        "encoder_forward",
        "encoder_forward_kernel1",
        in_bfloat16(encode_by_tokens),
        **_WIDE,
        sizes=(4096, 16),
    ),
    _kernel(
        "encoder_forward",
        "encoder_forward_kernel3",
        in_bfloat16(encode(8)),
        **_WIDE,
        sizes=(4096, 16),
    ),
    _kernel("encoder_backward", "encoder_backward_kernel1", encode_backward(False)),
    _kernel("encoder_backward", "encoder_backward_kernel2", encode_backward(True)),
    _kernel(
        "crossentropy_softmax_backward",
        "crossentropy_softmax_backward_kernel1",
        subtract_targets,
        sizes=(128, 8),
    ),
    _kernel("classifier_fused", "fused_classifier_kernel1", classify(256, 8, False), (128, 8)),
    _kernel("classifier_fused", "fused_classifier_kernel2", classify(1024), (128, 8)),
    _kernel("classifier_fused", "fused_classifier_kernel3", classify(1024), (128, 8)),
    _kernel(
        "classifier_fused",
        "fused_classifier_kernel5<true, false>",
        in_bfloat16(classify(1024)),
        (128, 8),
        **_WIDE,
    ),
    _kernel(
        "fused_residual_forward",
        "fused_residual_forward3",
        in_bfloat16(add_and_normalize((32, 8), 8)),
        **_WIDE,
        sizes=(4096, 16),
    ),
    _kernel(
        "fused_residual_forward",
        "fused_residual_forward_kernel5",
        in_bfloat16(add_and_normalize((32, 8), 8, 2 * (2 + 8) * _CHANNELS)),
        **_WIDE,
        sizes=(4096, 16),
    ),
    _kernel("global_norm", "norm_kernel1<float>", sum_squares, sizes=(512, 16)),
    _kernel("global_norm", "norm_kernel2<float>", sum_squares, sizes=(512, 16)),
    _kernel("global_norm", "norm_kernel3<float>", sum_squares, sizes=(512, 16)),
    _kernel(
        "matmul_backward_bias",
        "matmul_backward_bias_kernel1",
        sum_columns(lambda columns: (columns,), (512,), 2048),
    ),
    _kernel(
        "matmul_backward_bias",
        "matmul_backward_bias_kernel4",
        sum_columns(lambda columns: (columns // 32,), (512,), 2048),
    ),
    _kernel(
        "matmul_backward_bias",
        "matmul_backward_bias_kernel7",
        sum_columns_of_bfloat16(lambda columns: (columns // 256, 22), (32, 16), 1024, (_i(512),)),
        **_WIDE,
        sizes=(2048, 16),
    ),
]
