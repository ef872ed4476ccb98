/* A file of results of a study of which bytes have changed.  SPDX-License-Identifier: MIT
 *
 * It is refused with an error of the program's own, or its study is one that was checked, its
 * cells can be read and counted, and its results are merged into those of another file and the
 * other way round: whole, or with an error and nothing added. */
#include "core/study/study_store.h"
#include "tests/fuzz/fuzz.h"

/* Of a larger study the cells are not listed. */
#define MOST_CELLS 10000

static void read_cells(NsStudyStore *store, size_t n)
{
    g_autoptr(GError) error = NULL;
    if (n > MOST_CELLS) return;
    g_auto(NsStudyResults) results = {0};
    if (!ns_study_store_results(store, &results, &error)) {
        require_error(error);
        return;
    }
    for (size_t i = 0; i < n; i++)
        require(!results.origins[i].program ||
                g_utf8_validate(results.origins[i].program, -1, NULL));
}

/* Results that were merged are known the next time; those of a failed attempt are not there. */
static void merge(NsStudyStore *into, const char *from)
{
    g_autoptr(GError) error = NULL;
    g_auto(NsStudyResults) before = {0}, after = {0};
    NsMerged first, second;
    if (!ns_study_store_results(into, &before, NULL)) return;
    bool merged = ns_study_store_merge(into, from, &first, &error);
    if (!ns_study_store_results(into, &after, NULL)) return;
    require(merged ? after.ended >= before.ended : after.ended == before.ended);
    if (!merged)
        require_error(error);
    else if (ns_study_store_merge(into, from, &second, NULL))
        require(second.added == 0 && second.known >= first.known);
}

/* With what SQLite leaves beside it. */
static void remove_database(const char *file)
{
    static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
    for (size_t i = 0; i < G_N_ELEMENTS(endings); i++) {
        g_autofree char *one = g_strconcat(file, endings[i], NULL);
        g_remove(one);
    }
}

/* The other file is new, of the same study. */
static void merge_both_ways(NsStudyStore *store, const NsStudy *study, const char *path)
{
    g_autofree char *other = fuzz_path("b.nsstudy");
    size_t n = ns_study_cells(study);
    const NsStoreOptions options = {.end = n, .lease = NS_STUDY_LEASE};
    if (n > MOST_CELLS) return;
    remove_database(other);
    g_autoptr(NsStudyStore) fresh = ns_study_store_open(other, study, &options, NULL);
    require(fresh != NULL);
    merge(fresh, path);
    merge(store, other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path = fuzz_path("a.nsstudy");
    fuzz_write(path, data, size);
    ns_study_store_is(path);
    g_auto(NsStudy) study;
    ns_study_init(&study);
    g_autoptr(NsStudyStore) store = ns_study_store_read(path, &study, &error);
    if (store) {
        read_cells(store, ns_study_cells(&study));
        merge_both_ways(store, &study, path);
    } else {
        require_error(error);
    }
    return 0;
}
