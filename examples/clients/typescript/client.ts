import createClient, { type Client } from "openapi-fetch";

import type { paths } from "./schema.js";

/**
 * A client of the server at a URL such as http://127.0.0.1:8080, which sends
 * the token with every request. Paths, parameters, bodies and answers have the
 * types of schema.d.ts, which is made from the server's reference.
 */
export function connect(baseUrl: string, token?: string): Client<paths> {
  return createClient<paths>({
    baseUrl,
    headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
    querySerializer: { array: { style: "form", explode: false } }, // ordering=city,-name
  });
}
