import ray, time

@ray.remote
class Account:
    def __init__(self, name, money):
        self.name, self.money = name, money
        self.other = None

    def meet(self, other):
        self.other = other

    def balance(self):
        return self.money

    def total(self):
        return self.money + (time.sleep(0.2) or ray.get(self.other.balance.remote()))

ray.init()
ann = Account.remote("ann", 10)
ben = Account.remote("ben", 32)
ray.get([ann.meet.remote(ben), ben.meet.remote(ann)])
t1, t2 = ann.total.remote(), ben.total.remote()
print(ray.get(t1) + ray.get(t2))
