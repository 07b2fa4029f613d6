# A process whose first thread has ended: its /proc/PID/status has no sizes.
import ctypes, threading, time
def hold():
    time.sleep(0.3)
    kept = bytearray(b"x") * (300 << 20)
    time.sleep(30)
threading.Thread(target=hold).start()
ctypes.CDLL(None).syscall(60, 0)
