"""The requests, and what of their answers servers of different kinds have in common."""
import http.client
import json
import math
import random
import urllib.parse

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
PER_OP = 4000

WRITES = ("patch", "create")
# Those that are also measured with one URL alone. The lists of one page are one already.
HOT = ("retrieve", "search", "city + ordering", "appointments filter", "patient's appointments")
ONE_URL = ", one URL"

# How each kind of server wants its token.
AUTH = {"drf": "Token {}", "uuid": "Token {}", "pocketbase": "{}"}


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
    """What the requests are about: the same for every kind of server."""

    def __init__(self, patients):
        rng = random.Random(7)
        self.terms = terms(random.Random(11))
        self.cities = [(c, k) for k in range(1, 34 if patients >= 100_000 else 2) for c in CITIES]  # (city, page)
        rng.shuffle(self.cities)
        self.ids = [rng.randint(1, patients) for _ in range(PER_OP)]
        pages = max(1, math.ceil(patients / 20))
        self.pages, self.deep = range(1, min(50, pages) + 1), min(1000, pages)
        self.new = [json.dumps({"name": f"Bench {rng.randrange(10**6):06d} Patient", "phone": f"+1-555-{rng.randrange(10**7):07d}",
                                "city": rng.choice(CITIES)}) for _ in range(PER_OP)]
        self.phones = [json.dumps({"phone": f"+1-555-{rng.randrange(10**7):07d}"}) for _ in range(PER_OP)]


def operations(style, patients):
    """{operation: [(method, path, body)]}, in the order of the report."""
    d = Draws(patients)
    made = pocketbase(d) if style == "pocketbase" else rest(d, uuid=style == "uuid")
    made.update({op + ONE_URL: made[op][:1] for op in HOT if op in made})
    return made


def rest(d, uuid):
    p, a, q = "/api/patients/", "/api/appointments/", urllib.parse.urlencode
    ids = [f"00000000-0000-7000-8000-{i:012x}" for i in d.ids] if uuid else d.ids
    return {
        "retrieve": [("GET", f"{p}{i}/", "") for i in ids],
        "list page 1": [("GET", p, "")],
        "list pages 1-50": [("GET", f"{p}?page={k}", "") for k in d.pages],
        f"list page {d.deep}": [("GET", f"{p}?page={d.deep}", "")],
        "search": [("GET", f"{p}?{q({'search': t})}", "") for t in d.terms],
        "city + ordering": [("GET", f"{p}?{q({'city': c, 'ordering': '-city', 'page': k})}", "") for c, k in d.cities],
        "appointments filter": [("GET", f"{a}?{q({'status': s, 'min_fee': f})}", "") for f in FEES for s in STATUSES],
        "patient's appointments": [("GET", f"{p}{i}/appointments/", "") for i in ids],
        "patch": [("PATCH", f"{p}{i}/", b) for i, b in zip(ids, d.phones)],
        "create": [("POST", p, b) for b in d.new],
    }


def pocketbase(d):
    """No appointments there. Ids are the reference's, padded to 15 digits."""
    p, q = "/api/collections/patients/records", urllib.parse.urlencode
    page = {"perPage": 20, "sort": "name,id"}
    return {
        "retrieve": [("GET", f"{p}/{i:015d}", "") for i in d.ids],
        "list page 1": [("GET", f"{p}?{q({'page': 1, **page})}", "")],
        "list pages 1-50": [("GET", f"{p}?{q({'page': k, **page})}", "") for k in d.pages],
        f"list page {d.deep}": [("GET", f"{p}?{q({'page': d.deep, **page})}", "")],
        "search": [("GET", f"{p}?{q({**page, 'filter': f'(name~{chr(39)}{t}{chr(39)}||phone~{chr(39)}{t}{chr(39)})'})}", "")
                   for t in d.terms],
        "city + ordering": [("GET", f"{p}?{q({'perPage': 20, 'page': k, 'filter': f'city={chr(39)}{c}{chr(39)}', 'sort': '-city,id'})}", "")
                            for c, k in d.cities],
        "patch": [("PATCH", f"{p}/{i:015d}", b) for i, b in zip(d.ids, d.phones)],
        "create": [("POST", p, b) for b in d.new],
    }


def call(server, method, path, body=""):
    """(status, text) of one request."""
    u = urllib.parse.urlsplit(server["url"])
    c = http.client.HTTPConnection(u.hostname, u.port, timeout=30)
    try:
        h = {"Authorization": AUTH[server["style"]].format(server["token"]), "Accept": "application/json"}
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
        return {k: v[k] for k in ("name", "phone", "city") if k in v}
    return dict(count=v.get("count", v.get("totalItems")), rows=[digested(x) for x in rows])


def difference(a, b, at="answer"):
    """Where two digests first differ, or "" if they do not."""
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        return next((d for k in a if (d := difference(a[k], b[k], f"{at}.{k}"))), "")
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return next((d for i, (x, y) in enumerate(zip(a, b)) if (d := difference(x, y, f"{at}[{i}]"))), "")
    return "" if a == b else f"{at}: {str(a)[:80]} / {str(b)[:80]}"
