/* SPDX-License-Identifier: MIT */
#include "ui/session/autosave.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/store/jsonl.h"
#include "core/store/run_notes.h"
#include "core/store/run_writer.h"

/* The most runs that can begin within one second. */
#define NAMES_MOST 100

typedef struct {
    NsHistory *history; /* of the first lane; a reference, so that no other gets its address */
    char *path;
} File;

struct NsAutosave {
    atomic_int refs;
    char *parent;
    int64_t fork_step;

    /* Used on the trainer's thread only: */
    char *goes_on; /* the file that is continued until the first reset */
    bool refused;  /* this run cannot be recorded */

    GMutex mutex;        /* protects the fields below */
    NsRunWriter *writer; /* of the present run; NULL before its first step.  Only the trainer's
                            thread changes it, and reads it without the mutex */
    char *folder;
    GArray *files; /* of the present run and of the one before the reset */
    unsigned begun;
    char *message;
};

static void file_clear(void *file)
{
    ns_history_unref(((File *)file)->history);
    g_free(((File *)file)->path);
}

NsAutosave *ns_autosave_new(const NsAutosavePlan *plan)
{
    NsAutosave *autosave = g_new0(NsAutosave, 1);
    atomic_init(&autosave->refs, 1);
    autosave->folder = g_strdup(plan->folder);
    autosave->goes_on = g_strdup(plan->goes_on);
    autosave->parent = plan->parent ? g_path_get_basename(plan->parent) : NULL;
    autosave->fork_step = plan->fork_step;
    autosave->files = g_array_new(FALSE, FALSE, sizeof(File));
    g_array_set_clear_func(autosave->files, file_clear);
    g_mutex_init(&autosave->mutex);
    return autosave;
}

void ns_autosave_unref(NsAutosave *autosave)
{
    if (atomic_fetch_sub(&autosave->refs, 1) > 1) return;
    g_array_unref(autosave->files);
    g_mutex_clear(&autosave->mutex);
    g_free(autosave->message);
    g_free(autosave->goes_on);
    g_free(autosave->parent);
    g_free(autosave->folder);
    g_free(autosave);
}

/* ---- On the trainer's thread ---- */

static void set_writer(NsAutosave *autosave, NsRunWriter *writer)
{
    g_autoptr(GMutexLocker) held = g_mutex_locker_new(&autosave->mutex);
    autosave->writer = writer;
}

static void add_file(NsAutosave *autosave, NsLockstep *lockstep, const char *path)
{
    File file = {ns_history_ref(ns_run_history(ns_lockstep_run(lockstep, 0, 0))), g_strdup(path)};
    g_autoptr(GMutexLocker) held = g_mutex_locker_new(&autosave->mutex);
    if (autosave->files->len > 1) g_array_remove_index(autosave->files, 0);
    g_array_append_val(autosave->files, file);
    autosave->begun++;
}

static void set_message(NsAutosave *autosave, char *sentence)
{
    g_autoptr(GMutexLocker) held = g_mutex_locker_new(&autosave->mutex);
    g_free(autosave->message);
    autosave->message = sentence;
}

static void note_parent(const NsAutosave *autosave, const char *path)
{
    if (!autosave->parent) return;
    g_autofree char *step = g_strdup_printf("%" G_GINT64_FORMAT, autosave->fork_step);
    ns_run_note_write(path, NS_RUN_NOTE_PARENT, autosave->parent, NULL);
    ns_run_note_write(path, NS_RUN_NOTE_FORK_STEP, step, NULL);
}

/* Opens a file named after the present time. */
static void open_new(NsAutosave *autosave, NsLockstep *lockstep)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GDateTime) now = g_date_time_new_now_local();
    /* NULL if the clock is set to a time that has no date. */
    g_autofree char *time =
        now ? g_date_time_format(now, "%Y-%m-%d %H.%M.%S") : g_strdup("no date");
    g_mutex_lock(&autosave->mutex);
    g_autofree char *folder = g_strdup(autosave->folder);
    g_mutex_unlock(&autosave->mutex);
    if (!folder) return;
    bool made = ns_folder_make(folder, &error);
    for (int i = 1; made && !autosave->writer && i <= NAMES_MOST; i++) {
        g_autofree char *name =
            i == 1 ? g_strdup_printf("%s.nsrun", time) : g_strdup_printf("%s %d.nsrun", time, i);
        g_autofree char *path = g_build_filename(folder, name, NULL);
        g_clear_error(&error);
        set_writer(autosave, ns_run_writer_new(path, lockstep, 0, &error));
        if (!autosave->writer && g_error_matches(error, NS_ERROR, NS_ERROR_USAGE)) continue;
        if (!autosave->writer) break;
        add_file(autosave, lockstep, path);
        note_parent(autosave, path);
    }
    autosave->refused = !autosave->writer;
    if (autosave->refused)
        set_message(autosave, g_strdup_printf("%s  The run is not recorded.", error->message));
}

