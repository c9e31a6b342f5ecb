"""Warp operations: a thread yields (operation, mask, type, value, ...) and warps.py computes the answer."""

from kernel_types import Untranslatable, convert_to_truth, is_integer

words = ("int32", "uint32", "int64", "uint64")


class Warps:
    def translate_mask(self, node, env):
        code, t = self.translate_scalar(node, env)
        if not is_integer(t):
            raise Untranslatable("a mask that is no integer")
        return f"{code} & 0xffffffff"

    def emit_warp_request(self, operation, mask, t, *codes):
        return self.emit_wait(f"({operation!r}, {mask}, {t!r}, {', '.join(codes)})")

    def call_cuda_syncwarp(self, node, env):
        mask = self.translate_mask(node.args[0], env) if node.args else "0xffffffff"
        return self.emit_warp_request("syncwarp", mask, None, "None"), "none"

    def translate_warp_vote(self, node, env, kind):
        if len(node.args) != 2:
            raise Untranslatable("a wrong number of arguments")
        code, t = self.translate_scalar(node.args[1], env)
        if not is_integer(t) and t != "bool":
            raise Untranslatable("this predicate")
        value = convert_to_truth(code, t)
        return self.emit_warp_request(kind, self.translate_mask(node.args[0], env), None, value), (
            "int32" if kind == "ballot" else "bool"
        )

    def call_cuda_all_sync(self, node, env):
        return self.translate_warp_vote(node, env, "all")

    def call_cuda_any_sync(self, node, env):
        return self.translate_warp_vote(node, env, "any")

    def call_cuda_eq_sync(self, node, env):
        return self.translate_warp_vote(node, env, "eq")

    def call_cuda_ballot_sync(self, node, env):
        return self.translate_warp_vote(node, env, "ballot")

    def translate_word(self, node, env, floats):
        code, t = self.translate_scalar(node, env)
        if t not in words and not (floats and t in ("float32", "float64")):
            raise Untranslatable(f"a warp operation on {t}")
        return code, t

    def translate_shuffle(self, node, env, kind):
        if len(node.args) not in (3, 4):
            raise Untranslatable("a wrong number of arguments")
        value, t = self.translate_word(node.args[1], env, floats=True)
        lane, lane_type = self.translate_scalar(node.args[2], env)
        if not is_integer(lane_type):
            raise Untranslatable("a lane that is no integer")
        width = node.args[3].value if len(node.args) == 4 else 32
        if width not in (1, 2, 4, 8, 16, 32):
            raise Untranslatable("this width")
        lane = f"{lane} & 0xffffffff"
        return self.emit_warp_request(
            kind, self.translate_mask(node.args[0], env), t, value, lane, str(width)
        ), t

    def call_cuda_shfl_sync(self, node, env):
        return self.translate_shuffle(node, env, "index")

    def call_cuda_shfl_up_sync(self, node, env):
        return self.translate_shuffle(node, env, "up")

    def call_cuda_shfl_down_sync(self, node, env):
        return self.translate_shuffle(node, env, "down")

    def call_cuda_shfl_xor_sync(self, node, env):
        return self.translate_shuffle(node, env, "xor")

    def call_cuda_match_any_sync(self, node, env):
        value, t = self.translate_word(node.args[1], env, floats=False)
        return self.emit_warp_request(
            "match_any", self.translate_mask(node.args[0], env), t, value
        ), "int32"

    def call_cuda_match_all_sync(self, node, env):
        value, t = self.translate_word(node.args[1], env, floats=False)
        return self.emit_warp_request(
            "match_all", self.translate_mask(node.args[0], env), t, value
        ), ("int32", "bool")

    def translate_reduction(self, node, env, kind):
        value, t = self.translate_word(node.args[1], env, floats=False)
        answer = self.emit_warp_request(
            f"reduce_{kind}", self.translate_mask(node.args[0], env), t, value
        )
        return f"_wrap_{t}({answer})", t

    def call_cuda_reduce_add_sync(self, node, env):
        return self.translate_reduction(node, env, "add")

    def call_cuda_reduce_min_sync(self, node, env):
        return self.translate_reduction(node, env, "min")

    def call_cuda_reduce_max_sync(self, node, env):
        return self.translate_reduction(node, env, "max")

    def call_cuda_reduce_and_sync(self, node, env):
        return self.translate_reduction(node, env, "and")

    def call_cuda_reduce_or_sync(self, node, env):
        return self.translate_reduction(node, env, "or")

    def call_cuda_reduce_xor_sync(self, node, env):
        return self.translate_reduction(node, env, "xor")

    def call_cuda_lanemask_lt(self, node, env):
        return "((1 << _c.lane) - 1)", "uint32"
