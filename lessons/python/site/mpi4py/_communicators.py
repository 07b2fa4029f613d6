"""Communicators, groups and Cartesian grids."""

from rankscope import _lost

from . import _world
from ._collectives import Collectives
from ._errors import failed, is_misspelled, missing
from ._messages import Messages
from ._requests import PROC_NULL, UNDEFINED

IDENT, CONGRUENT, SIMILAR, UNEQUAL = 0, 1, 2, 3
CART, GRAPH, DIST_GRAPH = 1, 2, 3


class Group:
    """Ranks of the world, in an order."""

    def __init__(self, ranks=(), mine=None):
        self._ranks, self._mine = list(ranks), mine

    def __getattr__(self, name):
        return _missing(name, "Group", "It has Incl, Excl, their forms with ranges, Union, Intersection, Difference and"
                        " Translate_ranks.")

    def Get_size(self):
        return len(self._ranks)

    def Get_rank(self):
        return self._ranks.index(self._mine) if self._mine in self._ranks else UNDEFINED

    size, rank = property(Get_size), property(Get_rank)

    def Incl(self, ranks):
        return Group([self._ranks[r] for r in ranks], self._mine)

    def Excl(self, ranks):
        return Group([world for r, world in enumerate(self._ranks) if r not in set(ranks)], self._mine)

    def Range_incl(self, ranges):
        return self.Incl(_in_ranges(ranges))

    def Range_excl(self, ranges):
        return self.Excl(_in_ranges(ranges))

    @classmethod
    def Compare(cls, group1, group2):
        one, two = group1._ranks, group2._ranks
        return IDENT if one == two else SIMILAR if sorted(one) == sorted(two) else UNEQUAL

    @classmethod
    def Union(cls, group1, group2):
        return Group(group1._ranks + [r for r in group2._ranks if r not in group1._ranks], group1._mine)

    @classmethod
    def Intersection(cls, group1, group2):
        return Group([r for r in group1._ranks if r in group2._ranks], group1._mine)

    @classmethod
    def Difference(cls, group1, group2):
        return Group([r for r in group1._ranks if r not in group2._ranks], group1._mine)

    @classmethod
    def Translate_ranks(cls, group1, ranks1, group2=None):
        return [group2._ranks.index(group1._ranks[r]) if group1._ranks[r] in group2._ranks else UNDEFINED
                for r in ranks1]

    def Free(self):
        pass


def _in_ranges(ranges):
    """The ranks of (first, last, stride) triples, whose last one belongs to them."""
    whole = [[int(number) for number in one] for one in ranges]  # mpi4py cuts floats off, too
    return [rank for first, last, stride in whole for rank in range(first, last + (1 if stride > 0 else -1), stride)]


_kStarted = "All ranks start together (rankscope exec -n 8): give some of them the work of the processes that it would start."
_kEdgeTag = 1 << 20  # plus the receiver's slot: tags of messages between neighbours
_kNeighbours = "Use Isend and Irecv with each neighbour, or a grid (Create_cart) and its Shift."
_kInstead = {"Spawn": _kStarted, "Spawn_multiple": _kStarted,
             "Accept": _kStarted, "Connect": _kStarted, "Create_graph": _kNeighbours, "Create_dist_graph": _kNeighbours,
             "Create_dist_graph_adjacent": _kNeighbours}


_kLower = {"degrees", "edges", "free", "fromhandle", "fromint", "handle", "index", "info", "nedges", "neighbors", "nneighbors",
           "nnodes", "f2py", "py2f", "toint"}  # of the real library's names in lower case, those that are not here


def _missing(name, kind="Comm", there=""):
    if name.startswith("_"):
        raise AttributeError(name)
    if kind == "Comm" and name not in _kLower and (name[:1].islower() or is_misspelled(name, dir(Comm))):
        raise AttributeError(f"'mpi4py.MPI.Intracomm' object has no attribute '{name}'")
    raise missing(f"{kind}.{name}", there or _kInstead.get(name) or (_kNeighbours if "eighbor" in name else
                  "It has Send, Recv, Isend, Irecv, Sendrecv, Probe, Bcast, Reduce, Allreduce,"
                  " Gather, Scatter, Allgather, Alltoall, their v-forms and lower-case forms, Split, Dup and"
                  " Create_cart."))


class _Named(type):
    """Also reports missing names that a program takes from the class: MPI.Intracomm.Spawn(comm, ...)."""

    def __getattr__(cls, name):
        return _missing(name)


