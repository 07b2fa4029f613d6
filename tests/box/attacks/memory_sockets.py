"""Memory that is no process's: what lies in sockets that wait for a connection to be taken, and were closed long ago."""
import socket

listeners = []
while True:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind("\0%d" % len(listeners))
    listener.listen(1000)
    listeners.append(listener)
    for _ in range(1000):
        with socket.socket(socket.AF_UNIX) as one:
            one.setblocking(False)
            one.connect(listener.getsockname())
            try:
                while True:
                    one.send(bytes(1 << 16))
            except BlockingIOError:
                pass
