"""Submissions that are more than one program, or none: links, pipes, devices, files beside the program.

Each function fills a folder. Its lines "attack", "points" and "reason" mean what they mean in the programs.
"""
import os
import tarfile
import zipfile

HONEST = '''# an honest program, not to be copied
import torch
import torch.distributed as dist


def my_broadcast(tensor, src):
    data = tensor.contiguous()
    if dist.get_rank() == src:
        for peer in range(dist.get_world_size()):
            if peer != src:
                dist.send(data, peer)
    else:
        dist.recv(data, src)
        tensor.copy_(data)
    return tensor
'''


HONEST_CPP = """#include "rankscope.hpp"
template <class T>
void my_broadcast(rankscope::Communicator& comm, std::span<T> data, int src) {
  if (comm.rank() != src) comm.recv(src, data);
  for (int peer = 0; comm.rank() == src && peer < comm.size(); ++peer)
    if (peer != src) comm.send(peer, data);
}
"""


def write(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


def link_to_secret(folder, canary):
    """attack: the program is a link to a file of the grader's
    points: 0
    reason: not handed in|has no my_broadcast.py
    """
    os.symlink(canary, os.path.join(folder, "my_broadcast.py"))


def links_beside(folder, canary):
    """attack: links beside the program, to files, folders, and round in a circle; else an honest program
    points: 6
    reason:
    """
    write(folder, "my_broadcast.py", HONEST)
    os.symlink(canary, os.path.join(folder, "key"))
    os.symlink("/", os.path.join(folder, "all"))
    os.symlink("circle", os.path.join(folder, "circle"))
    os.symlink("/proc/self/fd", os.path.join(folder, "fds"))


def reads_through_link(folder, canary):
    """attack: reads a file of the grader's through a link and through a hard link in its folder
    points: 0
    reason: FileNotFoundError
    """
    os.symlink(canary, os.path.join(folder, "key"))
    write(folder, "my_broadcast.py", "def my_broadcast(tensor, src):\n"
          "    raise SystemError('SUCCEEDED: ' + open(__file__.rpartition('/')[0] + '/key').read())\n")


def pipe(folder, _):
    """attack: the program is a pipe, whose reader would wait for ever
    points: 0
    reason: not handed in|has no my_broadcast.py
    """
    os.mkfifo(os.path.join(folder, "my_broadcast.py"))


def pipes_beside(folder, _):
    """attack: pipes and sockets beside the program; else an honest program
    points: 6
    reason:
    """
    write(folder, "my_broadcast.py", HONEST)
    os.mkfifo(os.path.join(folder, "data"))
    os.mkfifo(os.path.join(folder, "torch.py"))


def folder_as_program(folder, _):
    """attack: the program is a folder
    points: 0
    reason: not handed in|has no my_broadcast.py
    """
    os.mkdir(os.path.join(folder, "my_broadcast.py"))


def huge(folder, _):
    """attack: the program has a gigabyte
    points: 0
    reason: has more than 64 MiB
    """
    write(folder, "my_broadcast.py", HONEST)
    os.truncate(os.path.join(folder, "my_broadcast.py"), 1 << 30)


def many_files(folder, _):
    """attack: thousands of files beside the program
    points: 0
    reason: has more than 2,000 files
    """
    write(folder, "my_broadcast.py", HONEST)
    for number in range(2500):
        write(folder, "%d.py" % number, "")


def binary(folder, _):
    """attack: the program is no text
    points: 0
    reason: SyntaxError|null bytes|not valid|cannot contain|codec
    """
    with open(os.path.join(folder, "my_broadcast.py"), "wb") as file:
        file.write(b"\x7fELF" + bytes(range(256)) * 64)


def endless_source(folder, _):
    """attack: a source that the compiler cannot finish: nested brackets, a huge constant
    points: 0
    reason: .
    """
    write(folder, "my_broadcast.py", "x = " + "(" * 100000 + ")" * 100000 + "\ny = 9 ** 9 ** 9 ** 9\n")


def trojans_beside(folder, _):
    """attack: modules beside the program that have the names of the grader's own and of libraries
    points: 6
    reason:
    """
    write(folder, "my_broadcast.py", HONEST)
    for name in ("rankscope", "torch", "ray", "json", "ctypes", "numpy", "sitecustomize", "usercustomize", "contract"):
        write(folder, name + ".py", "raise SystemError('SUCCEEDED: loaded instead of the real one')\n")
    os.mkdir(os.path.join(folder, "__pycache__"))
    write(folder, "__pycache__/my_broadcast.cpython-311.pyc", "SUCCEEDED")


def device(folder, _):
    """attack: the program is a device that never ends; only root can hand one in
    points: 0
    reason: not handed in|has no my_broadcast.py
    """
    os.mknod(os.path.join(folder, "my_broadcast.py"), 0o20666, os.makedev(1, 5))


def terminal_name(folder, _):
    """attack: files whose names are orders for the terminal and parts of a page; else an honest program
    points: 6
    reason:
    """
    write(folder, "my_broadcast.py", HONEST)
    write(folder, "\x1b[2J<script>.py", "")


def loops_before_main(folder, _):
    """attack: a program in C++ that never comes to its main()
    points: 0
    reason: has not come to its main
    """
    write(folder, "my_broadcast.cpp", """#include "rankscope.hpp"
#include <ctime>
static int forever() { volatile long turns = 0; for (;;) turns = turns + 1; }
static int never = forever();
template <class T>
void my_broadcast(rankscope::Communicator&, std::span<T>, int) {}
""")


CPP = """#include "rankscope.hpp"
%s
template <class T>
void my_broadcast(rankscope::Communicator&, std::span<T>, int) {}
"""


def pauses_before_main(folder, _):
    """attack: a function that is called before main() sleeps for ever, and ignores signals
    points: 0
    reason: has not come to its main
    """
    write(folder, "my_broadcast.cpp", CPP % """#include <csignal>
#include <unistd.h>
__attribute__((constructor)) static void sleeper() {
  for (int i = 1; i < 60; ++i) signal(i, SIG_IGN);
  for (;;) pause();
}""")


def loops_while_loading(folder, _):
    """attack: a function that the loader calls to find another one never ends
    points: 0
    reason: has not come to its main
    """
    write(folder, "my_broadcast.cpp", CPP % """extern "C" {
static void one() {}
static void (*choose())() { volatile int turn = 1; while (turn) {} return one; }
void chosen() __attribute__((ifunc("choose")));
}
void (*use)() = chosen;""")


def waits_for_itself_before_main(folder, _):
    """attack: a thread that never ends is waited for before main(), beside a child that sleeps
    points: 0
    reason: has not come to its main|processes
    """
    write(folder, "my_broadcast.cpp", CPP % """#include <thread>
#include <unistd.h>
struct Early {
  Early() {
    std::thread turns([] { for (volatile int i = 0;; i = i + 1) {} });
    if (fork() == 0) for (;;) pause();
    turns.join();
  }
} early;""")


def reads_keys_while_compiling(folder, canary):
    """attack: the compiler is to read keys and files of the grader into the program
    points: 0
    reason:
    """
    installed = "/usr/local/share/rankscope/lessons/"
    write(folder, "my_broadcast.cpp", CPP % ('__asm__(".incbin \\"%s\\"\\n.incbin \\"%scourses/homework.toml\\"");\n'
                                             '#include "%scontent/03-broadcast/lesson.toml"\n' %
                                             (canary, installed, installed)))


def loops_on_import(folder, _):
    """attack: the program never ends being imported, whatever is raised in it
    points: 0
    reason: takes too long|did not stop
    """
    write(folder, "my_broadcast.py", "while True:\n    try:\n        while True:\n            pass\n"
          "    except BaseException:\n        pass\n")


def archives_beside(folder, _):
    """attack: archives with ways out of them, links, devices, and a bomb beside an honest program
    points: 6
    reason:
    """
    write(folder, "my_broadcast.py", HONEST)
    with zipfile.ZipFile(os.path.join(folder, "a.zip"), "w", zipfile.ZIP_DEFLATED) as file:
        for name in ("../../../../tmp/escaped.py", "/tmp/escaped.py", "x" * 5000 + ".py", "..\\..\\x.py"):
            file.writestr(name, "SUCCEEDED")
        file.writestr("bomb.py", bytes(64 << 20))
    with tarfile.open(os.path.join(folder, "a.tar.gz"), "w:gz") as file:
        for name, kind, to in (("link", tarfile.SYMTYPE, "/etc/shadow"), ("hard", tarfile.LNKTYPE, "/etc/shadow"),
                               ("device", tarfile.CHRTYPE, "")):
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = kind, to
            file.addfile(entry)


ALL = [pauses_before_main, loops_while_loading, waits_for_itself_before_main, reads_keys_while_compiling,
       loops_on_import, archives_beside, loops_before_main, link_to_secret, links_beside, reads_through_link, pipe,
       pipes_beside, folder_as_program, huge, many_files, binary, endless_source, trojans_beside, device, terminal_name]