class Comm(Messages, Collectives, metaclass=_Named):
    """Ranks that exchange messages."""

    for _function in [*vars(Messages).values(), *vars(Collectives).values()]:
        if hasattr(_function, "__code__"):
            _function.__qualname__ = f"Comm.{_function.__name__}"  # the name in Python's own errors
    del _function

    def __init__(self, comm=None):
        self._comm = comm._comm if isinstance(comm, Comm) else comm
        self._name = ""

    def _is_null(self):
        return self._comm is None

    def __bool__(self):
        return not self._is_null()

    def __eq__(self, other):
        return isinstance(other, Comm) and self._comm is other._comm

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return id(self._comm)

    def __getattr__(self, name):
        return _missing(name)

    def __reduce__(self):
        raise TypeError("a communicator cannot be sent to another rank: every rank has its own")

    def _alive(self):
        if self._comm is None:
            raise failed("ERR_COMM", "this is MPI.COMM_NULL: this rank is in no part of the new communicator, or it was freed")
        return self._comm

    def Get_rank(self):
        return self._alive().rank

    def Get_size(self):
        return self._alive().size

    rank, size = property(Get_rank), property(Get_size)

    def Get_name(self):
        return self._name

    def Set_name(self, name):
        self._name = name

    name = property(Get_name, Set_name)

    def _split(self, color, key, call, kind=None):
        if isinstance(self._alive(), _world.Local):
            return (kind or Intracomm)(self._comm if color >= 0 else None)
        made = self._comm.split(color, key, call)
        _lost.made_group(call, ("Free", "Disconnect"))
        return (kind or Intracomm)(made)

    def Split(self, color=0, key=0):
        if color < 0 and color != UNDEFINED:
            raise failed("ERR_ARG", f"color {color}; a color is 0 or more, or MPI.UNDEFINED")
        return self._split(-1 if color == UNDEFINED else color, key, "Split")

    def Split_type(self, split_type, key=0, info=None):
        return self._split(-1 if split_type == UNDEFINED else 0, key, "Split_type")

    def Dup(self, info=None):
        return self._split(0, self.rank, "Dup", type(self) if type(self) is Intracomm else Intracomm)

    Clone = Dup

    def Create(self, group):
        world = self._worlds()[self.rank]
        index = group._ranks.index(world) if world in group._ranks else -1
        return self._split(0 if index >= 0 else -1, index, "Create")

    def _worlds(self):
        if isinstance(self._alive(), _world.Local):
            return [0]
        return [self._comm.world_rank(r) for r in range(self.size)]

    def Get_group(self):
        worlds = self._worlds()
        return Group(worlds, worlds[self.rank])

    group = property(Get_group)

    @classmethod
    def Compare(cls, comm1, comm2):
        if comm1 == comm2:
            return IDENT
        one, two = comm1._worlds(), comm2._worlds()
        return CONGRUENT if one == two else SIMILAR if sorted(one) == sorted(two) else UNEQUAL

    def Free(self):
        if self._alive() is not None and not isinstance(self._comm, (_world.World, _world.Local)):
            self._comm.free()
        self._comm = None

    Disconnect = Free

    def Abort(self, errorcode=0):
        _world.abort(errorcode)

    @classmethod
    def Get_parent(cls):
        return COMM_NULL  # no process is started by others

    def Is_inter(self):
        return False

    def Is_intra(self):
        return True

    is_inter, is_intra, is_topo = property(Is_inter), property(Is_intra), property(lambda self: False)

    def Get_topology(self):
        return UNDEFINED

    topology = property(lambda self: self.Get_topology())

    def Get_attr(self, keyval):
        return 2**31 - 1 if keyval == 0 else None  # MPI.TAG_UB

    def Set_errhandler(self, errhandler):
        """Does nothing: errors are always exceptions."""

    def Get_errhandler(self):
        return None


class Intracomm(Comm):
    def Create_cart(self, dims, periods=None, reorder=False):
        dims = [int(d) for d in (dims if hasattr(dims, "__iter__") else [dims])]
        if periods is None:
            periods = False
        periods = [bool(p) for p in periods] if hasattr(periods, "__iter__") else [bool(periods)] * len(dims)
        count = 1
        for extent in dims:
            if extent <= 0:
                raise failed("ERR_DIMS", f"{dims}; MPI.Compute_dims gives sizes that multiply to the ranks")
            count *= extent
        if len(periods) != len(dims) or count > self.size:
            raise failed("ERR_DIMS", f"a grid of {dims} has {count} places, and there are {self.size} ranks; give it"
                         f" MPI.Compute_dims({self.size}, {len(dims)}), or start the program with -n {count}")
        made = self._split(0 if self.rank < count else -1, self.rank, "Create_cart")
        return Cartcomm._of(made, dims, periods)


