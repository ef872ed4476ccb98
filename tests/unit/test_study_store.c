/* Results of studies in files, and the threads that fill them.  SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "core/experiment/assignment.h"
#include "core/study/study_work.h"
#include "core/train/run.h"
#include "tests/unit/studies.h"
#include "tests/unit/support.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sqlite3.h>
#include <string.h>

#define WAIT_MS 600000

#define SMALL "layers = 1\nd-model = 8\nheads = 2\nseq = 5\nbatch = 2\neval-batches = 1\n"
#define GRID                                                                                       \
    SMALL "steps = 3\noptimizer = sgd\nseeds = 2\n[grid]\nlr = 0.01, 0.1, 100\n"                   \
          "[A]\nplacement = post\n[B]\nplacement = none\n"

int __real_fcntl64(int fd, int command, void *data);
int __wrap_fcntl64(int fd, int command, void *data);

static bool no_locks; /* the file system refuses locks, as NFS without a lock service does */

int __wrap_fcntl64(int fd, int command, void *data)
{
    if (!no_locks || command != F_SETLK) return __real_fcntl64(fd, command, data);
    errno = ENOLCK;
    return -1;
}

static NsStoreOptions options_of(const NsStudy *study, double lease)
{
    return (NsStoreOptions){.end = ns_study_cells(study), .lease = lease};
}

static NsStudyStore *open_store(const char *path, const NsStudy *study, double lease)
{
    g_autoptr(GError) error = NULL;
    NsStoreOptions options = options_of(study, lease);
    NsStudyStore *store = ns_study_store_open(path, study, &options, &error);
    g_assert_no_error(error);
    return store;
}

static void work_all(const char *path, const NsStudy *study, unsigned jobs)
{
    g_autoptr(GError) error = NULL;
    NsStudy own;
    ns_study_copy(&own, study);
    g_autoptr(NsStudyWork) work = ns_study_work_new(&own, path, NULL);
    g_assert_true(ns_study_work_start(work, jobs, &error));
    g_assert_true(ns_study_work_wait(work, WAIT_MS));
    g_assert_null(ns_study_work_take_failure(work));
    g_assert_cmpuint(ns_study_work_progress(work).ended, ==, ns_study_cells(study));
}

static NsStudyCell *read_cells(const char *path, NsStudy *study, NsCellOrigin *origin)
{
    g_autoptr(GError) error = NULL;
    ns_study_init(study);
    g_autoptr(NsStudyStore) store = ns_study_store_read(path, study, &error);
    g_assert_no_error(error);
    g_auto(NsStudyResults) results = {0};
    g_assert_true(ns_study_store_results(store, &results, &error));
    if (origin)
        *origin = (NsCellOrigin){g_strdup(results.origins[0].program),
                                 g_strdup(results.origins[0].instructions)};
    return g_steal_pointer(&results.cells);
}

static void assert_same(double a, double b)
{
    g_assert_true(a == b || (isnan(a) && isnan(b)));
}

static void assert_same_cells(const NsStudyCell *a, const NsStudyCell *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        g_assert_cmpint(a[i].state, ==, b[i].state);
        g_assert_cmpint(a[i].step, ==, b[i].step);
        assert_same(a[i].first, b[i].first);
        assert_same(a[i].loss, b[i].loss);
        assert_same(a[i].validation, b[i].validation);
        assert_same(a[i].value, b[i].value);
        g_assert_cmpstr(a[i].text, ==, b[i].text);
    }
}

