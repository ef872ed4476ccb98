/* The inside of a session, for ui/session alone.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/store/outside_watch.h"
#include "core/train/checkpoints.h"
#include "ui/session/autosave.h"
#include "ui/session/session.h"

/* A run that is not the present one any more, or that comes out of a file. */
typedef struct {
    NsSessionRun told;
    bool by_itself; /* nobody pinned it: it is the run before the present one */
    char *title, *differs;
    char *file;                         /* its name; NULL for a run of this session */
    NsHistory *histories[NS_LANES_MAX]; /* [told.lanes] */
    NsExperiment started;               /* that the first update was made with */
    NsExperiment settings;              /* that the newest step was made with */
    NsCheckpoints *checkpoints;         /* from which it can be continued; NULL: none */
    char *path;                         /* the file that it was recorded into; NULL: none */
    bool in_file;                       /* they are there instead, and `kept` is the newest step */
    int64_t kept;
    int64_t shared_from; /* the step from which on the file is another run's; 0: none */

    /* Of another program, whose settings mean nothing: */
    NsOutsideWatch *watch;     /* NULL: it is one of this */
    char **sources;            /* paths that are watched */
    char *saved;               /* the file in which standard input is saved, or NULL */
    char *names[NS_LANES_MAX]; /* of its lanes */
    guint64 version;           /* of what is watched that was last taken */
    gint64 news_at;            /* when that was */
    bool there, open;          /* there is a source; one may bring more */
} NsPastRun;

struct _NsSession {
    GObject parent;
    NsExperiment experiment; /* as the controls show them */
    size_t active;
    NsExperiment
        told; /* as rows were last told of them, with the lane that was active and the blamed key */
    size_t told_active;
    char *told_key;
    GPtrArray *undo, *redo; /* of undo.c */

    const NsExperiment *run; /* that the trainer has, live changes included; a reference */
    NsTrainer *trainer;      /* NULL if these settings could not make one */
    NsCheckpoint *origins[NS_LANES_MAX]; /* of a fork */
    NsHistory *pasts[NS_LANES_MAX];      /* what its histories take over from its run, or NULL */
    NsTrainerState state;
    gint64 launched; /* when the trainer was, in microseconds */
    bool wants_run;
    char *problem, *problem_key;
    bool problem_is_run; /* the problem is the trainer's, not a setting's */
    guint restart_source, live_source;
    gint64 live_at; /* when live settings last reached the trainer */

    gpointer estimate; /* of estimate.c: what the settings of the controls would take, or NULL */
    bool estimating;
    guint64 serial; /* of the settings of the controls */

    NsView *view;
    size_t records_seen[NS_LANES_MAX]; /* that were there at the last poll */
    NsSmoothing usual_smoothing;       /* that was last chosen */

    double speed;
    bool pause_on_trouble, slow;
    bool stepping;      /* slow motion has asked for its update */
    gint64 stage_since; /* when the present step of slow motion began; 0: none did */
    GArray *marks;      /* NsSessionMark */
    size_t events_seen[NS_LANES_MAX][NS_SEEDS_MAX];
    NsTrouble trouble; /* its event is NULL while there is none */

    NsGradientCheck *check; /* the newest of this run, or NULL */
    bool checking;
    bool looking; /* closer at a step */

    GPtrArray *runs;       /* of runs.c: earlier ones, NsPastRun, by id */
    NsPastRun *opened;     /* of open_run.c: the one on view where the view shows an earlier one */
    NsCheckpoints *left;   /* of the run on view, whose trainer was given up; or NULL */
    GArray *run_list;      /* NsSessionRun, as last told */
    char *title, *differs; /* of the present run, as last told */
    unsigned id, forked_from; /* of the run on view */
    int64_t fork_step;        /* where it begins; 0: it is no fork */
    int64_t origin_step;      /* where the one begins that its trainer prepares */
    char *path;               /* of the run on view whose trainer was given up: its file, or NULL */
    char *folder;             /* of run files; NULL: nothing is recorded */
    guint64 most_bytes;       /* that they may take; 0: any number */
    NsAutosave *autosave;     /* of the trainer, or NULL */
    char *goes_on_with;       /* the file that the next trainer continues, or NULL */
    unsigned files;           /* that it had begun at the last poll */
    bool bounding;            /* the folder is being looked through */
    size_t checkpoint_bytes;  /* that all runs together may keep in memory */
    unsigned opening;         /* the earlier run whose checkpoints are read; 0: none */
    unsigned forking_from;    /* of the one that its trainer prepares, which will be on view next */
    unsigned last_id;

