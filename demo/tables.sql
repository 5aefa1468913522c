-- Three tables of the same orders, under three kinds of primary key.  The
-- column's default makes the id.  (uuidv7() is named with its schema because
-- PostgreSQL 18 and later have one of their own.)

CREATE EXTENSION uuid_keyorder;

CREATE TABLE orders_v4 (
	id         uuid PRIMARY KEY DEFAULT public.uuidv4(),
	customer   int NOT NULL,
	created_at timestamptz NOT NULL DEFAULT clock_timestamp());

CREATE TABLE orders_v7 (
	id         uuid PRIMARY KEY DEFAULT public.uuidv7(),
	customer   int NOT NULL,
	created_at timestamptz NOT NULL DEFAULT clock_timestamp());

CREATE TABLE orders_snowflake (
	id         bigint PRIMARY KEY DEFAULT snowflake_id(),
	customer   int NOT NULL,
	created_at timestamptz NOT NULL DEFAULT clock_timestamp());
