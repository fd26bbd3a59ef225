CREATE TABLE categories (
    {{id}},
    slug {{text}} NOT NULL UNIQUE,
    name {{text}} NOT NULL,
    image_url {{text}},
    -- How many of its products are published; every write of a product keeps it.
    product_count {{bigint}} NOT NULL CHECK (product_count >= 0)
);

CREATE INDEX categories_name ON categories (name, id);

-- The last three columns before the times repeat what the cheapest variant
-- says, so that lists are filtered and sorted by an index. They change with
-- the variants, under a lock of the product.
CREATE TABLE products (
    {{id}},
    slug {{text}} NOT NULL UNIQUE,
    name {{text}} NOT NULL,
    brand {{text}},
    description {{text}},
    image_url {{text}},
    category_id {{uuid}} NOT NULL REFERENCES categories (id),
    published {{bool}} NOT NULL,
    version {{bigint}} NOT NULL,
    cheapest_variant_id {{uuid}} NOT NULL,
    price_paise {{bigint}} NOT NULL,
    in_stock {{bool}} NOT NULL,
    created_at {{timestamp}} NOT NULL,
    updated_at {{timestamp}} NOT NULL
);

CREATE INDEX products_name ON products (name, id) WHERE published;
CREATE INDEX products_price ON products (price_paise, id) WHERE published;
CREATE INDEX products_created ON products (created_at, id) WHERE published;
CREATE INDEX products_category_name ON products (category_id, name, id) WHERE published;
CREATE INDEX products_category_price ON products (category_id, price_paise, id) WHERE published;

CREATE TABLE variants (
    {{id}},
    product_id {{uuid}} NOT NULL REFERENCES products (id),
    sku {{text}} NOT NULL,
    sku_folded {{text}} NOT NULL UNIQUE,
    label {{text}} NOT NULL,
    unit {{text}} NOT NULL CHECK (unit IN ('g', 'kg', 'ml', 'l', 'piece', 'pack', 'dozen', 'bunch')),
    price_paise {{bigint}} NOT NULL CHECK (price_paise BETWEEN 1 AND 10000000),
    mrp_paise {{bigint}} CHECK (mrp_paise BETWEEN price_paise AND 10000000),
    stock {{bigint}} NOT NULL CHECK (stock >= 0),
    in_stock {{bool}} NOT NULL CHECK (in_stock = (stock > 0)),
    position {{bigint}} NOT NULL,
    archived {{bool}} NOT NULL,
    created_at {{timestamp}} NOT NULL,
    updated_at {{timestamp}} NOT NULL
);

CREATE INDEX variants_product ON variants (product_id, position, id);

-- The words that products are found by, and the trigrams of those that are no
-- codes, by which misspelt ones are found. Package ranked tells of the columns.
CREATE TABLE product_terms (
    "key" {{uuid}} NOT NULL REFERENCES products (id) ON DELETE CASCADE,
    term {{text}} NOT NULL,
    weight {{bigint}} NOT NULL CHECK (weight > 0),
    depth {{bigint}} NOT NULL CHECK (depth > 0),
    spelt {{bool}} NOT NULL,
    PRIMARY KEY ("key", term){{if postgres}} INCLUDE (weight, depth){{end}}
){{if sqlite}} WITHOUT ROWID{{end}};

CREATE INDEX product_terms_term ON product_terms (term, "key", weight, depth);

CREATE TABLE product_grams (
    term {{text}} NOT NULL,
    gram {{text}} NOT NULL,
    PRIMARY KEY (term, gram)
){{if sqlite}} WITHOUT ROWID{{end}};

CREATE INDEX product_grams_gram ON product_grams (gram, term);

-- One cart per user: its key is the user's. It is never deleted, only emptied.
CREATE TABLE carts (
    user_id {{uuid}} PRIMARY KEY REFERENCES auth_users (id) ON DELETE CASCADE,
    version {{bigint}} NOT NULL,
    last_address {{json}},
    updated_at {{timestamp}} NOT NULL
);

CREATE TABLE cart_items (
    {{id}},
    user_id {{uuid}} NOT NULL REFERENCES carts (user_id) ON DELETE CASCADE,
    variant_id {{uuid}} NOT NULL REFERENCES variants (id),
    quantity {{bigint}} NOT NULL CHECK (quantity BETWEEN 1 AND 50),
    -- The price and the rest that the user saw when they last wrote the line: what
    -- is no longer sold shows nothing later.
    seen_price_paise {{bigint}} NOT NULL,
    seen {{json}} NOT NULL,
    created_at {{timestamp}} NOT NULL,
    UNIQUE (user_id, variant_id)
);

CREATE INDEX cart_items_variant ON cart_items (variant_id);

