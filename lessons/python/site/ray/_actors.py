"""@ray.remote: actor classes, their handles and methods, and functions that run as tasks."""

import inspect
import os

from ._refs import current, current_or_none, take_refs

_kOptions = {"num_cpus", "num_gpus", "resources", "memory", "object_store_memory", "accelerator_type", "num_returns",
             "max_calls", "max_retries", "retry_exceptions", "max_restarts", "max_task_retries", "max_concurrency",
             "max_pending_calls", "concurrency_groups", "name", "namespace", "lifetime", "get_if_exists",
             "runtime_env", "scheduling_strategy", "placement_group", "placement_group_bundle_index",
             "placement_group_capture_child_tasks", "enable_task_events", "label_selector", "_metadata"}


def remote(*args, **options):
    """@ray.remote, @ray.remote(num_cpus=1), ray.remote(Class)."""
    if len(args) == 1 and not options and callable(args[0]):
        return _made(args[0], {})
    if args or not options:
        raise TypeError("The @ray.remote decorator must be applied either with no arguments and no parentheses, for"
                        " example '@ray.remote', or it must be applied using some of its options, for example"
                        " '@ray.remote(num_returns=2)'.")
    _check(options)
    return lambda target: _made(target, options)


def method(*args, **options):
    """@ray.method(num_returns=2) on a method of an actor class."""
    _check(options)

    def mark(function):
        function.__ray_num_returns__ = options.get("num_returns", 1)
        return function

    return mark(args[0]) if args and callable(args[0]) else mark


def _check(options):
    for name in options:
        if name not in _kOptions:
            raise ValueError(f"Invalid option keyword: '{name}'. rankscope's stand-in for Ray knows"
                             f" {', '.join(sorted(n for n in _kOptions if n[0] != '_'))}; all but name, lifetime,"
                             " get_if_exists and num_returns change nothing here.")


def _made(target, options):
    if inspect.isclass(target):
        return ActorClass(target, options)
    if inspect.isfunction(target) or callable(target):
        return RemoteFunction(target, options)
    raise TypeError("The @ray.remote decorator must be applied to either a function or a class.")


def _bind(function, args, kwargs):
    """Refuses wrong arguments at the line of the call, as Ray does, and not in the worker."""
    try:
        signature = inspect.signature(function)
    except (ValueError, TypeError):
        return
    signature.bind(*args, **kwargs)


class RemoteFunction:
    def __init__(self, function, options):
        self._function, self._options = function, options
        self.__name__ = getattr(function, "__name__", "task")
        self.__doc__ = function.__doc__

    def __call__(self, *args, **kwargs):
        name = f"{self._function.__module__}.{self.__name__}"
        raise TypeError(f"Remote functions cannot be called directly. Instead of running '{name}()', try"
                        f" '{name}.remote()'.")

    def options(self, **options):
        _check(options)
        return RemoteFunction(self._function, {**self._options, **options})

    def remote(self, *args, **kwargs):
        _bind(self._function, args, kwargs)
        returns = self._options.get("num_returns", 1) or 0
        whom = current()
        packed, refs = take_refs(args, kwargs)
        worker = whom.start(_info(self.__name__, None, (), True), self._function)
        out = whom.submit(worker, "__call__", packed, refs, returns)
        return _given(out, returns)


def _given(out, returns):
    return out[0] if returns == 1 else (out or None)


def _info(class_name, name, methods, task):
    return {"class": class_name, "name": name, "methods": methods, "task": task}


