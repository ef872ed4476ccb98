/* Runs studies on many machines: a command for each part, and gathering of results.
 * SPDX-License-Identifier: MIT
 *
 * Next to the results OUT.nsstudy, the folder OUT.parts contains the study file that the parts
 * read, the results of the parts and, with Slurm, the job script, the job id and the output.  Every
 * part has a file of its own, so that machines need not share a database; its finished cells are
 * never run again. */
#include "app/cli/study.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/store/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define MOST_SLURM_JOBS 1000 /* per array: the default MaxArraySize of Slurm */
#define ROUNDS 10

#define JOB_NAME "normscope-study"
#define JOB_FILE "job.id"
#define MOST_PAUSE 10    /* seconds between two queries to Slurm */
#define MOST_FAILURES 60 /* failed queries in a row: several minutes */

/* "a.nsstudy" becomes "a.parts". */
static char *folder_of(const NsStudyJobs *jobs)
{
    const char *out = jobs->out;
    size_t n = strlen(out) - (g_str_has_suffix(out, ".nsstudy") ? strlen(".nsstudy") : 0);
    g_autofree char *name = g_strdup_printf("%.*s.parts", (int)n, out);
    return g_canonicalize_filename(name, NULL);
}

static char *write_study(const NsStudyJobs *jobs, const char *folder, GError **error)
{
    g_autofree char *path = g_build_filename(folder, "study.study", NULL);
    g_autofree char *text = ns_study_write(jobs->study);
    bool good = ns_folder_make(folder, error) && ns_save(path, text, strlen(text), error);
    return good ? g_steal_pointer(&path) : NULL;
}

/* ---- Gathering ---- */

bool ns_study_gather(const NsStudyJobs *jobs, char *const *files, GError **error)
{
    g_autoptr(NsStudyStore) store = ns_study_store_open(jobs->out, jobs->study, NULL, error);
    if (!store) return false;
    NsMerged all = {0}, one;
    for (; *files; files++) {
        if (!ns_study_store_merge(store, *files, &one, error)) return false;
        all.added += one.added;
        all.known += one.known;
        all.differs += one.differs;
    }
    g_auto(NsStudyResults) results = {0};
    if (!ns_study_store_results(store, &results, error)) return false;
    fprintf(stderr,
            NS_CLI ": %zu results added, %zu were known; %zu of %zu cells of the study have "
                   "ended.\n",
            all.added, all.known, results.ended, ns_study_cells(jobs->study));
    if (all.differs)
        fprintf(stderr,
                NS_CLI ": %zu of the known results differ, as with another instruction set or "
                       "version; the first ones stay.\n",
                all.differs);
    return true;
}

static bool gather_folder(const NsStudyJobs *jobs, const char *folder, GError **error)
{
    g_autoptr(GStrvBuilder) builder = g_strv_builder_new();
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    const char *name;
    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        /* A part whose process was killed early may have no results yet. */
        if (g_str_has_suffix(name, ".nsstudy") && ns_study_store_is(path))
            g_strv_builder_add(builder, path);
    }
    g_auto(GStrv) files = g_strv_builder_end(builder);
    return ns_study_gather(jobs, files, error);
}

/* The numbers of the parts that have cells to run; `open` is the number of these cells. */
static GArray *parts_to_run(const NsStudyJobs *jobs, size_t chunk, size_t *open, GError **error)
{
    size_t n = ns_study_cells(jobs->study);
    g_autoptr(NsStudyStore) store = ns_study_store_open(jobs->out, jobs->study, NULL, error);
    g_auto(NsStudyResults) results = {0};
    if (!store || !ns_study_store_results(store, &results, error)) return NULL;
    GArray *parts = g_array_new(FALSE, FALSE, sizeof(size_t));
    *open = 0;
    for (size_t first = 0; first < n; first += chunk) {
        size_t before = *open, part = first / chunk;
        for (size_t i = first; i < MIN(first + chunk, n); i++)
            *open += results.cells[i].state <= NS_CELL_RUNNING;
        if (*open > before) g_array_append_val(parts, part);
    }
    return parts;
}

/* ---- Commands ---- */

static char *program(void)
{
    char *path = g_file_read_link("/proc/self/exe", NULL);
    return path ? path : g_strdup(NS_CLI);
}

