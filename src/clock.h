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

extern int64 uuid_keyorder_wall_clock_ns(void);
extern int64 uuid_keyorder_monotonic_clock_ns(void);
extern int64 uuid_keyorder_ascending_tick_ns(void);

#endif							/* UUID_KEYORDER_CLOCK_H */
