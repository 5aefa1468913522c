/*-------------------------------------------------------------------------
 *
 * snowflake_layout.h
 *	  Named layouts of 64-bit Snowflake-style ids: compose and decompose.
 *
 * Pure: no allocation, no error, nothing above c.h.  From the top: the sign
 * bit, milliseconds since the layout's epoch, node, counter.
 *
 * Sources: keyorder and pgedge, the README of pgEdge snowflake; twitter, the
 * 2010 announcement; discord, its API reference ("Snowflakes"); instagram,
 * "Sharding & IDs at Instagram" (2012); mastodon, lib/mastodon/snowflake.rb.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/snowflake_layout.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef UUID_KEYORDER_SNOWFLAKE_LAYOUT_H
#define UUID_KEYORDER_SNOWFLAKE_LAYOUT_H

typedef struct SnowflakeLayout
{
	const char *name;
	int			name_length;
	int64		epoch_unix_ms;	/* Unix milliseconds of time field 0 */
	int			node_bits;		/* 0: the layout has no node */
	int			counter_bits;
	int			time_bits;		/* at most 63 less the other two */
} SnowflakeLayout;

#define LAYOUT_NAME(literal)	literal, sizeof(literal) - 1

static const SnowflakeLayout snowflake_layouts[] =
{
	{LAYOUT_NAME("keyorder"), INT64CONST(1672531200000), 10, 12, 41},	/* 2023-01-01 */
	{LAYOUT_NAME("pgedge"), INT64CONST(1672531200000), 10, 12, 41},
	{LAYOUT_NAME("twitter"), INT64CONST(1288834974657), 10, 12, 41}, /* 2010-11-04 */
	{LAYOUT_NAME("discord"), INT64CONST(1420070400000), 10, 12, 41}, /* 2015-01-01 */
	{LAYOUT_NAME("instagram"), INT64CONST(1314220021721), 13, 10, 40},	/* 2011-08-24 */
	{LAYOUT_NAME("mastodon"), 0, 0, 16, 47},
};

#define SNOWFLAKE_KEYORDER			(&snowflake_layouts[0])
#define SNOWFLAKE_KEYORDER_MAX_NODE	1023

/* Greatest value of the time field that leaves the id positive. */
static inline int64
snowflake_max_time(const SnowflakeLayout *layout)
{
	return (INT64CONST(1) << layout->time_bits) - 1;
}

/* All ones in node and counter: the highest id of a millisecond less the lowest. */
static inline int64
snowflake_low_mask(const SnowflakeLayout *layout)
{
	return (INT64CONST(1) << (layout->node_bits + layout->counter_bits)) - 1;
}

/* Lowest id of that time field, which the caller has checked. */
static inline int64
snowflake_compose_lowest(const SnowflakeLayout *layout, int64 time_field)
{
	return time_field << (layout->node_bits + layout->counter_bits);
}

/* Unix milliseconds of a non-negative id. */
static inline int64
snowflake_get_unix_ms(const SnowflakeLayout *layout, int64 id)
{
	return (id >> (layout->node_bits + layout->counter_bits)) + layout->epoch_unix_ms;
}

static inline int32
snowflake_get_node(const SnowflakeLayout *layout, int64 id)
{
	return (int32) ((id >> layout->counter_bits) &
					((INT64CONST(1) << layout->node_bits) - 1));
}

static inline int32
snowflake_get_counter(const SnowflakeLayout *layout, int64 id)
{
	return (int32) (id & ((INT64CONST(1) << layout->counter_bits) - 1));
}

/*
 * A tick is an id without its node: milliseconds << 12 | counter.  Ticks are
 * what all backends share; the node comes in when an id is handed out.
 */
#define SNOWFLAKE_TICK_COUNTER_BITS 12
#define SNOWFLAKE_MAX_TICK	((INT64CONST(1) << 53) - 1)

static inline int64
snowflake_tick_from_ms(int64 keyorder_ms)
{
	return keyorder_ms << SNOWFLAKE_TICK_COUNTER_BITS;
}

static inline int64
snowflake_ms_from_tick(int64 tick)
{
	return tick >> SNOWFLAKE_TICK_COUNTER_BITS;
}

static inline int64
snowflake_id_from_tick(int64 tick, int32 node)
{
	return ((tick >> SNOWFLAKE_TICK_COUNTER_BITS) << 22) |
		((int64) node << SNOWFLAKE_TICK_COUNTER_BITS) |
		(tick & ((1 << SNOWFLAKE_TICK_COUNTER_BITS) - 1));
}

#endif							/* UUID_KEYORDER_SNOWFLAKE_LAYOUT_H */
