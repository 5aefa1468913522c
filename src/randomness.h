/*-------------------------------------------------------------------------
 *
 * randomness.h
 *	  Strong random bits, drawn in blocks.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/randomness.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef UUID_KEYORDER_RANDOMNESS_H
#define UUID_KEYORDER_RANDOMNESS_H

extern uint64 uuid_keyorder_random_uint64(void);

#endif							/* UUID_KEYORDER_RANDOMNESS_H */