/* A cell is what a run of its own gives, whatever the number of threads. */
static void test_work(void)
{
    g_autoptr(NsTestFolder) folder = ns_test_folder_new();
    g_autofree char *one = g_build_filename(folder, "one.nsstudy", NULL);
    g_autofree char *three = g_build_filename(folder, "three.nsstudy", NULL);
    g_auto(NsStudy) study, again, other;
    ns_test_read_study(&study, GRID);
    work_all(one, &study, 1);
    work_all(three, &study, 3);
    NsCellOrigin origin;
    g_autofree NsStudyCell *a = read_cells(one, &again, &origin);
    g_autofree NsStudyCell *b = read_cells(three, &other, NULL);
    assert_same_cells(a, b, ns_study_cells(&study));
    g_assert_true(g_str_has_prefix(origin.program, "normscope "));
    g_assert_nonnull(origin.instructions);
    g_free((char *)(uintptr_t)origin.program);
    g_free((char *)(uintptr_t)origin.instructions);
    size_t diverged = 0;
    for (size_t i = 0; i < ns_study_cells(&study); i++) {
        g_autoptr(GError) error = NULL;
        NsSettings settings;
        ns_study_cell_settings(&study, i, &settings);
        g_autoptr(NsRun) run = ns_run_new(&settings, &error);
        ns_settings_clear(&settings);
        g_assert_no_error(error);
        while (run->steps < 3 && ns_run_step(run)) continue;
        g_assert_cmpint(a[i].state, ==, run->diverged ? NS_CELL_DIVERGED : NS_CELL_DONE);
        g_assert_cmpint(a[i].step, ==, run->steps);
        diverged += run->diverged;
        if (run->diverged) continue;
        double sum = 0;
        for (size_t k = 0; k < 4; k++) sum += ns_history_step(run->history, k)->loss / 4;
        g_assert_cmpfloat_with_epsilon(a[i].value, sum, 1e-12);
        g_assert_true(a[i].validation == ns_run_evaluate(run));
    }
    g_assert_cmpuint(diverged, >, 0);
}

static size_t count_new(const char *path, const NsStudy *study)
{
    g_autoptr(NsStudyStore) store = open_store(path, study, 60);
    g_auto(NsStudyResults) results = {0};
    g_assert_true(ns_study_store_results(store, &results, NULL));
    return ns_study_cells(study) - results.ended;
}

/* What is done is never run again, also where the study was changed. */
static void test_resume(void)
{
    g_autoptr(NsTestFolder) folder = ns_test_folder_new();
    g_autofree char *path = g_build_filename(folder, "a.nsstudy", NULL);
    g_auto(NsStudy) study, more, back;
    ns_test_read_study(&study, SMALL "steps = 2\n[random]\ndraws = 3\nlr = 1e-3:1e-2\n");
    ns_test_read_study(&more, SMALL "steps = 2\nseeds = 2\n[random]\ndraws = 5\nlr = 1e-3:1e-2\n");
    ns_test_read_study(&back, SMALL "steps = 2\n[random]\ndraws = 2\nlr = 1e-3:1e-2\n");
    work_all(path, &study, 2);
    g_assert_cmpuint(count_new(path, &study), ==, 0);
    g_assert_cmpuint(count_new(path, &more), ==, 10 - 3);
    g_assert_cmpuint(count_new(path, &back), ==, 0);
    work_all(path, &more, 2);
    g_assert_cmpuint(count_new(path, &study), ==, 0);
}

static NsClaimed claim(NsStudyStore *store, size_t *i)
{
    g_autoptr(GError) error = NULL;
    NsClaimed claimed = ns_study_store_claim(store, i, &error);
    g_assert_no_error(error);
    return claimed;
}

static NsStudyCell result_of(double value)
{
    NsStudyCell cell = ns_cell_in(NS_CELL_DONE);
    cell.value = value;
    return cell;
}

static void keep(NsStudyStore *store, size_t i, double value)
{
    g_autoptr(GError) error = NULL;
    NsStudyCell cell = result_of(value);
    g_assert_true(ns_study_store_keep(store, i, &cell, &error));
    g_assert_no_error(error);
}

/* Two processes share the cells; those of a lost one come back, and what it finds too late does
 * not replace what is there. */
