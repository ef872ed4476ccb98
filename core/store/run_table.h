/* The settings that differ between runs, as a table.  SPDX-License-Identifier: MIT
 *
 * The window, the command line and the CSV file show the same columns.  A log of another program
 * has the settings in its event files, those of the files beside it: config.json, hparams.yaml and
 * others of the kind, from the folder of the log up to that of the run, the first of its JSON lines
 * if that has neither a step nor a loss, and those in its name: “lr_1e-3_seed_2”, “lr=1e-3,seed=2”.
 * Nested names are joined with points: “optimizer.lr”. */
#pragma once

#include "core/store/recorded_run.h"

typedef struct {
    char *key;            /* as in files */
    const NsParam *param; /* NULL: a setting of another program */
    bool number;          /* all values are numbers */
    guint values;         /* the number of different values, of another program */
} NsRunColumn;

/* Reads the settings of a run whose log is open into run->config. */
void ns_run_config_read(NsRecordedRun *run);

/* The settings with different values (NsRunColumn): those of this program in the order of their
 * table, where lanes are compared with lanes of the same letter; then those of logs, of which texts
 * that no two runs share, such as a path, come last.  Neither the number of steps nor that of
 * threads is among them. */
GPtrArray *ns_run_columns(const GPtrArray *runs);

/* The value of a run: “post / pre” if lanes differ, "" if it has none.  `text` formats a setting of
 * this program, as ns_settings_get does.  Free with g_free. */
char *ns_run_value(const NsRecordedRun *run, const NsRunColumn *column,
                   char *(*text)(const NsSettings *settings, const NsParam *param));

/* Writes a CSV table with a row for every run: name, the settings that differ, steps, the last loss
 * of each lane, bytes, tags, note, and why a run cannot be read.  NS_ERROR_FILE, also if a run file
 * is at the path. */
bool ns_run_table_write(const GPtrArray *runs, const char *path, GError **error);
