"""The requests, and what of their answers servers of different kinds have in common."""
import http.client
import json
import math
import random
import urllib.parse
from typing import NamedTuple

from rows import DOCTORS, holds, owner

NAMES = """garcia nguyen maria smith chen olga patel ibrahim rossi wang fernandes johansson kowalski nakamura petrov
rodriguez schmidt thompson virtanen yamamoto abbott banerjee castillo desai eriksson fischer gonzalez hashimoto ivanov jansen
kapoor lambert macdonald nielsen okafor popescu ramirez sanchez tanaka vasquez agnieszka benjamin camila dmitri elena francesca
gabriel hiroshi isabella javier katarzyna leila mohammed natasha oliver priya rafael santiago takeshi valentina""".split()
CITIES = ["Springfield", "Riverton", "Fairview", "Georgetown", "Salem", "Madison", "Clinton", "Arlington", "Ashland", "Dover",
          "Oxford", "Jackson", "Burlington", "Manchester", "Milton", "Newport", "Auburn", "Centerville", "Clayton", "Dayton",
          "Lexington", "Milford", "Mount Vernon", "Oakland", "Winchester", "Cleveland", "Hudson", "Kingston", "Lakeview",
          "New Haven", "Rio Vista"]
STATUSES = ["booked", "completed", "cancelled"]
FEES = [f"{cents / 100:.2f}" for cents in range(2000, 50000, 120)]
PER_OP, PAGE = 4000, 20

# Percent of the requests of an operation that mixes several verbs.
MIXED = {"retrieve": 40, "appointments": 20, "listed": 15, "search": 5, "patch": 13, "create": 7}
LIST_AND_CREATE = {"listed": 95, "create": 5}

WRITES = ("list with 5 % creates", "mixed", "patch", "create")

# These operations are also measured with more connections, on these servers.
CROWD = {"retrieve": 512, "list pages 1-50": 512, "search": 128, "mixed": 512, "create": 512}
CROWDED = ("Trestle", "Go by hand")


class Operation(NamedTuple):
    requests: list  # (method, path, body, user)
    connections: int = 0  # 0: as many as the options say
    writes: bool = False


def terms(rng, n=1200):
    """Distinct search terms: pieces of names, 3 to 8 letters, and of phone numbers."""
    found = {}
    while len(found) < n:
        name = rng.choice(NAMES)
        k = rng.randint(3, min(8, len(name)))
        at = rng.randint(0, len(name) - k)
        found[rng.choice([name[at:at + k], f"{rng.randrange(10**4):04d}"])] = True
    return list(found)


