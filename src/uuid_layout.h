/*-------------------------------------------------------------------------
 *
 * uuid_layout.h
 *	  The fields of a UUID on its 16 bytes: RFC 9562 section 5.
 *
 * Pure: no allocation, no error, nothing above c.h and the byte order of
 * port/pg_bswap.h.  All fields are big endian.  Callers hand in and take out plain integers; a value wider than
 * its field loses its high bits, so range tests come first.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/uuid_layout.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef UUID_KEYORDER_UUID_LAYOUT_H
#define UUID_KEYORDER_UUID_LAYOUT_H

#include "port/pg_bswap.h"

/* Widths of version 7, section 5.7: milliseconds, rand_a, rand_b. */
#define UUIDV7_MAX_UNIX_MS	((INT64CONST(1) << 48) - 1)
#define UUIDV7_RAND_A_BITS	12
#define UUIDV7_MAX_RAND_A	((1 << UUIDV7_RAND_A_BITS) - 1)
#define UUID_MAX_RAND_B		((UINT64CONST(1) << 62) - 1)

/* True for the variant of RFC 9562, bits 10: section 4.1. */
static inline bool
uuid_has_rfc_variant(const unsigned char *data)
{
	return (data[8] & 0xc0) == 0x80;
}

/* Version field, 0 to 15: section 4.2.  Meaningful under the RFC variant. */
static inline int
uuid_get_version(const unsigned char *data)
{
	return data[6] >> 4;
}

/* True when the bytes are an RFC 9562 UUID of that version. */
static inline bool
uuid_is_version(const unsigned char *data, int version)
{
	return uuid_has_rfc_variant(data) && uuid_get_version(data) == version;
}

/* Overwrite the six bits of version and variant; the rest stays. */
static inline void
uuid_set_version(unsigned char *data, int version)
{
	data[6] = (data[6] & 0x0f) | (unsigned char) (version << 4);
	data[8] = (data[8] & 0x3f) | 0x80;
}

/* First 48 bits as an integer: Unix milliseconds in version 7. */
static inline uint64
uuid_get_first48(const unsigned char *data)
{
	return ((uint64) data[0] << 40) | ((uint64) data[1] << 32) |
		((uint64) data[2] << 24) | ((uint64) data[3] << 16) |
		((uint64) data[4] << 8) | (uint64) data[5];
}

/* The 12 bits beside the version: rand_a of version 7. */
static inline uint32
uuid_get_rand_a(const unsigned char *data)
{
	return ((uint32) (data[6] & 0x0f) << 8) | data[7];
}

/* The 62 bits after the variant: rand_b of version 7. */
static inline uint64
uuid_get_rand_b(const unsigned char *data)
{
	uint64		low_half;

	memcpy(&low_half, data + 8, sizeof(low_half));
	return pg_ntoh64(low_half) & UUID_MAX_RAND_B;
}

/* Write 16 bytes from their halves, each as a big-endian integer. */
static inline void
uuid_set_halves(unsigned char *data, uint64 high_half, uint64 low_half)
{
	high_half = pg_hton64(high_half);
	low_half = pg_hton64(low_half);
	memcpy(data, &high_half, sizeof(high_half));
	memcpy(data + 8, &low_half, sizeof(low_half));
}

/*
 * Write all 16 bytes: first 48 bits, version, rand_a, the RFC variant, and
 * rand_b, whose two high bits may be anything.
 */
static inline void
uuid_compose(unsigned char *data, int version, uint64 first48, uint32 rand_a, uint64 rand_b)
{
	uuid_set_halves(data,
					first48 << 16 | (uint64) version << 12 | rand_a,
					UINT64CONST(1) << 63 | (rand_b & UUID_MAX_RAND_B));
}

/* 60-bit count of 100 ns since 1582-10-15 out of version 1: section 5.1. */
static inline uint64
uuid_get_v1_ticks(const unsigned char *data)
{
	return ((uint64) (data[6] & 0x0f) << 56) | ((uint64) data[7] << 48) |
		((uint64) data[4] << 40) | ((uint64) data[5] << 32) |
		((uint64) data[0] << 24) | ((uint64) data[1] << 16) |
		((uint64) data[2] << 8) | (uint64) data[3];
}

