/* Figures of the paper as experiments that say whether it holds here.  SPDX-License-Identifier: MIT
 *
 * A row of a table is a study (core/study/study.h), whose lanes are the arms, and the result that
 * is expected of it.  It runs as every study does; what its cells have found is curves and
 * findings; a finding is a number with its error and the range that the paper's claim allows. */
#pragma once

#include "core/experiment/provenance.h"
#include "core/study/study_work.h"

#define NS_PAPER_ARMS 4
#define NS_PAPER_CURVES 8
#define NS_PAPER_CLAIMS 6

/* What is on the horizontal axis, which follows from the result of the study. */
typedef enum {
    NS_PAPER_GRID,   /* the result over the values of the grid's one setting */
    NS_PAPER_LAYER,  /* the quantity in every layer */
    NS_PAPER_STEP,   /* the result at every step, or where it is validated */
    NS_PAPER_TOKENS, /* share of tokens by squared norm of the last hidden state, in means */
} NsPaperKind;

/* What a claim is about: of every seed, which is one of weights and of data, one number, told as
 * mean and standard error. */
typedef enum {
    NS_CLAIM_SLOPE,  /* GRID: of log y over log L, least squares */
    NS_CLAIM_GROWTH, /* LAYER: of y over l, least squares through the first state, in units of d */
    NS_CLAIM_SPREAD, /* LAYER: largest |y_l / y_1 - 1| */
    NS_CLAIM_RATIO,  /* LAYER: of the last layer to the first */
    NS_CLAIM_UPPER,  /* LAYER: of the last layer to that in the middle */
    NS_CLAIM_END,    /* STEP, GRID: the last point less that of arm `other`, of training losses at
                      * every step the mean of ten; infinite where only one of the two diverged */
    NS_CLAIM_FACTOR, /* GRID, LAYER: the last point over that of arm `other` */
    NS_CLAIM_LAST,   /* STEP, GRID, LAYER: the last point */
    NS_CLAIM_SOONER, /* STEP: share of the steps after which it is where arm `other` ends */
    NS_CLAIM_GAIN,   /* STEP: the last point less the first */
    NS_CLAIM_REACH,  /* GRID: the last value up to which every point is at most 0.2 worse than the
                      * first; 0 where the first has diverged */
    NS_CLAIM_BEND,   /* LAYER: growth over the upper half of the layers to that over the lower */
    NS_CLAIM_BEYOND, /* TOKENS: share above 1.1 means, from above: the whole bin counts */
} NsClaimKind;

typedef struct {
    const char *label;
    NsClaimKind kind;
    unsigned arm, other; /* curves, see ns_paper_curves */
    double expected;     /* NaN where only a range is claimed */
    double lo, hi;       /* the tolerance: within which it agrees */
    unsigned result;     /* which of the study's it is about */
} NsClaim;

typedef struct {
    const char *label, *settings; /* "placement=pre" */
    const char *paper;            /* as of NsPaperStudy, or NULL */
} NsPaperArm;

typedef struct {
    NsChoice choice;        /* key, title, -, figure of the paper, what it shows */
    const char *says;       /* what the paper says, one sentence */
    const char *holds;      /* where: at initialization in expectation, or by experience */
    const char *settings;   /* of all arms, "layers=12 steps=0" */
    const char *grid;       /* "layers=2,4,8"; NULL for none */
    const char *result;     /* the section of the study, lines of "key = value", and others */
    const char *paper;      /* settings in place of these at the paper's own scale; NULL for none */
    const char *paper_grid; /* the same; NULL where it is no other */
    bool large;             /* it has these settings */
    NsPaperArm arms[NS_PAPER_ARMS];
    unsigned n_arms;
    unsigned seeds;
    NsClaim claims[NS_PAPER_CLAIMS];
    unsigned n_claims;
} NsPaperStudy;

const NsPaperStudy *ns_paper_study(size_t i); /* NULL past the end */
const NsChoice *ns_paper_choice(size_t i);

/* The row with the sizes of the paper's own experiment, as far as it names them. */
NsPaperStudy ns_paper_at_its_scale(const NsPaperStudy *row);

/* The row as a study; `study` is not initialized.  FALSE with NS_ERROR_SETTING where the row makes
 * no sense, which those of the table do. */
bool ns_paper_make(const NsPaperStudy *row, NsStudy *study, GError **error);

NsPaperKind ns_paper_kind_of(const NsStudy *study);

