/* The inside of a lab.  Internal to lab*.c.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/widgets/lab.h"

struct _NsLab {
    GObject parent;
    NsLanes lanes; /* as the controls show them */
    size_t active;
    GPtrArray *undo, *redo; /* of lab_settings.c */

    NsLanes run;                       /* that the trainer has, live changes included */
    NsTrainer *trainer;                /* NULL if these settings could not make one */
    NsSnapshot *origins[NS_LANES_MAX]; /* of a fork */
    NsTrainerState state;
    bool wants_run;
    gint64 awake_until; /* monotonic time */
    char *problem, *problem_key;
    bool problem_is_run; /* the problem is the trainer's, not a setting's */
    guint restart_source, live_source;
    gint64 live_at; /* when live settings last reached the trainer */

    gpointer estimate; /* of lab_size.c: what the settings of the controls would take, or NULL */
    bool estimating;
    guint64 serial; /* of the settings of the controls */

    NsView *view;
    size_t records_seen[NS_LANES_MAX]; /* that were there at the last poll */
    NsSmoothing usual_smoothing;       /* that was last chosen */

    double speed;
    bool pause_on_trouble, slow;
    bool stepping;      /* slow motion has asked for its update */
    gint64 stage_since; /* when the present step of slow motion began; 0: none did */
    GArray *marks;      /* NsLabMark */
    size_t events_seen[NS_LANES_MAX];
    NsTrouble trouble; /* its event is NULL while there is none */

    NsGradientCheck *check; /* the newest of this run, or NULL */
    bool checking;

    GPtrArray *runs;          /* of lab_runs.c: earlier ones */
    GArray *run_list;         /* NsLabRun, as last told */
    char *title;              /* of the present run */
    unsigned id, forked_from; /* of the present run */
    unsigned last_id;
};

typedef enum {
    NS_LAB_SETTINGS_CHANGED,
    NS_LAB_STATUS_CHANGED,
    NS_LAB_VIEW_CHANGED,
    NS_LAB_RUNS_CHANGED,
    NS_LAB_CHECKED,
    NS_LAB_NOTICE,
    NS_LAB_SIGNALS
} NsLabSignal;

/* All but the notice. */
void ns_lab_emit(NsLab *lab, NsLabSignal signal);
void ns_lab_tell(NsLab *lab, const char *sentence);

/* The trainer will be looked at for a while although it seems idle. */
void ns_lab_wake(NsLab *lab);

void ns_lab_set_problem(NsLab *lab, const char *sentence, const char *key, bool of_run);

/* Back to what the trainer says of itself, which is mostly nothing. */
void ns_lab_clear_problem(NsLab *lab);

/* A trainer for the settings of the controls, from step 0, or each lane from the snapshot of the
 * lane that it goes on from; the histories of the one before stay on view until the new one has its
 * first records. */
void ns_lab_start(NsLab *lab, NsSnapshot *const *origins);

/* The newest step at which all lanes of the run are kept, at or before `step`, and starts there. */
bool ns_lab_start_at(NsLab *lab, int64_t step);

/* Whether the run has left its beginning or was told to. */
bool ns_lab_has_begun(NsLab *lab);

/* Whether any setting or lane differs from the run's in what is not live. */
bool ns_lab_differs(NsLab *lab);

/* What the controls show now acts: lab.c. */
void ns_lab_apply(NsLab *lab);

/* Puts the trainer where the lab's own switches are. */
void ns_lab_prepare_trainer(NsLab *lab);

/* Moves slow motion on; TRUE while it goes. */
bool ns_lab_poll_stage(NsLab *lab);

/* The trainer is looked at: lab_trouble.c, lab_runs.c. */
void ns_lab_poll_trouble(NsLab *lab);
void ns_lab_file_run(NsLab *lab); /* the view's run becomes an earlier one if it went anywhere */
void ns_lab_free_runs(NsLab *lab);
void ns_lab_init_runs(NsLab *lab);
void ns_lab_init_undo(NsLab *lab);

/* Of a lane of the view: records; the newest, or NULL. */
size_t ns_lab_records(NsLab *lab, size_t lane);
const NsStep *ns_lab_newest(NsLab *lab, size_t lane);

/* Looks for a check that was asked for, TRUE while it is awaited: lab_trust.c. */
bool ns_lab_poll_check(NsLab *lab);
void ns_lab_drop_check(NsLab *lab); /* another run begins */

/* Works out, on a thread, what the settings of the controls would take. */
void ns_lab_estimate(NsLab *lab);
void ns_lab_free_estimate(NsLab *lab);

/* After a start, the steps of undo know the lanes of the new run. */
void ns_lab_settle_undo(NsLab *lab);
