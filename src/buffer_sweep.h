/*-------------------------------------------------------------------------
 *
 * buffer_sweep.h
 *	  One pass over the headers of shared buffers, counted by relation fork.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/buffer_sweep.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef UUID_KEYORDER_BUFFER_SWEEP_H
#define UUID_KEYORDER_BUFFER_SWEEP_H

#include "relation_names.h"

/* usage_counts[n]: buffers that the clock sweep passes n more times. */
#define SWEEP_USAGE_COUNTS	6

typedef struct BufferCounts
{
	int64		buffers;
	int64		dirty;
	int64		pinned;
	int64		usage_counts[SWEEP_USAGE_COUNTS];
} BufferCounts;

typedef struct ForkFile
{
	RelationFile file;
	ForkNumber	fork;
} ForkFile;

typedef struct BufferSweep BufferSweep;

extern BufferSweep *uuid_keyorder_buffer_sweep(void);
extern bool uuid_keyorder_buffer_sweep_next(BufferSweep *sweep, ForkFile *key, BufferCounts *counts);
extern BufferCounts uuid_keyorder_buffer_sweep_find(BufferSweep *sweep, const RelationFile *file,
													ForkNumber fork);
extern BufferCounts uuid_keyorder_buffer_sweep_pageless(BufferSweep *sweep);
extern int64 uuid_keyorder_buffer_sweep_total(void);

#endif							/* UUID_KEYORDER_BUFFER_SWEEP_H */