/* Curves of each of a study's results, the arms in each configuration one after another: but for
 * GRID, every configuration has its own. */
size_t ns_paper_curves(const NsStudy *study);

/* "Post-LN", or where an arm has several "Post-LN, lr=0.001". */
const char *ns_paper_curve_label(const NsPaperStudy *row, const NsStudy *study, size_t curve);

/* Points of a curve, and what is at them on the horizontal axis: x is [n]. */
size_t ns_paper_points(const NsStudy *study);
void ns_paper_abscissae(const NsStudy *study, double *x, size_t n);

typedef struct {
    const char *label; /* of the study */
    unsigned result;   /* of the study's, which it shows */
    bool theory;       /* computed, not measured */
    size_t n;
    double *x, *y;
    double *lo, *hi; /* mean - and + standard deviation over seeds; NULL for one seed */
    size_t seeds;    /* that y is the mean of; 0 of theory */
    double *singles; /* [seeds, n] each */
} NsPaperSeries;

/* What the confidence interval of a measured mean says of a claim: it lies within the tolerance,
 * beyond it, or across one of its ends. */
typedef enum { NS_VERDICT_AGREES, NS_VERDICT_UNDECIDED, NS_VERDICT_DISAGREES } NsVerdict;

typedef struct {
    const NsClaim *claim;
    double value, error; /* mean over seeds, standard error of it (0 for one seed) */
    double reach;        /* half of the 95% confidence interval of the mean (Student's t) */
    NsVerdict verdict;
} NsFinding;

#define NS_PAPER_SERIES (NS_PAPER_CURVES * NS_RESULTS_MAX + 2 * NS_PAPER_CLAIMS)

/* Whoever keeps one has a reference; nobody writes to it. */
typedef struct {
    gatomicrefcount refs;
    const NsPaperStudy *study; /* borrowed */
    NsPaperSeries series[NS_PAPER_SERIES];
    size_t n_series;
    NsFinding findings[NS_PAPER_CLAIMS];
    size_t n_findings;
    NsVerdict verdict; /* of all: it agrees where each does, and disagrees where one does */
    double seconds;    /* of all runs together */
} NsPaperResult;

/* What the cells of a row's study have found, which may have been changed since (--set, --seeds).
 * NULL with NS_ERROR_SETTING where one failed, or without an error where some have not ended. */
NsPaperResult *ns_paper_result_new(const NsPaperStudy *row, NsStudyWork *work, GError **error);
NsPaperResult *ns_paper_result_ref(NsPaperResult *result);
void ns_paper_result_unref(NsPaperResult *result);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsPaperResult, ns_paper_result_unref)

/* The curves that the claims of a study predict, without any finding: their shape, as if what is
 * measured were 1 at the first point.  Some claims predict a number alone. */
NsPaperResult *ns_paper_expected(const NsPaperStudy *study);

/* Seconds that the study will take on this machine with so many threads, from making the last model
 * of every arm once and, where it trains, a few steps of it.  Negative where that failed. */
double ns_paper_seconds(const NsPaperStudy *study, unsigned jobs);

/* Undecided where there is no value. */
NsVerdict ns_claim_verdict(const NsClaim *claim, double value, double reach);

/* "agrees", "disagrees", "undecided": in JSON, and untranslated. */
const char *ns_verdict_word(NsVerdict verdict);

/* "log-log slope of Pre-LN −0.51 ± 0.02 (95%), expected −0.5 (−0.65 to −0.35): agrees".  Free with
 * g_free.
 */
char *ns_finding_words(const NsFinding *finding);

/* "log-log slope of Pre-LN: expected −0.5 (−0.65 to −0.35)".  Free with g_free. */
char *ns_claim_words(const NsClaim *claim);

/* What its figure says of where it comes from: its name, and the settings of the first arm of the
 * study that was made of it; `provenance` is not initialized. */
void ns_paper_provenance(const NsPaperStudy *row, const NsStudy *study, NsProvenance *provenance);

/* {"study", "title", "reference", "says", "holds", "verdict", "agrees", "seconds", "findings":
 * [{"label", "value", "error", "reach", "expected" (or null), "range": [lo, hi] (null: open),
 * "verdict", "agrees", "quantity"}], "series":
 * [{"label", "quantity", "theory", "x", "y", "lo", "hi", "seeds"}], "program", "instructions"}.
 * "quantity" is the key of the result that it is about.  Free with g_free. */
char *ns_paper_json(const NsPaperResult *result);
