# No attack: works for a while, and says so.
import sys, time
time.sleep(float(sys.argv[1]))
print("contained")