class Cartcomm(Intracomm):
    """Ranks in a grid, counted row by row."""

    @classmethod
    def _of(cls, comm, dims, periods):
        grid = cls(comm)
        grid._dims, grid._periods = list(dims), list(periods)
        return grid

    def Get_dim(self):
        return len(self._dims)

    dim = ndim = property(Get_dim)
    dims = property(lambda self: list(self._dims))
    periods = property(lambda self: [int(p) for p in self._periods])
    coords = property(lambda self: self.Get_coords(self.rank))
    is_topo = property(lambda self: True)

    def Get_topology(self):
        return CART

    def Get_topo(self):
        return self.dims, self.periods, self.coords

    topo = property(Get_topo)

    def Get_coords(self, rank):
        self._rank(rank, ())
        coords = []
        for extent in reversed(self._dims):
            coords.append(rank % extent)
            rank //= extent
        return coords[::-1]

    def Get_cart_rank(self, coords):
        self._alive()
        rank = 0
        for place, extent, around in zip(coords, self._dims, self._periods):
            if around:
                place %= extent
            elif not 0 <= place < extent:
                raise failed("ERR_ARG", f"{list(coords)} does not lie in a grid of {self._dims}")
            rank = rank * extent + place
        return rank

    def Shift(self, direction, disp):
        """(the rank that sends to this one, the rank that this one sends to)."""
        self._alive()
        if not 0 <= direction < len(self._dims):
            raise failed("ERR_DIMS", f"direction {direction} in a grid of {len(self._dims)} dimensions")
        _lost.shifted(disp)
        found = []
        for sign in (-1, 1):
            coords = self.coords
            coords[direction] += sign * disp
            inside = self._periods[direction] or 0 <= coords[direction] < self._dims[direction]
            found.append(self.Get_cart_rank(coords) if inside else PROC_NULL)
        return tuple(found)

    def _edges(self):
        return [rank for direction in range(self.ndim) for rank in self.Shift(direction, 1)]

    inedges = outedges = property(_edges)
    indegree = outdegree = property(lambda self: 2 * self.ndim)
    inoutedges = property(lambda self: (self._edges(), self._edges()))

    def neighbor_alltoall(self, sendobj):
        """Returns what each neighbour sends: in each direction the one before this rank, then the one after it."""
        ranks, given = self._edges(), list(sendobj)
        if len(given) != len(ranks):
            raise ValueError(f"expecting {len(ranks)} items, got {len(given)}: one for each neighbour")
        sent = [self.isend(one, rank, _kEdgeTag + (slot ^ 1)) for slot, (one, rank) in enumerate(zip(given, ranks))
                if rank != PROC_NULL]
        came = [None if rank == PROC_NULL else self.recv(None, rank, _kEdgeTag + slot) for slot, rank in enumerate(ranks)]
        for request in sent:
            request.wait()
        return came

    def neighbor_allgather(self, sendobj):
        return self.neighbor_alltoall([sendobj] * self.outdegree)

    def Sub(self, remain_dims):
        color, key = 0, 0
        for place, extent, stays in zip(self.coords, self._dims, remain_dims):
            if stays:
                key = key * extent + place
            else:
                color = color * extent + place
        made = self._split(color, key, "Sub")
        stays = [i for i, stay in enumerate(remain_dims) if stay]
        return Cartcomm._of(made, [self._dims[i] for i in stays], [self._periods[i] for i in stays])


def Compute_dims(nnodes, dims):
    """The sizes of a grid of this many ranks, as equal as possible; entries of `dims` other than 0 stay."""
    dims = [0] * dims if isinstance(dims, int) else list(dims)
    free, rest = [i for i, d in enumerate(dims) if not d], nnodes
    for extent in dims:
        if extent:
            if rest % extent:
                raise failed("ERR_DIMS", f"{nnodes} ranks cannot be divided by {extent}")
            rest //= extent
    for index, extent in zip(free, _factors(rest, len(free))):
        dims[index] = extent
    return dims


def _factors(number, count):
    if count <= 1:
        return [number] if count else []
    best = None
    for first in range(1, number + 1):
        if number % first == 0:
            others = _factors(number // first, count - 1)
            found = sorted([first, *others], reverse=True)
            if best is None or found[0] - found[-1] < best[0] - best[-1]:
                best = found
    return best


COMM_NULL = Intracomm()
COMM_WORLD = Intracomm(_world.World())
COMM_WORLD.name = "MPI_COMM_WORLD"
COMM_SELF = Intracomm(_world.Local())
COMM_SELF.name = "MPI_COMM_SELF"
