// What expressions look like: node dist/filter.test.js.
import assert from "node:assert/strict";
import { test } from "node:test";

import { and, field, not, or, ordered, some, type Condition } from "./filter.js";

const status = field<"draft" | "booked">("status");
const fee = ordered<number>("fee");
const city = field<string>("patient.city");

test("conditions are joined with the parentheses that they need", () => {
  const cases: [Condition, string][] = [
    [and(status.is("booked"), or(fee.atLeast(500), not(city.is("Pune")))), 'status = "booked" AND (fee >= 500 OR NOT patient.city = "Pune")'],
    [and(and(fee.above(1), fee.below(2)), fee.atMost(1.5), fee.isNot(1e21)), "(fee > 1 AND fee < 2) AND fee <= 1.5 AND fee != 1000000000000000000000"],
    [not(not(city.isNull())), "NOT (NOT patient.city = null)"],
    [not(or(city.isNotNull(), fee.isNull())), "NOT (patient.city != null OR fee = null)"],
    [some("comments", and(field<string>("author").is("x"), ordered<number>("score").above(3))), 'comments(author = "x" AND score > 3)'],
    [fee.is(1e-7), "fee = 0.0000001"],
    [fee.is(-1.25e-8), "fee = -0.0000000125"],
    [ordered<bigint>("units").is(9007199254740993n), "units = 9007199254740993"],
    [ordered<Date>("at").is(new Date(Date.UTC(2026, 0, 31, 12))), 'at = "2026-01-31T12:00:00.000Z"'],
    [field<boolean>("paid").is(true), "paid = true"],
  ];
  for (const [got, want] of cases) assert.equal(got.text, want);
});

test("a text is one value, whatever characters it has", () => {
  for (const text of ["", '"', "\\", '\\"', 'x" OR "" = "', "a\nb\tc\u0000\u001f", "é😀\u2028", "<&>'%_*"]) {
    const got = city.is(text).text.slice("patient.city = ".length);
    assert.equal(JSON.parse(got), text);
    assert.doesNotMatch(got, /[\u0000-\u001f]/);
  }
});

test("a number that is not finite is an error", () => {
  assert.throws(() => fee.is(Number.NaN), RangeError);
  assert.throws(() => fee.is(Number.POSITIVE_INFINITY), RangeError);
});
