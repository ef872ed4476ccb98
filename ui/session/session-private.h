/* The internals of a session, for ui/session only.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/store/outside_watch.h"
#include "core/train/checkpoints.h"
#include "ui/session/session.h"

/* A run that is not the present one any more, or that was read from a file. */
struct NsPastRun {
    NsSessionRun listed;
    bool auto_pinned;        /* pinned automatically, as the run before the present one */
    NsRecordedRun *recorded; /* its histories, settings of the first update, checkpoints and file */
    NsExperiment settings;   /* settings of the newest step */
    bool in_file; /* the checkpoints are in the file instead; `stored` is the newest step */
    int64_t stored;
    int64_t shared_from; /* the step from which the file belongs to another run; 0: none */

    /* Only for runs of other programs, which have no settings: */
    NsOutsideWatch *watch; /* NULL for a run of this program */
    char **sources;        /* watched paths, NULL-terminated; none if the run is in no file */
    char *saved;           /* the file in which standard input is saved, or NULL */
    GPtrArray *messages;   /* char *: what was said about it */
    gint64 news_at;        /* monotonic time of the last reading that was new, in microseconds */
};

/* Returns an earlier run by its place in the list. */
static inline NsPastRun *ns_session_past_run(const NsSession *session, guint i)
{
    return g_ptr_array_index(session->runs, i);
}

/* ---- saving.c ---- */

/* Records the run of a trainer into run files.  Everything happens on the trainer's thread and the
 * writer's own (core/store/run_writer.h).  A run gets a file at its first step, a checkpoint
 * whenever it pauses, and another file after a reset.  A run without a step leaves no file. */
typedef struct NsAutosave NsAutosave;

typedef struct {
    const char *folder;    /* created if missing; NULL: no recording yet */
    const char *continues; /* the file that the run continues from its newest checkpoint until a
                            reset; a new file if this is NULL or fails */
    const char *parent;    /* of a fork: the file of its parent, or NULL */
    int64_t fork_step;     /* the step of the fork */
} NsAutosavePlan;

/* The caller owns one reference. */
NsAutosave *ns_autosave_new(const NsAutosavePlan *plan);
void ns_autosave_unref(NsAutosave *autosave);

/* The observer to start a trainer with; takes a reference, which is released when the trainer's
 * thread ends. */
NsTrainerObserver ns_autosave_observer(NsAutosave *autosave);

/* From the next step on a run without a file gets one in this folder; NULL: no recording. */
void ns_autosave_set_folder(NsAutosave *autosave, const char *folder);

/* The file of the run whose first lane has this history, if it is the present run or the one before
 * the last reset; NULL if there is none yet.  Free with g_free. */
char *ns_autosave_path(NsAutosave *autosave, const NsHistory *history);

/* Whether what is measured waits in memory, because another program has locked the file. */
bool ns_autosave_waits(NsAutosave *autosave);

/* The observer for the next trainer, which records its run if recording is on. */
NsTrainerObserver ns_session_observe(NsSession *session);

/* Emits a notice if recording failed.  Requires a trainer. */
void ns_session_poll_record(NsSession *session);

/* ---- session.c ---- */

/* Emits "setting-changed" for each setting whose row has changed since the last call, and for the
 * key `tried` (or NULL) in any case; then "settings-changed". */
void ns_session_notify_settings(NsSession *session, const char *tried);

void ns_session_set_problem(NsSession *session, const char *sentence, const char *key, bool of_run);

/* Resets the problem to that of the trainer, if it has one, or to none. */
void ns_session_clear_problem(NsSession *session);

/* Of a lane of the view: the number of records; the newest loss, a mean over seeds, or NaN. */
size_t ns_session_records(NsSession *session, size_t lane);
double ns_session_newest_loss(NsSession *session, size_t lane);

/* Whether the run has made a step. */
bool ns_session_has_moved(NsSession *session);

/* Whether an earlier run is on view, which has no trainer. */
bool ns_session_is_past(const NsSession *session);

/* Like ns_trainer_checkpoints and ns_trainer_checkpoints_at, but for the run on view, also if it is
 * an earlier one.  Release the results with ns_session_drop_checkpoints. */
size_t ns_session_checkpoints(NsSession *session, int64_t *steps, size_t most);
bool ns_session_checkpoints_at(NsSession *session, int64_t step,
                               NsCheckpoint *checkpoints[NS_LANES_MAX], int64_t *at);
void ns_session_drop_checkpoints(NsCheckpoint *checkpoints[NS_LANES_MAX]);

/* ---- settings.c ---- */

void ns_session_init_undo(NsSession *session);

/* After a start: maps the lanes of undo and redo entries to those of the new run. */
void ns_session_settle_undo(NsSession *session);

void ns_session_forget_undo(NsSession *session);

/* Applies at once the settings whose timeout has not expired yet. */
void ns_session_apply_now(NsSession *session);

/* ---- run.c ---- */

