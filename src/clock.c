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

#include <time.h>

#include "clock.h"
#include "timescale.h"

static inline int64
read_clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

/*
 * Unix time in nanoseconds, as the operating system has it: it can step back.
 * About 15 ns on Linux, where it is no system call.
 */
int64
uuid_keyorder_wall_clock_ns(void)
{
	return read_clock_ns(CLOCK_REALTIME);
}

/*
 * Nanoseconds since some fixed moment of this boot: never steps, the same for
 * all processes of the machine.
 */
int64
uuid_keyorder_monotonic_clock_ns(void)
{
	return read_clock_ns(CLOCK_MONOTONIC);
}

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
