"""ray.util: only ray.util.collective is here."""


def get_node_ip_address():
    return "127.0.0.1"


def __getattr__(name):
    if name.startswith("_") or name == "collective":
        raise AttributeError(f"module 'ray.util' has no attribute '{name}'")
    from .. import _missing
    raise _missing(f"ray.util.{name}", "It has ray.util.collective.")
