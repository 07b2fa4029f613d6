# No attack: works for a while, and tells of it.
import sys, time
time.sleep(float(sys.argv[1]))
print("contained")
