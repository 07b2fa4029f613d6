# attack: a loop without end
# points: 0
# reason: the run takes too long|did not stop
def my_broadcast(tensor, src):
    while True:
        pass
