"""RANKSCOPE_RAY=real: an installed Ray, whose collectives are replaced. A package of a few lines stands for Ray."""

import os

from programs import environment, needs, python, under_exec, write

kRay = """
__version__ = "real"
def is_initialized():
    return False
def shutdown():
    print("Ray ends")
"""
kCollective = """
def init_collective_group():
    pass
def of_ray():
    return "Ray's own"
"""


def real(folder, text):
    path = os.pathsep.join((environment()["PYTHONPATH"], str(folder / "installed")))
    return python(folder, text, RANKSCOPE_RAY="real", PYTHONPATH=path)


def test_the_real_one_is_loaded_and_its_collectives_are_ours(tmp_path):
    package = tmp_path / "installed" / "ray"
    inner = package / "util" / "collective"
    inner.mkdir(parents=True)
    write(package, "__init__.py", kRay)
    write(inner, "collective.py", kCollective)
    code, out, err = real(tmp_path, """
import ray
import ray.util.collective.collective as collective
print(ray.__version__, collective.init_collective_group.__module__, collective.of_ray())
ray.shutdown()
""")
    assert (code, out) == (0, "real rankscope.ray_collective Ray's own\nRay ends\n"), err


def test_ranks_that_the_end_of_the_driver_kills_have_left_the_run(tmp_path):
    needs("ray")
    code, out, err = under_exec(tmp_path, """
import ray, numpy, ray.util.collective as collective
@ray.remote
class Worker:
    def __init__(self, size, rank):
        collective.init_collective_group(size, rank, backend="gloo", group_name="g")
    def sum(self):
        collective.allreduce(data := numpy.ones(2), "g")
        return data.tolist()
ray.init()
workers = [Worker.remote(2, rank) for rank in range(2)]
assert ray.get([one.sum.remote() for one in workers]) == [[2.0, 2.0]] * 2
ray.shutdown()
""", RANKSCOPE_RAY="real")
    assert code == 0 and "2 ranks, ended well" in err, out + err


def test_without_an_installed_one_it_says_what_to_do(tmp_path):
    code, out, err = real(tmp_path, "import ray")
    assert code == 1 and "unset RANKSCOPE_RAY" in err
