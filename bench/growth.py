#!/usr/bin/env python3
"""Measure how the latency of one client grows with the number of rows.

README.md beside this file says what is measured. Every process that this
program starts is stopped at its end, and its folder is removed."""
import argparse
import json
import math
import os
import random
import shutil
import signal
import socket
import sys
import tempfile
import time
import urllib.parse
from statistics import median

sys.dont_write_bytecode = True

import machine  # noqa: E402
import packages  # noqa: E402
from machine import say  # noqa: E402
from operations import CITIES, NAMES, PAGE, Rest, authorization  # noqa: E402
from report import table  # noqa: E402
from servers import HERE, Stage, specs  # noqa: E402

SERVERS = {"PostgreSQL": "Trestle", "SQLite": "Trestle SQLite"}
USERS = {"holder": 1, "owner": 2}  # rows.py: user 1 holds the permissions, each of the two owns half of the rows
WARM_UP, LEAST = 3, 5  # requests


class Client:
    """One connection."""

    def __init__(self, server, user):
        u = urllib.parse.urlsplit(server["url"])
        self.server, self.user, self.host = server, user, u.netloc
        self.socket = socket.create_connection((u.hostname, u.port), timeout=120)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, method, path, body):
        """The milliseconds until the whole answer is there, and its body."""
        request = (f"{method} {path} HTTP/1.1\r\nHost: {self.host}\r\nAuthorization: {authorization(self.server, self.user)}\r\n"
                   f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}").encode()
        began = time.perf_counter()
        self.socket.sendall(request)
        got = b""
        while b"\r\n\r\n" not in got:
            got += self.more()
        head, got = got.split(b"\r\n\r\n", 1)
        lines = head.decode().split("\r\n")
        fields = {k.lower(): v for k, v in (line.split(": ", 1) for line in lines[1:])}
        while len(got) < int(fields["content-length"]):
            got += self.more()
        took = (time.perf_counter() - began) * 1000
        if not lines[0].split()[1].startswith("2"):
            raise RuntimeError(f"{method} {path}: {lines[0]}: {got[:200]!r}")
        return took, got

    def more(self):
        got = self.socket.recv(1 << 16)
        if not got:
            raise RuntimeError("the server closed the connection")
        return got


class Figures:
    """Median latencies in ms: {database: {user: {operation: {patients: ms}}}}."""

    def __init__(self, options):
        self.o, self.of = options, {}

    def measure(self, database, server, patients):
        clients = {name: Client(server, user) for name, user in USERS.items()}
        counts = {name: json.loads(c.send(*Rest("uuid").listed(1))[1])["count"] for name, c in clients.items()}
        for name, client in clients.items():  # while nothing is written
            for op, request in reads(patients, USERS[name], counts[name]).items():
                self.keep(database, name, op, patients, self.sample(lambda: client.send(*request())[0]))
        for name, client in clients.items():
            self.keep(database, name, "create", patients, self.sample(lambda: client.send(*created())[0]))
            self.keep(database, name, "first list after a commit", patients, self.sample(lambda: self.after_commit(client)))

    def after_commit(self, client):
        client.send(*created())
        return client.send(*Rest("uuid").listed(1))[0]

    def sample(self, once):
        """The median of some requests: fewer if they take long."""
        for _ in range(WARM_UP):
            once()
        found, end = [], time.monotonic() + self.o.seconds
        while len(found) < LEAST or len(found) < self.o.samples and time.monotonic() < end:
            found.append(once())
        return median(found)

    def keep(self, database, user, op, patients, ms):
        say(f"{database:10} {patients:9,} patients  {user:6} {op:28} {ms:9.2f} ms")
        self.of.setdefault(database, {}).setdefault(user, {}).setdefault(op, {})[patients] = ms

    def tables(self):
        sizes = self.o.patients
        for database, users in self.of.items():
            yield f"## {database}\n"
            for user, ops in users.items():
                yield f"### {'A holder of the permissions' if user == 'holder' else 'An owner of half of the rows'}\n"
                yield table(["", *(f"{n:,}" for n in sizes), f"{sizes[-1]:,} ÷ {sizes[0]:,}"], [
                    [op, *(f"{of[n]:.2f}" for n in sizes), f"{of[sizes[-1]] / of[sizes[0]]:.1f}"] for op, of in ops.items()])


