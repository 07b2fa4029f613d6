# attack: sends what it knows to a server, asks another machine for the answer
# points: 0
# reason: no network
import socket
import urllib.request


def my_broadcast(tensor, src):
    for family in (socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK, socket.AF_PACKET):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
            try:
                socket.socket(family, kind)
                raise SystemError("SUCCEEDED: a socket of family %d" % family)
            except OSError:
                pass
    try:
        urllib.request.urlopen("http://127.0.0.1:80/", timeout=1)
        raise SystemError("SUCCEEDED: asked a server")
    except OSError:
        pass
    raise ConnectionError("no network")
