-- The list of the appointments of one status, in its order.
CREATE INDEX appointments_status ON appointments (status, starts_at, id);
