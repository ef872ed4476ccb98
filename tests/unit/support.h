/* What several unit tests need.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/settings/settings.h"
#include "core/train/run.h"

#include <json-glib/json-glib.h>

/* The defaults, but for a model of two layers that takes no time. */
void ns_test_small_settings(NsSettings *settings);

/* A run with settings such as "layers=3 seq=7", and then those of a list that NULL ends. */
NsRun *ns_test_run_new(const char *words, const char *const *settings);

/* A value of the newest record; infinity where it was not measured. */
double ns_test_value(NsRun *run, NsQuantity quantity, size_t i);

/* One line of JSON; the test fails if it is none. */
JsonNode *ns_test_parse(const char *line);

/* A new, empty folder, by its path.  It is freed with the files that are in it. */
typedef char NsTestFolder;
NsTestFolder *ns_test_folder_new(void);
void ns_test_folder_free(NsTestFolder *folder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsTestFolder, ns_test_folder_free)

/* Removes the files of a folder and returns how many they were. */
unsigned ns_test_folder_empty(const NsTestFolder *folder);

/* Writes a file into a folder and returns its path. */
char *ns_test_folder_write(const NsTestFolder *folder, const char *name, const char *text);

/* A fixture with such a folder. */
typedef struct {
    NsTestFolder *folder;
} NsTestFiles;
void ns_test_files_set_up(NsTestFiles *files, gconstpointer data);
void ns_test_files_tear_down(NsTestFiles *files, gconstpointer data);