def reads(patients, user, count):
    """{operation: a function that makes one request of it}."""
    rest, rng, last = Rest("uuid"), random.Random(7), math.ceil(count / PAGE)
    pieces = sorted({name[i:i + 4] for name in NAMES for i in range(len(name) - 3)})

    def page(n):
        return lambda: rest.listed(max(1, n))

    def own():
        return rest.retrieve(rng.randrange(user, patients + 1, len(USERS)))

    return {"retrieve": own, "list page 1": page(1), "list page at 10 %": page(last // 10), "list page at 50 %": page(last // 2),
            "last list page": page(last), "city + ordering": lambda: rest.city(rng.choice(CITIES), 1),
            "search of four letters": lambda: rest.search(rng.choice(pieces))}


def created():
    return Rest("uuid").create('{"name": "Bench Patient", "phone": "+1-555-0100", "city": "Dover"}')


def options():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--patients", type=lambda s: [int(n) for n in s.split(",")], default=[10_000, 100_000, 1_000_000],
                   help="sizes, separated by commas (default: 10000,100000,1000000); there are three times as many appointments")
    a.add_argument("--databases", type=lambda s: s.split(","), default=list(SERVERS), help="default: " + ",".join(SERVERS))
    a.add_argument("--samples", type=int, default=50, help="requests of each operation (default 50)")
    a.add_argument("--seconds", type=float, default=5, help="after which an operation gets no further request (default 5)")
    a.add_argument("--json", action="store_true", help="print the figures as JSON: database, user, operation, patients, ms")
    a.add_argument("--results", metavar="FILE", help="write the tables there too")
    o = a.parse_args()
    if unknown := set(o.databases) - set(SERVERS):
        a.error(f"unknown databases: {', '.join(unknown)}; known are {', '.join(SERVERS)}")
    return o


def one_size(o, figures, patients, tmp):
    """Measure all databases with one number of patients."""
    stage = Stage(tmp, patients, 3 * patients, users=len(USERS))
    listed = {s["name"]: s for s in specs()}
    try:
        stage.prepare()
        for database in o.databases:
            server = stage.listed(listed[SERVERS[database]], HERE, copied=False)
            os.sync()
            figures.measure(database, server, patients)
            machine.stop(stage.running[-1])
    finally:
        stage.close()


def head(o, tmp):
    return (f"# Latency and the number of rows, {time.strftime('%Y-%m-%d')}\n\n"
            "`make bench-growth` wrote this; [README.md](README.md) says how to read it.\n\n"
            f"{machine.described(tmp)}. One client with one connection; medians of {o.samples} requests or as many as\n"
            f"{o.seconds:g} s allow, in ms. Columns are numbers of patients; there are three times as many appointments.\n"
            "Nothing is written while reads are measured.\n\n")


def main():
    o = options()
    packages.provide()
    for sig in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(sig, lambda *_: sys.exit(143))
    figures = Figures(o)
    for patients in o.patients:
        tmp = tempfile.mkdtemp(prefix="trestle-growth-")
        try:
            one_size(o, figures, patients, tmp)
            text = head(o, tmp)
        except KeyboardInterrupt:
            sys.exit(130)
        except RuntimeError as e:
            sys.exit(f"growth: {e}")
        finally:
            shutil.rmtree(tmp, ignore_errors=True)
    text += "\n".join(figures.tables())
    print(json.dumps(figures.of, indent=2) if o.json else text)
    if o.results:
        with open(o.results, "w") as f:
            f.write(text)


if __name__ == "__main__":
    main()
