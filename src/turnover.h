/*-------------------------------------------------------------------------
 *
 * turnover.h
 *	  The background sampler of pages loaded and evicted.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/turnover.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef UUID_KEYORDER_TURNOVER_H
#define UUID_KEYORDER_TURNOVER_H

extern void uuid_keyorder_turnover_init(void);
extern PGDLLEXPORT void uuid_keyorder_turnover_main(Datum argument);

#endif							/* UUID_KEYORDER_TURNOVER_H */
