"""Makes password hashes with Django, and checks hashes with it.

    python hashes.py make   prints hashes of known passwords as JSON
    python hashes.py check  reads [{"password": ..., "hash": ...}, ...] from stdin and prints
                            [{"accepted": ..., "renews": ...}, ...]

It needs the packages of requirements.txt. "make django-hashes" runs both.
"""

import json
import sys

import django
from django.conf import settings

settings.configure(
    PASSWORD_HASHERS=[
        "django.contrib.auth.hashers." + name
        for name in (
            "PBKDF2PasswordHasher",
            "PBKDF2SHA1PasswordHasher",
            "Argon2PasswordHasher",
            "ScryptPasswordHasher",
            "BCryptSHA256PasswordHasher",
            "BCryptPasswordHasher",
        )
    ]
)

from django.contrib.auth import hashers  # noqa: E402

PLAIN = "four unrelated words walk"
LETTERS = "e\u0301t\u00e9 \uff21 \U0001f642 words"  # its form NFKC differs
LONG = "x" * 71 + " and more than 72 bytes"


def made():
    for name, password in (
        ("pbkdf2_sha256", PLAIN),
        ("pbkdf2_sha256", LETTERS),
        ("pbkdf2_sha1", PLAIN),
        ("argon2", PLAIN),
        ("argon2", LETTERS),
        ("scrypt", PLAIN),
        ("bcrypt", PLAIN),
        ("bcrypt_sha256", PLAIN),
        ("bcrypt_sha256", LONG),
    ):
        yield name, password, hashers.make_password(password, hasher=name)
    yield "pbkdf2_sha256 of Django 3.2", PLAIN, hashers.PBKDF2PasswordHasher().encode(PLAIN, "seasalt12345", 260000)
    yield "pbkdf2_sha256 with a salt of 128 bits in hexadecimal", PLAIN, hashers.PBKDF2PasswordHasher().encode(PLAIN, "00112233445566778899aabbccddeeff", 1000)
    yield "unusable", "", hashers.make_password(None)


def make():
    vectors = [{"name": n, "password": p, "hash": h} for n, p, h in made()]
    for v in vectors[:-1]:
        assert hashers.check_password(v["password"], v["hash"]), v
    json.dump({"origin": "Django " + django.get_version(), "vectors": vectors}, sys.stdout, indent=1)
    print()


def check():
    answers = []
    for given in json.load(sys.stdin):
        renewed = []
        accepted = hashers.check_password(given["password"], given["hash"], setter=renewed.append)
        answers.append({"accepted": accepted, "renews": bool(renewed), "usable": hashers.is_password_usable(given["hash"])})
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    {"make": make, "check": check}[sys.argv[1]]()
