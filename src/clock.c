/*-------------------------------------------------------------------------
 *
 * clock.c
 *	  The clocks that ids are made from.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/clock.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "clock.h"

/*
 * Unix time in nanoseconds, at least CLOCK_TICK_NS above what this backend got
 * before, whatever the wall clock does: get_real_time_ns_ascending() of core's
 * uuid.c.  While the wall clock is behind, time goes on by the least step.
 * One state serves every kind of id of the backend.
 */
int64
uuid_keyorder_ascending_tick_ns(void)
{
	static int64 previous_ns = 0;
	int64		ns = uuid_keyorder_wall_clock_ns();

	if (ns <= previous_ns + CLOCK_TICK_NS)
		ns = previous_ns + CLOCK_TICK_NS;
	previous_ns = ns;
	return ns;
}