static void test_leases(void)
{
    g_autoptr(NsTestFolder) folder = ns_test_folder_new();
    g_autofree char *path = g_build_filename(folder, "a.nsstudy", NULL);
    g_auto(NsStudy) study, read;
    ns_test_read_study(&study, SMALL "steps = 1\n[grid]\nlr = 0.1, 0.2\n");
    g_autoptr(NsStudyStore) lost = open_store(path, &study, 0.05);
    size_t a, b, c;
    g_assert_cmpint(claim(lost, &a), ==, NS_CLAIMED_CELL);
    g_autoptr(NsStudyStore) other = open_store(path, &study, 600);
    g_assert_cmpint(claim(other, &b), ==, NS_CLAIMED_CELL);
    g_assert_cmpuint(a, !=, b);
    NsClaimed claimed;
    while ((claimed = claim(other, &c)) == NS_CLAIMED_NONE) g_usleep(1000);
    g_assert_cmpint(claimed, ==, NS_CLAIMED_CELL);
    g_assert_cmpuint(c, ==, a);
    g_assert_cmpint(claim(lost, &c), ==, NS_CLAIMED_NONE); /* all are with the other */
    keep(other, a, 1);
    keep(lost, a, 2);
    keep(other, b, 3);
    g_assert_cmpint(claim(lost, &c), ==, NS_CLAIMED_LAST);
    g_autofree NsStudyCell *cells = read_cells(path, &read, NULL);
    g_assert_cmpfloat(cells[a].value, ==, 1);
    g_assert_cmpfloat(cells[b].value, ==, 3);
}

/* A lease that is renewed does not end; a cell that is let go waits for everybody. */
static void test_renewal(void)
{
    g_autoptr(NsTestFolder) folder = ns_test_folder_new();
    g_autofree char *path = g_build_filename(folder, "a.nsstudy", NULL);
    g_auto(NsStudy) study;
    ns_test_read_study(&study, SMALL "steps = 1\n");
    g_autoptr(NsStudyStore) slow = open_store(path, &study, 600);
    g_autoptr(NsStudyStore) other = open_store(path, &study, 600);
    size_t i;
    g_assert_cmpint(claim(slow, &i), ==, NS_CLAIMED_CELL);
    g_assert_cmpint(claim(other, &i), ==, NS_CLAIMED_NONE);
    g_assert_true(ns_study_store_renew(slow, NULL));
    g_assert_cmpint(claim(other, &i), ==, NS_CLAIMED_NONE);
    ns_study_store_release(slow);
    g_assert_cmpint(claim(other, &i), ==, NS_CLAIMED_CELL);
}

static void spoil(const char *path, const char *sql)
{
    sqlite3 *db;
    g_assert_cmpint(sqlite3_open(path, &db), ==, SQLITE_OK);
    g_assert_cmpint(sqlite3_exec(db, sql, NULL, NULL, NULL), ==, SQLITE_OK);
    sqlite3_close(db);
}

