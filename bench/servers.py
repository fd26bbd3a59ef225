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

HERE = os.path.dirname(os.path.abspath(__file__))
PEERS = os.path.join(HERE, "peers")
DRF_TOKEN = "0123456789abcdef0123456789abcdef01234567"
GOBARE, DRF, POCKETBASE = "Go by hand", "DRF", "PocketBase"


class Stage:
    """The databases and the servers that were started, and their end."""

    def __init__(self, tmp, patients, appointments):
        self.tmp, self.patients, self.appointments = tmp, patients, appointments
        self.pg, self.running, self.servers, self.seeds = Cluster(tmp), [], [], {}
        self.left_out = {}  # peers that did not start, and why
        self.data = os.path.join(tmp, "data")

    def close(self):
        for p in self.running:
            stop(p)
        self.pg.stop()

    def prepare(self):
        """The rows, made by the Django peer, and as CSV for the others."""
        self.pg.start()
        self.pg.psql("CREATE DATABASE seed_drf TEMPLATE template0")
        began = time.monotonic()
        for args in (["migrate", "-v", "0"], ["seed_clinic", "--patients", str(self.patients), "--appointments",
                                              str(self.appointments), "--token", DRF_TOKEN]):
            self.run([PYTHON, "manage.py", *args], os.path.join(PEERS, "drf"), self.pg.env("seed_drf"))
        os.mkdir(self.data)
        stamp = "'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'"
        for name, sql in {
            "patients": f"SELECT id, name, phone, city, to_char(created_at AT TIME ZONE 'UTC', {stamp}) AS created_at FROM clinic_patient",
            "doctors": "SELECT id, name FROM clinic_doctor",
            "appointments": "SELECT id, patient_id AS patient, doctor_id AS doctor, status, fee, "
                            f"to_char(starts_at AT TIME ZONE 'UTC', {stamp}) AS starts_at FROM clinic_appointment",
        }.items():
            with open(os.path.join(self.data, name + ".csv"), "w") as f:
                f.write(self.pg.psql(f"COPY ({sql} ORDER BY id) TO STDOUT (FORMAT csv, HEADER)", "seed_drf"))
        say(f"made {self.patients} patients and {self.appointments} appointments in {time.monotonic() - began:.0f} s")

    def run(self, command, folder, env=None, shell=False):
        """Run a command to its end; what it prints is shown when it fails."""
        done = subprocess.run(command, cwd=folder, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **(env or {})}, shell=shell,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=900)
        if done.returncode:
            raise RuntimeError(f"{command} failed:\n{(done.stdout + done.stderr)[-800:]}")

    def spawn(self, server, command, env, files, folder=None):
        """Start a server and wait until it answers; files is where its database is."""
        log = os.path.join(self.tmp, re.sub(r"\W+", "_", server["name"]) + ".log")
        with open(log, "a") as out:
            p = subprocess.Popen(command, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **env}, cwd=folder,
                                 stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        self.running.append(p)
        server["pid"], server["files"] = p.pid, files
        probe, status = operations(server["style"], self.patients)["retrieve"][0], None
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

    def drf(self, best):
        """gunicorn with whichever of four settings does most; best measures one."""
        server = dict(name=DRF, group="PostgreSQL", style="drf", token=DRF_TOKEN, url=f"http://127.0.0.1:{free_port()}", peer=True)
        self.pg.copy("drf", "seed_drf")

        def start(workers, kind, threads):
            return self.spawn(server, [PYTHON, "-m", "gunicorn", "clinicsite.wsgi:application", "-b", server["url"][7:], "-w", str(workers),
                                       "-k", kind, "--threads", str(threads)], self.pg.env("drf"), self.pg.files("drf"), os.path.join(PEERS, "drf"))

        workers, kind, threads = best(server, [(2, "sync", 1), (4, "sync", 1), (2, "gthread", 4), (4, "gthread", 4)], start)
        server["note"] = f"gunicorn, {workers} {kind} workers" + (f" of {threads} threads" if threads > 1 else "")
        start(workers, kind, threads)
        self.servers.append(server)

    def gobare(self, best):
        """The token is looked up in the database for each request."""
        server = dict(name=GOBARE, group="PostgreSQL", style="drf", token=DRF_TOKEN, url=f"http://127.0.0.1:{free_port()}", peer=True)
        self.pg.copy("gobare", "seed_drf")
        program = os.path.join(self.tmp, "gobare")
        self.run(["go", "build", "-buildvcs=false", "-o", program, "."], os.path.join(PEERS, "gobare"))

        def start(pool):
            return self.spawn(server, [program], dict(self.pg.env("gobare"), ADDR=server["url"][7:], AUTH="db", POOL=str(pool)), self.pg.files("gobare"))

        (pool,) = best(server, [(4,), (8,), (16,)], start)
        server["note"] = f"net/http and pgx, a pool of {pool}"
        start(pool)
        self.servers.append(server)

    def pocketbase(self, _):
        program, data, token = (os.path.join(self.tmp, name) for name in ("pocketbase", "pb_data", "pb_token"))
        self.run(["go", "build", "-buildvcs=false", "-o", program, "."], os.path.join(PEERS, "pocketbase"))
        self.run([program, "seed", os.path.join(self.data, "patients.csv"), token, "--dir", data], self.tmp)
        port = free_port()
        with open(token) as f:
            server = dict(name=POCKETBASE, group="SQLite", style="pocketbase", token=f.read(), url=f"http://127.0.0.1:{port}",
                          note="synchronous=normal, its default", peer=True)
        self.spawn(server, [program, "serve", "--http", f"127.0.0.1:{port}", "--dir", data], {}, data)
        self.servers.append(server)

    # --- the listed ---

    def listed(self, spec, folder):
        """A server of a list: its setup is run once for all that have the same."""
        port, name = free_port(), re.sub(r"\W+", "_", spec["name"].lower())
        server = dict(dict(style="drf", group="PostgreSQL", token=DRF_TOKEN, url=f"http://127.0.0.1:{port}"), **spec)
        common = dict({"BENCH_TOKEN": DRF_TOKEN, "BENCH_DATA": self.data, "ADDR": f"127.0.0.1:{port}"}, **spec.get("env", {}))
        kind = spec.get("db", "seed")
        key = (kind, spec.get("setup", ""), str(spec.get("env")))
        if key not in self.seeds:
            self.seeds[key] = self.seed(kind, f"seed_{len(self.seeds)}", spec.get("setup", ""), common, folder)
        env, files = self.place(kind, name, self.seeds[key])
        self.spawn(server, ["sh", "-c", "exec " + spec["start"]], {**env, **common}, files, folder)
        self.servers.append(server)

    def seed(self, kind, name, setup, common, folder):
        """A database as the setup leaves it, for copies."""
        began = time.monotonic()
        if kind == "sqlite":
            env = dict(DATABASE_URL="sqlite://" + os.path.join(self.tmp, name + ".db"))
        else:
            env = self.pg.env(name)
            self.pg.copy(name, "seed_drf" if kind == "seed" else "template0")
        if setup:
            self.run(setup, folder, {**env, **common}, shell=True)
            say(f"set up {name} in {time.monotonic() - began:.0f} s")
        if kind == "empty":
            self.pg.psql("VACUUM (ANALYZE)", name)
        return name

    def place(self, kind, name, seed):
        """The environment that names a server's own copy, and where that is."""
        if kind != "sqlite":
            self.pg.copy(name, seed)
            return self.pg.env(name), self.pg.files(name)
        path = os.path.join(self.tmp, name + ".db")
        shutil.copyfile(os.path.join(self.tmp, seed + ".db"), path)
        return dict(DATABASE_URL="sqlite://" + path), path

    # --- all of them ---

    def start(self, names, best):
        """Start the servers with these names, in this order."""
        with open(os.path.join(HERE, "servers.json")) as f:
            listed = {s["name"]: s for s in json.load(f)}
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


def known():
    """The names of all servers, those of one group side by side."""
    with open(os.path.join(HERE, "servers.json")) as f:
        names = [(s["group"], s["name"]) for s in json.load(f)]
    by_group = {}
    for group, name in names + [("PostgreSQL", GOBARE), ("PostgreSQL", DRF), ("SQLite", POCKETBASE)]:
        by_group.setdefault(group, []).append(name)
    return sum(by_group.values(), [])