    guint watch_source;  /* looks at runs of other programs while the window rests */
    gint64 watch_minute; /* at its last look */
};

/* ---- state.c ---- */

/* Tells each setting whose row differs from what it was told last, and `tried`, a key or NULL, in
 * any case; and then that settings changed. */
void ns_session_tell_settings(NsSession *session, const char *tried);

void ns_session_set_problem(NsSession *session, const char *sentence, const char *key, bool of_run);

/* Back to what the trainer says of itself, which is mostly nothing. */
void ns_session_clear_problem(NsSession *session);

/* Of a lane of the view: records; the newest, or NULL; the newest loss, a mean of several seeds, or
 * NaN. */
size_t ns_session_records(NsSession *session, size_t lane);
const NsStep *ns_session_newest(NsSession *session, size_t lane);
double ns_session_newest_loss(NsSession *session, size_t lane);

/* Whether the run has left its beginning or was told to; and whether it has made a step. */
bool ns_session_has_begun(NsSession *session);
bool ns_session_has_moved(NsSession *session);

/* Whether an earlier run is on view, which no trainer has. */
bool ns_session_is_past(const NsSession *session);

/* As ns_trainer_checkpoints and ns_trainer_checkpoints_at, of the run on view; where it is an
 * earlier one, too.  What is found is given up with ns_session_drop_checkpoints. */
size_t ns_session_checkpoints(NsSession *session, int64_t *steps, size_t most);
bool ns_session_checkpoints_at(NsSession *session, int64_t step,
                               NsCheckpoint *checkpoints[NS_LANES_MAX], int64_t *at);
void ns_session_drop_checkpoints(NsCheckpoint *checkpoints[NS_LANES_MAX]);

/* ---- undo.c ---- */

void ns_session_init_undo(NsSession *session);

/* Undo leads back to the experiment that rows were last told of, where the present one differs from
 * it.  While a slider is dragged, that of the parameter `slid` (NULL: none is), the movement is one
 * step. */
void ns_session_remember(NsSession *session, const NsParam *slid);

/* Puts what there was before the last change, or again what was undone last, in the place of the
 * lanes.  FALSE if there is nothing. */
bool ns_session_exchange(NsSession *session, bool back);

/* After a start, the steps of undo know the lanes of the new run. */
void ns_session_settle_undo(NsSession *session);

/* ---- runs.c ---- */

void ns_session_init_runs(NsSession *session);
void ns_session_free_runs(NsSession *session);
void ns_session_file_run(NsSession *session); /* the view's becomes an earlier one if it went on */
void ns_session_keep_left(
    NsSession *session); /* the checkpoints of a trainer that ends or resets */
void ns_session_show_pinned(NsSession *session);
NsPastRun *ns_session_find_run(NsSession *session, unsigned id); /* NULL: there is no such */
NsPastRun *ns_session_take_run(NsSession *session, unsigned id); /* the same, out of the list */

/* ---- past_run.c ---- */

void ns_past_run_free(NsPastRun *run);
bool ns_past_run_has_event(const NsPastRun *run, size_t lane, NsEventKind kind);
bool ns_past_run_all_diverged(const NsPastRun *run);

/* The newest step at or before `step` at which every lane has a checkpoint; negative if there is
 * none. */
int64_t ns_past_run_find(const NsPastRun *run, int64_t step,
                         NsCheckpoint *checkpoints[NS_LANES_MAX]);