static void test_merge(void)
{
    g_autoptr(NsTestFolder) folder = ns_test_folder_new();
    g_autofree char *all = g_build_filename(folder, "all.nsstudy", NULL);
    g_autofree char *part = g_build_filename(folder, "part.nsstudy", NULL);
    g_autoptr(GError) error = NULL;
    g_auto(NsStudy) study, read;
    ns_test_read_study(&study, SMALL "steps = 1\n[grid]\nlr = 0.1, 0.2, 0.3, 0.4\n");
    g_autoptr(NsStudyStore) store = open_store(all, &study, 60);
    NsStoreOptions half = {.first = 2, .end = 4, .lease = 60, .network = true};
    NsStudyStore *other = ns_study_store_open(part, &study, &half, &error);
    g_assert_no_error(error);
    size_t i;
    for (int k = 0; k < 2; k++) {
        g_assert_cmpint(claim(other, &i), ==, NS_CLAIMED_CELL);
        g_assert_cmpuint(i, >=, 2);
        keep(other, i, 10 + (double)i);
    }
    g_assert_cmpint(claim(other, &i), ==, NS_CLAIMED_LAST);
    ns_study_store_close(other);
    keep(store, 3, 7);
    NsMerged merged;
    g_assert_true(ns_study_store_merge(store, part, &merged, &error));
    g_assert_no_error(error);
    g_assert_cmpuint(merged.added, ==, 1);
    g_assert_cmpuint(merged.known, ==, 1);
    g_assert_cmpuint(merged.differs, ==, 1);
    g_assert_true(ns_study_store_merge(store, part, &merged, &error));
    g_assert_cmpuint(merged.added, ==, 0);
    g_autofree NsStudyCell *cells = read_cells(all, &read, NULL);
    g_assert_cmpint(cells[0].state, ==, NS_CELL_WAITING);
    g_assert_cmpfloat(cells[2].value, ==, 12);
    g_assert_cmpfloat(cells[3].value, ==, 7);

    /* From a file without one of its tables nothing is merged. */
    spoil(part, "DROP TABLE curves");
    g_assert_false(ns_study_store_merge(store, part, &merged, &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_FILE);
}

static void refuse(const char *path, const char *says)
{
    g_autoptr(GError) error = NULL;
    g_auto(NsStudy) study;
    ns_study_init(&study);
    g_assert_null(ns_study_store_read(path, &study, &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_FILE);
    g_assert_nonnull(strstr(error->message, says));
}

static void test_refused(void)
{
    g_autoptr(NsTestFolder) folder = ns_test_folder_new();
    g_autofree char *text = ns_test_folder_write(folder, "a.txt", "steps = 1\n");
    g_autofree char *path = g_build_filename(folder, "a.nsstudy", NULL);
    g_autofree char *nowhere = g_build_filename(folder, "b", "a.nsstudy", NULL);
    g_auto(NsStudy) study;
    ns_test_read_study(&study, SMALL "steps = 1\n");
    refuse(text, "damaged");
    refuse(nowhere, "there is no such file");
    g_assert_false(ns_study_store_is(text));
    ns_study_store_close(open_store(path, &study, 60));
    g_assert_true(ns_study_store_is(path));
    g_autoptr(NsStudyStore) store = open_store(path, &study, 60);
    g_autoptr(GError) error = NULL;
    NsMerged merged;
    g_assert_false(ns_study_store_merge(store, text, &merged, &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_FILE);
    g_clear_error(&error);
    g_assert_false(ns_study_store_merge(store, path, &merged, &error));
    g_assert_nonnull(strstr(error->message, "merged into"));
    g_clear_error(&error);
    no_locks = true;
    g_assert_null(ns_study_store_open(path, &study, NULL, &error));
    g_assert_nonnull(strstr(error->message, "has no locks"));
    no_locks = false;
    spoil(path, "UPDATE study SET text = 'steps = x'");
    refuse(path, "Line 1");
    spoil(path, "CREATE TRIGGER evil AFTER UPDATE ON cells BEGIN SELECT 1; END");
    refuse(path, "damaged");
    spoil(path, "DROP TRIGGER evil; PRAGMA user_version = 9");
    refuse(path, "another version");
    spoil(path, "PRAGMA application_id = 9");
    refuse(path, "another kind of file");
}

/* What the result can be. */
static double value_of(const char *rules)
{
    g_autoptr(NsTestFolder) folder = ns_test_folder_new();
    g_autofree char *path = g_build_filename(folder, "a.nsstudy", NULL);
    g_autofree char *text =
        g_strconcat(SMALL "steps = 12\nlr = 0.01\neval-every = 4\n", rules, NULL);
    g_auto(NsStudy) study, read;
    ns_test_read_study(&study, text);
    work_all(path, &study, 1);
    g_autofree NsStudyCell *cells = read_cells(path, &read, NULL);
    g_test_message("%s: %g at step %ld %s", rules, cells[0].value, (long)cells[0].step,
                   cells[0].text);
    return cells[0].state == NS_CELL_FAILED ? -(double)INFINITY : cells[0].value;
}

static void test_results(void)
{
    NsSettings settings;
    ns_settings_init(&settings);
    ns_settings_assign_all(&settings,
                           "layers=1 d-model=8 heads=2 seq=5 batch=2 eval-batches=1 "
                           "threads=1 lr=0.01 eval-every=4 probe-every=12",
                           NULL);
    g_autoptr(NsRun) run = ns_run_new(&settings, NULL);
    ns_settings_clear(&settings);
    while (run->steps < 12) ns_run_step(run);
    const NsHistory *history = run->history;
    double lowest = INFINITY, sum = 0, held_out = INFINITY;
    for (size_t k = 0; k <= 12; k++) {
        lowest = fmin(lowest, ns_history_step(history, k)->loss);
        if (k > 9) sum += ns_history_step(history, k)->loss / 3;
    }
    ns_run_evaluate(run);
    for (size_t k = 0; k < ns_history_evaluations(history); k++)
        held_out = fmin(held_out, ns_history_evaluation(history, k)->loss);
    float w2, hidden[2], cosine[2];
    ns_history_read(history, NS_QUANTITY_GRAD_W2, 0, NULL, &w2, NULL);
    ns_history_read(history, NS_QUANTITY_HIDDEN_NORM, 12, NULL, hidden, NULL);
    ns_history_read(history, (NsQuantity)ns_choices_find(ns_quantity_choice, "token-cosine"), 12,
                    NULL, cosine, NULL);
    g_assert_cmpfloat_with_epsilon(value_of("[result]\nat = last 3\n"), sum, 1e-12);
    g_assert_true(value_of("[result]\nat = minimum\n") == lowest);
    g_assert_true(value_of("[result]\nat = step 0\n") == ns_history_step(history, 0)->loss);
    g_assert_true(value_of("[result]\nat = last\nquantity = grad-norm\n") ==
                  ns_history_step(history, 12)->grad_norm);
    g_assert_true(value_of("[result]\nat = minimum\nquantity = validation-loss\n") == held_out);
    g_assert_true(value_of("[result]\nat = step 0\nquantity = grad-w2\nlayer = 1\n") == (double)w2);
    g_assert_true(value_of("[result]\nat = last\nquantity = hidden-norm\nlayer = 0\n") ==
                  (double)hidden[0]);
    g_assert_true(value_of("[result]\nat = last\nquantity = token-cosine\n") == (double)cosine[1]);
    /* A decoder has no cross-attention. */
    g_assert_true(isinf(value_of("[result]\nat = last\nquantity = grad-cross-wq\n")));
    /* A rule ends the run where it is first met. */
    g_assert_true(value_of("[stop]\nloss-below = 100\n[result]\nat = last\n") ==
                  ns_history_step(history, 1)->loss);
    g_assert_true(isnan(value_of("[stop]\nloss-above = 0.1\n[result]\nat = step 2\n")));
}

/* A result of all layers, of every step and of tokens keeps a curve; another file takes it over. */
static void test_curves(void)
{
    static const struct {
        const char *result;
        size_t n;
    } rows[] = {{"quantity = hidden-norm\nlayer = all\nat = step 2\n", 2},
                {"at = every step\n", 4},
                {"quantity = token-norms\nat = last\n", 61}};
    for (size_t k = 0; k < G_N_ELEMENTS(rows); k++) {
        g_autoptr(NsTestFolder) folder = ns_test_folder_new();
        g_autofree char *path = g_build_filename(folder, "a.nsstudy", NULL);
        g_autofree char *whole = g_build_filename(folder, "b.nsstudy", NULL);
        g_autofree char *text =
            g_strdup_printf(SMALL "steps = 3\nseeds = 2\n[result]\n%s", rows[k].result);
        g_auto(NsStudy) study;
        g_autoptr(GError) error = NULL;
        ns_test_read_study(&study, text);
        work_all(path, &study, 2);
        g_autoptr(NsStudyStore) store = open_store(whole, &study, 60);
        NsMerged merged;
        g_assert_true(ns_study_store_merge(store, path, &merged, &error));
        g_assert_cmpuint(merged.added, ==, 2);
        g_auto(NsStudyResults) results = {0};
        g_assert_true(ns_study_store_results(store, &results, &error));
        const NsStudyCell *cells = results.cells;
        for (size_t i = 0; i < 2; i++) {
            size_t n;
            g_autofree double *curve = ns_study_store_curve(store, i, &n);
            double sum = 0;
            g_assert_cmpuint(n, ==, rows[k].n);
            for (size_t j = 0; j < n; j++) sum += curve[j];
            if (k == 0) g_assert_true(curve[n - 1] == cells[i].value);
            if (k == 1) g_assert_true(curve[0] == cells[i].first);
            if (k == 1) g_assert_cmpfloat_with_epsilon(sum / 4, cells[i].value, 1e-12);
            if (k == 2) g_assert_cmpfloat_with_epsilon(sum, 1, 1e-12);
        }
    }
}

/* Of several results a cell keeps each beside its number, which is the first. */
static void test_more(void)
{
    g_autoptr(NsTestFolder) folder = ns_test_folder_new();
    g_autofree char *path = g_build_filename(folder, "a.nsstudy", NULL);
    g_auto(NsStudy) study;
    ns_test_read_study(&study,
                       SMALL "steps = 4\n[result]\nat = last 2\n[result-2]\nquantity = memory\n"
                             "at = last\n[result-3]\nquantity = grad-norm\nat = step 1\n");
    work_all(path, &study, 1);
    NsSettings settings;
    ns_study_cell_settings(&study, 0, &settings);
    settings.eval_every = settings.probe_every = settings.bleu_sentences = 0;
    settings.sample_every = 0;
    g_autoptr(NsRun) run = ns_run_new(&settings, NULL);
    ns_settings_clear(&settings);
    while (run->steps < 4) ns_run_step(run);
    const NsHistory *history = run->history;
    double mean = (ns_history_step(history, 3)->loss + ns_history_step(history, 4)->loss) / 2;
    g_autoptr(NsStudyStore) store = open_store(path, &study, 60);
    size_t n;
    g_autofree double *values = ns_study_store_curve(store, 0, &n);
    g_assert_cmpuint(n, ==, 3);
    g_assert_cmpfloat_with_epsilon(values[0], mean, 1e-12);
    g_assert_true(values[1] == (double)run->plan.total_bytes);
    g_assert_true(values[2] == ns_history_step(history, 1)->grad_norm);
}

/* A file of the version without curves is read, and worked at. */
static void test_older(void)
{
    g_autoptr(NsTestFolder) folder = ns_test_folder_new();
    g_autofree char *path = g_build_filename(folder, "a.nsstudy", NULL);
    g_auto(NsStudy) study, again;
    ns_test_read_study(&study, GRID);
    work_all(path, &study, 2);
    sqlite3 *db;
    g_assert_cmpint(sqlite3_open(path, &db), ==, SQLITE_OK);
    g_assert_cmpint(
        sqlite3_exec(db, "DROP TABLE curves; PRAGMA user_version = 1", NULL, NULL, NULL), ==,
        SQLITE_OK);
    sqlite3_close(db);
    g_autofree NsStudyCell *cells = read_cells(path, &again, NULL);
    g_assert_cmpint(cells[0].state, ==, NS_CELL_DONE);
    g_assert_cmpuint(count_new(path, &study), ==, 0);
    work_all(path, &study, 1);
}

/* Progress is counted as cells change, and is what a walk over all of them finds. */
static void test_progress(void)
{
    enum { CELLS = 60, FIRST = 10, END = 50 };
    g_auto(NsStudy) study;
    ns_test_read_study(&study, "steps = 8\nseeds = 30\n[A]\n[B]\nclip = 1\n");
    NsStoreOptions options = {.first = FIRST, .end = END, .lease = 1};
    g_autoptr(NsStudyWork) work = ns_study_work_new(&study, NULL, &options);
    NsStudyCell cells[CELLS];
    for (unsigned round = 0; round < 5; round++) {
        size_t ended = 0, running = 0;
        for (size_t i = 0; i < CELLS; i++) {
            cells[i] = ns_cell_in((NsCellState)((i * (round + 1) + round) % 5));
            cells[i].step = (int64_t)(i % 8);
            if (i < FIRST || i >= END) continue;
            ended += cells[i].state > NS_CELL_RUNNING;
            running += cells[i].state == NS_CELL_RUNNING;
        }
        ns_study_work_set_cells(work, cells);
        NsStudyWorkProgress progress = ns_study_work_progress(work);
        g_assert_cmpuint(progress.cells, ==, END - FIRST);
        g_assert_cmpuint(progress.ended, ==, ended);
        g_assert_cmpuint(progress.running, ==, running);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/study/store/work", test_work);
    g_test_add_func("/study/store/resume", test_resume);
    g_test_add_func("/study/store/leases", test_leases);
    g_test_add_func("/study/store/renewal", test_renewal);
    g_test_add_func("/study/store/merge", test_merge);
    g_test_add_func("/study/store/more", test_more);
    g_test_add_func("/study/store/refused", test_refused);
    g_test_add_func("/study/store/results", test_results);
    g_test_add_func("/study/store/curves", test_curves);
    g_test_add_func("/study/store/older", test_older);
    g_test_add_func("/study/store/progress", test_progress);
    return g_test_run();
}
