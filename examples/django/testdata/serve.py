"""Run Django's own server at the address of the first argument until standard input ends."""
import os
import sys
import threading

from django.core.management import execute_from_command_line


def watch():
    sys.stdin.read()
    os._exit(0)


threading.Thread(target=watch, daemon=True).start()
execute_from_command_line(["manage.py", "runserver", "--noreload", sys.argv[1]])
