/** A value of a field. A Date is a time. Dates without a time, ids and decimals are strings. */
export type Value = string | number | bigint | boolean | Date;

/**
 * An expression for the parameter filter of lists. Its text is the value of the parameter:
 *
 *     const status = field<"draft" | "booked">("status"), fee = ordered<number>("fee");
 *     const filter = and(status.is("booked"), fee.atLeast(500)).text;
 *
 * is status = "booked" AND fee >= 500. A value is always quoted as its type needs, so no value changes the expression.
 * The parameter's x-filterFields in the OpenAPI document lists the fields and their types.
 */
export class Condition {
  constructor(
    readonly text: string,
    readonly kind: "plain" | "joined" | "not" = "plain",
  ) {}
}

/** A field. isNot is the opposite of is: it is also true for null. */
export function field<T extends Value>(name: string) {
  return {
    is: (value: T) => compare(name, "=", value),
    isNot: (value: T) => compare(name, "!=", value),
    isNull: () => new Condition(`${name} = null`),
    isNotNull: () => new Condition(`${name} != null`),
  };
}

/** A field whose values have an order: numbers, times and dates. */
export function ordered<T extends string | number | bigint | Date>(name: string) {
  return {
    ...field<T>(name),
    below: (value: T) => compare(name, "<", value),
    atMost: (value: T) => compare(name, "<=", value),
    above: (value: T) => compare(name, ">", value),
    atLeast: (value: T) => compare(name, ">=", value),
  };
}

/** All conditions are true. */
export function and(first: Condition, second: Condition, ...more: Condition[]): Condition {
  return join("AND", [first, second, ...more]);
}

/** At least one condition is true. */
export function or(first: Condition, second: Condition, ...more: Condition[]): Condition {
  return join("OR", [first, second, ...more]);
}

/** The opposite of a condition. */
export function not(of: Condition): Condition {
  return new Condition(`NOT ${of.kind === "plain" ? of.text : `(${of.text})`}`, "not");
}

/** One related row satisfies the condition, whose fields are those of the related row. */
export function some(relation: string, of: Condition): Condition {
  return new Condition(`${relation}(${of.text})`);
}

function join(word: string, all: Condition[]): Condition {
  return new Condition(all.map((one) => (one.kind === "joined" ? `(${one.text})` : one.text)).join(` ${word} `), "joined");
}

function compare(name: string, operator: string, value: Value): Condition {
  return new Condition(`${name} ${operator} ${write(value)}`);
}

/** Writes a value as the language has it: texts and times as JSON, and numbers without an exponent. */
function write(value: Value): string {
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new RangeError(`${value} has no form in an expression`);
    return Number.isInteger(value) ? BigInt(value).toString() : decimal(value.toString());
  }
  return typeof value === "bigint" ? value.toString() : JSON.stringify(value);
}

/** Moves the point of a number such as 1.5e-7 by its exponent. */
function decimal(text: string): string {
  const parts = /^(-?)(\d+)(?:\.(\d+))?e-(\d+)$/.exec(text);
  if (parts === null) return text;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = parts;
  return `${sign}0.${"0".repeat(Number(exponent) - whole.length)}${whole}${fraction}`;
}
