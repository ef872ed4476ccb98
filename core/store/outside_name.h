/* The meaning of a name in a log of another program, whatever program wrote it.
 * SPDX-License-Identifier: MIT
 *
 * A name is a column, a tag or a key of JSON.  It is split into words at / . _ - and spaces and at
 * capitals, so that “train/loss”, “train_loss”, “Loss.train” and “trainLoss” have one meaning. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    NS_OUTSIDE_STEP,
    NS_OUTSIDE_EPOCH,
    NS_OUTSIDE_LOSS,       /* of training */
    NS_OUTSIDE_VALIDATION, /* the loss on held-out data */
    NS_OUTSIDE_LR,
    NS_OUTSIDE_GRAD_NORM, /* of the whole gradient */
    NS_OUTSIDE_SECONDS,   /* duration of the step */
    NS_OUTSIDE_PROBE_SECONDS,
    NS_OUTSIDE_SEED,
    NS_OUTSIDE_PROCESS, /* the rank of the process that wrote the line */
    NS_OUTSIDE_SCALARS, /* the number of kinds of which a step has one number */
    NS_OUTSIDE_LANE = NS_OUTSIDE_SCALARS,
    NS_OUTSIDE_VERSION,
    NS_OUTSIDE_SUMMARY, /* a value of the whole run, written at its end */
    NS_OUTSIDE_IGNORED, /* times, and bounds of what is in another column */
    NS_OUTSIDE_VALUE,   /* anything else, which is drawn under its own name */
} NsOutsideKind;

/* The name of a quantity by layer, without the layer. */
typedef struct {
    unsigned number; /* in the order of their first appearance */
    char *key;       /* without “grad_norm/” if it is a gradient */
    char *path;      /* of the parameters whose role the key is, without the layer; or NULL */
    bool gradient;
    bool from_zero;      /* a name has layer 0, so layers count from 0 */
    bool noted;          /* it is reported that it has no place */
    size_t size;         /* the largest number of layers that a step had */
    unsigned quantity;   /* of a single number, plus 1; 0 before its first record */
    unsigned profile;    /* the same of what a record has by layer */
    unsigned registered; /* the quantity of the registry that it is, plus 1; 0: none */
} NsOutsideGroup;

/* Whether a log uses a name. */
typedef struct {
    bool listed; /* it is in the first line of a table, or in a line that was read */
    bool number; /* a number came under it */
} NsOutsideUse;

typedef struct {
    NsOutsideKind kind;
    NsOutsideKind part; /* of training or validation: it is one loss of several, such as
                         * “ctc_loss”, a perplexity, or a split such as “train” without a quantity,
                         * which is taken where there is no whole one; or 0 */
    bool perplexity;    /* its logarithm is the loss */
    bool split;         /* it is the name of a split */
    bool chosen;        /* by the user */
    unsigned rank;      /* of several names of one quantity the one with the lowest is taken */
    bool of_names,
        of_values; /* texts under it are the names of numbers; such numbers are under it */
    bool of_run;   /* what is under it is the name of a run */
    bool tokens;   /* a count of tokens, which is the step of a log without another */
    bool mean;     /* “train_loss”, which some programs write once, as the mean of the run */
    size_t lane;   /* from 1; 0 if the name does not say it.  May exceed NS_LANES_MAX */
    bool by_run;   /* the lane is that of a run whose name is in it */
    bool has_seed;
    double seed;
    bool layered;
    bool of_block;         /* a word such as “layers” is before the layer */
    size_t layer;          /* as it is written */
    size_t behind;         /* the number of characters after the layer */
    NsOutsideGroup *group; /* under which it is drawn if it is not taken as its kind */
    char *raw;             /* as it is written */
    char *whole; /* the same with the folder or split that it is of, “validation/loss” */
    NsOutsideUse *use;
} NsOutsideName;

typedef struct {
    GHashTable *names;  /* prefix, newline and name to NsOutsideName */
    GHashTable *groups; /* key to NsOutsideGroup; gradients have “∇” before their key */
    GPtrArray *runs;    /* names of runs by lane, char * */
    GHashTable *lanes;  /* from such a name to its lane, from 1 */
    GPtrArray *list;    /* NsOutsideName, in the order of their first appearance */
    GPtrArray *mapped;  /* the columns that the user has named (ns_outside_names_map) */
} NsOutsideNames;

NsOutsideNames *ns_outside_names_new(void);
void ns_outside_names_free(NsOutsideNames *names);

/* The meaning of a name, borrowed: the same pointer for the same name and prefix.  `prefix`: the
 * folder that the name is read from, or NULL.  NULL if there are too many names. */
const NsOutsideName *ns_outside_names_find(NsOutsideNames *names, const char *prefix,
                                           const char *raw);

/* The lane of the run of this name, from 1; it may exceed NS_LANES_MAX. */
size_t ns_outside_names_run(NsOutsideNames *names, const char *run);

/* A column that the user has named and the log does not have, borrowed; NULL if there is none. */
const char *ns_outside_names_missing(const NsOutsideNames *names);

/* The meanings that a user can choose for a column: the kinds up to NS_OUTSIDE_SECONDS, and these.
 */
enum {
    NS_OUTSIDE_BY_LAYER = NS_OUTSIDE_SECONDS + 1, /* a pattern such as “act/layer_{l}/rms” */
    NS_OUTSIDE_CURVE,                             /* drawn under its own name */
    NS_OUTSIDE_LEFT_OUT,
    NS_OUTSIDE_MEANINGS
};
typedef struct {
    const char *key;   /* in a map */
    const char *label; /* to be translated */
} NsOutsideMeaning;
extern const NsOutsideMeaning ns_outside_meanings[NS_OUTSIDE_MEANINGS];

/* Whether a text under a name, such as “val” under “split”, says that the numbers beside it are
 * those of validation. */
bool ns_outside_is_of_validation(const char *name, const char *text);

/* Whether one of these words names the split of validation, or that of training. */
bool ns_outside_has_split(const char *words, bool validation);

/* Says what columns mean, before any name is read: “loss=COLUMN,step=COLUMN”.  The keys are step,
 * epoch, loss, validation, lr, grad_norm, seconds, layer, curve (drawn under its own name) and none
 * (left out).  {l} stands for the number of a layer.  Values may be in single or double quotes.
 * NS_ERROR_USAGE if the text cannot be read, which is all that is done if `names` is NULL. */
bool ns_outside_names_map(NsOutsideNames *names, const char *text, GError **error);

/* The same text with another of ns_outside_meanings for one column; a pattern of layers is made of
 * a column with a number.  Free with g_free. */
char *ns_outside_map_change(const char *map, const char *column, unsigned meaning);
