/* Figures of papers as experiments that test whether their claims hold here.
 * SPDX-License-Identifier: MIT
 *
 * A row of the table is a study (core/study/study.h), whose lanes are the arms, together with the
 * expected result.  It runs like any other study; the results of its cells are curves and findings.
 * A finding is a number with its error and the range that the paper's claim allows. */
#pragma once

#include "core/experiment/provenance.h"
#include "core/study/study_work.h"

#define NS_PAPER_ARMS 4
#define NS_PAPER_CURVES 8
#define NS_PAPER_CLAIMS 6
#define NS_PAPER_DESK_SEEDS 3

/* The quantity on the horizontal axis, which follows from the result of the study. */
typedef enum {
    NS_PAPER_GRID,   /* the result over the values of the only setting in the grid */
    NS_PAPER_LAYER,  /* the quantity in every layer */
    NS_PAPER_STEP,   /* the result at every step, or at every evaluation */
    NS_PAPER_TOKENS, /* distribution over tokens of the squared norm of the last hidden state, in
                      * units of its mean */
} NsPaperKind;

/* The number that a claim is about, computed for every seed (of weights and data). */
typedef enum {
    NS_CLAIM_SLOPE,  /* GRID: slope of log y over log L, least squares */
    NS_CLAIM_GROWTH, /* LAYER: slope of y over l, least squares through the first state, in d */
    NS_CLAIM_SPREAD, /* LAYER: largest |y_l / y_1 - 1| */
    NS_CLAIM_RATIO,  /* LAYER, STEP: ratio of the last layer or point to the first */
    NS_CLAIM_UPPER,  /* LAYER: ratio of the last layer to the middle one */
    NS_CLAIM_END,    /* STEP, GRID: the last point minus that of arm `other`; for training losses at
                      * every step, the mean of ten; infinite if only one of the two diverged */
    NS_CLAIM_FACTOR, /* GRID, LAYER: the last point divided by that of arm `other` */
    NS_CLAIM_EVERY,  /* LAYER: the largest ratio over the layers to arm `other` */
    NS_CLAIM_TREND,  /* LAYER: ratio of the last layer to the first on the exponential that fits all
                      * layers, by least squares of log y */
    NS_CLAIM_EVEN,   /* LAYER: ratio of the largest layer to the smallest */
    NS_CLAIM_LAST,   /* STEP, GRID, LAYER: the last point */
    NS_CLAIM_SOONER, /* STEP: fraction of the steps needed to reach the final value of `other` */
    NS_CLAIM_GAIN,   /* STEP: the last point minus the first */
    NS_CLAIM_REACH,  /* GRID: the last value up to which no point is more than 0.2 worse than the
                      * first; 0 if the first has diverged */
    NS_CLAIM_BEND,   /* LAYER: ratio of the growth in the upper half of the layers to the lower */
    NS_CLAIM_BEYOND, /* TOKENS: fraction above 1.1 times the mean; that bin counts completely */
    NS_CLAIM_MOST,   /* STEP: the largest point */
} NsClaimKind;

/* The layers that a claim of LAYER is about. */
typedef enum { NS_CLAIM_ALL, NS_CLAIM_ENCODER, NS_CLAIM_DECODER } NsClaimStack;

typedef struct {
    const char *label;
    NsClaimKind kind;
    unsigned arm, other; /* indices of curves, see ns_paper_curves */
    double expected;     /* NaN if only a range is claimed */
    double lo, hi;       /* the tolerance: the range in which a value agrees */
    unsigned result;     /* index of the study's result that it is about */
    NsClaimStack stack;
    bool certain; /* true by construction of the model: shown, not counted */
} NsClaim;

typedef struct {
    const char *label, *settings; /* "placement=pre" */
    const char *paper, *desk;     /* see NsPaperStudy; or NULL */
    unsigned
        like; /* 1 + the index of the arm whose color it has, with a dash of its own; 0: none */
} NsPaperArm;

/* The sizes of a study: small ones for minutes, those of a data set for a night at a desk, and
 * those of the paper. */
typedef enum { NS_PAPER_SMALL, NS_PAPER_DESK, NS_PAPER_LARGE } NsPaperScale;

typedef struct {
    NsChoice choice;        /* key, title, NULL, figure of the paper, description */
    const char *says;       /* the statement of the paper, one sentence */
    const char *holds;      /* conditions: at initialization in expectation, or empirical */
    const char *settings;   /* settings of all arms, "layers=12 steps=0" */
    const char *grid;       /* "layers=2,4,8"; NULL for none */
    const char *result;     /* the section [result] of the study, and optionally further ones */
    const char *paper;      /* settings that replace these at the paper's original scale; or NULL */
    const char *paper_grid; /* the same for the grid; NULL if it does not change */
    const char *desk, *desk_grid;   /* the same for real sentence pairs at a desk */
    NsPaperScale scale;             /* of the settings */
    NsPaperArm arms[NS_PAPER_ARMS]; /* up to the first without a label */
    unsigned seeds;
    unsigned fixing; /* the day on which its claims were fixed, see ns_paper_fixing */
    NsClaim claims[NS_PAPER_CLAIMS]; /* [ns_study_cells] */
} NsPaperStudy;

