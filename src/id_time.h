/*-------------------------------------------------------------------------
 *
 * id_time.h
 *	  Range checks of times that go into ids.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/id_time.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef UUID_KEYORDER_ID_TIME_H
#define UUID_KEYORDER_ID_TIME_H

#include "datatype/timestamp.h"

extern int64 uuid_keyorder_uuidv7_unix_us(TimestampTz timestamp);
extern int64 uuid_keyorder_append_us(TimestampTz timestamp);

#endif							/* UUID_KEYORDER_ID_TIME_H */