class Draws:
    """Random requests as (verb, arguments, user), the same for every kind of server.

    A request for one patient is sent by its owner. Lists and searches are sent by
    users who hold the permissions and see all rows. If owners is true, all
    requests are sent by users who hold nothing and see their own rows."""

    def __init__(self, patients, users, owners):
        self.rng, self.patients, self.users, self.owners = random.Random(7), patients, users, owners
        everyone = range(1, users + 1)
        self.listers = [n for n in everyone if holds(n) != owners]
        self.creators = self.listers if owners else everyone
        self.terms = terms(random.Random(11))
        rows = patients // users if owners else patients  # in a list
        self.pages = max(1, math.ceil(rows / PAGE))
        self.city_pages = 33 if rows >= 100_000 else 1  # of the city with the fewest rows

    def lister(self):
        return self.rng.choice(self.listers)

    def patient(self):
        while True:
            n = self.rng.randint(1, self.patients)
            user = owner(n, self.users)
            if not (self.owners and holds(user)):
                return n, user

    def retrieve(self):
        n, user = self.patient()
        return "retrieve", (n,), user

    def appointments(self):
        n, user = self.patient()
        return "appointments", (n,), user

    def listed(self, page=None):
        return "listed", (page or self.rng.randint(1, min(50, self.pages)),), self.lister()

    def search(self):
        return "search", (self.rng.choice(self.terms),), self.lister()

    def city(self):
        return "city", (self.rng.choice(CITIES), self.rng.randint(1, self.city_pages)), self.lister()

    def filtered(self):
        return "filtered", (self.rng.choice(STATUSES), self.rng.choice(FEES)), self.lister()

    def visited(self):
        return "visited", (self.rng.randint(1, min(50, self.pages)),), self.lister()

    def seen(self):
        return "seen", (self.rng.randint(1, DOCTORS), self.rng.randint(1, 50)), self.lister()

    def by_patient(self):
        return "by_patient", (self.rng.randint(1, DOCTORS), self.rng.choice(STATUSES), self.rng.randint(1, 20)), self.lister()

    def patch(self):
        n, user = self.patient()
        return "patch", (n, json.dumps({"phone": f"+1-555-{self.rng.randrange(10**7):07d}"})), user

    def create(self):
        new = {"name": f"Bench {self.rng.randrange(10**6):06d} Patient", "phone": f"+1-555-{self.rng.randrange(10**7):07d}",
               "city": self.rng.choice(CITIES)}
        return "create", (json.dumps(new),), self.rng.choice(self.creators)

    def mixed(self, percent):
        drawn = [getattr(self, verb)() for verb, n in percent.items() for _ in range(PER_OP * n // 100)]
        self.rng.shuffle(drawn)
        return drawn

    def all(self):
        """{operation: requests}, in the order of the report."""
        many = lambda draw, *args: [draw(*args) for _ in range(PER_OP)]  # noqa: E731
        found = {"retrieve": many(self.retrieve), "list page 1": many(self.listed, 1), "list pages 1-50": many(self.listed)}
        if not self.owners:
            deep = min(1000, self.pages)
            found[f"list page {deep}"] = many(self.listed, deep)
        found.update({
            "search": many(self.search), "city + ordering": many(self.city), "appointments filter": many(self.filtered),
            "patient's appointments": many(self.appointments)})
        if not self.owners:
            found.update({"patients with appointments": many(self.visited), "patients of a doctor": many(self.seen),
                          "appointments by patient": many(self.by_patient)})
        found.update({
            "list with 5 % creates": self.mixed(LIST_AND_CREATE),
            "mixed": self.mixed(MIXED), "patch": many(self.patch), "create": many(self.create)})
        return found


class Rest:
    """The requests of Trestle, Django REST framework and the hand-written server."""

    def __init__(self, style):
        self.id = rest_id if style == "uuid" else str

    def retrieve(self, n):
        return "GET", f"/api/patients/{self.id(n)}/", ""

    def appointments(self, n):
        return "GET", f"/api/patients/{self.id(n)}/appointments/", ""

    def listed(self, page):
        return "GET", "/api/patients/" + (f"?page={page}" if page > 1 else ""), ""

    def search(self, term):
        return "GET", "/api/patients/?" + urllib.parse.urlencode({"search": term}), ""

    def city(self, name, page):
        return "GET", "/api/patients/?" + urllib.parse.urlencode({"city": name, "ordering": "-city", "page": page}), ""

    def filtered(self, status, fee):
        return "GET", "/api/appointments/?" + urllib.parse.urlencode({"status": status, "min_fee": fee}), ""

    def visited(self, page):
        return "GET", f"/api/visited/?page={page}", ""

    def seen(self, doctor, page):
        return "GET", f"/api/visited/?doctor={self.id(doctor)}&page={page}", ""

    def by_patient(self, doctor, status, page):
        return "GET", f"/api/appointments/?doctor={self.id(doctor)}&status={status}&ordering=patient.name&page={page}", ""

    def patch(self, n, body):
        return "PATCH", f"/api/patients/{self.id(n)}/", body

    def create(self, body):
        return "POST", "/api/patients/", body


class Django(Rest):
    """The requests of Django REST framework, without those over relations."""

    visited = seen = by_patient = None


def rest_id(n):
    """The UUID that bench/load makes of a row's number."""
    return f"00000000-0000-7000-8000-{n:012x}"


class PocketBase:
    """The requests of PocketBase, which has no appointments. Its ids have 15 digits."""

    PATH = "/api/collections/patients/records"

    def page(self, n, sort="name,id", **more):
        return "GET", f"{self.PATH}?" + urllib.parse.urlencode({"perPage": PAGE, "page": n, "sort": sort, **more}), ""

    def retrieve(self, n):
        return "GET", f"{self.PATH}/{n:015d}", ""

    def listed(self, page):
        return self.page(page)

    def search(self, term):
        return self.page(1, filter=f"(name~'{term}'||phone~'{term}')")

    def city(self, name, page):
        return self.page(page, sort="-city,id", filter=f"city='{name}'")

    def patch(self, n, body):
        return "PATCH", f"{self.PATH}/{n:015d}", body

    def create(self, body):
        return "POST", self.PATH, body


def operations(server, patients, users):
    """{name: Operation} of a server; those that it does not have are left out."""
    kind = {"pocketbase": lambda _: PocketBase(), "drf": Rest, "uuid": Rest}[server["style"]] if server["name"] != "DRF" else Django
    api = kind(server["style"])
    found = {}
    for name, drawn in Draws(patients, users, server.get("users") == "owners").all().items():
        if all(getattr(api, verb, None) for verb, _, _ in drawn):
            found[name] = Operation([(*getattr(api, verb)(*args), user) for verb, args, user in drawn], writes=name in WRITES)
    if server["name"] in CROWDED:
        found.update({crowd(name, n): found[name]._replace(connections=n) for name, n in CROWD.items()})
    return found


def crowd(name, connections):
    """The name of an operation that is measured with more connections."""
    return f"{name}, {connections} connections"


def authorization(server, user):
    token = server["tokens"][user - 1]
    return token if server["style"] == "pocketbase" else f"Token {token}"


def call(server, method, path, body, user):
    """(status, text) of one request."""
    u = urllib.parse.urlsplit(server["url"])
    c = http.client.HTTPConnection(u.hostname, u.port, timeout=30)
    try:
        h = {"Authorization": authorization(server, user), "Accept": "application/json"}
        if body:
            h["Content-Type"] = "application/json"
        c.request(method, path, body.encode() or None, h)
        r = c.getresponse()
        return r.status, r.read().decode("utf-8", "replace")
    finally:
        c.close()


def digest(text):
    """What an answer says that every kind of server says: counts and the
    patients on a page; of all appointments of a patient their states and fees,
    in any order."""
    try:
        return digested(json.loads(text))
    except ValueError:
        return text[:200]


def digested(v):
    if isinstance(v, list):
        if v and "fee" in v[0]:
            return sorted((x["status"], float(x["fee"])) for x in v)
        return [digested(x) for x in v]
    rows = v.get("results", v.get("items"))
    if rows is None:
        found = {k: v[k] for k in ("name", "phone", "city") if k in v}
        if "appointments" in v:
            found["appointments"] = sorted((x["status"], float(x["fee"]), x["doctor"]) for x in v["appointments"])
        return found
    return dict(count=v.get("count", v.get("totalItems")), rows=[digested(x) for x in rows])


def difference(a, b, at="answer"):
    """Where two digests first differ, or "" if they do not."""
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        return next((d for k in a if (d := difference(a[k], b[k], f"{at}.{k}"))), "")
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return next((d for i, (x, y) in enumerate(zip(a, b)) if (d := difference(x, y, f"{at}[{i}]"))), "")
    return "" if a == b else f"{at}: {str(a)[:80]} / {str(b)[:80]}"