const NsPaperStudy *ns_paper_study(size_t i); /* NULL past the end */
const NsChoice *ns_paper_choice(size_t i);

/* How many arms and claims a row has. */
unsigned ns_paper_arms(const NsPaperStudy *row);
unsigned ns_paper_claims(const NsPaperStudy *row);

/* The row with the sizes of a scale; as it is if the table has none. */
NsPaperStudy ns_paper_at_scale(const NsPaperStudy *row, NsPaperScale scale);

/* The key of a scale, "small", "desk" or "paper"; NULL past the last. */
const char *ns_paper_scale_key(unsigned scale);

/* ---- Claims fixed before the seeds that judge them ---- */

/* A day on which claims, tolerances, seeds and steps of rows were fixed, and the hash that they
 * had: SHA-256 of the texts of these rows, in hexadecimal. */
typedef struct {
    const char *day, *hash;
} NsPaperFixing;

#define NS_PAPER_FIXINGS 3
const NsPaperFixing *ns_paper_fixing(unsigned i); /* i < NS_PAPER_FIXINGS */

/* The hash that the rows of a fixing have now.  Free with g_free. */
char *ns_paper_fixing_hash(unsigned i);

/* The first of the seeds that no run had used before. */
#define NS_PAPER_FRESH 1001

/* The fixed part of a row, as text: settings, grid, results, seeds, arms and claims.  Free with
 * g_free. */
char *ns_paper_claims_text(const NsPaperStudy *row);

/* States of which seeds a study is, and whether its claims were fixed before: “claims fixed on
 * 2026-11-26, seeds 1001 to 1005 not seen before”; untranslated.  Free with g_free. */
char *ns_paper_seeds_words(const NsPaperStudy *row, const NsStudy *study);

/* The changes that were made after first results had been seen: one paragraph, untranslated. */
const char *ns_paper_history(void);

/* Makes a study from a row; `study` need not be initialized.  Returns false with NS_ERROR_SETTING
 * if the row is invalid, which cannot happen for rows of the table. */
bool ns_paper_make(const NsPaperStudy *row, NsStudy *study, GError **error);

NsPaperKind ns_paper_kind_of(const NsStudy *study);

/* The number of curves for each result of a study.  For GRID it is the number of arms; otherwise
 * every configuration has a curve for each arm, and the arms of a configuration are adjacent. */
size_t ns_paper_curves(const NsStudy *study);

/* The label of a curve: "Post-LN", or "Post-LN, lr=0.001" if the arm has several curves. */
const char *ns_paper_curve_label(const NsPaperStudy *row, const NsStudy *study, size_t curve);

/* The number of points of a curve, and their positions on the horizontal axis, x: [n]. */
size_t ns_paper_points(const NsStudy *study);
void ns_paper_abscissae(const NsStudy *study, double *x, size_t n);

typedef struct {
    const char *label; /* of the curve */
    unsigned result;   /* index of the study's result */
    bool theory;       /* predicted, not measured */
    size_t n;
    double *x, *y;
    double *lo, *hi; /* the 16% and 84% quantiles over seeds; NULL for one seed */
    size_t seeds;    /* number of seeds in the mean y; 0 for theory */
    size_t diverged; /* number of seeds of which a run diverged; the mean ends at the first */
    double *singles; /* [seeds, n] the values of each seed */
    size_t curve;    /* index of the curve, see ns_paper_curves */
} NsPaperSeries;

/* Where the confidence interval of a measured value is: within the tolerance (agrees), outside
 * (disagrees), or across one of its ends (undecided).  None if there is no interval. */
typedef enum {
    NS_VERDICT_AGREES,
    NS_VERDICT_UNDECIDED,
    NS_VERDICT_NONE,
    NS_VERDICT_DISAGREES,
    NS_VERDICTS
} NsVerdict;

/* The number that stands for all seeds, with its 95% confidence interval: the mean with Student's
 * interval, for ratios the geometric mean with that of the logarithms.  If runs diverged, or if the
 * value is a position in the grid, only ranks are known: the median with the interval between two
 * order statistics, which needs six seeds.  A difference to a diverged run is infinite; one of two
 * diverged runs, or a ratio to one, may have any rank. */
typedef enum { NS_VALUE_MEAN, NS_VALUE_GEOMETRIC, NS_VALUE_MEDIAN } NsValueKind;

typedef struct {
    const NsClaim *claim;
    double value;  /* NaN if not known */
    double error;  /* standard error; NaN for a median or one seed */
    double lo, hi; /* the 95% confidence interval; NaN if there is none */
    NsValueKind kind;
    size_t seeds, diverged; /* number of seeds, and of those without a finite value */
    bool counted;           /* it counts for the verdict of the study */
    const char *reason;     /* why there is no verdict, untranslated; NULL if there is one */
    NsVerdict verdict;
} NsFinding;

