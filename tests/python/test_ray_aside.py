"""RANKSCOPE_RAY=real: an installed Ray, whose collectives are replaced. A package of a few lines stands for Ray."""

import os

from programs import environment, python, write

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
    write(package, "__init__.py", "__version__ = 'real'\n")
    write(inner, "collective.py", kCollective)
    code, out, err = real(tmp_path, """
import ray
import ray.util.collective.collective as collective
print(ray.__version__, collective.init_collective_group.__module__, collective.of_ray())
""")
    assert (code, out) == (0, "real rankscope.ray_collective Ray's own\n"), err


def test_without_an_installed_one_it_says_what_to_do(tmp_path):
    code, out, err = real(tmp_path, "import ray")
    assert code == 1 and "unset RANKSCOPE_RAY" in err