static char *summary_of(NsLockstep *lockstep, NsRun *run)
{
    int64_t steps = ns_run_settings(run)->steps;
    NsTrainerState state = ns_run_diverged(run)                                ? NS_TRAINER_DIVERGED
                           : steps > 0 && ns_lockstep_steps(lockstep) >= steps ? NS_TRAINER_FINISHED
                                                                               : NS_TRAINER_PAUSED;
    return ns_jsonl_summary(run, ns_trainer_state_word(state));
}

/* Closes the file.  Reports an error that was not reported during recording. */
static void close_file(NsAutosave *autosave, NsLockstep *lockstep)
{
    g_autoptr(GError) error = NULL;
    size_t n = 0, seeds = ns_lockstep_seeds(lockstep);
    char *summaries[NS_LANES_MAX * NS_SEEDS_MAX];
    NsRunWriter *writer = autosave->writer;
    if (!writer) return;
    set_writer(autosave, NULL);
    for (size_t i = 0; i < ns_lockstep_lanes(lockstep); i++)
        for (size_t k = 0; k < seeds; k++)
            summaries[n++] = summary_of(lockstep, ns_lockstep_run(lockstep, i, k));
    if (!ns_run_writer_close(writer, summaries, &error) && error)
        set_message(autosave, g_strdup(error->message));
    while (n-- > 0) g_free(summaries[n]);
}

static void tell(void *data, NsTrainerMoment moment, NsLockstep *lockstep)
{
    NsAutosave *autosave = data;
    NsRunWriter *writer = autosave->writer;
    switch (moment) {
    case NS_TRAINER_BEGAN:
        autosave->refused = false;
        if (autosave->goes_on) {
            set_writer(autosave, ns_run_writer_resume(autosave->goes_on, lockstep, 0, NULL));
            if (autosave->writer) add_file(autosave, lockstep, autosave->goes_on);
        }
        g_clear_pointer(&autosave->goes_on, g_free);
        return;
    case NS_TRAINER_STEPPED:
        if (!writer && !autosave->refused) open_new(autosave, lockstep);
        if (autosave->writer) ns_run_writer_step(autosave->writer, lockstep);
        return;
    case NS_TRAINER_RESTED:
        if (writer) ns_run_writer_checkpoint(writer, lockstep);
        return;
    case NS_TRAINER_RESETS:
        close_file(autosave, lockstep);
        return;
    case NS_TRAINER_ENDED:
        if (writer) ns_run_writer_checkpoint(writer, lockstep);
        if (lockstep) close_file(autosave, lockstep);
        ns_autosave_unref(autosave);
        return;
    }
}

NsTrainerObserver ns_autosave_observer(NsAutosave *autosave)
{
    atomic_fetch_add(&autosave->refs, 1);
    return (NsTrainerObserver){tell, autosave};
}

/* ---- On any thread ---- */

void ns_autosave_set_folder(NsAutosave *autosave, const char *folder)
{
    g_mutex_lock(&autosave->mutex);
    g_free(autosave->folder);
    autosave->folder = g_strdup(folder);
    g_mutex_unlock(&autosave->mutex);
}

char *ns_autosave_path(NsAutosave *autosave, const NsHistory *history)
{
    char *path = NULL;
    g_mutex_lock(&autosave->mutex);
    for (guint i = autosave->files->len; !path && i-- > 0;) {
        const File *file = &g_array_index(autosave->files, File, i);
        if (file->history == history) path = g_strdup(file->path);
    }
    g_mutex_unlock(&autosave->mutex);
    return path;
}

unsigned ns_autosave_files(NsAutosave *autosave)
{
    g_mutex_lock(&autosave->mutex);
    unsigned n = autosave->begun;
    g_mutex_unlock(&autosave->mutex);
    return n;
}

char *ns_autosave_take_message(NsAutosave *autosave)
{
    g_autoptr(GMutexLocker) held = g_mutex_locker_new(&autosave->mutex);
    char *message = autosave->writer ? ns_run_writer_take_message(autosave->writer) : NULL;
    return message ? message : g_steal_pointer(&autosave->message);
}

bool ns_autosave_waits(NsAutosave *autosave)
{
    g_autoptr(GMutexLocker) held = g_mutex_locker_new(&autosave->mutex);
    return autosave->writer && ns_run_writer_is_locked(autosave->writer);
}
