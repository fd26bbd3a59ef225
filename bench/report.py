"""The tables."""
from operations import CROWD, CROWDED, crowd


def table(head, rows, align="---:"):
    return "\n".join(["| " + " | ".join(head) + " |", "|---" + f"|{align}" * (len(head) - 1) + "|",
                      *("| " + " | ".join(r) + " |" for r in rows)]) + "\n"


def number(x):
    return f"{x:,.0f}" if x >= 100 else f"{x:.1f}"


def over(a, b):
    return f"{a / b:.2f}" if b else "–"


class Report:
    def __init__(self, rig):
        self.rig, self.servers = rig, rig.stage.servers
        crowded = [crowd(op, n) for op, n in CROWD.items()]
        self.ops = [op for op in dict.fromkeys(op for _, op in rig.takes) if op not in crowded]

    def text(self):
        parts = []
        for group in dict.fromkeys(s["group"] for s in self.servers):
            parts += self.group(group, [s for s in self.servers if s["group"] == group])
        return "\n".join([*parts, *self.crowds(), *self.memory(), *self.answers()])

    def group(self, group, every):
        servers = [s for s in every if "again" not in s]
        if not servers:
            return
        yield f"## On {group}\n"
        yield "### Requests per second\n"
        yield self.rates(servers)
        yield "### Latency, p50 / p99 in ms\n"
        yield table(["", *(s["name"] for s in servers)], [[op, *(self.latency(s, op) for s in servers)] for op in self.ops])
        yield "### CPU time per request in µs, server + PostgreSQL\n"
        lead, others = servers[0], servers[1:]
        yield table(["", *(s["name"] for s in servers), *(f"{s['name']} ÷ {lead['name']}" for s in others)],
                    [[op, *(self.cost(s, op) for s in servers), *(self.costlier(s, lead, op) for s in others)] for op in self.ops])
        yield from self.noise(every)

    def noise(self, servers):
        """What the same program gives when it is measured twice."""
        named = {s["name"]: s for s in servers}
        for s in servers:
            if s.get("again") in named:
                yield f"### Noise: {s['name']} ÷ {s['again']}, the same program\n"
                yield table(["", "requests per second", "p50", "p99", "CPU time"], [
                    [op, *(over(x, y) for x, y in zip(a, b))] for op in self.ops
                    if (a := self.figures(s, op)) and (b := self.figures(named[s["again"]], op))])

    def figures(self, server, op):
        s = self.of(server, op)
        return [s["rps"], s["p50"], s["p99"], s["app_us"] + s["db_us"]] if s else []

    def crowds(self):
        """Operations at two numbers of connections."""
        servers = [s for s in self.servers if s["name"] in CROWDED]
        rows = [[op, str(n), *(cell for s in servers for cell in self.crowded(s, at))] for op, most in CROWD.items()
                for n, at in ((self.rig.o.connections, op), (most, crowd(op, most))) if any(self.of(s, at) for s in servers)]
        if rows:
            yield "## With more connections\n"
            yield table(["", "connections", *(f"{s['name']}{what}" for s in servers for what in (", requests/s", ", p50 / p99 in ms", ", not 2xx"))], rows)

    def crowded(self, server, op):
        s = self.of(server, op)
        return [number(s["rps"]), self.latency(server, op), f"{s['failures']:,} of {s['requests']:,}"] if s else ["–"] * 3

    def rates(self, servers):
        """Requests per second, and how many times a peer's the first server's are."""
        lead, others = servers[0], servers[1:]
        head = ["", *(s["name"] for s in servers), *(f"{lead['name']} ÷ {s['name']}" for s in others)]
        return table(head, [[op, *(self.rate(s, op) for s in servers), *(self.ratio(lead, s, op) for s in others)]
                            for op in self.ops if any(self.of(s, op) for s in servers)])

    def of(self, server, op):
        return self.rig.summary(server["name"], op)

    def rate(self, server, op):
        s = self.of(server, op)
        if not s:
            return "–"
        return (number(s["rps"]) + (" *n*" if not s["quiet"] else "") + (f" *of {s['takes']}*" if s["takes"] < self.rig.o.rounds else "")
                + (f" **{100 * s['failed']:.3g} % failed**" if s["failed"] else ""))

    def ratio(self, lead, server, op):
        a, b = self.of(lead, op), self.of(server, op)
        return f"{a['rps'] / b['rps']:.2f}" if a and b and b["rps"] and not a["failed"] and not b["failed"] else "–"

    def latency(self, server, op):
        s = self.of(server, op)
        return f"{s['p50']:.2f} / {s['p99']:.2f}" if s else "–"

    def cost(self, server, op):
        s = self.of(server, op)
        return f"{number(s['app_us'])} + {number(s['db_us'])}" if s else "–"

    def costlier(self, server, lead, op):
        a, b = self.of(server, op), self.of(lead, op)
        return f"{(a['app_us'] + a['db_us']) / (b['app_us'] + b['db_us']):.2f}" if a and b else "–"

    def memory(self):
        yield "## Most memory of the server's processes\n"
        yield table(["", "MiB", ""], [[s["name"], number(self.rig.memory(s["name"])), s.get("note", "")] for s in self.servers], "---")

    def answers(self):
        again = ", ".join(f"{n} of {s['name']}" for s in self.servers if (n := self.rig.again.get(s["name"])))
        if again:
            yield f"Takes were made again, because the machine or its disk stood still in them, or it had other work: {again}.\n"
        if not self.rig.stalls.sees_disk:
            yield "Nobody saw whether the disk stood still: its file system tells of no device.\n"
        for (name, op), why in self.rig.lost.items():
            yield f"A take of {op} by {name} was not finished: {why}\n"
        yield "## Whether the answers agree\n"
        for name, why in self.rig.stage.left_out.items():
            yield f"{name} is left out, because it did not start: {why.splitlines()[0]}\n"
        if not self.rig.differing:
            yield "They do: counts, names, phones and cities, states and fees, in five answers of each operation.\n"
            return
        yield table(["", "operation", "first difference from the first server"],
                    [[n, op, where.replace("|", "\\|").replace("\n", " ")] for (n, op), where in self.rig.differing.items()], "---")
