"""The tables."""
from operations import ONE_URL


def table(head, rows, align="---:"):
    return "\n".join(["| " + " | ".join(head) + " |", "|---" + f"|{align}" * (len(head) - 1) + "|",
                      *("| " + " | ".join(r) + " |" for r in rows)]) + "\n"


def number(x):
    return f"{x:,.0f}" if x >= 100 else f"{x:.1f}"


class Report:
    def __init__(self, rig):
        self.rig, self.servers = rig, rig.stage.servers
        self.ops = list(dict.fromkeys(op for _, op in rig.takes))
        self.ops.sort(key=lambda op: op.endswith(ONE_URL))

    def text(self):
        parts = []
        for group in dict.fromkeys(s["group"] for s in self.servers):
            parts += self.group(group, [s for s in self.servers if s["group"] == group])
        return "\n".join([*parts, *self.memory(), *self.answers()])

    def group(self, group, servers):
        various = [op for op in self.ops if not op.endswith(ONE_URL)]
        hot = [op for op in self.ops if op.endswith(ONE_URL)]
        yield f"## On {group}\n"
        yield "### Requests per second, different ones in turn\n"
        yield self.rates(servers, various)
        if hot:
            yield "### Requests per second, one and the same all the time\n"
            yield self.rates(servers, hot)
        yield "### Latency, p50 / p99 in ms\n"
        yield table(["", *(s["name"] for s in servers)], [[op, *(self.latency(s, op) for s in servers)] for op in various])
        yield "### CPU time per request in µs, server + PostgreSQL\n"
        lead, others = servers[0], servers[1:]
        yield table(["", *(s["name"] for s in servers), *(f"{s['name']} ÷ {lead['name']}" for s in others)],
                    [[op, *(self.cost(s, op) for s in servers), *(self.costlier(s, lead, op) for s in others)] for op in various])

    def rates(self, servers, ops):
        """Requests per second, and how many times a peer's the first server's are."""
        lead, others = servers[0], servers[1:]
        head = ["", *(s["name"] for s in servers), *(f"{lead['name']} ÷ {s['name']}" for s in others)]
        return table(head, [[op.removesuffix(ONE_URL), *(self.rate(s, op) for s in servers), *(self.ratio(lead, s, op) for s in others)]
                            for op in ops if any(self.of(s, op) for s in servers)])

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