/* The step from which it can be continued; negative where it can only restart. */
int64_t ns_past_run_goes_on(const NsPastRun *run);

/* ---- checkpoints.c ---- */

/* After anything that changes which runs have some: the bound holds again. */
void ns_session_bound_checkpoints(NsSession *session);

/* Those of the trainer's run, or NULL. */
NsCheckpoints *ns_session_copy_checkpoints(NsSession *session);

/* ---- estimate.c ---- */

/* Works out, on a thread, what the settings of the controls would take. */
void ns_session_estimate(NsSession *session);
void ns_session_free_estimate(NsSession *session);

/* What that was; FALSE while it is not known. */
bool ns_session_estimated(const NsSession *session, NsPlan *plan);

/* ---- gradient_check.c ---- */

/* Looks for a check that was asked for, TRUE while it is awaited. */
bool ns_session_poll_check(NsSession *session);
void ns_session_drop_check(NsSession *session); /* another run begins */

/* ---- run_on_view.c ---- */

/* Puts other histories on view, whose first updates were made with these settings: [started.n].
 * Those before are filed, and become the previous run of a single lane if they have gone anywhere.
 */
void ns_session_adopt(NsSession *session, NsHistory *const *histories, const NsExperiment *started);

/* Then a run that no trainer has is the one on view, in this state. */
void ns_session_put_past(NsSession *session, NsPastRun *run, NsTrainerState state);

/* ---- watching.c ---- */

/* Puts a run of another program on view. */
void ns_session_show_watched(NsSession *session, NsPastRun *run);

/* Takes over what was read of such runs, on view or not; TRUE while more may come soon. */
bool ns_session_poll_watched(NsSession *session);

/* Of the one on view: "watching, step 1,240".  Free with g_free. */
char *ns_session_watch_words(NsSession *session);

/* ---- settings.c ---- */

/* Takes the reference to what the trainer has from now on. */
void ns_session_set_run(NsSession *session, const NsExperiment *run);

/* A trainer for the settings of the controls, from step 0, or each lane from the checkpoint of the
 * lane that it goes on from, with that lane's past; the histories of the one before stay on view
 * until the new one has its first records. */
void ns_session_start(NsSession *session, NsCheckpoint *const *origins, NsHistory *const *pasts);

/* The same with the settings that the run has, whatever waits; by lane of the run. */
void ns_session_launch(NsSession *session, NsCheckpoint *const origins[NS_LANES_MAX],
                       NsHistory *const pasts[NS_LANES_MAX]);

/* Settings that would act in a moment act at once. */
void ns_session_apply_now(NsSession *session);

/* The trainer ends, and no other begins: the checkpoints of its run are left where that one is on
 * view. */
void ns_session_leave_trainer(NsSession *session);

/* ---- fork.c ---- */

/* Starts at the newest step at or before `step` at which every lane has a checkpoint from which the
 * controls' lanes go on; false if there is none. */
bool ns_session_start_at(NsSession *session, int64_t step);

/* ---- open_run.c ---- */

/* Gives an earlier run a trainer, which continues from its newest checkpoint or restarts, and tells
 * which; the other restarts in any case. */
void ns_session_revive(NsSession *session);
void ns_session_begin_anew(NsSession *session);

/* "run 2 again", "read from run.jsonl"; NULL while a trainer has the run.  Free with g_free. */
char *ns_session_past_words(NsSession *session);

/* ---- record.c ---- */

/* What the next trainer tells of itself: it is recorded, where that is wanted. */
NsTrainerObserver ns_session_observe(NsSession *session);

/* Tells why nothing more is recorded; the trainer is looked at. */
void ns_session_poll_record(NsSession *session);

/* ---- time.c, trouble.c ---- */

/* Moves slow motion on; TRUE while it goes. */
bool ns_session_poll_stage(NsSession *session);

/* The trainer is looked at. */
void ns_session_poll_trouble(NsSession *session);
