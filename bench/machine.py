"""What the benchmark knows of the machine: processes, their CPU time and memory."""
import contextlib
import multiprocessing
import os
import platform
import signal
import socket
import subprocess
import sys
import threading
import time

CLK = os.sysconf("SC_CLK_TCK")
CORES = len(os.sched_getaffinity(0))


def say(*words):
    print(time.strftime("%H:%M:%S"), *words, file=sys.stderr, flush=True)


def stat_of(pid):
    """(parent, CPU ticks with those of reaped children, start time) or None."""
    try:
        with open(f"/proc/{pid}/stat") as f:
            v = f.read().rsplit(")", 1)[1].split()
    except OSError:
        return None
    return int(v[1]), sum(map(int, v[11:15])), int(v[19])


def tree(root):
    """A process and its living descendants."""
    children = {}
    for name in os.listdir("/proc"):
        if name.isdigit() and (s := stat_of(name)):
            children.setdefault(s[0], []).append(int(name))
    found, todo = [], [root]
    while todo:
        pid = todo.pop()
        if stat_of(pid):
            found.append(pid)
            todo += children.get(pid, [])
    return found


def cpu_seconds(root):
    """CPU time of a process, its living descendants and those it has reaped."""
    return sum(s[1] for pid in (tree(root) if root else []) if (s := stat_of(pid))) / CLK


def machine_busy():
    """CPU seconds of all that ran since the start: all but idle and iowait."""
    with open("/proc/stat") as f:
        v = [int(x) for x in f.readline().split()[1:]]
    return (sum(v[:8]) - v[3] - v[4]) / CLK


def own_cpu():
    """(this program's CPU time, that of the children it has waited for)"""
    t = os.times()
    return t.user + t.system, t.children_user + t.children_system


def memory_mib(root):
    """Resident memory of a process and its descendants; shared pages are split."""
    kib = 0
    for pid in tree(root):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/smaps_rollup") as f:
            kib += sum(int(line.split()[1]) for line in f if line.startswith("Pss:"))
    return kib / 1024


class MemoryWatch:
    """The most memory that a server took, looked at twice a second."""

    def __init__(self, root):
        self.root, self.peak = root, 0.0
        self.halt = threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)

    def watch(self):
        while True:
            self.peak = max(self.peak, memory_mib(self.root))
            if self.halt.wait(0.5):
                return

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.halt.set()
        self.thread.join()


def keep_in_memory(path):
    """Read a file, or all below a folder, into the system's memory."""
    for name in [os.path.join(at, f) for at, _, files in os.walk(path) for f in files] or [path]:
        with contextlib.suppress(OSError), open(name, "rb", buffering=0) as f:
            while f.read(1 << 20):
                pass


class Stalls:
    """For how long the machine stood still, as seen by one on each core who goes
    before all others and looks 200 times a second: a virtual machine is stopped now
    and then by what it runs on. Nothing is seen by who may not go first. Another one
    looks at the disk that a folder is on, which stands still while it has something
    to do and finishes none of it."""

    LOOK, LATE = 0.005, 0.02  # seconds

    def __init__(self, folder):
        self.cores = multiprocessing.Array("d", CORES)
        self.disk = multiprocessing.Value("d")
        for at, core in enumerate(os.sched_getaffinity(0)):
            self.sensor(self.watch_core, at, core)
        on = os.stat(folder).st_dev
        counters = f"/sys/dev/block/{os.major(on)}:{os.minor(on)}/stat"
        self.sees_disk = os.path.exists(counters)  # not that of a folder in memory, nor of some file systems
        if self.sees_disk:
            self.sensor(self.watch_disk, counters)

    def sensor(self, watch, *args):
        multiprocessing.Process(target=self.first, args=(os.getpid(), watch, *args), daemon=True).start()

    def first(self, parent, watch, *args):
        for sig in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(sig, signal.SIG_DFL)
        with contextlib.suppress(PermissionError):
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
            watch(parent, *args)

    def looks(self, parent):
        """The times of the looks, until the benchmark has ended."""
        while os.getppid() == parent:
            time.sleep(self.LOOK)
            yield time.monotonic()

    def watch_core(self, parent, at, core):
        os.sched_setaffinity(0, {core})
        last = time.monotonic()
        for now in self.looks(parent):
            if now - last > self.LATE:
                self.cores[at] += now - last
            last = now

    def watch_disk(self, parent, counters):
        """https://www.kernel.org/doc/html/latest/block/stat.html"""
        with open(counters, "rb", buffering=0) as f:
            moved, before, counted = time.monotonic(), None, 0.0
            for now in self.looks(parent):
                c = os.pread(f.fileno(), 512, 0).split()
                under_way, finished = int(c[8]), (c[0], c[4], c[11], c[15])
                stands = finished == before and under_way
                if now - moved > self.LATE:  # counted while it lasts: a take may end meanwhile
                    self.disk.value += now - max(moved, counted)
                    counted = now
                if not stands:
                    moved, before = now, finished

    def seconds(self):
        """Those of the cores and those of the disk, since the start."""
        return sum(self.cores), self.disk.value


def stop(proc, sig=signal.SIGTERM, grace=15):
    """Stop a process that was started here; what is left of its tree is killed."""
    if proc.poll() is not None:
        return
    family = [(pid, stat_of(pid)) for pid in tree(proc.pid) if pid != proc.pid]
    proc.send_signal(sig)
    try:
        proc.wait(grace)
    except subprocess.TimeoutExpired:
        proc.kill()
        proc.wait()
    for pid, was in family:
        now = stat_of(pid)
        if was and now and now[2] == was[2]:  # the same one, not a later one of that id
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def described(folder):
    """The machine in a line, with the file system that a folder is on."""
    model = "unknown processor"
    with contextlib.suppress(OSError), open("/proc/cpuinfo") as f:
        model = next((line.split(":", 1)[1].strip() for line in f if line.startswith("model name")), model)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    kind = subprocess.run(["df", "--output=fstype", folder], capture_output=True, text=True, check=False).stdout.split()[-1:]
    return (f"{CORES} cores of {model}, {memory:.0f} GiB, {platform.system()} {platform.release()}, "
            f"databases on {kind[0] if kind else 'an unknown file system'}")