bool ns_study_print_jobs(const NsStudyJobs *jobs, GError **error)
{
    size_t chunk = jobs->chunk ? jobs->chunk : 1, n = ns_study_cells(jobs->study);
    g_autofree char *folder = folder_of(jobs);
    g_autofree char *study = write_study(jobs, folder, error);
    size_t open;
    g_autoptr(GArray) parts = study ? parts_to_run(jobs, chunk, &open, error) : NULL;
    if (!parts) return false;
    g_autofree char *path = program();
    g_autofree char *self = g_shell_quote(path), *file = g_shell_quote(study);
    for (guint i = 0; i < parts->len; i++) {
        size_t part = g_array_index(parts, size_t, i), first = part * chunk;
        g_autofree char *name = g_strdup_printf("%zu-%zu.nsstudy", chunk, part);
        g_autofree char *out = g_build_filename(folder, name, NULL), *quoted = g_shell_quote(out);
        printf("%s study %s --cells %zu-%zu --jobs 1 --network --lease %g --out %s\n", self, file,
               first, MIN(first + chunk, n) - 1, jobs->lease, quoted);
    }
    g_autofree char *out = g_shell_quote(jobs->out), *all = g_shell_quote(folder);
    if (parts->len)
        fprintf(stderr, NS_CLI ": Then gather: " NS_CLI " study merge %s %s/*.nsstudy\n", out, all);
    else
        fprintf(stderr, NS_CLI ": All cells of the study have ended.\n");
    return true;
}

/* ---- Slurm ---- */

/* "0,3-4": the task ids of an array. */
static char *tasks_of(const GArray *parts)
{
    GString *tasks = g_string_new(NULL);
    for (guint i = 0; i < parts->len; i++) {
        size_t first = g_array_index(parts, size_t, i), last = first;
        while (i + 1 < parts->len && g_array_index(parts, size_t, i + 1) == last + 1) {
            last++;
            i++;
        }
        g_string_append_printf(tasks, last > first ? "%s%zu-%zu" : "%s%zu", tasks->len ? "," : "",
                               first, last);
    }
    return g_string_free(tasks, FALSE);
}

/* Runs a command of Slurm; *says is its output or, if it fails, its error message. */
static bool ask_slurm(const char *const *words, char **says, GError **error)
{
    g_auto(GStrv) argv = g_strdupv((char **)(uintptr_t)words);
    g_autofree char *complaint = NULL;
    g_autoptr(GError) wrong = NULL;
    int status;
    if (!g_spawn_sync(NULL, argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, says, &complaint, &status,
                      &wrong))
        return ns_refuse(error, NS_ERROR_FILE,
                         "Slurm cannot be used: %s; install it, or use --print-jobs.",
                         wrong->message);
    bool good = g_spawn_check_wait_status(status, NULL);
    if (!good) {
        g_free(*says);
        *says = g_steal_pointer(&complaint);
    }
    g_strdelimit(g_strstrip(*says), "\r\n", ' ');
    return good || ns_refuse(error, NS_ERROR_FILE, "Slurm did not take the job: %s.", *says);
}

/* Whether tasks of a job array are waiting or running. */
static bool has_tasks(const char *id, bool *there, GError **error)
{
    const char *const words[] = {"squeue", "--noheader", "--format=%A", "--name", JOB_NAME,
                                 "--jobs", id,           NULL};
    g_autofree char *says = NULL;
    g_autoptr(GError) wrong = NULL;
    *there = false;
    if (ask_slurm(words, &says, &wrong)) {
        *there = *says != '\0';
        return true;
    }
    /* Slurm forgets jobs some minutes after their end. */
    if (says && strstr(says, "Invalid job id")) return true;
    return ns_refuse(error, NS_ERROR_FILE, "Slurm does not tell of its job %s: %s.", id,
                     says ? says : wrong->message);
}

/* Opens and locks the file with the id of the newest job.  Of two commands started together the
 * second one then finds the job of the first.  On a file system without locks only leases keep a
 * cell from running twice.  -1 if the file cannot be opened. */
static int lock_job(const char *folder, GError **error)
{
    g_autofree char *path = g_build_filename(folder, JOB_FILE, NULL);
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) {
        ns_refuse(error, NS_ERROR_FILE, "Cannot open “%s”: %s.", path, g_strerror(errno));
        return -1;
    }
    while (flock(file, LOCK_EX) != 0 && errno == EINTR && !ns_interrupt_signal()) continue;
    return file;
}

/* Reads the job id from the file if tasks of that job are waiting or running, else NULL.  Free with
 * g_free. */
static bool running_job(int file, char **id, GError **error)
{
    char text[64];
    bool there = false;
    ssize_t n = pread(file, text, sizeof text - 1, 0);
    text[MAX(n, 0)] = '\0';
    *strchrnul(text, '\n') = '\0'; /* what follows is the end of a longer id from before */
    g_strstrip(text);
    *id = NULL;
    if (*text && !has_tasks(text, &there, error)) return false;
    if (there) *id = g_strdup(text);
    return true;
}