/* Sets the settings of the trainer's run; takes the reference. */
void ns_session_set_run(NsSession *session, const NsExperiment *run);

/* Shows the settings of the run, if it has made no step, as those of its first update. */
void ns_session_show_started(NsSession *session);

/* Starts a trainer with the settings of the controls.  Each lane begins at step 0, or at the
 * checkpoint and with the history of the run's lane that it continues.  The old histories stay on
 * view until the new run has its first records. */
void ns_session_start(NsSession *session, NsCheckpoint *const *origins, NsHistory *const *pasts);

/* The same with the settings of the run, without pending changes; origins and pasts are indexed by
 * lane of the run. */
void ns_session_launch(NsSession *session, NsCheckpoint *const origins[NS_LANES_MAX],
                       NsHistory *const pasts[NS_LANES_MAX]);

/* Releases the trainer without starting another.  If its run is on view, its checkpoints are
 * stored. */
void ns_session_leave_trainer(NsSession *session);

/* Forks at the newest step at or before `step` at which every lane has a checkpoint from which the
 * lanes of the controls can continue; false if there is none. */
bool ns_session_start_at(NsSession *session, int64_t step);

/* The newest step at or before `step` at which every lane has a checkpoint from which the lanes of
 * the controls can continue; negative if there is none.  A lane has no checkpoint after it
 * diverged.  The checkpoints belong to the run's lanes; release them with
 * ns_session_drop_checkpoints. */
int64_t ns_session_find_checkpoints(NsSession *session, int64_t step,
                                    NsCheckpoint *checkpoints[NS_LANES_MAX]);

/* Enforces the limit of checkpoint memory; call it after a change of the runs that have some. */
void ns_session_bound_checkpoints(NsSession *session);

/* Advances slow motion; TRUE while it is active. */
bool ns_session_poll_stage(NsSession *session);

/* ---- earlier_runs.c ---- */

/* A run of as many lanes as the settings of its newest step; takes `recorded`. */
NsPastRun *ns_past_run_new(NsRecordedRun *recorded, const NsExperiment *settings);

/* The step from which it can continue; negative if it can only restart. */
/* The file or folder that the run is stored in, or NULL if there is none or are several. */
const char *ns_past_run_path(const NsPastRun *run);
int64_t ns_past_run_continues_from(const NsPastRun *run);

/* An upper bound of the bytes of a history with its seeds, which thins its profiles above its
 * budget. */
size_t ns_session_history_bytes(const NsHistory *history);

/* Pins the lanes of the run that was on view until the next run replaces it, if both have the same
 * lanes, of which that has n, and these are few.  A single lane is shown as the previous run
 * anyway. */
void ns_session_pin_before(NsSession *session, NsPastRun *before, size_t n);

/* Adds a run to the list of earlier ones, in the order of their numbers, and removes the oldest
 * ones above the bounds. */
void ns_session_add_earlier(NsSession *session, NsPastRun *run);

void ns_session_show_pinned(NsSession *session);

/* Puts other histories on view; their first updates were made with the settings `started`:
 * [started.n].  The run that was on view is filed, and becomes the previous run of a single lane if
 * it has made a step. */
void ns_session_adopt(NsSession *session, NsHistory *const *histories, const NsExperiment *started);

/* Call it afterward if no trainer has the run: stores the run as the one on view, in this state. */
void ns_session_put_past(NsSession *session, NsPastRun *run, NsTrainerState state);

/* Starts a trainer for an earlier run, with a notice.  The first continues from the newest
 * checkpoint or restarts; the second restarts in any case. */
void ns_session_revive(NsSession *session);
void ns_session_begin_again(NsSession *session);

/* "run 2 again", "read from run.jsonl"; NULL if a trainer has the run.  Free with g_free. */
char *ns_session_past_words(NsSession *session);

/* ---- watching.c ---- */

/* Puts a run of another program on view. */
void ns_session_show_watched(NsSession *session, NsPastRun *run);

/* Takes over the newly read records of such runs, on view or not; TRUE while more may come soon. */
bool ns_session_poll_watched(NsSession *session);

/* The status of the watched run on view: "watching, step 1,240".  Free with g_free. */
char *ns_session_watch_words(NsSession *session);

/* ---- status.c ---- */

/* Computes the plan for the settings of the controls in a thread. */
void ns_session_estimate(NsSession *session);
void ns_session_free_estimate(NsSession *session);

/* ---- trouble.c ---- */

/* Looks for new spikes and divergences in the view. */
void ns_session_poll_trouble(NsSession *session);

/* Forgets the trouble, and ends the trials of its remedies. */
void ns_session_clear_trouble(NsSession *session);

/* Continues the trials of remedies; TRUE while there are any. */
bool ns_session_poll_remedies(NsSession *session);

/* Polls for a requested check; TRUE while it is awaited. */
bool ns_session_poll_check(NsSession *session);
void ns_session_drop_check(NsSession *session); /* another run begins */
