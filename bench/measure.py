"""Measuring: the servers in turn, round after round, reads before writes."""
import http.client
import json
import math
import os
import subprocess
import time
from statistics import median

from machine import CORES, MemoryWatch, Stalls, cpu_seconds, keep_in_memory, machine_busy, own_cpu, say, stop
from operations import authorization, call, difference, digest, operations

ATTEMPTS = 5  # to measure while the machine is quiet; a run of one round makes one

HERE = os.path.dirname(os.path.abspath(__file__))


class Rig:
    def __init__(self, options, stage):
        self.o, self.stage = options, stage
        self.takes = {}      # (server, operation): [take]
        self.lengths = {}    # (server, operation): seconds of a take
        self.differing = {}  # (server, operation): where its answer differs from the first server's
        self.again = {}      # server: takes that were made again
        self.lost = {}       # (server, operation): why a take was not finished
        self.stalls = Stalls(stage.tmp)
        self.began = time.monotonic()

    # --- one take ---

    def wrk(self, server, op, seconds):
        files = [os.path.join(self.stage.tmp, n) for n in ("reqs.tsv", "wrk.json")]
        with open(files[0], "w") as f:
            f.writelines(f"{method}\t{path}\t{authorization(server, user)}\t{body}\n" for method, path, body, user in op.requests)
        cmd = ["wrk", "-t", str(self.o.threads), "-c", str(op.connections or self.o.connections), "-d", f"{seconds}s", "--timeout", "60s",
               "-s", os.path.join(HERE, "bench.lua")]
        env = dict(os.environ, BENCH_REQS=files[0], BENCH_OUT=files[1], BENCH_THREADS=str(self.o.threads))
        with MemoryWatch(server["pid"]) as memory:
            before, began = self.clocks(server), time.monotonic()
            subprocess.run(cmd + [server["url"]], env=env, check=True, stdout=subprocess.DEVNULL, timeout=seconds + 90)
            took = time.monotonic() - began
            app, db, wrk, own, busy, stood, disk = [y - x for x, y in zip(before, self.clocks(server))]
        with open(files[1]) as f:
            r = json.load(f)
        os.unlink(files[1])
        n = max(1, r["requests"])
        return dict(rps=(r["requests"] - r["errors"]["status"]) / r["seconds"], requests=r["requests"], p50=r["p50_ms"], p99=r["p99_ms"],
                    failed=sum(r["errors"].values()), stood=stood * 1000, disk=disk * 1000, app_us=app / n * 1e6, db_us=db / n * 1e6, memory=memory.peak,
                    other=max(0.0, busy - app - db - wrk - own) * 100 / took / CORES)

    def clocks(self, server):
        own, children = own_cpu()
        return [cpu_seconds(server["pid"]), cpu_seconds(self.stage.pg.proc.pid), children, own, machine_busy(), *self.stalls.seconds()]

    def settle(self, server):
        """Wait, not for long, until little runs: neither other programs nor what
        a server still does for requests whose client has gone. What another
        server left to the disk is written first, and what the system has put out
        of memory while this one waited for its turn is there again."""
        os.sync()
        keep_in_memory(server["files"])
        end = time.monotonic() + self.o.quiet_wait
        while time.monotonic() < end:
            before, began = machine_busy() - sum(own_cpu()), time.monotonic()
            time.sleep(0.3)
            busy = machine_busy() - sum(own_cpu()) - before
            if busy / (time.monotonic() - began) / CORES * 100 <= self.o.noise:
                return

    def operations(self, server):
        return operations(server, self.o.patients, self.stage.users)

    # --- choosing the settings of a peer ---

    def best(self, server, settings, start):
        """The setting with which a peer retrieves and lists most."""
        if self.o.rounds == 1:
            return settings[1]  # a quick look does not choose
        requests, rates = self.operations(server), {}
        for setting in settings:
            p = start(*setting)
            try:
                rates[setting] = 1.0
                for op in ("retrieve", "list page 1"):
                    self.wrk(server, requests[op], 1)
                    rates[setting] *= self.quiet(server, requests[op], 2)["rps"]
            finally:
                stop(p)
            say(f"{server['name']} with {setting}: {math.sqrt(rates[setting]):.0f}/s, the geometric mean of retrieve and list")
        return max(rates, key=rates.get)

    # --- all takes ---

    def measure(self):
        requests = {s["name"]: self.operations(s) for s in self.stage.servers}
        every = {name: op for found in requests.values() for name, op in found.items()}
        ops = [name for name in every if not self.o.only or any(x in name for x in self.o.only)]
        writes = [name for name in ops if every[name].writes]
        self.again.clear()  # those of choosing
        for part, minutes in (([op for op in ops if op not in writes], 0.75 * self.o.max_minutes), (writes, self.o.max_minutes)):
            for turn in range(self.o.rounds):
                if turn and time.monotonic() - self.began > minutes * 60:
                    say(f"out of time after {turn} rounds")
                    break
                for op in part:
                    self.turn(op, turn, requests)

    def turn(self, op, turn, requests):
        """One take of an operation on each server, each time another one first."""
        servers = [s for s in self.stage.servers if op in requests[s["name"]]]
        if turn == 0:
            servers = self.agreeing(op, servers, requests)
        at = turn % max(1, len(servers))
        for server in servers[at:] + servers[:at]:
            if turn and (server["name"], op) not in self.takes:
                continue
            sent = requests[server["name"]][op]
            try:
                if turn == 0:
                    self.lengths[server["name"], op] = self.length(self.wrk(server, sent, 1)["rps"])
                take = self.quiet(server, sent, self.lengths[server["name"], op])
            except (subprocess.SubprocessError, OSError) as e:
                self.lost[server["name"], op] = repr(e)
                say(f"{server['name']}, {op}: {e!r}")
                continue
            self.takes.setdefault((server["name"], op), []).append(take)
            say(f"{turn + 1}  {server['name']:26} {op:32} {take['rps']:8.0f}/s  p50 {take['p50']:7.2f}  p99 {take['p99']:7.2f} ms  "
                f"us/req {take['app_us']:.0f} + {take['db_us']:.0f}  {take['memory']:.0f} MiB  other {take['other']:.0f}%"
                + (f"  STOOD STILL {take['stood']:.0f} ms" if take["stood"] else "")
                + (f"  ITS DISK {take['disk']:.0f} ms" if take["disk"] else "")
                + (f"  FAILED {take['failed']}" if take["failed"] else ""))

    def quiet(self, server, op, seconds):
        """A take in which the machine was this benchmark's, or the last that is tried."""
        tried, most = [], ATTEMPTS if self.o.rounds > 1 else 1
        while len(tried) < most and not (tried and self.is_quiet(tried[-1])):
            self.settle(server)
            tried.append(self.wrk(server, op, seconds))
        self.again[server["name"]] = self.again.get(server["name"], 0) + len(tried) - 1
        # What was made again has taken its memory, and failed.
        return dict(tried[-1], memory=max(t["memory"] for t in tried), **{k: sum(t[k] for t in tried) for k in ("failed", "requests")})

    def is_quiet(self, take):
        return take["other"] <= self.o.noise and not take["stood"] and not take["disk"]

    def length(self, rate):
        """Seconds of a take, by the rate of a first second that warms up: those of
        the options, or up to six for what is slow, because of a few requests the
        ones that are under way at the end are too large a part."""
        return max(self.o.seconds, min(6, math.ceil(150 / max(1, rate))))

    def agreeing(self, op, servers, requests):
        """The servers that answer without an error. Their answers are compared with
        those of the first server whose requests come from the same users."""
        good, first = [], {}
        for server in servers:
            sent = requests[server["name"]][op]
            # Servers have done different numbers of writes, so their lists differ then.
            sample = [next(r for r in sent.requests if r[2])] if sent.writes else sent.requests[::len(sent.requests) // 5][:5]
            try:
                answers = [call(server, *r) for r in sample]
            except (OSError, http.client.HTTPException) as e:
                answers = [(0, repr(e))]
            if bad := [a for a in answers if a[0] not in (200, 201)]:
                self.differing[server["name"], op] = f"status {bad[0][0]}: {bad[0][1][:160]}"
                say(f"{server['name']}, {op}: left out, {self.differing[server['name'], op]}")
                continue
            seen = [digest(text) for _, text in answers]
            if op == "appointments filter":
                seen = [dict(count=s["count"], rows=len(s["rows"])) for s in seen]  # in another order
            if where := difference(first.setdefault(server.get("users"), seen), seen) or self.unscoped(server, op, seen):
                self.differing[server["name"], op] = where
                say(f"{server['name']}, {op}: DIFFERS, {where}")
            good.append(server)
        return good

    def unscoped(self, server, op, seen):
        """What is wrong if an owner's list has not exactly the owner's rows."""
        rows = self.o.patients // self.stage.users
        if server.get("users") == "owners" and op.startswith("list page") and any(s["count"] != rows for s in seen):
            return f"an owner's list has {seen[0]['count']} rows instead of {rows}"
        return ""

    def summary(self, name, op):
        """The medians of the quiet takes, or of all where there are none."""
        takes = self.takes.get((name, op))
        if not takes:
            return None
        quiet = [t for t in takes if self.is_quiet(t)]
        chosen = quiet or takes
        s = {k: median(t[k] for t in chosen) for k in ("rps", "p50", "p99", "app_us", "db_us", "other")}
        failed, requests = (sum(t[k] for t in takes) for k in ("failed", "requests"))
        return dict(s, failed=failed / max(1, requests), failures=failed, requests=requests, quiet=len(quiet), takes=len(takes))

    def memory(self, name):
        return max((t["memory"] for (n, _), takes in self.takes.items() if n == name for t in takes), default=0)
