// Compiles every schema of an OpenAPI document with Ajv in its strict mode, which
// rejects unknown keywords, unknown formats and schemas that do not say what they mean,
// and checks a few values: node strict.mjs FILE.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import addFormats from "ajv-formats";
import Ajv from "ajv/dist/2020.js";

// References lead to one schema that has the others as its definitions: the document
// itself is no schema.
const text = readFileSync(process.argv[2], "utf8").replaceAll('"#/components/schemas/', '"document#/$defs/');
const { paths, components } = JSON.parse(text);
const ajv = new Ajv({ strict: true, allErrors: true });
addFormats(ajv);
ajv.addVocabulary(["discriminator"]); // of OpenAPI's own vocabulary
ajv.addFormat("idn-email", true); // of JSON Schema, which ajv-formats does not know
ajv.addSchema({ $id: "document", $defs: components.schemas });

let compiled = 0;
const compile = (schema) => {
  compiled += 1;
  return ajv.compile(schema);
};
for (const name of Object.keys(components.schemas)) compile({ $ref: `document#/$defs/${name}` });
const visit = (value) => {
  if (value === null || typeof value !== "object") return;
  for (const [name, inner] of Object.entries(value)) {
    if (name === "schema") compile(inner);
    else if (name !== "examples") visit(inner);
  }
};
visit(paths);
visit(components.responses);
visit(components.headers);
assert(compiled > 200, `only ${compiled} schemas were compiled`);

// What validators tell apart that the server tells apart.
const takes = (name, value) => compile({ $ref: `document#/$defs/${name}` })(value);
const appointment = { patient: "0198f1c2-7a3b-7c4d-8e5f-001122334455", doctor: "0198f1c2-7a3b-7c4d-8e5f-001122334455" };
const password = "four unrelated words";
for (const [name, value, right] of [
  ["AppointmentInput", { ...appointment, fee: 19.99 }, true],
  ["AppointmentInput", { ...appointment, fee: -0.01 }, false],
  ["AppointmentInput", { ...appointment, fee: 1_000_000_000 }, false],
  ["PatientInput", { name: "Asha Rao", phone: "12345" }, true],
  ["PatientInput", { name: " \u00a0", phone: "12345" }, false],
  ["PatientInput", { name: "Asha\u202eRao", phone: "12345" }, false],
  ["CredentialsInput", { email: "asha@example.com", password }, true],
  ["CredentialsInput", { username: "asha@example.com", password }, true],
  ["CredentialsInput", { email: "asha@example.com", username: "asha@example.com", password }, true],
  ["CredentialsInput", { email: " ", username: "asha@example.com", password }, true],
  ["CredentialsInput", { email: "asha@example.com", username: 5, password }, false],
  ["CredentialsInput", { email: "asha@example.com", username: null, password }, false],
  ["CredentialsInput", { email: null, username: "asha@example.com", password }, false],
  ["CredentialsInput", { email: " ", password }, false],
  ["CredentialsInput", { password }, false],
]) {
  assert.equal(takes(name, value), right, `${name} and ${JSON.stringify(value)}`);
}