#define NS_PAPER_SERIES (NS_PAPER_CURVES * NS_RESULTS_MAX + 2 * NS_PAPER_CLAIMS)

/* Reference-counted and immutable. */
typedef struct {
    gatomicrefcount refs;
    const NsPaperStudy *study; /* borrowed */
    NsPaperSeries series[NS_PAPER_SERIES];
    size_t n_series;
    NsFinding findings[NS_PAPER_CLAIMS];
    size_t n_findings;
    NsVerdict verdict;   /* of the study: agrees if all findings that count agree, disagrees if any
                          * disagrees, none if one has none */
    double seconds;      /* total time of all runs */
    char *claims;        /* see ns_paper_seeds_words */
    char *day;           /* on which it was measured, "2026-11-30" */
    int64_t seed, seeds; /* the first seed of weights or data, and the number of seeds */
} NsPaperResult;

/* Evaluates the cells of a row's study, whose settings may have been changed (--set, --seeds).
 * Returns NULL with NS_ERROR_SETTING if a cell failed, or without an error if some have not
 * ended. */
NsPaperResult *ns_paper_result_new(const NsPaperStudy *row, NsStudyWork *work, GError **error);

/* A row's study with the fresh seeds.  `study` need not be initialized. */
void ns_paper_make_fresh(const NsPaperStudy *row, NsStudy *study);

/* The result in the report of this release, which judged the claims on the fresh seeds
 * (resources/studies/paper-report.jsonl); NULL if the report does not have the seeds and points of
 * the row. */
NsPaperResult *ns_paper_result_reported(const NsPaperStudy *row);

/* Stores a result of a row's study with its own seeds in a folder, which is created: in a file with
 * a line as in the report, beneath one that identifies what it was measured with and judged by.  It
 * replaces only a result of the same program, claims and settings.  NS_ERROR_FILE. */
bool ns_paper_result_save(const NsPaperResult *result, const char *folder, GError **error);

/* The stored result of a row's study; NULL if there is none, if it is damaged, or if this program,
 * the claims or the settings are not those with which it was stored. */
NsPaperResult *ns_paper_result_saved(const NsPaperStudy *row, const char *folder);

NsPaperResult *ns_paper_result_ref(NsPaperResult *result);
void ns_paper_result_unref(NsPaperResult *result);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsPaperResult, ns_paper_result_unref)

/* The curves that the claims of a study predict, without findings.  Only their shape counts: the
 * first point is 1.  Some claims predict a single number and have no curve. */
NsPaperResult *ns_paper_expected(const NsPaperStudy *study);

/* Estimates the seconds that a study will take on this machine with this number of threads, by
 * creating the last model of every arm once and, if it trains, timing a few steps.  Negative on
 * failure. */
double ns_paper_seconds(const NsPaperStudy *study, unsigned jobs);

/* The verdict for an interval; none if it is NaN. */
NsVerdict ns_claim_verdict(const NsClaim *claim, double lo, double hi);

/* "agrees", "disagrees", "undecided" or "no verdict", as in JSON; untranslated. */
const char *ns_verdict_word(NsVerdict verdict);

/* The value of a finding: "−0.51 ± 0.02 (95%)", "median 2.31 (95%: 0.40 to ∞), diverged in 3 of 20
 * seeds", or "1.02"; without the level of the interval, "−0.51 ± 0.02".  Free with g_free. */
char *ns_finding_measured(const NsFinding *finding, bool level);

/* The verdict of a finding, translated; an undecided one states what its interval crosses:
 * "undecided: 0.10 to 0.62 crosses 0.3".  Free with g_free. */
char *ns_finding_verdict_words(const NsFinding *finding);

/* A finding as text: "log-log slope of Pre-LN −0.51 ± 0.02 (95%), expected −0.5 (−0.65 to −0.35):
 * agrees".  Free with g_free. */
char *ns_finding_words(const NsFinding *finding);

/* The range that a claim expects: "−0.5 (−0.65 to −0.35)", "above 0.3" or "1 to 2".  Free with
 * g_free. */
char *ns_claim_expected(const NsClaim *claim);

/* Fills in the provenance of the figure of a row: its key, and the settings of the first arm of
 * `study`, which was made from the row.  `provenance` need not be initialized. */
void ns_paper_provenance(const NsPaperStudy *row, const NsStudy *study, NsProvenance *provenance);

/* The result as JSON: {"study", "title", "reference", "says", "holds", "verdict", "agrees",
 * "claims": what ns_paper_seeds_words states, "day", "seconds", "findings": [{"label", "quantity":
 * the key of the result, "value", "mean": arithmetic, geometric or median, "error", "interval":
 * [lo, hi], "seeds", "diverged", "expected", "range": [lo, hi], "counted", "reason", "verdict",
 * "agrees"}], "series": [{"label", "quantity", "theory", "x", "y", "lo", "hi", "diverged",
 * "seeds"}], "program", "instructions"}.  null: unbounded or not known.  Free with g_free. */
char *ns_paper_json(const NsPaperResult *result);
