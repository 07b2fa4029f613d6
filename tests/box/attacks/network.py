# argv: a port on which somebody listens outside, and the name of an abstract socket.
import os, socket, sys
families = [name for name in dir(socket) if name.startswith("AF_") and name not in ("AF_UNIX", "AF_UNSPEC")]
for name in families:
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
        try:
            made = socket.socket(getattr(socket, name), kind)
            print("made a socket of", name)
            made.connect(("127.0.0.1", int(sys.argv[1])))
            print("connected")
        except OSError:
            pass
for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
    try:
        socket.socket(socket.AF_UNIX, kind).connect("\0" + sys.argv[2])
        print("connected to an abstract socket")
    except OSError:
        pass
for path in ("/run/dbus/system_bus_socket", "/var/run/docker.sock", "/tmp/.X11-unix/X0"):
    if os.path.exists(path):
        print("there is", path)
socket.socketpair()  # what stays allowed
print("contained")
