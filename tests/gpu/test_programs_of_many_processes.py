"""numba programs with several processes that share a GPU or have one each: pools, joblib, pytest-xdist, Dask."""

import pytest

WORK = """
import os
import sys
import numpy as np
from numba import cuda, njit

@cuda.jit
def double(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2

@njit
def count_up(n):
    return np.arange(n)

def work(n, kernel=double):
    x = cuda.to_device(count_up(n))
    kernel.forall(n)(x)
    return int(x.copy_to_host().sum())

def gpu_and_work(n):
    return cuda.get_current_device().uuid, len(cuda.gpus), work(n)
"""


@pytest.fixture
def run_work(tmp_path, run_heddle):
    """A function that runs a program after WORK and gives what it prints; it must end well."""

    def run(program, **env):
        body = "\n    ".join(program.strip().splitlines())
        (tmp_path / "program.py").write_text(f'{WORK}\nif __name__ == "__main__":\n    {body}\n')
        result = run_heddle("program.py", **env)
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    return run


@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
def test_processes_of_a_pool_use_the_gpu(run_work, method):
    program = f"""
import multiprocessing
with multiprocessing.get_context("{method}").Pool(2) as pool:
    print(pool.map(work, [10, 100, 1000]))
    print(pool.apply(work, (10, double)))
"""
    assert run_work(program) == "[90, 9900, 999000]\n90\n"


def test_a_process_forked_after_the_gpu_was_used_is_told_what_to_do(run_work):
    program = """
import multiprocessing
work(10)
with multiprocessing.get_context("fork").Pool(1) as pool:
    try:
        pool.apply(work, (10,))
    except Exception as error:
        print(error)
    print(pool.apply(count_up, (3,)))
print(work(10))
"""
    printed = run_work(program)
    assert "CUDA does not work in this process: it was forked from one that uses CUDA\n" in printed
    assert "hint: start it with multiprocessing.get_context('spawn')" in printed
    assert printed.endswith("\n[0 1 2]\n90\n")


@pytest.mark.parametrize("backend", ["loky", "multiprocessing", "threading"])
def test_joblib_runs_kernels_on_the_gpu(run_work, backend):
    pytest.importorskip("joblib")
    program = f"""
import joblib
parallel = joblib.Parallel(n_jobs=2, backend="{backend}")
print(parallel(joblib.delayed(work)(n) for n in (10, 100, 1000)))
"""
    assert run_work(program) == "[90, 9900, 999000]\n"


def test_joblib_takes_kernels_of_the_program(run_work):
    pytest.importorskip("joblib")
    program = """
import joblib
factor = 3

@cuda.jit
def scale(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= factor

print(joblib.Parallel(n_jobs=2)(joblib.delayed(work)(n, scale) for n in (10, 100)))
"""
    assert run_work(program) == "[135, 14850]\n"


SUITE = """
import unittest
import numpy as np
from numba import cuda, float32
from numba.cuda.testing import CUDATestCase, skip_on_cudasim

class TestSum(CUDATestCase):
    def test_sum_of_a_block(self):
        @cuda.jit
        def k(x, total):
            tile = cuda.shared.array(32, float32)
            i = cuda.threadIdx.x
            tile[i] = x[i]
            cuda.syncthreads()
            cuda.atomic.add(total, 0, tile[31 - i])

        total = np.zeros(1, np.float32)
        k[1, 32](np.arange(32, dtype=np.float32), total)
        self.assertEqual(total[0], 496)

    @skip_on_cudasim("the device's name")
    def test_the_device_is_a_gpu(self):
        self.assertGreaterEqual(cuda.get_current_device().compute_capability, (7, 5))

    def test_an_index_is_checked(self):
        @cuda.jit(debug=True, opt=False)
        def k(x):
            x[cuda.grid(1) + 32] = 1

        with self.assertRaises(IndexError):
            k[1, 1](np.zeros(8))
"""


def test_a_suite_of_numbas_kind_runs_under_xdist(run_heddle, tmp_path):
    pytest.importorskip("xdist")
    (tmp_path / "test_sum.py").write_text(SUITE)
    result = run_heddle("-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", "test_sum.py")
    assert "3 passed" in result.stdout, result.stdout + result.stderr


ON_TWO_WORKERS = """
from dask.distributed import Client, LocalCluster, Nanny, Scheduler, SpecCluster

def select_and_work(gpu, n):
    cuda.select_device(gpu)
    return gpu_and_work(n)

def two_workers(**of_worker):
    workers = {
        i: {"cls": Nanny, "options": {"nthreads": 1, **{k: v(i) for k, v in of_worker.items()}}}
        for i in range(2)
    }
    scheduler = {"cls": Scheduler, "options": {"dashboard_address": ":0"}}
    return SpecCluster(workers=workers, scheduler=scheduler)

def on_each(client, function, *arguments):
    workers = sorted(client.scheduler_info()["workers"])
    futures = [client.submit(function, *arguments, workers=w, pure=False) for w in workers]
    return client.gather(futures)
"""


@pytest.mark.usefixtures("two_gpus")
def test_each_worker_of_dask_sees_one_gpu(run_work):
    pytest.importorskip("distributed")
    program = (
        ON_TWO_WORKERS
        + """
with two_workers(env=lambda i: {"CUDA_VISIBLE_DEVICES": str(i)}) as cluster, Client(cluster) as client:
    (gpu, seen, sum), (other, seen_too, sum_too) = on_each(client, gpu_and_work, 100)
    print(gpu != other, seen, seen_too, sum, sum_too)
"""
    )
    assert run_work(program) == "True 1 1 9900 9900\n"


@pytest.mark.usefixtures("two_gpus")
def test_each_worker_of_dask_selects_a_gpu(run_work):
    pytest.importorskip("distributed")
    program = (
        ON_TWO_WORKERS
        + """
with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster) as client:
    names = client.run(lambda dask_worker: dask_worker.name)
    futures = [client.submit(select_and_work, i, 100, workers=w) for w, i in names.items()]
    (gpu, seen, sum), (other, seen_too, sum_too) = client.gather(futures)
    print(gpu != other, seen, seen_too, sum, sum_too)
"""
    )
    assert run_work(program) == "True 2 2 9900 9900\n"


def test_dask_passes_kernels_and_arrays_of_the_device_on(run_work):
    pytest.importorskip("distributed")
    program = """
from dask.distributed import Client, LocalCluster

def halve(x):
    return x.copy_to_host() // 2

with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster) as client:
    print(client.gather(client.map(work, [10, 100], kernel=double)))
    there = client.submit(cuda.to_device, np.arange(5) * 2)
    print(client.submit(halve, there).result(), there.result().copy_to_host())
"""
    assert run_work(program) == "[90, 9900]\n[0 1 2 3 4] [0 2 4 6 8]\n"
