/*-------------------------------------------------------------------------
 *
 * settings.h
 *	  Every setting of the extension.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/settings.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef UUID_KEYORDER_SETTINGS_H
#define UUID_KEYORDER_SETTINGS_H

/* uuid_keyorder.node_id, 0 to 1023: the node field of snowflake_id(). */
extern int	uuid_keyorder_node_id;

/* uuid_keyorder.turnover_interval, 0 (off) to 3600000: see turnover.c. */
extern int	uuid_keyorder_turnover_interval_ms;

extern void uuid_keyorder_settings_init(void);

#endif							/* UUID_KEYORDER_SETTINGS_H */
