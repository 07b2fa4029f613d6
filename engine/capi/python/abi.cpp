// Finds Python's functions by their names.
#include "engine/capi/python/abi.h"

#include <dlfcn.h>

namespace rankscope::python {
namespace {

template <class Pointer>
bool find(Pointer& out, const char* name) {
  out = reinterpret_cast<Pointer>(::dlsym(RTLD_DEFAULT, name));
  return out != nullptr;
}

bool find_all(Abi& out) {
  find(out.frame_position, "PyFrame_GetLasti");
  return find(out.current_frame, "PyEval_GetFrame") && find(out.frame_back, "PyFrame_GetBack") &&
         find(out.frame_code, "PyFrame_GetCode") && find(out.frame_line, "PyFrame_GetLineNumber") &&
         find(out.increment, "Py_IncRef") && find(out.decrement, "Py_DecRef") &&
         find(out.release_lock, "PyEval_SaveThread") &&
         find(out.take_lock, "PyEval_RestoreThread") &&
         find(out.thread, "PyThread_get_thread_ident") &&
         find(out.new_function, "PyCFunction_NewEx") && find(out.new_capsule, "PyCapsule_New") &&
         find(out.in_capsule, "PyCapsule_GetPointer") && find(out.type_of, "PyObject_Type") &&
         find(out.attribute, "PyObject_GetAttr") && find(out.is_true, "PyObject_IsTrue") &&
         find(out.call, "PyObject_CallFunctionObjArgs") &&
         find(out.call_plain, "PyObject_CallNoArgs") && find(out.view, "PyObject_GetBuffer") &&
         find(out.end_view, "PyBuffer_Release") &&
         find(out.interned, "PyUnicode_InternFromString") && find(out.number, "PyLong_AsLong") &&
         find(out.new_number, "PyLong_FromLong") && find(out.address, "PyLong_AsVoidPtr") &&
         find(out.new_address, "PyLong_FromVoidPtr") && find(out.new_bool, "PyBool_FromLong") &&
         find(out.new_bytes, "PyBytes_FromStringAndSize") &&
         find(out.bytes_data, "PyBytes_AsString") && find(out.bytes_size, "PyBytes_Size") &&
         find(out.new_tuple, "PyTuple_New") && find(out.set_item, "PyTuple_SetItem") &&
         find(out.item, "PyTuple_GetItem") && find(out.dict_size, "PyDict_Size") &&
         find(out.list_size, "PyList_Size") && find(out.forget_error, "PyErr_Clear") &&
         find(out.none, "_Py_NoneStruct") && find(out.int_type, "PyLong_Type") &&
         find(out.bytes_type, "PyBytes_Type");
}

}  // namespace

const Abi* abi() {
  static Abi python{};
  static const bool complete = find_all(python);
  return complete ? &python : nullptr;
}

}  // namespace rankscope::python
