/* A file of results of a study of which bytes have changed.  SPDX-License-Identifier: MIT
 *
 * It is refused with an error of the program's own, or its study is one that was checked, its
 * cells can be read and counted, and its results are merged into those of another file and the
 * other way round: whole, or with an error and nothing added. */
#include "core/base/error.h"
#include "core/study/study_store.h"

#include <glib/gstdio.h>
#include <stdint.h>
#include <stdlib.h>

/* Of a larger study the cells are not listed. */
#define MOST_CELLS 10000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition) abort();
}

static void check_error(const GError *error)
{
    require(error && error->domain == NS_ERROR && g_utf8_validate(error->message, -1, NULL));
}

static void read_cells(NsStudyStore *store, size_t n)
{
    g_autoptr(GError) error = NULL;
    NsStoreCounts counts;
    if (!ns_study_store_count(store, &counts, &error)) check_error(error);
    g_clear_error(&error);
    if (n > MOST_CELLS) return;
    g_autofree NsStudyCell *cells = g_new0(NsStudyCell, n);
    g_autofree NsCellOrigin *origins = g_new0(NsCellOrigin, n);
    if (!ns_study_store_cells(store, cells, origins, &error)) {
        check_error(error);
        return;
    }
    for (size_t i = 0; i < n; i++)
        require(!origins[i].program || g_utf8_validate(origins[i].program, -1, NULL));
}

/* Results that were merged are known the next time; those of a failed attempt are not there. */
static void merge(NsStudyStore *into, const char *from)
{
    g_autoptr(GError) error = NULL;
    NsStoreCounts before, after;
    NsMerged first, second;
    if (!ns_study_store_count(into, &before, NULL)) return;
    bool merged = ns_study_store_merge(into, from, &first, &error);
    if (!ns_study_store_count(into, &after, NULL)) return;
    require(merged ? after.ended >= before.ended : after.ended == before.ended);
    if (!merged)
        check_error(error);
    else if (ns_study_store_merge(into, from, &second, NULL))
        require(second.added == 0 && second.known >= first.known);
}

static char *path, *other; /* files of one folder */

static void remove_file(const char *file)
{
    static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
    for (size_t i = 0; i < G_N_ELEMENTS(endings); i++) {
        g_autofree char *one = g_strconcat(file, endings[i], NULL);
        g_remove(one);
    }
}

static void clean_up(void)
{
    g_autofree char *folder = g_path_get_dirname(path);
    remove_file(path);
    remove_file(other);
    g_rmdir(folder);
}

/* The other file is new, of the same study. */
static void merge_both_ways(NsStudyStore *store, const NsStudy *study)
{
    size_t n = ns_study_cells(study);
    const NsStoreOptions options = {.end = n, .lease = NS_STUDY_LEASE};
    if (n > MOST_CELLS) return;
    remove_file(other);
    g_autoptr(NsStudyStore) fresh = ns_study_store_open(other, study, &options, NULL);
    require(fresh != NULL);
    merge(fresh, path);
    merge(store, other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(GError) error = NULL;
    if (!path) {
        g_autofree char *folder = g_dir_make_tmp("fuzz-study-file-XXXXXX", NULL);
        require(folder != NULL);
        path = g_build_filename(folder, "a.nsstudy", NULL);
        other = g_build_filename(folder, "b.nsstudy", NULL);
        atexit(clean_up);
    }
    require(g_file_set_contents_full(path, (const char *)data, (gssize)size,
                                     G_FILE_SET_CONTENTS_NONE, 0600, NULL));
    ns_study_store_is(path);
    g_auto(NsStudy) study;
    ns_study_init(&study);
    g_autoptr(NsStudyStore) store = ns_study_store_read(path, &study, &error);
    if (store) {
        read_cells(store, ns_study_cells(&study));
        merge_both_ways(store, &study);
    } else {
        check_error(error);
    }
    return 0;
}
