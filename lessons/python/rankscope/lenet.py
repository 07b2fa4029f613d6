"""The arguments of a training exercise: LeNet-5 in torch, pictures that note which of them are taken, and the call that
ends a step.

Nothing here decides about points: which pictures a rank took in each step and what its parameters were after it is
handed in, and the steps are computed again outside of the box.
"""
import torch
import torch.nn.functional as F


class LeNet5(torch.nn.Module):
    """For grey pictures of 28 x 28 in ten classes; tanh and average pooling, as in the paper of 1998."""

    def __init__(self):
        super().__init__()
        self.conv1 = torch.nn.Conv2d(1, 6, 5, padding=2)
        self.conv2 = torch.nn.Conv2d(6, 16, 5)
        self.fc1 = torch.nn.Linear(400, 120)
        self.fc2 = torch.nn.Linear(120, 84)
        self.fc3 = torch.nn.Linear(84, 10)

    def forward(self, pictures):
        x = F.avg_pool2d(torch.tanh(self.conv1(pictures)), 2)
        x = F.avg_pool2d(torch.tanh(self.conv2(x)), 2).flatten(1)
        return self.fc3(torch.tanh(self.fc2(torch.tanh(self.fc1(x)))))


class Pictures(torch.utils.data.Dataset):
    """A data set in torch's sense: `set[3]` is (picture, label), `set[[3, 8]]` and `set[3:8]` are whole batches."""

    def __init__(self, pictures, labels):
        self._pictures, self._labels, self._taken = pictures, labels.long(), []

    def __len__(self):
        return len(self._labels)

    def __getitem__(self, index):
        if isinstance(index, slice):
            index = range(*index.indices(len(self)))
        elif isinstance(index, torch.Tensor):
            index = index.nonzero().flatten().tolist() if index.dtype == torch.bool else index.tolist()
        elif hasattr(index, "tolist"):  # NumPy
            index = index.tolist()
        if isinstance(index, int):
            at = self._place(index)
            self._taken.append(at)
            return self._pictures[at].clone(), int(self._labels[at])
        at = [self._place(one) for one in index]
        self._taken += at
        return self._pictures[at], self._labels[at]

    def _place(self, index):
        index = int(index)
        if not -len(self) <= index < len(self):
            raise IndexError("there is no picture %d of %d" % (index, len(self)))
        return index % len(self)

    def _take_notes(self):
        """The numbers of the pictures that were taken since the last call."""
        taken, self._taken = self._taken, []
        return taken


class Steps:
    """The call at the end of each step, which notes the batch and the parameters."""

    def __init__(self, model, train, test, most):
        self.model, self.train, self.test, self.most = model, train, test, most
        self.count, self.batches, self.after = 0, [], []

    def __call__(self):
        self.count += 1
        batch = self.train._take_notes()
        self.test._take_notes()
        if self.count <= self.most:
            self.batches.append(batch)
            self.after.append(parameters_of(self.model))


def parameters_of(model):
    """All parameters as one vector, of float64 if one of them is."""
    return torch.cat([one.detach().reshape(-1) for one in model.parameters()]).clone()


def numbers(values):
    return torch.tensor(values, dtype=torch.int64)


def call(tasks, task, function, given, load_parameters, hand_in):
    """One training. Arguments: pictures and labels for training and for testing, batch_size, step_size, steps."""
    import torch.distributed as dist
    torch.manual_seed(task["rank"])
    model = LeNet5()
    load_parameters(tasks, task, model)
    train_x, train_y, test_x, test_y = (given(tasks, one) for one in task["args"][:4])
    batch_size, step_size, steps = task["args"][4:]
    train, test = Pictures(train_x, train_y), Pictures(test_x, test_y)
    after_step = Steps(model, train, test, steps)
    dist.init_process_group("gloo", rank=task["rank"], world_size=task["size"])
    returned = function(model, train, test, batch_size, step_size, steps, after_step)
    dist.destroy_process_group()
    hand_in(tasks, "steps", after_step.count)
    for k, (batch, after) in enumerate(zip(after_step.batches, after_step.after)):
        hand_in(tasks, "batch %d" % k, numbers(batch))
        hand_in(tasks, "after %d" % k, after)
    hand_in(tasks, "end", parameters_of(model))
    hand_in(tasks, "looked at train", numbers(train._take_notes()))
    hand_in(tasks, "looked at test", numbers(test._take_notes()))
    if isinstance(returned, torch.Tensor) and returned.numel() == 1:
        returned = returned.item()
    hand_in(tasks, "return", returned)
