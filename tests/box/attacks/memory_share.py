# So much that this one alone is within the limit.
import sys, time
kept = bytearray(b"x") * (int(sys.argv[1]) << 20)
time.sleep(60)
