"""Device functions of a generated launch."""

from generate_body import Body
from generate_functions import Signature, write_body
from generate_statements import Source

# Calls a function that it is given.
apply = "@cuda.jit(device=True)\ndef apply(function, *rest):\n    return function(*rest)\n"


class Helper(Signature):
    """A device function, with its source in `source`."""

    def __init__(self, rng, number, earlier):
        source = Source()
        body = Body(rng, source, earlier)
        body.uniform = False
        super().__init__(rng, f"f{number}", body)
        write_body(rng, body, self, rng.choice([1, 1, 1, 2]))
        lines = ["@cuda.jit(device=True)", f"def {self.name}({self.text}):", *source.lines]
        self.source = "\n".join(lines) + "\n"
