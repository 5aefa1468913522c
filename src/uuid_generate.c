/*-------------------------------------------------------------------------
 *
 * uuid_generate.c
 *	  New UUIDs: versions 4 and 7, and the append keys of version 8.
 *
 * uuidv7 does what src/backend/utils/adt/uuid.c of PostgreSQL 18.6 does: RFC
 * 9562 section 6.2 method 3, with the fraction of the millisecond in rand_a.
 * A call costs one clock read, eight random bytes and one palloc.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/uuid_generate.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "clock.h"
#include "compat.h"
#include "id_time.h"
#include "randomness.h"
#include "timescale.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"
#include "uuid_layout.h"

PG_FUNCTION_INFO_V1(uuid_keyorder_uuidv4);
PG_FUNCTION_INFO_V1(uuid_keyorder_uuidv7);
PG_FUNCTION_INFO_V1(uuid_keyorder_uuidv7_interval);
PG_FUNCTION_INFO_V1(uuid_keyorder_uuidv7_at);
PG_FUNCTION_INFO_V1(uuid_keyorder_uuidv8_append);
PG_FUNCTION_INFO_V1(uuid_keyorder_uuidv8_append_at);

/*
 * uuidv4() returns uuid
 *
 * Version 4, RFC 9562 section 5.4: 122 random bits.  ERROR only when the
 * random source fails.
 */
Datum
uuid_keyorder_uuidv4(PG_FUNCTION_ARGS)
{
	pg_uuid_t  *uuid = palloc(UUID_LEN);
	uint64		high_half = uuid_keyorder_random_uint64();

	uuid_set_halves(uuid->data, high_half, uuid_keyorder_random_uint64());
	uuid_set_version(uuid->data, 4);

	PG_RETURN_UUID_P(uuid);
}

/* A version 7 UUID of these fields; of rand_b the 62 low bits count. */
static inline pg_uuid_t *
make_uuidv7(uint64 unix_ms, uint32 rand_a, uint64 rand_b)
{
	pg_uuid_t  *uuid = palloc(UUID_LEN);

	uuid_compose(uuid->data, 7, unix_ms, rand_a, rand_b);
	return uuid;
}

/* A version 7 UUID of that millisecond and the nanoseconds within it. */
static inline pg_uuid_t *
make_random_uuidv7(uint64 unix_ms, uint32 submillisecond_ns)
{
	uint32		rand_a = submillisecond_to_rand_a(submillisecond_ns);
	uint64		rand_b = uuid_keyorder_random_uint64();

#if CLOCK_FRACTION_BITS == 10

	/*
	 * Two low bits of rand_a follow from the others and tell nothing apart:
	 * make them random.  CLOCK_TICK_NS keeps the order all the same.
	 */
	rand_a ^= (uint32) (rand_b >> 62);
#endif

	return make_uuidv7(unix_ms, rand_a, rand_b);
}

/*
 * uuidv7() returns uuid
 *
 * Version 7 of the current time.  Strictly ascending within a backend, also
 * over a wall clock that steps back; nothing is promised between backends.
 * ERROR only when the random source fails.
 */
Datum
uuid_keyorder_uuidv7(PG_FUNCTION_ARGS)
{
	int64		ns = uuid_keyorder_ascending_tick_ns();

	PG_RETURN_UUID_P(make_random_uuidv7(ns / NS_PER_MS, ns % NS_PER_MS));
}

/*
 * uuidv7(shift interval) returns uuid
 *
 * Version 7 of the current time plus shift, added as timestamptz + interval
 * in the session's time zone, to the microsecond; the nanoseconds of the
 * clock stay.  Shares the ascending clock with uuidv7(), which advances even
 * when the call fails.
 *
 * ERROR 22008 for an infinite interval and for a result outside 1970-01-01 to
 * 10889-08-02, with 18.6's words.
 */
Datum
uuid_keyorder_uuidv7_interval(PG_FUNCTION_ARGS)
{
	Interval   *shift = PG_GETARG_INTERVAL_P(0);
	int64		ns = uuid_keyorder_ascending_tick_ns();
	TimestampTz shifted;
	int64		us;

	if (INTERVAL_NOT_FINITE(shift))
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("interval out of range for UUID version 7"),
				 errdetail("UUID version 7 does not support infinite intervals.")));

	shifted = DatumGetTimestampTz(DirectFunctionCall2(timestamptz_pl_interval,
													  TimestampTzGetDatum(unix_us_to_timestamp(ns / NS_PER_US)),
													  IntervalPGetDatum(shift)));
	us = uuid_keyorder_uuidv7_unix_us(shifted);

	PG_RETURN_UUID_P(make_random_uuidv7(us / US_PER_MS,
										(us % US_PER_MS) * NS_PER_US + ns % NS_PER_US));
}

