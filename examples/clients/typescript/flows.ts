// What clients do with a server that has demo data, from end to end. Run it with
// "npm test" and TRESTLE_URL, and TRESTLE_EMAIL and TRESTLE_PASSWORD of a user
// who sees every record. No type is cast: that it compiles is half of the proof.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import type { Client } from "openapi-fetch";

import { connect } from "./client.js";
import type { Cart, Order, paths, ProductDetail } from "./schema.js";

type API = Client<paths>;

const url = setting("TRESTLE_URL");

test("a customer finds a product, orders it and thinks better of it", async () => {
  const customer = await register(`${randomUUID()}@example.org`, "four unrelated words");
  const product = await browse(customer);
  const cart = await fillCart(customer, product.cheapestVariant.id);
  const order = await placeOrder(customer, cart);
  await cancelOrder(customer, order);
});

test("a script keeps the records of a clinic", async () => {
  const credentials = { email: setting("TRESTLE_EMAIL"), password: setting("TRESTLE_PASSWORD") };
  const { token } = ok(await connect(url).POST("/api/auth/token", { body: credentials }));
  const script = connect(url, token);
  await searchPatients(script);
  await turnPages(script);
  await changePatient(script);
  await refusePatient(script);
});

/** Makes an account and signs in to it. */
async function register(email: string, password: string): Promise<API> {
  const anyone = connect(url);
  const { user } = ok(await anyone.POST("/api/auth/register", { body: { email, password } }));
  assert.equal(user.email, email);
  assert.equal(user.role, "customer");
  const { token } = ok(await anyone.POST("/api/auth/login", { body: { email, password } }));
  return connect(url, token);
}

/** Looks for something to buy. */
async function browse(api: API): Promise<ProductDetail> {
  const categories = ok(await api.GET("/api/categories"));
  assert(categories.items.some((category) => category.productCount > 0));

  const bounds = { minPaise: 5_000, maxPaise: 10_000 }; // some rice costs less, some more
  const { items } = ok(
    await api.GET("/api/products", { params: { query: { q: "rice", ...bounds, inStock: true, sort: "price_asc" } } }),
  );
  const prices = items.map((product) => product.cheapestVariant.pricePaise);
  assert.deepEqual(prices, [...prices].sort((a, b) => a - b));
  assert(prices.every((price) => bounds.minPaise <= price && price <= bounds.maxPaise));

  const [first] = items;
  assert(first, "there is rice at a fair price");
  return ok(await api.GET("/api/products/{slug}", { params: { path: { slug: first.slug } } }));
}

/** Puts a variant into the cart and changes its mind about how many. */
async function fillCart(api: API, variantId: string): Promise<Cart> {
  const { items } = ok(await api.POST("/api/cart/items", { body: { variantId, quantity: 1 } }));
  assert(items[0]);
  const path = { id: items[0].id };
  const cart = ok(await api.PATCH("/api/cart/items/{id}", { params: { path }, body: { quantity: 2 } }));
  assert.equal(cart.totalQuantity, 2);
  assert.equal(cart.subtotalPaise, 2 * items[0].unitPricePaise);
  assert(cart.canOrder);
  return cart;
}

/** Orders the cart, and asks again as one does who got no answer. */
async function placeOrder(api: API, cart: Cart): Promise<Order> {
  const request = {
    params: { header: { "Idempotency-Key": randomUUID() } },
    body: {
      expectedTotalPaise: cart.totalPaise,
      deliveryAddress: {
        name: "Meera Iyer",
        phone: "+915040070033",
        line1: "7 Temple Street",
        city: "Chennai",
        state: "Tamil Nadu",
        pincode: "600004",
      },
    },
  };
  const order = ok(await api.POST("/api/orders", request));
  const again = await api.POST("/api/orders", request);
  assert.equal(ok(again).id, order.id);
  assert.equal(again.response.headers.get("Idempotent-Replayed"), "true");

  const read = ok(await api.GET("/api/orders/{id}", { params: { path: { id: order.id } } }));
  assert.equal(read.status, "placed");
  assert.equal(read.totalPaise, cart.totalPaise);
  return read;
}

/** Cancels an order, and reads why that cannot be done twice. */
async function cancelOrder(api: API, order: Order): Promise<void> {
  const params = { path: { id: order.id } };
  const cancelled = ok(await api.POST("/api/orders/{id}/cancel", { params, body: { reason: "too much rice" } }));
  assert.equal(cancelled.status, "cancelled");
  assert(cancelled.cancelledAt);

  const { error, response } = await api.POST("/api/orders/{id}/cancel", { params });
  assert.equal(response.status, 409);
  assert(error?.code === "order_not_cancellable"); // from here on its details have a type
  assert.equal(error.details.status, "cancelled");
  assert(error.details.cancellableFrom.includes("placed"));
}

/** Asks by search, filter and order at once. */
async function searchPatients(api: API): Promise<void> {
  const { results } = ok(
    await api.GET("/api/patients/", { params: { query: { search: "an", city: "Pune", ordering: ["city", "-name"] } } }),
  );
  const names = results.map((patient) => patient.name);
  assert(names.length > 1);
  assert.deepEqual(names, [...names].sort().reverse());
  for (const { name, phone, city } of results) {
    assert.equal(city, "Pune");
    assert.match(name + phone, /an/i);
  }
}

/** Reads two pages, which have no patient in common. */
async function turnPages(api: API): Promise<void> {
  const first = ok(await api.GET("/api/patients/"));
  assert(first.next);
  assert.equal(first.previous, null);
  const second = ok(await api.GET("/api/patients/", { params: { query: { page: 2 } } }));
  assert(second.previous);
  const seen = new Set(first.results.map((patient) => patient.id));
  assert(second.results.length > 0 && second.results.every((patient) => !seen.has(patient.id)));
}

/** Makes a patient, changes one field and deletes it. */
async function changePatient(api: API): Promise<void> {
  const body = { name: "Zoya Khan", phone: "+915060010099", city: "Pune" };
  const { id } = ok(await api.POST("/api/patients/", { body }));
  const one = { params: { path: { id } } };
  const changed = ok(await api.PATCH("/api/patients/{id}/", { ...one, body: { city: "Mumbai" } }));
  assert.deepEqual([changed.name, changed.city], ["Zoya Khan", "Mumbai"]);

  const deleted = await api.DELETE("/api/patients/{id}/", one);
  assert.equal(deleted.response.status, 204);
  const { error, response } = await api.GET("/api/patients/{id}/", one);
  assert.equal(response.status, 404);
  assert.equal(error?.code, "not_found");
}

/** Reads every fault of a patient that cannot be. */
async function refusePatient(api: API): Promise<void> {
  const { error, response } = await api.POST("/api/patients/", { body: { name: "", phone: "1" } });
  assert.equal(response.status, 400);
  assert(error?.code === "validation_failed");
  const faults = error.errors.map((fault) => [fault.pointer, fault.code]);
  assert.deepEqual(faults, [["/name", "required"], ["/phone", "min"]]);
}

/** What a request is answered that should succeed. */
function ok<T>(answer: { data?: T; error?: unknown; response: Response }): T {
  assert(answer.data !== undefined, `it is refused: ${answer.response.status} ${JSON.stringify(answer.error)}`);
  return answer.data;
}

/** An environment variable that must be set. */
function setting(name: string): string {
  const value = process.env[name];
  assert(value, `set ${name}`);
  return value;
}
