"""Ignores all signals and sleeps."""

import signal, time
for number in range(1, 32):
    try:
        signal.signal(number, signal.SIG_IGN)
    except OSError:
        pass
time.sleep(1000)