/*
 * Random bits that ascend while the time stays the same: RFC 9562 section 6.2
 * method 2.  The first of a time has its top bit clear, the next ones go up by
 * a random step of at most 2^step_bits.  So at least
 * 2^(random_bits - 1 - step_bits) ascending ids fit one time.
 */
typedef struct AscendingRandom
{
	int			random_bits;
	int			step_bits;
	int64		previous_us;
	uint64		previous;
} AscendingRandom;

/* The next ones for that time.  ERROR 54000 when no more fit. */
static uint64
next_ascending_random(AscendingRandom *sequence, int64 us)
{
	uint64		bits = uuid_keyorder_random_uint64();
	uint64		next;

	if (us != sequence->previous_us)
		next = bits >> (64 - sequence->random_bits + 1);
	else
		next = sequence->previous + 1 + (bits >> (64 - sequence->step_bits));

	if (next >> sequence->random_bits != 0)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many UUIDs for one timestamp"),
				 errdetail("Ascending UUIDs of one microsecond are limited to at least %llu in a row.",
						   1ULL << (sequence->random_bits - 1 - sequence->step_bits))));

	sequence->previous_us = us;
	sequence->previous = next;
	return next;
}

/*
 * uuidv7_at(ts timestamptz) returns uuid
 *
 * Version 7 of that microsecond, for backfills.  As long as ts does not
 * descend, ids of a session ascend strictly: a microsecond is four units of
 * rand_a, so another microsecond is another rand_a; for an equal ts, rand_b
 * ascends and the time in the id stays exactly ts.  A lower ts starts anew.
 *
 * ERROR 22008 for ts outside the range of version 7; ERROR 54000 after some
 * 2^33 ids of one microsecond in a row.
 */
Datum
uuid_keyorder_uuidv7_at(PG_FUNCTION_ARGS)
{
	static AscendingRandom rand_b = {62, 28, PG_INT64_MIN, 0};
	int64		us = uuid_keyorder_uuidv7_unix_us(PG_GETARG_TIMESTAMPTZ(0));

	PG_RETURN_UUID_P(make_uuidv7(us / US_PER_MS,
								 submillisecond_to_rand_a((us % US_PER_MS) * NS_PER_US),
								 next_ascending_random(&rand_b, us)));
}

/* An append key of that time, which the caller has checked. */
static inline pg_uuid_t *
make_append_key(int64 append_ms, uint32 submillisecond_ns, uint64 random)
{
	pg_uuid_t  *uuid = palloc(UUID_LEN);

	uuid_set_append_key(uuid->data, append_ms,
						submillisecond_to_rand_a(submillisecond_ns), random);
	return uuid;
}

/*
 * uuidv8_append() returns uuid
 *
 * An append key (uuid_layout.h) of the current time: version 8, above
 * practically every version 4 key.  Strictly ascending within a backend, by
 * the clock that uuidv7() uses.  ERROR 22008 outside 2026 to 2095.
 */
Datum
uuid_keyorder_uuidv8_append(PG_FUNCTION_ARGS)
{
	int64		ns = uuid_keyorder_ascending_tick_ns();
	int64		append_ms = ns / NS_PER_MS - UUIDV8_APPEND_EPOCH_UNIX_MS;

	if (unlikely(append_ms < 0 || append_ms > UUIDV8_APPEND_MAX_MS))
		(void) uuid_keyorder_append_us(unix_us_to_timestamp(ns / NS_PER_US));	/* ERROR */

	PG_RETURN_UUID_P(make_append_key(append_ms, ns % NS_PER_MS,
									 uuid_keyorder_random_uint64() >> (64 - UUIDV8_APPEND_RANDOM_BITS)));
}

/*
 * uuidv8_append_at(ts timestamptz) returns uuid
 *
 * An append key of that microsecond, for backfills; ascending as uuidv7_at()
 * is.  ERROR 22008 outside 2026 to 2095; ERROR 54000 after some 2^32 keys of
 * one microsecond in a row.
 */
Datum
uuid_keyorder_uuidv8_append_at(PG_FUNCTION_ARGS)
{
	static AscendingRandom random = {UUIDV8_APPEND_RANDOM_BITS, 10, PG_INT64_MIN, 0};
	int64		us = uuid_keyorder_append_us(PG_GETARG_TIMESTAMPTZ(0));

	PG_RETURN_UUID_P(make_append_key(us / US_PER_MS, (us % US_PER_MS) * NS_PER_US,
									 next_ascending_random(&random, us)));
}
