# exercise: hello
# verdict: wrong
# mistake: comma and exclamation mark differ from the asked line
# expect: the line's text is not Rank R: Hello, NAME!
# hangs: no
# worlds: 1,2,3,4,5,8
import torch.distributed as dist


def hello(rank, world_size, name):
    print("Rank", rank, ": Hello ,", name, "!")
