# A system call of 32 bits, which a filter for 64 does not name: mov eax, 20; int 0x80; ret
import ctypes, mmap
page = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")
address = ctypes.addressof(ctypes.c_char.from_buffer(page))
print("went on:", ctypes.CFUNCTYPE(ctypes.c_int)(address)())
