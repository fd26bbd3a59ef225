"""Starting the servers, each on its own copy of the same rows."""
import contextlib
import http.client
import json
import os
import re
import shutil
import subprocess
import time

from cluster import Cluster
from machine import free_port, say, stop
from operations import call, operations
from packages import PYTHON
from rows import USERS, tokens, write

HERE = os.path.dirname(os.path.abspath(__file__))
PEERS = os.path.join(HERE, "peers")
GOBARE, DRF, POCKETBASE = "Go by hand", "DRF", "PocketBase"


class Stage:
    """The databases and the servers that were started, and their end."""

    def __init__(self, tmp, patients, appointments, users=USERS):
        self.tmp, self.patients, self.appointments, self.users = tmp, patients, appointments, users
        self.pg, self.running, self.servers = Cluster(tmp), [], []
        self.seeds, self.built = {}, set()  # what was set up and built, to do it once
        self.left_out = {}  # peers that did not start, and why
        self.data = os.path.join(tmp, "data")

    def close(self):
        for p in self.running:
            stop(p)
        self.pg.stop()

    def prepare(self):
        """Start PostgreSQL and write the rows that every server loads."""
        self.pg.start()
        began = time.monotonic()
        write(self.data, self.patients, self.appointments, self.users)
        say(f"wrote {self.patients:,} patients and {self.appointments:,} appointments in {time.monotonic() - began:.0f} s")

    def server(self, name, group, style, **more):
        return dict(name=name, group=group, style=style, tokens=tokens(style, self.users), url=f"http://127.0.0.1:{free_port()}", **more)

    def run(self, command, folder, env=None, shell=False):
        """Run a command to its end; what it prints is shown when it fails."""
        done = subprocess.run(command, cwd=folder, env={**environment(), **(env or {})}, shell=shell,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=3600)
        if done.returncode:
            raise RuntimeError(f"{command} failed:\n{(done.stdout + done.stderr)[-800:]}")

    def spawn(self, server, command, env, files, folder=None):
        """Start a server and wait until it answers; files is where its database is."""
        log = os.path.join(self.tmp, re.sub(r"\W+", "_", server["name"]) + ".log")
        with open(log, "a") as out:
            p = subprocess.Popen(command, env={**environment(), **env}, cwd=folder,
                                 stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        self.running.append(p)
        server["pid"], server["files"] = p.pid, files
        probe, status = operations(server, self.patients, self.users)["retrieve"].requests[0], None
        for _ in range(300):
            with contextlib.suppress(OSError, http.client.HTTPException):
                status = call(server, *probe)[0]
                if status == 200:
                    return p
            if p.poll() is not None:
                break
            time.sleep(0.1)
        stop(p)
        with open(log, errors="replace") as f:
            raise RuntimeError(f"it did not come up (last status {status}); its log ends:\n{f.read()[-800:]}")

    # --- the peers ---

    def drf_seed(self):
        """The database of the Django peer, for copies."""
        name = "seed_drf"
        if name not in self.seeds:
            self.pg.psql(f"CREATE DATABASE {name} TEMPLATE template0")
            for args in (["migrate", "-v", "0"], ["seed_clinic", self.data]):
                self.run([PYTHON, "manage.py", *args], os.path.join(PEERS, "drf"), self.pg.env(name))
            self.seeds[name] = name
        return name

    def drf(self, best):
        """gunicorn with whichever of four settings does most; best measures one."""
        server = self.server(DRF, "PostgreSQL", "drf", peer=True)
        self.pg.copy("drf", self.drf_seed())

        def start(workers, kind, threads):
            return self.spawn(server, [PYTHON, "-m", "gunicorn", "clinicsite.wsgi:application", "-b", server["url"][7:], "-w", str(workers),
                                       "-k", kind, "--threads", str(threads)], self.pg.env("drf"), self.pg.files("drf"), os.path.join(PEERS, "drf"))

        workers, kind, threads = best(server, [(2, "sync", 1), (4, "sync", 1), (2, "gthread", 4), (4, "gthread", 4)], start)
        server["note"] = f"gunicorn, {workers} {kind} workers" + (f" of {threads} threads" if threads > 1 else "")
        start(workers, kind, threads)
        self.servers.append(server)

    def gobare(self, best):
        """It has the indexes of Trestle, and looks the token up in the database for each request."""
        server = self.server(GOBARE, "PostgreSQL", "drf", peer=True)
        self.pg.copy("gobare", self.drf_seed())
        with open(os.path.join(PEERS, "gobare", "indexes.sql")) as f:
            self.pg.psql(f.read(), "gobare")
        self.pg.psql("VACUUM (ANALYZE)", "gobare")
        program = os.path.join(self.tmp, "gobare")
        self.run(["go", "build", "-buildvcs=false", "-o", program, "."], os.path.join(PEERS, "gobare"))

        def start(pool):
            return self.spawn(server, [program], dict(self.pg.env("gobare"), ADDR=server["url"][7:], AUTH="db", POOL=str(pool)), self.pg.files("gobare"))

        (pool,) = best(server, [(4,), (8,), (16,)], start)
        server["note"] = f"net/http and pgx, a pool of {pool}"
        start(pool)
        self.servers.append(server)

    def pocketbase(self, _):
        program, data, token = (os.path.join(self.tmp, name) for name in ("pocketbase", "pb_data", "pb_tokens"))
        self.run(["go", "build", "-buildvcs=false", "-o", program, "."], os.path.join(PEERS, "pocketbase"))
        self.run([program, "seed", os.path.join(self.data, "patients.csv"), str(self.users), token, "--dir", data], self.tmp)
        server = self.server(POCKETBASE, "SQLite", "pocketbase", note="synchronous=normal, its default", peer=True)
        with open(token) as f:
            server["tokens"] = f.read().split()
        self.spawn(server, [program, "serve", "--http", server["url"][7:], "--dir", data], {}, data)
        self.servers.append(server)

    # --- the listed ---

    def listed(self, spec, folder, copied=True):
        """A server of a list. Its setup is run once for all that have the same."""
        server = dict(self.server(spec["name"], spec["group"], spec["style"]), **spec)
        common = dict({"BENCH_DATA": self.data, "ADDR": server["url"][7:]}, **spec.get("env", {}))
        self.build(spec.get("build"), folder)
        kind = spec.get("db", "seed")
        key = (kind, spec.get("setup", ""), str(spec.get("env")))
        if key not in self.seeds:
            self.seeds[key] = self.seed(kind, f"seed_{len(self.seeds)}", spec.get("setup", ""), common, folder)
        name = re.sub(r"\W+", "_", spec["name"].lower())
        env, files = self.place(kind, name if copied else self.seeds[key], self.seeds[key])
        self.spawn(server, ["sh", "-c", "exec " + spec["start"]], {**env, **common}, files, folder)
        self.servers.append(server)
        return server

    def build(self, command, folder):
        if command and command not in self.built:
            self.run(command, folder, shell=True)
            self.built.add(command)

    def seed(self, kind, name, setup, common, folder):
        """A database as the setup leaves it, for copies."""
        began = time.monotonic()
        if kind == "sqlite":
            env = dict(DATABASE_URL="sqlite://" + os.path.join(self.tmp, name + ".db"))
        else:
            env = self.pg.env(name)
            self.pg.copy(name, self.drf_seed() if kind == "seed" else "template0")
        if setup:
            self.run(setup, folder, {**env, **common}, shell=True)
            say(f"set up {name} in {time.monotonic() - began:.0f} s")
        if kind == "empty":
            self.pg.psql("VACUUM (ANALYZE)", name)
        return name

    def place(self, kind, name, seed):
        """The environment that names a server's own copy, and where that is."""
        if kind != "sqlite":
            if name != seed:
                self.pg.copy(name, seed)
            return self.pg.env(name), self.pg.files(name)
        path, of = (os.path.join(self.tmp, n + ".db") for n in (name, seed))
        if path != of:
            shutil.copyfile(of, path)
        return dict(DATABASE_URL="sqlite://" + path), path

    # --- all of them ---

    def start(self, names, best):
        """Start the servers with these names, in this order."""
        listed = {s["name"]: s for s in specs()}
        peers = {DRF: self.drf, GOBARE: self.gobare, POCKETBASE: self.pocketbase}
        for name in names:
            if name in listed:
                self.listed(listed[name], HERE)
                say("started", name)
                continue
            try:
                peers[name](best)
                say("started", name)
            except (RuntimeError, subprocess.SubprocessError) as e:
                self.left_out[name] = str(e)
                say(f"{name} is left out: {e}")


def environment():
    """The environment of every program: Trestle runs at its default settings."""
    return {k: v for k, v in dict(os.environ, PYTHONDONTWRITEBYTECODE="1").items() if not k.startswith("TRESTLE_")}


def specs():
    with open(os.path.join(HERE, "servers.json")) as f:
        return json.load(f)


def known():
    """The names of all servers, those of one group side by side."""
    names = [(s["group"], s["name"]) for s in specs()]
    by_group = {}
    for group, name in names + [("PostgreSQL", GOBARE), ("PostgreSQL", DRF), ("SQLite", POCKETBASE)]:
        by_group.setdefault(group, []).append(name)
    return sum(by_group.values(), [])
