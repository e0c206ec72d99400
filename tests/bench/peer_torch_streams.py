# The mixes of the suite "pools" on PyTorch's streams: as its pool does, 32 streams of a priority in turn (an event
# where a task comes after another). The kernel is the very text that Trireme compiles, which BENCH_POOLS_KERNEL
# names, and is launched through the driver with arguments that are made before, since Python's own time would
# count otherwise. The sizes are those of pools_work.h. Exit status 77: there is no PyTorch that compiles kernels
# and reaches a GPU.
# SPDX-License-Identifier: MIT
import ctypes
import json
import os
import statistics
import sys
import time

try:
    import torch
except ImportError:
    sys.exit(77)
if not torch.cuda.is_available() or not hasattr(torch.cuda, "_compile_kernel"):
    sys.exit(77)

TINY, SHORT, MEDIUM, LONG, LARGE = 256, 1024, 8192, 65536, 1 << 19
PARTS = 16  # of the target: so many tasks in a row write memory of their own
LINKS = 4096  # of a task that is bound by arithmetic: MIX_GPU_LINKS
GROUP = 256
STREAMS = 32  # of a priority: c10/cuda/CUDAStream.cpp, kStreamsPerPool
ROUNDS = 5  # after one that does not count
BUSY, URGENT = 48, 200


# ---- the mixes: (links, elements, the number of the task that it comes after) -------------------------

def mix_tiny():
    return [(1, TINY, None)] * 64


def mix_long_short():
    return [(LINKS, LONG if i % 8 == 0 else SHORT, None) for i in range(16)]


def mix_memory_compute():
    return [(1, LARGE, None), (LINKS, MEDIUM, None)] * 4


def mix_bursts():
    sizes = [SHORT, MEDIUM, SHORT, TINY, LONG, SHORT, TINY, MEDIUM]
    return [(LINKS, sizes[i % 8], None) for i in range(24)]


def mix_chain():
    tasks, last = [], None
    for _ in range(16):
        tasks.append((LINKS, MEDIUM, last))
        last = len(tasks) - 1
        tasks.append((LINKS, SHORT, last))
        tasks.append((1, MEDIUM, last))
    return tasks


MIXES = [  # name, tasks, runs, whether each run is waited for
    ("mix_tiny", mix_tiny(), 400, False),
    ("mix_long_short", mix_long_short(), 200, False),
    ("mix_memory_compute", mix_memory_compute(), 200, False),
    ("mix_bursts", mix_bursts(), 100, True),
    ("mix_chain", mix_chain(), 200, False),
]


# ---- the kernel -------------------------------------------------------------------------------------

source = torch.full((LARGE,), 0.5, device="cuda")
target = torch.zeros(PARTS * LARGE, device="cuda")


def load():
    with open(os.environ["BENCH_POOLS_KERNEL"]) as file:
        text = file.read()
    # Without the comment, since PyTorch looks at how the text begins.
    return torch.cuda._compile_kernel(text[text.index('extern "C"'):], "mix")


kernel = load()


