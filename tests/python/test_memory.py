"""How arrays, tensors and buffers are described to the engine."""

import array

import pytest

from rankscope import UsageError, _memory, _native

numpy = pytest.importorskip("numpy")
torch = pytest.importorskip("torch")


@pytest.fixture(autouse=True)
def nothing_known():
    _memory.forget()


def shape(memory):
    return list(memory.shape[:memory.dims])


def of(thing, full=True, write=False):
    return _memory.describe(thing, full, write)[0]


def test_a_tensor_is_its_own_memory():
    tensor = torch.arange(6, dtype=torch.float32).reshape(2, 3)
    memory = of(tensor, full=False)
    assert (memory.data, memory.count, memory.dtype) == (tensor.data_ptr(), 6, _native.FLOAT32)


def test_a_chunk_lies_in_the_whole_tensor():
    whole_thing = torch.zeros(8)
    memory = _memory.describe(list(whole_thing.chunk(4))[2], True)[0]
    assert memory.data == whole_thing.data_ptr() + 16
    assert (memory.count, memory.array, shape(memory)) == (2, whole_thing.data_ptr(), [8])
    assert memory.name == b"whole_thing"


def test_a_row_of_a_matrix_lies_in_the_matrix():
    matrix = torch.zeros(3, 4, dtype=torch.int64)
    memory = of(matrix[1])
    assert (memory.array, shape(memory), memory.dtype) == (matrix.data_ptr(), [3, 4], _native.INT64)
    assert memory.data == matrix.data_ptr() + 32


def test_a_scalar_is_an_array_of_one():
    memory = of(torch.tensor(3.0))
    assert (memory.count, shape(memory)) == (1, [1])


def test_an_empty_tensor_has_no_memory():
    memory = of(torch.zeros(0))
    assert (memory.data, memory.count) == (None, 0)


@pytest.mark.parametrize("dtype", [torch.bool, torch.int8, torch.int16, torch.float16, torch.bfloat16,
                                   torch.complex64])
def test_types_that_the_engine_lacks_are_bytes(dtype):
    tensor = torch.zeros(6).to(dtype)
    memory = of(tensor)
    assert (memory.dtype, memory.count) == (_native.UINT8, 6 * tensor.element_size())
    assert shape(memory) == [6 * tensor.element_size()]


@pytest.mark.parametrize("dtype", ["int8", "complex128", "S3", "U5", "M8[ns]", "V12"])
def test_arrays_of_types_that_the_engine_lacks_are_bytes(dtype):
    array_of_six = numpy.zeros(6, dtype)
    memory = of(array_of_six)
    assert (memory.dtype, memory.count, shape(memory)) == (_native.UINT8, array_of_six.nbytes,
                                                           [6, array_of_six.itemsize])


def test_a_tensor_of_another_shape_at_the_same_place_is_not_confused_with_it():
    tensor = torch.zeros(6)
    assert of(tensor).count == 6
    assert of(tensor[:3]).count == 3
    assert of(tensor.view(torch.int32)).dtype == _native.INT32


def test_descriptions_are_kept():
    tensor = torch.zeros(6)
    assert of(tensor) is of(tensor)
    assert of(tensor, full=False) is of(tensor, full=False)


def test_a_numpy_slice_lies_in_its_array():
    table = numpy.zeros((4, 3))
    memory = _memory.describe(table[2:3], True)[0]
    assert memory.data == table.ctypes.data + 2 * 3 * 8
    assert (memory.count, memory.dtype, memory.array) == (3, _native.FLOAT64, table.ctypes.data)
    assert (shape(memory), memory.name) == ([4, 3], b"table")


def test_a_numpy_view_with_gaps_is_refused():
    with pytest.raises(UsageError, match="contiguous"):
        of(numpy.zeros((4, 3))[:, 0])


def test_nothing_is_received_into_read_only_memory():
    constant = numpy.zeros(3)
    constant.flags.writeable = False
    assert of(constant).count == 3
    with pytest.raises(UsageError, match="read-only"):
        of(constant, write=True)
    with pytest.raises(UsageError, match="bytearray"):
        of(b"abc", write=True)


def test_other_buffers():
    numbers = array.array("d", [1, 2, 3])
    memory, keep = _memory.describe(numbers, True)
    assert (memory.count, memory.dtype, memory.data) == (3, _native.FLOAT64, numbers.buffer_info()[0])
    assert of(b"abcde").count == 5
    assert of(bytearray()).count == 0


def test_what_is_no_buffer_says_what_to_use():
    with pytest.raises(UsageError, match="send_object"):
        of({"a": 1})
    with pytest.raises(UsageError, match="send_object"):
        of(numpy.array([{}], dtype=object))


def test_names_are_looked_for_in_lists_and_members():
    class Worker:
        def __init__(self):
            self.buffer = torch.zeros(3)

        def name(self):
            return _memory.describe(self.buffer, True)[0].name
    parts = [torch.zeros(2), torch.zeros(2)]

    def inner(tensor_of_callee):
        return _memory.describe(tensor_of_callee, True)[0].name
    assert _memory.describe(parts[1], True)[0].name == b"parts[1]"
    assert inner(torch.zeros(5)) == b"tensor_of_callee"
    assert Worker().name() == b"self.buffer"


def test_a_description_of_ours_is_found_even_when_a_variable_misbehaves():
    class Odd:
        @property
        def __array_interface__(self):
            raise RuntimeError("no")
    odd, wanted = Odd(), numpy.zeros(2)
    assert _memory.describe(wanted, True)[0].name == b"wanted" and odd is not None


def test_the_whole_arrays_variable_names_it():
    def send(piece):
        return _memory.describe(piece, True)[0].name
    gradient = torch.zeros(8)
    assert send(gradient[2:4]) == b"gradient"


@pytest.mark.parametrize("full", [False, True])
def test_an_array_that_owns_its_memory_is_described_as_it_is_now(full):
    array_of_six = numpy.arange(6, dtype=numpy.float32)
    first = of(array_of_six, full)
    assert of(array_of_six, full) is first, "what is known is kept"
    array_of_six.dtype = numpy.int32  # the same memory, other elements
    assert of(array_of_six, full).dtype == _native.INT32
    array_of_six.shape = (2, 3)
    assert not full or shape(of(array_of_six, full)) == [2, 3]
    array_of_six.flags.writeable = False
    assert of(array_of_six, full).count == 6
    with pytest.raises(UsageError, match="read-only"):
        of(array_of_six, full, write=True)
    with pytest.raises(UsageError, match="contiguous"):
        of(numpy.zeros((4, 4))[:, 1], full)
