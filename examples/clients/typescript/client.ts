import createClient, { type Client } from "openapi-fetch";

import type { paths } from "./schema.js";

/** The media types of answers: a page or a row, and an error. A list that can be exported has others too, which are text. */
type Json = "application/json" | "application/problem+json";

/**
 * A client of the server at a URL such as http://127.0.0.1:8080, which sends
 * the token with every request. Paths, parameters, bodies and answers have the
 * types of schema.d.ts, which is made from the server's reference.
 */
export function connect(baseUrl: string, token?: string): Client<paths, Json> {
  return createClient<paths, Json>({
    baseUrl,
    headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
    querySerializer: { array: { style: "form", explode: false } }, // ordering=city,-name
  });
}