-- A slot's row is made with its first order; until then it is what the
-- template of a day says. The id is made of the start, so that is unique too: a
-- constraint of its own would fail first orders that come at once, because ON
-- CONFLICT watches one.
CREATE TABLE delivery_slots (
    {{id}},
    starts_at {{timestamp}} NOT NULL,
    ends_at {{timestamp}} NOT NULL,
    cutoff_at {{timestamp}} NOT NULL,
    capacity {{bigint}} NOT NULL,
    booked {{bigint}} NOT NULL CHECK (booked BETWEEN 0 AND capacity)
);

CREATE TABLE orders (
    {{id}},
    user_id {{uuid}} NOT NULL REFERENCES auth_users (id),
    number {{text}} NOT NULL UNIQUE,
    status {{text}} NOT NULL CHECK (status IN ('placed', 'confirmed', 'packed', 'out_for_delivery', 'delivered', 'cancelled')),
    placed_at {{timestamp}} NOT NULL,
    confirmed_at {{timestamp}},
    packed_at {{timestamp}},
    dispatched_at {{timestamp}},
    delivered_at {{timestamp}},
    cancelled_at {{timestamp}},
    item_count {{bigint}} NOT NULL,
    subtotal_paise {{bigint}} NOT NULL,
    savings_paise {{bigint}} NOT NULL,
    delivery_fee_paise {{bigint}} NOT NULL,
    total_paise {{bigint}} NOT NULL CHECK (total_paise = subtotal_paise + delivery_fee_paise),
    slot_id {{uuid}} NOT NULL REFERENCES delivery_slots (id),
    slot_starts_at {{timestamp}} NOT NULL,
    slot_ends_at {{timestamp}} NOT NULL,
    address {{json}} NOT NULL,
    notes {{text}} NOT NULL
);

CREATE INDEX orders_user ON orders (user_id, placed_at, id);
CREATE INDEX orders_status ON orders (status, placed_at, id);
CREATE INDEX orders_placed ON orders (placed_at, id);
CREATE INDEX orders_slot ON orders (slot_id);

-- What was bought, as it was then: later changes of a product do not reach it.
CREATE TABLE order_items (
    {{id}},
    order_id {{uuid}} NOT NULL REFERENCES orders (id),
    variant_id {{uuid}} NOT NULL REFERENCES variants (id),
    product_id {{uuid}} NOT NULL REFERENCES products (id),
    position {{bigint}} NOT NULL,
    slug {{text}} NOT NULL,
    name {{text}} NOT NULL,
    brand {{text}},
    image_url {{text}},
    sku {{text}} NOT NULL,
    label {{text}} NOT NULL,
    unit {{text}} NOT NULL,
    unit_price_paise {{bigint}} NOT NULL,
    mrp_paise {{bigint}},
    quantity {{bigint}} NOT NULL CHECK (quantity > 0),
    line_total_paise {{bigint}} NOT NULL CHECK (line_total_paise = unit_price_paise * quantity)
);

CREATE INDEX order_items_order ON order_items (order_id, position);
CREATE INDEX order_items_variant ON order_items (variant_id);

-- Why a stock is what it is: the sum of a variant's deltas. Rows are added and
-- never changed.
CREATE TABLE stock_movements (
    {{id}},
    variant_id {{uuid}} NOT NULL REFERENCES variants (id),
    kind {{text}} NOT NULL CHECK (kind IN ('set', 'order', 'cancel')),
    delta {{bigint}} NOT NULL,
    stock_after {{bigint}} NOT NULL CHECK (stock_after >= 0),
    order_id {{uuid}} REFERENCES orders (id),
    actor {{uuid}} NOT NULL,
    reason {{text}} NOT NULL,
    request_id {{uuid}} NOT NULL,
    created_at {{timestamp}} NOT NULL,
    CHECK ((kind = 'set') = (order_id IS NULL))
);

-- Of one variant, their order is that of the ids: they are drawn under its lock,
-- created_at when a request comes.
CREATE INDEX stock_movements_variant ON stock_movements (variant_id, id);

-- An order takes of a variant once and gives it back once, whatever a program
-- does.
CREATE UNIQUE INDEX stock_movements_order ON stock_movements (order_id, variant_id, kind) WHERE order_id IS NOT NULL;

-- Who changed a product, when, and what was what before and after, in the order of
-- the ids as above.
CREATE TABLE product_changes (
    {{id}},
    product_id {{uuid}} NOT NULL REFERENCES products (id),
    actor {{uuid}} NOT NULL,
    request_id {{uuid}} NOT NULL,
    change {{json}} NOT NULL,
    created_at {{timestamp}} NOT NULL
);

CREATE INDEX product_changes_product ON product_changes (product_id, id);
