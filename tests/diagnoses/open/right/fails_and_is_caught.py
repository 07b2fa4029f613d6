import ray

@ray.remote
class Bank:
    def withdraw(self, n):
        if n > 10:
            raise ValueError("too much")
        return 10 - n

ray.init()
bank = Bank.remote()
try:
    ray.get(bank.withdraw.remote(50))
except ValueError as e:
    print("refused")
print(ray.get(bank.withdraw.remote(4)))
