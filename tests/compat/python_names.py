"""Prints the names that Python programs use under rankscope, with the parameters of functions: one a line. torch's are
its own."""
import inspect


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


if __name__ == "__main__":
    print("\n".join(plain()))
