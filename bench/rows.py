"""The rows of the clinic as CSV files: the same seed and sizes make the same rows.

Every server loads these files. User N is one of USERS; an odd N holds the
permissions, an even N holds none. Patient N belongs to user owner(N), and an
appointment belongs to the owner of its patient."""
import base64
import csv
import hashlib
import os
import random
from datetime import datetime, timedelta, timezone

USERS, DOCTORS, SEED = 1000, 50, 20240101

FIRST = """Aaliyah Adam Agnieszka Ahmed Aisha Alejandro Amara Amelia Ana Andrei Anika Anna Antonio Arjun
Astrid Benjamin Björn Bruno Camila Carlos Carmen Chidi Chloe Daniel David Deepa Diego Dmitri Elena Elif
Emeka Emma Ethan Eva Farah Fatima Felix Fiona Francesca Gabriel Grace Hana Hannah Hans Hassan Helena
Hiroshi Ibrahim Ingrid Isabella Ivan Jack James Jana Jasmine Javier João José Julia Kamila Karim Katarzyna
Kenji Khadija Kofi Lars Laura Leila Leo Liam Lin Linh Lucas Lucía Magnus Malik Manuel Maria Marek Mariam
Mateo Maya Mei Mia Michael Mohammed Nadia Naomi Natasha Nia Nikolai Noah Nour Olga Oliver Olivia Omar Oscar
Pablo Paula Pedro Priya Quynh Rafael Rahul Ravi Rosa Ruth Samira Samuel Sana Santiago Sara Sean Sofia
Søren Stefan Sunita Takeshi Tariq Thomas Tomás Valentina Victor Wei William Xin Yara Yusuf Zahra Zoë
Łukasz""".split()
LAST = """Abbott Abdi Acosta Adeyemi Ahmadi Ali Allen Almeida Anderson Andersson Baker Banerjee Barbosa Bauer
Becker Begum Bell Bennett Berg Bianchi Boateng Brown Bui Butler Campbell Carter Castillo Castro Chanda Chang
Chaudhry Chen Clark Cohen Cooper Costa Cruz Dang Davies Delgado Desai Diallo Diaz Dubois Edwards Eriksson
Esposito Evans Farouk Fernandes Fernández Ferrari Fischer Fitzgerald Flores Foster Fujita García Garrison Ghosh
Gibson Gomez González Gray Green Gupta Haddad Hall Hansen Harris Hashimoto Hernandez Hoang Hoffmann Horvat Hughes
Hussain Ivanov Jackson Jansen Jensen Jimenez Johansson Johnson Jones Joshi Kamau Kapoor Kaya Keller Khan Kim
King Kovács Kowalski Kumar Lambert Larsen Le Lee Lewis Lopez Macdonald Malik Marino Martin Martínez Mbeki
Mehta Meyer Miller Mitchell Mohamed Moore Morales Moreau Morgan Müller Murphy Nair Nakamura Nelson Nguyen
Nielsen Novak Nowak Nwosu O'Brien Okafor Olsen Ortiz Osei Owusu Park Parker Patel Pereira Perez Petrov Pham
Phillips Popescu Rahman Ramirez Rao Reddy Reyes Ricci Rivera Roberts Robinson Rodriguez Romano Rossi Ruiz
Russo Saito Salazar Sanchez Santos Sato Schmidt Schneider Scott Shah Sharma Silva Simpson Singh Smirnov Smith
Sokolov Suzuki Svensson Tanaka Taylor Thompson Torres Tran Turner Vargas Vasquez Virtanen Wagner Walker Wang
Watanabe Weber White Williams Wilson Wójcik Wong Wright Yamamoto Yang Yilmaz Young Zhang Zhou""".split()
# (name, weight): a few large cities and a long tail.
CITIES = [
    ("Springfield", 14), ("Riverton", 11), ("Fairview", 9), ("Georgetown", 8), ("Salem", 7), ("Madison", 6),
    ("Clinton", 5), ("Arlington", 5), ("Ashland", 4), ("Dover", 4), ("Oxford", 4), ("Jackson", 3), ("Burlington", 3),
    ("Manchester", 3), ("Milton", 3), ("Newport", 3), ("Auburn", 2), ("Centerville", 2), ("Clayton", 2),
    ("Dayton", 2), ("Lexington", 2), ("Milford", 2), ("Mount Vernon", 2), ("Oakland", 2), ("Winchester", 2),
    ("Cleveland", 1), ("Hudson", 1), ("Kingston", 1), ("Lakeview", 1), ("New Haven", 1), ("Rio Vista", 1),
    ("São Pedro", 1), ("St. John's", 1), ("Zürich Falls", 1),
]
WEIGHTED = [city for city, weight in CITIES for _ in range(weight)]
STATUSES = ["booked"] * 40 + ["completed"] * 45 + ["cancelled"] * 15
EPOCH = datetime(2022, 1, 1, tzinfo=timezone.utc)


def owner(patient, users):
    """The number of the user who owns a patient."""
    return 1 + (patient - 1) % users


def holds(user):
    """Whether a user holds the permissions."""
    return user % 2 == 1


def tokens(style, users):
    """The tokens of users 1, 2, ... as a kind of server wants them."""
    digests = [hashlib.sha256(f"user {n} of the benchmark".encode()).digest() for n in range(1, users + 1)]
    if style == "uuid":
        return ["trs_" + base64.urlsafe_b64encode(d).decode().rstrip("=") for d in digests]
    return [d.hex()[:40] for d in digests]


def write(folder, patients, appointments, users=USERS):
    """Write users.csv, doctors.csv, patients.csv and appointments.csv."""
    rng = random.Random(SEED)
    below = lambda n: int(rng.random() * n)  # noqa: E731; several times as fast as randrange
    pick = lambda of: of[int(rng.random() * len(of))]  # noqa: E731
    person = lambda: f"{pick(FIRST)} {pick('ABCDEFGHIJKLMNOPRSTUVWYZ')}. {pick(LAST)}"  # noqa: E731

    def stamp(**after):
        return (EPOCH + timedelta(**after)).strftime("%Y-%m-%dT%H:%M:%SZ")

    def phone():
        return f"+1-{201 + below(789)}-{200 + below(800)}-{below(10000):04d}"

    files = {
        "users": ("id holder key token", ((n, int(holds(n)), key, token) for n, key, token in
                                          zip(range(1, users + 1), tokens("drf", users), tokens("uuid", users)))),
        "doctors": ("id name", ((n, f"Dr. {person()}") for n in range(1, DOCTORS + 1))),
        "patients": ("id name phone city created_at owner",
                     ((n, person(), phone(), pick(WEIGHTED), stamp(seconds=below(3 * 365 * 86400)), owner(n, users))
                      for n in range(1, patients + 1))),
        "appointments": ("id patient doctor status fee starts_at",
                         ((n, 1 + below(patients), 1 + below(DOCTORS), pick(STATUSES), f"{20 + below(1921) * 0.25:.2f}",
                           stamp(minutes=15 * below(4 * 365 * 96))) for n in range(1, appointments + 1))),
    }
    os.makedirs(folder, exist_ok=True)
    for name, (columns, rows) in files.items():
        with open(os.path.join(folder, name + ".csv"), "w", newline="") as f:
            out = csv.writer(f, lineterminator="\n")
            out.writerow(columns.split())
            out.writerows(rows)
