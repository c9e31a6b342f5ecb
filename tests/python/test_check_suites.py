"""scripts/check_suites: labels of published programs, and the comparison of findings with them."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "scripts" / "check_suites"))

import gpuverify  # noqa: E402
import indigo  # noqa: E402
import scor  # noqa: E402
from suites import Mistake, Program, check, summarize  # noqa: E402

pytestmark = pytest.mark.usefixtures("cpu")

SCOR = """
#define NBLOCKS 2
#define TPERBLK 1
void errCheck() {
  exit(1);
}
__global__ void kmain(volatile unsigned int *data) {
  data[UPDATE] = 1 + blockIdx.x;
}
int main() {}
"""


@pytest.fixture
def microbenchmarks(tmp_path):
    """A folder like a copy of ScoR, with a racing program and a clean one."""
    folder = tmp_path / "microbenchmarks" / "src"
    folder.mkdir(parents=True)
    (folder / "race_waw.cu").write_text(SCOR.replace("UPDATE", "0"))
    (folder / "norace_waw.cu").write_text(SCOR.replace("UPDATE", "blockIdx.x"))
    return tmp_path


def test_programs_are_labelled_by_their_names(microbenchmarks):
    results = [check(program) for program in scor.list_programs(microbenchmarks)]
    assert [(r.program.name, list(r.describe())) for r in results] == [
        ("norace_waw", []),
        ("race_waw", []),
    ]
    assert list(summarize(results)) == [("race", 1, 1, 1, 0, 0), ("clean", 1, "", "", 0, 0)]


def test_differences_are_described():
    racing = SCOR.replace("UPDATE", "0")
    labels = (), (Mistake("race", frozenset({3})),), (Mistake("race"), Mistake("barrier"))
    described = [
        list(check(Program("p", lambda: scor.run(racing), mistakes)).describe())
        for mistakes in labels
    ]
    alarm = "false alarm in lines [8]: race on global memory: `data[0]` is written twice"
    assert described[0][0].startswith(alarm)
    assert described[1][0] == "race of lines [3] is at other lines"
    assert described[1][1].startswith(alarm)
    assert described[2] == ["barrier of lines [] is missed"]


def test_a_program_that_fails_is_described():
    (sentence,) = check(Program("p", lambda: scor.run("#define NBLOCKS 1\n"), ())).describe()
    assert sentence.startswith("fails: CUDADriverError: CUDA_ERROR_NOT_FOUND")


def test_marks_of_indigo_become_lines(tmp_path):
    lines = (
        "// guardBug here",
        "if (data1[0] < v) {",
        "// atomicBug here",
        "data1[0] = max(data1[0], v);",
        "// guardBug here",
    )
    text = "\n".join(lines)
    found = indigo.find_mistakes(tmp_path / "k_guardBug_atomicBug.cu", text)
    assert found == (Mistake("race", frozenset({4})), Mistake("race", frozenset({2, 4})))


def test_contracts_are_ignored():
    gpuverify.run("""//pass
//--blockDim=[8,8] --gridDim=4
struct S { int *p; };
__global__ void k(S s, int *x, int n) {
  __requires(n == 3);
  for (int i = 0; __invariant(i < n), i < n; ++i)
    s.p[blockIdx.x * blockDim.x + threadIdx.x] = x[i];
}
""")
