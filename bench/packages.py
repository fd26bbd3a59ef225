"""What the benchmark needs of the system: as root on Debian it is installed."""
import os
import re
import shutil
import subprocess

import cluster
from machine import say

PYTHON = os.environ.get("DRF_PYTHON", "/usr/bin/python3")
# Modules of Python and the packages that hold them.
MODULES = {"django": "python3-django", "rest_framework": "python3-djangorestframework", "django_filters": "python3-django-filters",
           "rest_framework_simplejwt": "python3-djangorestframework-simplejwt", "psycopg2": "python3-psycopg2",
           "gunicorn": "gunicorn"}
CREATE_CLUSTER = "/etc/postgresql-common/createcluster.conf"


def missing():
    packages = [p for m, p in MODULES.items()
                if subprocess.run([PYTHON, "-c", f"import {m}"], capture_output=True, check=False).returncode]
    if not shutil.which("wrk"):
        packages.append("wrk")
    if not cluster.programs():
        packages.append("postgresql")
    return packages


def provide():
    """Install what is missing, or say what to install."""
    if not shutil.which("go"):
        raise SystemExit("Go is missing: install the version that go.mod names")
    packages = missing()
    if not packages:
        return
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        raise SystemExit("The benchmark needs these packages of Debian, or what they hold: " + " ".join(packages) +
                         "\nPG_BIN names the folder of PostgreSQL's programs, DRF_PYTHON the Python that has the modules.")
    say("installing", *packages)
    apt("update")
    if "postgresql" in packages:
        apt("install", "-y", "--no-install-recommends", "postgresql-common")
        decline_default_cluster()
    apt("install", "-y", "--no-install-recommends", *packages)


def apt(*words):
    done = subprocess.run(["apt-get", "-o", "DPkg::Lock::Timeout=300", "-q", *words], capture_output=True, text=True, check=False,
                          env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
    if done.returncode:
        raise SystemExit(f"apt-get {words[0]} failed:\n{(done.stdout + done.stderr)[-800:]}")


def decline_default_cluster():
    """Keep the package from making and starting a server of its own."""
    with open(CREATE_CLUSTER, "a+") as f:
        f.seek(0)
        kept = re.sub(r"(?m)^[ \t]*create_main_cluster\b.*\n?", "", f.read())
        f.truncate(0)
        f.write(kept + "create_main_cluster = false\n")