def launch_by_torch(links, elements, part, stream):
    place = target[part * LARGE:part * LARGE + elements]
    kernel(grid=((elements + GROUP - 1) // GROUP, 1, 1), block=(GROUP, 1, 1), args=[source, place, elements, links],
           stream=stream)


class Arguments:
    """What cuLaunchKernel() takes for one task, which points into this object."""

    def __init__(self, links, elements, part):
        self.values = (ctypes.c_void_p(source.data_ptr()), ctypes.c_void_p(target.data_ptr() + 4 * part * LARGE),
                       ctypes.c_uint(elements), ctypes.c_uint(links))
        self.array = (ctypes.c_void_p * 4)(*[ctypes.addressof(value) for value in self.values])
        self.groups = (elements + GROUP - 1) // GROUP


made = {}
driver, function = None, None


def launch_by_driver(links, elements, part, stream):
    key = (links, elements, part)
    arguments = made.get(key)
    if arguments is None:
        arguments = made[key] = Arguments(links, elements, part)
    status = driver.cuLaunchKernel(function, arguments.groups, 1, 1, GROUP, 1, 1, 0,
                                   ctypes.c_void_p(stream.cuda_stream), arguments.array, None)
    if status != 0:
        raise RuntimeError(f"cuLaunchKernel answers {status}")


def is_right(parts):
    torch.cuda.synchronize()
    return all(target[part * LARGE].item() == 0.5 for part in range(parts))


def works(launch):
    target.zero_()
    torch.cuda.synchronize()
    try:
        launch(LINKS, TINY, 0, torch.cuda.Stream())
    except (AttributeError, RuntimeError, TypeError, ValueError):
        return False
    return is_right(1)


def choose_launch():
    global driver, function
    try:
        driver = ctypes.CDLL("libcuda.so.1")
        function = getattr(kernel, "func", None)
        # A handle of any other form would not be one of the driver's.
        if isinstance(function, ctypes.c_void_p) and works(launch_by_driver):
            return launch_by_driver
    except OSError:
        pass
    if not works(launch_by_torch):
        sys.exit("the kernel of the mixes came out wrong")
    print("launched by PyTorch's own wrapper, which costs more", file=sys.stderr)
    return launch_by_torch


launch = choose_launch()


# ---- streams in turn --------------------------------------------------------------------------------

class Pool:
    def __init__(self, priority):
        self.streams = [torch.cuda.Stream(priority=priority) for _ in range(STREAMS)]
        self.turn = 0

    def next(self):
        self.turn = (self.turn + 1) % STREAMS
        return self.streams[self.turn]


def run_mix(pool, tasks, events, part):
    for number, (links, elements, after) in enumerate(tasks):
        stream = pool.next()
        if after is not None:
            stream.wait_event(events[after])
        launch(links, elements, (part + number) % PARTS, stream)
        if number in events:
            events[number].record(stream)


def sample_mix(pool, tasks, runs, is_waited_for):
    events = {after: torch.cuda.Event() for _, _, after in tasks if after is not None}
    target.zero_()
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for run in range(runs):
        run_mix(pool, tasks, events, run * len(tasks))
        if is_waited_for:
            torch.cuda.synchronize()
    torch.cuda.synchronize()
    spent = time.perf_counter() - begin
    if not is_right(PARTS):
        sys.exit("a task was not run")
    return runs * len(tasks) / spent


# ---- urgent tasks -----------------------------------------------------------------------------------

def put_long(pool, number, event):
    stream = pool.next()
    launch(LINKS, LARGE, number % PARTS, stream)
    event.record(stream)


def sample_urgent(low, high):
    ends = [torch.cuda.Event() for _ in range(BUSY)]
    urgent = torch.cuda.Event()
    times = []
    for number, end in enumerate(ends):
        put_long(low, number, end)
    for number in range(URGENT):
        begin = time.perf_counter()
        stream = high.next()
        launch(LINKS, SHORT, number % PARTS, stream)
        urgent.record(stream)
        urgent.synchronize()
        times.append(time.perf_counter() - begin)
        for index, end in enumerate(ends):
            if end.query():
                put_long(low, index, end)
    torch.cuda.synchronize()
    times.sort()
    return times[(99 * (URGENT - 1) + 50) // 100] * 1e6


# ---- the program ------------------------------------------------------------------------------------

def measure(name, unit, sample):
    values = [sample() for _ in range(ROUNDS + 1)][1:]
    print(json.dumps({"suite": "pools", "case": name, "backend": "pytorch", "unit": unit,
                      "median": statistics.median(values), "min": min(values), "max": max(values)}), flush=True)


normal, high = Pool(0), Pool(-1)
for name, tasks, runs, is_waited_for in MIXES:
    measure(name, "task/s", lambda: sample_mix(normal, tasks, runs, is_waited_for))
measure("mix_urgent_p99", "us", lambda: sample_urgent(normal, high))
