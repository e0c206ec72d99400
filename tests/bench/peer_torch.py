# The pipelines of the suite "gpu" as one writes them in PyTorch: three streams, and events between them. The
# kernel is one multiplication, since a row of them would be as many kernels: less work than that of the other
# programs. Exit status 77: there is no PyTorch, or none that reaches a GPU.
# SPDX-License-Identifier: MIT
import json
import statistics
import sys
import time

try:
    import torch
except ImportError:
    sys.exit(77)
if not torch.cuda.is_available():
    sys.exit(77)

KIB, MIB = 1 << 10, 1 << 20
BATCHES = [  # name, bytes, batches of one measurement
    ("4KiB", 4 * KIB, 1000),
    ("64KiB", 64 * KIB, 1000),
    ("256KiB", 256 * KIB, 1000),
    ("1MiB", MIB, 500),
    ("16MiB", 16 * MIB, 300),
    ("64MiB", 64 * MIB, 120),
]
DEPTH = 3
ROUNDS = 5  # after one that does not count
TRIES = 3  # a round, of batches that take what the processor spends on them; the least counts


class Slot:
    def __init__(self, count):
        self.host_in = (torch.arange(count) % 977).float().pin_memory()
        self.host_out = torch.empty(count).pin_memory()
        self.device_in = torch.empty(count, device="cuda")
        self.device_out = torch.empty(count, device="cuda")
        self.uploaded, self.computed, self.done = (torch.cuda.Event() for _ in range(3))


def enqueue(slot, up, compute, down):
    with torch.cuda.stream(up):
        slot.device_in.copy_(slot.host_in, non_blocking=True)
        slot.uploaded.record(up)
    with torch.cuda.stream(compute):
        compute.wait_event(slot.uploaded)
        torch.mul(slot.device_in, 1.5, out=slot.device_out)
        slot.computed.record(compute)
    with torch.cuda.stream(down):
        down.wait_event(slot.computed)
        slot.host_out.copy_(slot.device_out, non_blocking=True)
        slot.done.record(down)


def sample(slots, streams, batches):
    begin = time.perf_counter()
    for batch in range(batches):
        slot = slots[batch % len(slots)]
        if batch >= len(slots):
            slot.done.synchronize()
        enqueue(slot, *streams)
    torch.cuda.synchronize()
    return (time.perf_counter() - begin) / batches * 1e6


def measure(name, size, batches):
    slots = [Slot(size // 4) for _ in range(DEPTH)]
    streams = [torch.cuda.Stream() for _ in range(3)]
    torch.cuda.synchronize()
    tries = TRIES if size <= 256 * KIB else 1
    values = [min(sample(slots, streams, batches) for _ in range(tries)) for _ in range(ROUNDS + 1)][1:]
    if not torch.equal(slots[-1].host_out, slots[-1].host_in * 1.5):
        sys.exit("a batch came out wrong")
    print(json.dumps({"suite": "gpu", "case": f"{name}_depth{DEPTH}_streams", "backend": "pytorch", "unit": "us",
                      "median": statistics.median(values), "min": min(values), "max": max(values)}))


most = MIB if len(sys.argv) > 1 and sys.argv[1].startswith("s") else 64 * MIB
for batch in BATCHES:
    if batch[1] <= most:
        measure(*batch)