/* The same count out of version 6, high bits first: section 5.6. */
static inline uint64
uuid_get_v6_ticks(const unsigned char *data)
{
	return (uuid_get_first48(data) << 12) | uuid_get_rand_a(data);
}

/*
 * Version 7 by method 3 of section 6.2: the fraction of the millisecond, in
 * 4096ths, stands in rand_a.  Floor on the way in.
 */
static inline uint32
submillisecond_to_rand_a(uint32 submillisecond_ns)
{
	/* below 2^32: 999999 * 4096 */
	return (submillisecond_ns << UUIDV7_RAND_A_BITS) / 1000000;
}

/*
 * The greatest microsecond whose floor is this rand_a.  A microsecond is 4.096
 * units, so each microsecond that went in comes out again exactly.
 */
static inline uint32
rand_a_to_microsecond(uint32 rand_a)
{
	return ((rand_a + 1) * 1000 - 1) >> UUIDV7_RAND_A_BITS;
}

/*
 * Append keys: a version 8 layout of our own (RFC 9562 section 5.8) that sorts
 * above practically every version 4 key, in the order of time.
 *
 *	bits   0- 25   ones
 *	bits  26- 47   milliseconds since 2026-01-01 UTC, high 22 of 41
 *	bits  48- 51   version 8
 *	bits  52- 63   milliseconds, middle 12
 *	bits  64- 65   variant
 *	bits  66- 72   milliseconds, low 7
 *	bits  73- 84   fraction of the millisecond, in 4096ths
 *	bits  85-127   43 random bits
 *
 * The 122 bits have to serve three masters; doc/uuid_keyorder.md,
 * "Keys for a table that used UUIDv4", has the arithmetic.
 */
#define UUIDV8_APPEND_EPOCH_UNIX_MS	INT64CONST(1767225600000)	/* 2026-01-01 */
#define UUIDV8_APPEND_ONE_BITS		26
#define UUIDV8_APPEND_ONES			((UINT64CONST(1) << UUIDV8_APPEND_ONE_BITS) - 1)
#define UUIDV8_APPEND_MAX_MS		((INT64CONST(1) << 41) - 1)
#define UUIDV8_APPEND_RANDOM_BITS	43
#define UUIDV8_APPEND_MAX_RANDOM	((UINT64CONST(1) << UUIDV8_APPEND_RANDOM_BITS) - 1)

/* True for a UUID of that layout. */
static inline bool
uuid_is_append_key(const unsigned char *data)
{
	return uuid_is_version(data, 8) &&
		uuid_get_first48(data) >> 22 == UUIDV8_APPEND_ONES;
}

/* Write all 16 bytes; append_ms counts from the layout's epoch. */
static inline void
uuid_set_append_key(unsigned char *data, uint64 append_ms, uint32 fraction, uint64 random)
{
	uuid_compose(data, 8,
				 UUIDV8_APPEND_ONES << 22 | append_ms >> 19,
				 (append_ms >> 7) & 0xfff,
				 (append_ms & 0x7f) << 55 |
				 (uint64) fraction << UUIDV8_APPEND_RANDOM_BITS | random);
}

/* Milliseconds since the layout's epoch. */
static inline uint64
uuid_get_append_ms(const unsigned char *data)
{
	return (uuid_get_first48(data) & ((1 << 22) - 1)) << 19 |
		(uint64) uuid_get_rand_a(data) << 7 |
		(uuid_get_rand_b(data) >> 55);
}

/* Fraction of the millisecond, in 4096ths, as rand_a of version 7. */
static inline uint32
uuid_get_append_fraction(const unsigned char *data)
{
	return (uuid_get_rand_b(data) >> UUIDV8_APPEND_RANDOM_BITS) & 0xfff;
}

#endif							/* UUID_KEYORDER_UUID_LAYOUT_H */
