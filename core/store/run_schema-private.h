/* What a run file is made of.  Internal to run_writer.c and run_reader.c.
 * SPDX-License-Identifier: MIT */
#pragma once

#define NS_RUN_APPLICATION 0x4e735275 /* "NsRu", in the head of the file */
#define NS_RUN_SCHEMA 1               /* its user_version */

/* The statements that make it, which the file keeps word for word. */
static const char *const ns_run_tables[] = {
    "CREATE TABLE run (program TEXT, experiment TEXT, began INTEGER)",
    "CREATE TABLE lanes (lane INTEGER PRIMARY KEY, settings TEXT, summary TEXT)",
    "CREATE TABLE steps (lane INTEGER, step INTEGER, loss REAL, lr REAL, grad_norm REAL, "
    "seconds REAL, probe_seconds REAL, PRIMARY KEY (lane, step)) WITHOUT ROWID",
    "CREATE TABLE quantities (id INTEGER PRIMARY KEY, lane INTEGER, key TEXT, size INTEGER)",
    "CREATE TABLE profiles (quantity INTEGER, first INTEGER, steps INTEGER, data BLOB, "
    "present BLOB)",
    "CREATE INDEX profiles_by_step ON profiles (first)",
    "CREATE TABLE evaluations (lane INTEGER, step INTEGER, loss REAL)",
    "CREATE TABLE events (lane INTEGER, step INTEGER, kind TEXT, layer INTEGER, what TEXT, "
    "text TEXT)",
};

/* The most steps of a row of profiles. */
#define NS_RUN_BLOCK 256
