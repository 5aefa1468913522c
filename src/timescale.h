/*-------------------------------------------------------------------------
 *
 * timescale.h
 *	  The scales of time that ids use, and exact conversion between them.
 *
 * Pure: no allocation, no error, nothing above c.h and the date constants of
 * datatype/timestamp.h.  Units stand in the names.  A "timestamp" is
 * PostgreSQL's: microseconds since 2000-01-01 00:00 UTC.  Unix time is
 * counted from 1970-01-01 00:00 UTC, without leap seconds.
 *
 * Division is floor wherever a value can be negative: a moment before an
 * epoch belongs to the unit that contains it, never to the next one.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/timescale.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef UUID_KEYORDER_TIMESCALE_H
#define UUID_KEYORDER_TIMESCALE_H

#include "datatype/timestamp.h"

#define NS_PER_US	INT64CONST(1000)
#define US_PER_MS	INT64CONST(1000)
#define NS_PER_MS	INT64CONST(1000000)
#define NS_PER_S	INT64CONST(1000000000)
#define MS_PER_S	INT64CONST(1000)

/* First day of the Gregorian calendar, 1582-10-15: RFC 9562 section 5.1. */
#define GREGORIAN_EPOCH_JDATE	INT64CONST(2299161)

/* Timestamp 0 on the other two scales. */
#define POSTGRES_EPOCH_UNIX_US \
	((int64) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * SECS_PER_DAY * USECS_PER_SEC)
#define POSTGRES_EPOCH_GREGORIAN_US \
	((POSTGRES_EPOCH_JDATE - GREGORIAN_EPOCH_JDATE) * SECS_PER_DAY * USECS_PER_SEC)

/* Integer division that rounds toward minus infinity; divisor positive. */
static inline int64
floor_divide(int64 value, int64 divisor)
{
	int64		quotient = value / divisor;

	return (value % divisor < 0) ? quotient - 1 : quotient;
}

/* Timestamp to Unix microseconds.  The caller has checked the range. */
static inline int64
timestamp_to_unix_us(TimestampTz timestamp)
{
	return timestamp + POSTGRES_EPOCH_UNIX_US;
}

/* Unix microseconds to timestamp; the inverse of timestamp_to_unix_us. */
static inline TimestampTz
unix_us_to_timestamp(int64 unix_us)
{
	return unix_us - POSTGRES_EPOCH_UNIX_US;
}

/*
 * Timestamp to whole Unix milliseconds, floor.  Divides before it shifts the
 * epoch, so that no finite timestamp overflows.
 */
static inline int64
timestamp_to_unix_ms(TimestampTz timestamp)
{
	return floor_divide(timestamp, US_PER_MS) + POSTGRES_EPOCH_UNIX_US / US_PER_MS;
}

/* Unix milliseconds to timestamp, for anything a 48-bit field can hold. */
static inline TimestampTz
unix_ms_to_timestamp(int64 unix_ms)
{
	return unix_ms * US_PER_MS - POSTGRES_EPOCH_UNIX_US;
}

/*
 * 100-nanosecond ticks since 1582-10-15 (60 bits, UUID versions 1 and 6) to
 * timestamp; the odd 100 ns fall away, as in core's uuid_extract_timestamp.
 */
static inline TimestampTz
gregorian_ticks_to_timestamp(uint64 ticks_100ns)
{
	return (TimestampTz) (ticks_100ns / 10) - POSTGRES_EPOCH_GREGORIAN_US;
}

#endif							/* UUID_KEYORDER_TIMESCALE_H */
