"""Link with this machine's glibc so that the result also runs with an older one.

A linker binds each function to its newest version in the C library, such as ``exp@GLIBC_2.29``, although
``exp@GLIBC_2.2.5`` is there, too. Stubs are libraries without code that have only the older versions. They are for
linking libraries: a program also needs the sizes of variables, such as ``stdout``::

    python scripts/wheel/older_glibc.py 2.28 build/stubs    # then link with -Lbuild/stubs

``newer_symbols`` lists the symbols that keep a file from running with an older glibc.
"""

import re
import shlex
import subprocess
import sys
from pathlib import Path

LOADERS = {"x86_64": "ld-linux-x86-64.so.2", "aarch64": "ld-linux-aarch64.so.1"}
# Before glibc 2.34, these libraries had functions that libc.so.6 has now. They are still there, nearly empty.
FORMER_LIBRARIES = {
    "libpthread.so.0": r"_*(pthread|sem|thrd|mtx|cnd|tss)_\w+|call_once",
    "libdl.so.2": r"dl\w+",
    "librt.so.1": r"_*(aio|lio|mq|shm|timer)_\w+",
    "libresolv.so.2": r"ns_\w+",
    "libutil.so.1": r"openpty|forkpty|login(_tty)?|logout|logwtmp",
    "libanl.so.1": r"gai_\w+|getaddrinfo_a",
}


def make_stubs(oldest, folder, compiler="cc", nm="nm"):
    """Make stubs of the C library's parts in ``folder``, with the symbols of glibc ``oldest``.

    ``compiler`` may have arguments, such as ``clang --target=aarch64-linux-gnu``.
    """
    folder.mkdir(parents=True, exist_ok=True)
    loader = LOADERS[run_tool(compiler, "-dumpmachine").split("-")[0]]
    libraries = ["libc.so.6", "libm.so.6", loader, *FORMER_LIBRARIES]
    stubs = {library: {} for library in libraries}
    for library in libraries:
        for name, symbols in read_symbols(find_library(compiler, library), nm).items():
            if old := newest_until(oldest, symbols):
                stubs[find_owner(library, name, old, symbols, oldest)][name] = (old, symbols[old])
    for library, symbols in stubs.items():
        make_stub(folder, library, symbols, compiler)
    link_libc(folder, find_library(compiler, "libc_nonshared.a"), loader)
    for name in ("libm.so.6", *FORMER_LIBRARIES):
        link = folder / (name.split(".")[0] + ".so")
        link.unlink(missing_ok=True)
        link.symlink_to(name)


def newer_symbols(file, oldest, nm="nm"):
    """The symbols that ``file`` imports from neither glibc ``oldest`` nor Python, as ``exp@GLIBC_2.29``."""
    newer = []
    for line in run_tool(nm, "-D", "--undefined-only", file).splitlines():
        kind, symbol = line.split()[-2:]
        if version := re.search(r"@GLIBC_([\d.]+)$", symbol):
            known = parse_version(version[1]) <= parse_version(oldest)
        else:
            known = re.match("_?Py", symbol) or ("@" not in symbol and kind == "w")
        if not known:
            newer.append(symbol)
    return newer


def read_symbols(library, nm):
    """``{name: {version: is it a function}}`` of the symbols that programs may link with: one version has @@."""
    symbols, linkable = {}, set()
    for line in run_tool(nm, "-D", "--defined-only", library).splitlines():
        kind, symbol = line.split()[-2:]
        if match := re.fullmatch(r"(\w+)(@@?)GLIBC_([\d.]+)", symbol):
            name, at, version = match.groups()
            symbols.setdefault(name, {})[version] = kind in "TtWwi"
            if at == "@@":
                linkable.add(name)
    return {name: symbols[name] for name in linkable}


def newest_until(oldest, versions):
    """The newest of ``versions`` that glibc ``oldest`` has, or None."""
    return max(
        (v for v in versions if parse_version(v) <= parse_version(oldest)),
        key=parse_version,
        default=None,
    )


def find_owner(library, name, old, versions, oldest):
    """The library that has the symbol in glibc ``oldest``.

    A symbol that moved to libc.so.6 got a newer version there.
    """
    moved = library == "libc.so.6" and newest_until("99", versions) != old
    for former, pattern in FORMER_LIBRARIES.items():
        if moved and parse_version(oldest) < (2, 34) and re.fullmatch(pattern, name):
            return former
    return library


def make_stub(folder, library, symbols, compiler):
    """Assemble ``folder/library``: each symbol in one version, at an address that nothing reads."""
    lines, versions = [], {}
    for index, (name, (version, is_function)) in enumerate(sorted(symbols.items())):
        versions.setdefault(version, []).append(name)
        kind = "function" if is_function else "object"
        lines += [
            f".globl s{index}",
            f".type s{index}, %{kind}",
            f"s{index}: .byte 0",
            f".size s{index}, 1",
        ]
        lines += [f".symver s{index}, {name}@@GLIBC_{version}, remove"]
    source, script = folder / f"{library}.s", folder / f"{library}.versions"
    source.write_text(".data\n" + "\n".join(lines) + '\n.section .note.GNU-stack,"",%progbits\n')
    script.write_text("".join(f"GLIBC_{v} {{ {'; '.join(n)}; }};\n" for v, n in versions.items()))
    run_tool(
        compiler, "-shared", "-nostdlib", f"-Wl,-soname,{library}", f"-Wl,--version-script={script}",
        source, "-o", folder / library,
    )  # fmt: skip


def link_libc(folder, nonshared, loader):
    """Write libc.so, the linker script that -lc finds first."""
    script = f"GROUP({folder}/libc.so.6 {nonshared} AS_NEEDED({folder}/{loader}))\n"
    (folder / "libc.so").write_text(script)


def find_library(compiler, name):
    path = Path(run_tool(compiler, f"-print-file-name={name}").strip())
    if not path.is_absolute():
        raise FileNotFoundError(f"{compiler} does not find {name}")
    return path.resolve()


def parse_version(text):
    return tuple(int(part) for part in text.split("."))


def run_tool(*command):
    tool, *arguments = map(str, command)
    return subprocess.run(
        [*shlex.split(tool), *arguments], check=True, stdout=subprocess.PIPE, text=True
    ).stdout


if __name__ == "__main__":
    make_stubs(sys.argv[1], Path(sys.argv[2]).absolute(), *sys.argv[3:])
