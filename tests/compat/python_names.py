"""Prints the names that Python programs use under rankscope, with the parameters of functions: one a line.

`rankscope exec -n 1` runs it for torch, whose functions are replaced there; mpi4py, ray and our own package are only
imported.
"""
import inspect
import sys


def parameters(thing):
    try:
        return [one for one in inspect.signature(thing).parameters if one != "self"]
    except (TypeError, ValueError):
        return []


def shown(path, thing):
    return "%s(%s)" % (path, ", ".join(parameters(thing))) if callable(thing) else path


def names_of(path, module, names=None):
    for name in names or sorted(one for one in vars(module) if not one.startswith("_")):
        thing = getattr(module, name)
        if inspect.ismodule(thing):
            continue
        yield shown("%s.%s" % (path, name), thing)
        if inspect.isclass(thing):
            for member in sorted(one for one in dir(thing) if not one.startswith("_")):
                if not hasattr(BaseException, member) and not hasattr(int, member):
                    yield shown("%s.%s.%s" % (path, name, member), getattr(thing, member))


def plain():
    import mpi4py.MPI
    import ray
    import ray.exceptions
    import ray.util.collective
    import ray.util.collective.types
    import rankscope
    yield from names_of("rankscope", rankscope, rankscope.__all__)
    for module in (mpi4py, mpi4py.MPI, ray, ray.exceptions, ray.util.collective, ray.util.collective.types):
        yield from names_of(module.__name__, module)


def of_torch():
    import torch.distributed as dist
    for name in sorted(vars(dist)):
        thing = getattr(dist, name)
        if getattr(thing, "__module__", "").startswith("rankscope"):
            yield shown("torch.distributed." + name, thing)
    ddp = __import__("torch.nn.parallel", fromlist=["x"]).DistributedDataParallel
    yield shown("torch.nn.parallel.DistributedDataParallel", ddp)


if __name__ == "__main__":
    print("\n".join(of_torch() if sys.argv[1] == "torch" else plain()))
