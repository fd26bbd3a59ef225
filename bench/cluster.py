"""A PostgreSQL of the benchmark's own, in a temporary folder, on loopback."""
import glob
import os
import pwd
import re
import signal
import subprocess
import time

from machine import free_port


def programs():
    """The folder of the server's programs, "" if there is none."""
    return os.environ.get("PG_BIN") or max(
        glob.glob("/usr/lib/postgresql/*/bin"), default="", key=lambda p: int(re.search(r"/(\d+)/bin$", p)[1]))


class Cluster:
    def __init__(self, tmp):
        self.bin, self.port = programs(), free_port()
        self.dir = os.path.join(tmp, "pg")
        os.mkdir(self.dir, 0o700)
        self.who = {}
        if os.geteuid() == 0:  # as root the server refuses to run
            user = pwd.getpwnam("postgres")
            os.chmod(tmp, 0o711)
            os.chown(self.dir, user.pw_uid, user.pw_gid)
            self.who = dict(user=user.pw_uid, group=user.pw_gid, extra_groups=[])
        self.log = open(os.path.join(tmp, "postgres.log"), "w")
        self.proc = None

    def start(self):
        data = os.path.join(self.dir, "data")
        subprocess.run([f"{self.bin}/initdb", "-D", data, "-U", "clinic", "--auth=trust", "-E", "UTF8", "--locale=C.UTF-8"],
                       check=True, stdout=self.log, stderr=self.log, cwd="/", **self.who)
        # The server's own defaults, apart from where it listens: fsync is on.
        self.proc = subprocess.Popen(
            [f"{self.bin}/postgres", "-D", data, "-p", str(self.port), "-c", "listen_addresses=127.0.0.1",
             "-c", f"unix_socket_directories={self.dir}", "-c", "max_connections=200"],
            stdout=self.log, stderr=self.log, cwd="/", **self.who)
        for _ in range(100):
            ready = [f"{self.bin}/pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]
            if subprocess.run(ready, check=False).returncode == 0:
                return
            if self.proc.poll() is not None:
                break
            time.sleep(0.1)
        with open(self.log.name) as f:
            raise SystemExit("PostgreSQL did not start; its log ends:\n" + f.read()[-800:])

    def psql(self, sql, db="postgres"):
        return subprocess.run(
            [f"{self.bin}/psql", "-X", "-q", "-At", "-h", "127.0.0.1", "-p", str(self.port), "-U", "clinic", "-d", db,
             "-v", "ON_ERROR_STOP=1", "-c", sql], check=True, capture_output=True, text=True).stdout

    def env(self, db):
        return dict(PGHOST="127.0.0.1", PGPORT=str(self.port), PGUSER="clinic", PGDATABASE=db, PGPASSWORD="",
                    DATABASE_URL=f"postgres://clinic@127.0.0.1:{self.port}/{db}?sslmode=disable")

    def copy(self, db, template):
        """Make a database as another is, which nobody may be connected to."""
        self.psql(f'CREATE DATABASE "{db}" TEMPLATE "{template}"')
        self.psql("CHECKPOINT")

    def files(self, db):
        """The folder of a database."""
        return os.path.join(self.dir, "data", "base", self.psql(f"SELECT oid FROM pg_database WHERE datname = '{db}'").strip())

    def stop(self):
        if self.proc and self.proc.poll() is None:
            self.proc.send_signal(signal.SIGINT)  # disconnects everybody
            try:
                self.proc.wait(30)
            except subprocess.TimeoutExpired:
                self.proc.send_signal(signal.SIGQUIT)
                self.proc.wait(10)
        self.log.close()
