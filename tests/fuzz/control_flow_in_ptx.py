"""Functions with control flow inside one block of inline PTX, and the same functions with gotos for the host.

Each label uses up fuel; the function ends when none is left.
"""

REGISTERS = {"a": "%0", "b": "%1", "c": "%2", "d": "%3"}
OPERATIONS = {"add.u32": "+", "sub.u32": "-", "xor.b32": "^", "and.b32": "&", "mul.lo.u32": "*"}
COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "ge": ">="}


def write_ptx_function(rng, name, fuel):
    ptx, host = [], []
    labels = rng.randint(2, 8)
    for n in range(labels):
        ptx.append(f"L{n}: setp.eq.u32 p, %4, 0; @p bra END; sub.u32 %4, %4, 1;")
        host.append(f"L{n}: if (!fuel) goto END; --fuel;")
        for _ in range(rng.randint(0, 3)):
            write_computation(rng, ptx, host)
        for _ in range(rng.randint(0, 2)):
            write_jump(rng, labels, ptx, host)
        if rng.random() < 0.3:
            label = rng.randrange(labels)
            ptx.append(f"{rng.choice(['bra', 'bra.uni'])} L{label};")
            host.append(f"goto L{label};")
    text = "\n".join(f'"{line} "' for line in ptx)
    outputs = ", ".join(f'"+r"({variable})' for variable in [*REGISTERS, "fuel"])
    return f"""FUNCTION unsigned {name}(unsigned t, unsigned* o) {{
unsigned a = t, b = t * 3 + 1, c = 7, d = t ^ 21, fuel = {fuel};
#ifdef PTX
asm volatile("{{ .reg .pred p; "
{text}
"END: }}" : {outputs});
#else
{chr(10).join(host)}
END:;
#endif
return a + 3 * b + 5 * c + 7 * d;
}}
"""


def write_computation(rng, ptx, host):
    operation = rng.choice(list(OPERATIONS))
    to, x, y = (rng.choice(list(REGISTERS)) for _ in range(3))
    if rng.random() < 0.3:
        y = str(rng.choice([1, 3, 5, 255]))
    ptx.append(f"{operation} {REGISTERS[to]}, {REGISTERS[x]}, {REGISTERS.get(y, y)};")
    host.append(f"{to} = {x} {OPERATIONS[operation]} {y};")


def write_jump(rng, labels, ptx, host):
    """A conditional jump, with its own predicate register."""
    comparison = rng.choice(list(COMPARISONS))
    x, bits, limit = rng.choice(list(REGISTERS)), rng.choice([1, 3, 6, 7]), rng.randint(0, 4)
    label, negated = rng.randrange(labels), rng.random() < 0.3
    ptx.append(
        f"{{ .reg .u32 r; and.b32 r, {REGISTERS[x]}, {bits}; setp.{comparison}.u32 p, r, {limit}; }}"
        f" @{'!' if negated else ''}p bra L{label};"
    )
    condition = f"({x} & {bits}) {COMPARISONS[comparison]} {limit}u"
    host.append(f"if ({'!' if negated else ''}({condition})) goto L{label};")