class ActorClass:
    def __init__(self, target, options):
        self._target, self._options = target, options
        self.__name__, self.__doc__, self.__module__ = target.__name__, target.__doc__, target.__module__

    def __repr__(self):
        return f"ActorClass({self.__name__})"

    def __call__(self, *args, **kwargs):
        raise TypeError(f"Actors cannot be instantiated directly. Instead of '{self.__name__}()', use"
                        f" '{self.__name__}.remote()'.")

    def __mro_entries__(self, bases):
        raise TypeError("Inheriting from actor classes is not currently supported: derive from the plain class and"
                        " put @ray.remote on the derived one.")

    def options(self, **options):
        _check(options)
        return ActorClass(self._target, {**self._options, **options})

    def remote(self, *args, **kwargs):
        whom = current()
        name = self._options.get("name")
        if name and self._options.get("get_if_exists") and whom.named(name):
            return get_actor(name)
        _bind(self._target, args, kwargs)
        packed, refs = take_refs(args, kwargs)
        info = _info(self.__name__, name, _methods(self._target), False)
        actor_id = whom.start(info, self._target)
        whom.submit(actor_id, "__init__", packed, refs, 1)
        return ActorHandle(actor_id, info, owned=not name and self._options.get("lifetime") != "detached")


def _methods(target):
    """The methods of a handle, which refuses wrong arguments: name -> (results, the signature without self)."""
    return {key: (getattr(value, "__ray_num_returns__", 1),
                  _signature(value, inspect.isfunction(inspect.getattr_static(target, key))))
            for key, value in inspect.getmembers(target, callable)
            if not (key.startswith("__") and key.endswith("__")) or key == "__call__"}


def _signature(function, with_self):
    try:
        found = list(inspect.signature(function).parameters.values())
    except (ValueError, TypeError):
        return None
    # It is pickled with handles, so it has no defaults and annotations.
    plain = [p.replace(annotation=p.empty, default=p.empty if p.default is p.empty else None)
             for p in found[1 if with_self else 0:]]
    return inspect.Signature(plain)


class ActorHandle:
    """Methods of the actor as attributes, to be called with .remote(). Can be given to other actors."""

    def __init__(self, actor_id, info, owned=False):
        self._ray_actor_id, self._info = actor_id, info
        # The actor ends with its last handle; a handle sent elsewhere, or a name, keeps it.
        self._owner, self._owned = os.getpid(), owned

    def __getattr__(self, name):
        methods = self.__dict__.get("_info", {"methods": ()})["methods"]
        if name not in methods:
            raise AttributeError(f"'ActorHandle' object has no attribute '{name}'")
        return ActorMethod(self, name)

    def __repr__(self):
        return f"Actor({self._info['class']}, {self._ray_actor_id})"

    def __eq__(self, other):
        return isinstance(other, ActorHandle) and other._ray_actor_id == self._ray_actor_id

    def __hash__(self):
        return hash(self._ray_actor_id)

    def __reduce__(self):
        self._owned = False
        return ActorHandle, (self._ray_actor_id, self._info)

    def __del__(self):
        whom = current_or_none()
        if self.__dict__.get("_owned") and whom is not None and self._owner == os.getpid():
            whom.dropped_actors.append(self._ray_actor_id)


class ActorMethod:
    def __init__(self, handle, name, returns=None):
        self._handle, self._name = handle, name
        self._returns = handle._info["methods"][name][0] if returns is None else returns

    def __call__(self, *args, **kwargs):
        raise TypeError(f"Actor methods cannot be called directly. Instead of running 'object.{self._name}()', try"
                        f" 'object.{self._name}.remote()'.")

    def options(self, num_returns=None, **options):
        _check(options)
        return ActorMethod(self._handle, self._name, num_returns)

    def remote(self, *args, **kwargs):
        signature = self._handle._info["methods"][self._name][1]
        if signature is not None:
            signature.bind(*args, **kwargs)
        packed, refs = take_refs(args, kwargs)
        out = current().submit(self._handle._ray_actor_id, self._name, packed, refs, self._returns)
        return _given(out, self._returns)


def get_actor(name, namespace=None):
    found = current().named(name)
    if found is None:
        raise ValueError(f"Failed to look up actor with name '{name}'. This could because 1. You are trying to look up"
                         " a named actor you didn't create. 2. The named actor died.")
    return ActorHandle(*found)


def kill(actor, *, no_restart=True):
    if not isinstance(actor, ActorHandle):
        raise ValueError(f"ray.kill() only supported for actors. For tasks, try ray.cancel(). Got: {type(actor)}.")
    current().kill(actor._ray_actor_id)
