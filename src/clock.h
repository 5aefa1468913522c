/*-------------------------------------------------------------------------
 *
 * clock.h
 *	  The clocks that ids are made from.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/clock.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef UUID_KEYORDER_CLOCK_H
#define UUID_KEYORDER_CLOCK_H

#include <time.h>

#include "timescale.h"

/*
 * Bits of the sub-millisecond fraction that the clock can fill.  macOS counts
 * microseconds: 10 bits, as in core's uuid.c.
 */
#if defined(__darwin__)
#define CLOCK_FRACTION_BITS	10
#else
#define CLOCK_FRACTION_BITS	12
#endif

/*
 * Least distance of two ticks that still differ after the floor to
 * CLOCK_FRACTION_BITS: 245 ns, or 977 ns at 10 bits.
 */
#define CLOCK_TICK_NS		(1000000 / (1 << CLOCK_FRACTION_BITS) + 1)

/*
 * Unix time in nanoseconds, as the operating system has it: it can step back.
 * About 15 ns on Linux, where it is no system call.
 */
static inline int64
uuid_keyorder_wall_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

/*
 * Nanoseconds since some fixed moment of this boot: never steps, the same for
 * all processes of the machine.
 */
static inline int64
uuid_keyorder_monotonic_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

extern int64 uuid_keyorder_ascending_tick_ns(void);

#endif							/* UUID_KEYORDER_CLOCK_H */
