-- One transaction of a pgbench client: ten orders of one customer, into :table.
\set customer random(1, 10000)
INSERT INTO :table (customer) SELECT :customer FROM generate_series(1, 10);
