#!/usr/bin/env python3
"""Measure Trestle beside its peers: on the same machine, in the same run, on the same rows.

README.md beside this file says what is measured and how to read it. Everything
that is started here is stopped here, and its folder removed, however it ends."""
import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True

import machine  # noqa: E402
import packages  # noqa: E402
from machine import say  # noqa: E402
from measure import Rig  # noqa: E402
from report import Report  # noqa: E402
from servers import Stage, known  # noqa: E402


def options():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    env = os.environ.get
    a.add_argument("--seconds", type=int, default=int(env("BENCH_SECONDS") or 2), help="of each take (BENCH_SECONDS; default 2)")
    a.add_argument("--rounds", type=int, default=int(env("BENCH_ROUNDS") or 5), help="takes of each operation and server (BENCH_ROUNDS; default 5)")
    a.add_argument("--servers", default=env("BENCH_SERVERS") or ",".join(known()),
                   help="names, separated by commas (BENCH_SERVERS; default: %(default)s)")
    a.add_argument("--only", type=lambda s: s.split(","), help="operations whose name has one of these, separated by commas")
    a.add_argument("--connections", type=int, default=32)
    a.add_argument("--threads", type=int, default=2, help="of the load generator")
    a.add_argument("--patients", type=int, default=100_000)
    a.add_argument("--appointments", type=int, default=300_000)
    a.add_argument("--noise", type=float, default=10, help="percent of the machine that others may use in a quiet take")
    a.add_argument("--quiet-wait", type=float, default=4, help="seconds to wait at most for a quiet moment before a take")
    a.add_argument("--max-minutes", type=float, default=120, help="after which no new round is begun")
    a.add_argument("--results", metavar="FILE", help="write the report there too")
    a.add_argument("--hold", action="store_true", help="measure nothing: start the servers and wait for Ctrl-C")
    o = a.parse_args()
    o.servers = o.servers.split(",")
    if unknown := [n for n in o.servers if n not in known()]:
        a.error(f"unknown servers: {', '.join(unknown)}; there are {', '.join(known())}")
    return o


def head(o, stage):
    versions = [stage.pg.psql("SHOW server_version").split()[0],
                subprocess.run(["go", "env", "GOVERSION"], capture_output=True, text=True, check=True).stdout.strip()]
    return (f"# Trestle beside its peers, {time.strftime('%Y-%m-%d')}\n\n"
            f"`make bench` wrote this; [README.md](README.md) says how to read it.\n\n"
            f"{machine.described(stage.tmp)}; PostgreSQL {versions[0]}, {versions[1]}.\n"
            f"{stage.users:,} users, {o.patients:,} patients, {o.appointments:,} appointments; {o.connections} connections, which the same cores serve and load;\n"
            f"medians of {o.rounds} {'rounds' if o.rounds > 1 else 'round'} of {o.seconds} s. *n*: no take was quiet.\n"
            "A difference that is smaller than the row's noise says nothing. `make bench-growth` measures the latency of larger tables.\n\n")


def hold(stage):
    for s in stage.servers:
        print(f"{s['name']}\n  url    {s['url']}\n  tokens {s['tokens'][0]} of a holder\n         {s['tokens'][1]} of an owner\n  pid    {s['pid']}")
    print(f"PostgreSQL\n  port   {stage.pg.port}, user clinic, no password; databases: "
          + ", ".join(stage.pg.psql("SELECT datname FROM pg_database WHERE NOT datistemplate").split())
          + f"\n  pid    {stage.pg.proc.pid}\nFolder\n  {stage.tmp}\nCtrl-C ends all of it.", flush=True)
    signal.pause()


def main():
    o = options()
    packages.provide()
    for sig in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(sig, lambda *_: sys.exit(143))
    tmp = tempfile.mkdtemp(prefix="trestle-bench-")
    stage = Stage(tmp, o.patients, o.appointments)
    rig = Rig(o, stage)
    try:
        stage.prepare()
        stage.start(o.servers, rig.best)
        if o.hold:
            hold(stage)
        rig.measure()
        text = head(o, stage) + Report(rig).text()
    except KeyboardInterrupt:
        sys.exit(130)
    except RuntimeError as e:
        sys.exit(f"bench: {e}")
    finally:
        say("stopping")
        stage.close()
        shutil.rmtree(tmp, ignore_errors=True)
    print(text)
    if o.results:
        with open(o.results, "w") as f:
            f.write(text)


if __name__ == "__main__":
    main()