/* Submits one job, with the file locked: *id is its id, or NULL if all cells have ended. There must
 * be fewer than *open cells to run, or an error is set; *open becomes their number. */
static bool submit_open(const NsStudyJobs *jobs, const char *folder, int file, size_t *open,
                        char **id, GError **error)
{
    size_t n = ns_study_cells(jobs->study), before = *open;
    size_t chunk = jobs->chunk ? jobs->chunk : (n + MOST_SLURM_JOBS - 1) / MOST_SLURM_JOBS;
    g_autofree char *study = write_study(jobs, folder, error);
    g_autoptr(GArray) parts =
        study && gather_folder(jobs, folder, error) ? parts_to_run(jobs, chunk, open, error) : NULL;
    if (!parts) return false;
    if (*open == 0) return true;
    if (*open >= before)
        return ns_refuse(error, NS_ERROR_FILE,
                         "Slurm jobs have ended without a result; see their output in “%s”.",
                         folder);
    fprintf(stderr, NS_CLI ": %u jobs of Slurm for %zu cells.\n", parts->len, *open);
    g_autofree char *job = g_build_filename(folder, "job.sh", NULL);
    g_autofree char *tasks = tasks_of(parts), *own = program();
    g_autofree char *self = g_shell_quote(own), *quoted = g_shell_quote(study);
    g_autofree char *out = g_shell_quote(folder);
    g_autofree char *text =
        g_strdup_printf("#!/bin/sh\n"
                        "#SBATCH --job-name=" JOB_NAME "\n"
                        "#SBATCH --array=%s\n"
                        "#SBATCH --ntasks=1\n"
                        "#SBATCH --cpus-per-task=1\n"
                        "#SBATCH --requeue\n"
                        "#SBATCH --open-mode=append\n"
                        "first=$((SLURM_ARRAY_TASK_ID * %zu))\n"
                        "last=$((first + %zu))\n"
                        "exec %s study %s --cells $first-$last --jobs 1 --network --lease %g \\\n"
                        "    --out %s/%zu-$SLURM_ARRAY_TASK_ID.nsstudy\n",
                        tasks, chunk, chunk - 1, self, quoted, jobs->lease, out, chunk);
    if (!ns_save(job, text, strlen(text), error)) return false;
    g_autofree char *log = g_build_filename(folder, "%a.log", NULL);
    const char *const words[] = {"sbatch", "--parsable", "--output", log, job, NULL};
    if (!ask_slurm(words, id, error)) return false;
    *strchrnul(*id, ';') = '\0'; /* the id may be followed by the cluster */
    g_autofree char *line = g_strdup_printf("%s\n", *id);
    ssize_t length = (ssize_t)strlen(line);
    /* A program that is killed in between leaves the new id as a line of its own. */
    if (pwrite(file, line, (size_t)length, 0) == length && ftruncate(file, length) == 0)
        return true;
    return ns_refuse(error, NS_ERROR_FILE, "Cannot write the number of Slurm's job %s: %s.", *id,
                     g_strerror(errno));
}

bool ns_study_run_slurm(const NsStudyJobs *jobs, GError **error)
{
    g_autofree char *folder = folder_of(jobs);
    if (!ns_folder_make(folder, error)) return false;
    size_t open = SIZE_MAX;
    for (int round = 0; round < ROUNDS && !ns_interrupt_signal(); round++) {
        g_autofree char *id = NULL;
        int file = lock_job(folder, error);
        bool good = file >= 0 && running_job(file, &id, error);
        /* Wait for tasks that another command submitted: new tasks would run the same cells a
         * second time.  The running tasks read the study with which they were submitted. */
        if (id)
            fprintf(stderr,
                    NS_CLI ": Slurm's job %s of this study waits or runs; its results are awaited, "
                           "and no cell is submitted twice.\n",
                    id);
        else
            good = good && submit_open(jobs, folder, file, &open, &id, error);
        if (file >= 0) close(file);
        if (!good) return false;
        if (!id) return true;
        /* Wait until every task of the array has ended, whatever its status; missing results are
         * found later.  A scheduler that does not answer is queried again for a while. */
        unsigned pause = 1, failures = 0;
        bool there = true;
        while (there) {
            g_autoptr(GError) wrong = NULL;
            g_usleep(pause * G_USEC_PER_SEC);
            pause = MIN(pause + 1, MOST_PAUSE);
            bool was_known = has_tasks(id, &there, &wrong);
            failures = was_known ? 0 : failures + 1;
            if (failures == MOST_FAILURES) {
                g_propagate_error(error, g_steal_pointer(&wrong));
                return false;
            }
            there |= !was_known;
        }
    }
    return true;
}
