/*-------------------------------------------------------------------------
 *
 * residency_bare_pass.c
 *	  What a pass over the buffer headers costs that does nothing else.
 *
 * The yardstick of bench/residency, built by it and installed nowhere.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  bench/residency_bare_pass.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "storage/buf_internals.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(residency_bare_pass_locked);
PG_FUNCTION_INFO_V1(residency_bare_pass_unlocked);

/*
 * Look at each header under its lock, as pg_buffercache does.  Returns the sum
 * of the block numbers, so that the tag is read.
 */
Datum
residency_bare_pass_locked(PG_FUNCTION_ARGS)
{
	int64		sum = 0;

	for (int i = 0; i < NBuffers; i++)
	{
		BufferDesc *header = GetBufferDescriptor(i);
		BufferState state = LockBufHdr(header);

		sum += header->tag.blockNum;
		unlock_buffer_header(header, state);
	}
	PG_RETURN_INT64(sum);
}

/* The state only, without the lock, as pg_buffercache_summary() of 16 does. */
Datum
residency_bare_pass_unlocked(PG_FUNCTION_ARGS)
{
	int64		valid = 0;

	for (int i = 0; i < NBuffers; i++)
		valid += (read_buffer_state(GetBufferDescriptor(i)) & BM_VALID) != 0;
	PG_RETURN_INT64(valid);
}
