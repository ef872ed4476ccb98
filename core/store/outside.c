/* SPDX-License-Identifier: MIT
 *
 * Every lane gathers the lines of its newest step; when another step begins, or no more bytes are
 * there, they become a record.  Lines of earlier steps wait until all bytes have been read, and are
 * then put in their places in a new history. */
#include "core/store/outside.h"

#include "core/base/error.h"
#include "core/base/words.h"
#include "core/store/json.h"
#include "core/store/outside_columns-private.h"
#include "core/store/outside_input-private.h"
#include "core/store/outside_records-private.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Messages about single lines; further errors are only counted. */
#define MOST_NOTED 5

/* Bytes that are read at a time until they are known to be a log. */
#define SNIFFED ((size_t)1024)

/* Each restart copies everything read before it, so their number is limited. */
#define MOST_RESTARTS 100

/* Lines of earlier steps that wait for their places. */
#define MOST_LATE 65536

/* Names that a message lists. */
#define MOST_NAMES 16

/* Names of values that are not drawn, which are stored. */
#define MOST_LEFT_OUT 1024

/* Two writers that start within these times are processes of one run, in seconds. */
#define START_TOGETHER 60
#define WRITE_TOGETHER 10

typedef struct {
    NsOutsideRecords records;
    NsOutsideCell seed, process; /* the first ones; lines of others are left out */
    bool seeds_noted;
    size_t restarts;
    NsOutsideLine *open; /* the lines of the newest step so far, or NULL */
    GPtrArray *late;     /* NsOutsideLine: of steps before the newest */
    GPtrArray *waiting;  /* NsOutsideLine: of steps that have no loss yet, ascending */
    const NsOutsideName *loss, *validation; /* the names that are taken */
    int64_t batches; /* the step of which the validation is over some batches; -1: none */
    size_t owner;    /* the input that has the loss */
} Lane;

struct NsOutside {
    size_t budget;
    bool project;                  /* its runs have been named */
    guint names_seen;              /* number of names at the last ns_outside_recall */
    const NsOutsideInput *current; /* whose line is being placed */
    int64_t last;                  /* last step that is accepted */
    char *map;                     /* what columns mean, as in ns_outside_names_map */
    NsOutsideNames *names;
    GPtrArray *files; /* NsOutsideInput */
    Lane lanes[NS_LANES_MAX];
    GQueue messages;
    GQueue held; /* messages about lines without a loss, while no name is that of a loss */
    struct {
        size_t wrong, noted;     /* lines that cannot be read, and messages about lines */
        size_t left_out, second; /* values that are not drawn, or came a second time */
        size_t summaries;        /* means of the whole run */
        size_t of_processes;     /* lines of other processes */
        size_t reported;         /* the sum of the last four when it was reported */
        guint runs;              /* their number when it was reported */
        bool nothing_reported;   /* it is reported that there is no record */
    } counts;
    GHashTable *left_out; /* a set of names of values that are not drawn */
};

/* ---- Life cycle ---- */

void ns_outside_report(NsOutside *o, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_queue_push_tail(&o->messages, g_strdup_vprintf(format, arguments));
    va_end(arguments);
}

static void begin(NsOutside *o)
{
    for (size_t i = 0; i < NS_LANES_MAX; i++) {
        Lane *lane = &o->lanes[i];
        *lane = (Lane){.batches = -1};
        ns_outside_records_init(&lane->records, o->budget, o);
        lane->late = g_ptr_array_new_with_free_func((GDestroyNotify)ns_outside_line_free);
        lane->waiting = g_ptr_array_new_with_free_func((GDestroyNotify)ns_outside_line_free);
    }
    o->names = ns_outside_names_new();
    ns_outside_names_map(o->names, o->map, NULL);
    o->files = g_ptr_array_new_with_free_func((GDestroyNotify)ns_outside_input_free);
    o->left_out = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
}

static void clear(NsOutside *o)
{
    for (size_t i = 0; i < NS_LANES_MAX; i++) {
        Lane *lane = &o->lanes[i];
        ns_outside_records_clear(&lane->records);
        ns_outside_line_free(lane->open);
        g_ptr_array_unref(lane->late);
        g_ptr_array_unref(lane->waiting);
    }
    g_ptr_array_unref(o->files);
    ns_outside_names_free(o->names);
    g_hash_table_unref(o->left_out);
}

void ns_outside_begin_again(NsOutside *o)
{
    clear(o);
    g_queue_clear_full(&o->held, g_free);
    o->project = false;
    memset(&o->counts, 0, sizeof o->counts);
    begin(o);
}

NsOutside *ns_outside_new(size_t budget)
{
    NsOutside *o = g_new0(NsOutside, 1);
    o->budget = budget;
    o->last = G_MAXINT64;
    o->map = g_strdup(ns_outside_map_given() ? ns_outside_map_given() : "");
    g_queue_init(&o->messages);
    g_queue_init(&o->held);
    begin(o);
    return o;
}

void ns_outside_free(NsOutside *o)
{
    if (!o) return;
    clear(o);
    g_free(o->map);
    g_queue_clear_full(&o->messages, g_free);
    g_queue_clear_full(&o->held, g_free);
    g_free(o);
}

size_t ns_outside_lanes(const NsOutside *o)
{
    size_t n = NS_LANES_MAX;
    while (n && !o->lanes[n - 1].records.history) n--;
    return n;
}

const char *ns_outside_lane_name(const NsOutside *o, size_t lane)
{
    const GPtrArray *runs = o->names->runs;
    return (o->project || ns_outside_lanes(o) > 1) && lane < runs->len ? runs->pdata[lane] : NULL;
}

size_t ns_outside_name_run(NsOutside *o, const char *name)
{
    o->project = true;
    return ns_outside_names_run(o->names, name);
}

void ns_outside_map(NsOutside *o, const char *text)
{
    char *map = g_strdup(text);
    g_free(o->map);
    o->map = map;
    g_queue_clear_full(&o->messages, g_free);
    ns_outside_begin_again(o);
}

NsHistory *ns_outside_history(const NsOutside *o, size_t lane)
{
    return o->lanes[lane].records.history;
}

void ns_outside_end_with(NsOutside *o, int64_t step)
{
    o->last = step;
}

size_t ns_outside_lines(const NsOutside *o)
{
    size_t lines = 0;
    for (guint i = 0; i < o->files->len; i++)
        lines += ((const NsOutsideInput *)o->files->pdata[i])->lines;
    return lines;
}

size_t ns_outside_wrong_lines(const NsOutside *o)
{
    return o->counts.wrong;
}

GPtrArray *ns_outside_settings(const NsOutside *o)
{
    GPtrArray *all = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < o->files->len; i++) {
        const NsOutsideEvents *events = ((const NsOutsideInput *)o->files->pdata[i])->events;
        for (guint k = 0; events && k < events->settings->len; k++)
            g_ptr_array_add(all, g_strdup(events->settings->pdata[k]));
    }
    return all;
}

char *ns_outside_take_message(NsOutside *o)
{
    return g_queue_pop_head(&o->messages);
}

/* ---- Messages ---- */

/* Queues a message about a line; those after the first few are not queued. */
static void note(NsOutside *o, const char *message)
{
    if (o->counts.noted++ < MOST_NOTED) ns_outside_report(o, "%s", message);
    if (o->counts.noted == MOST_NOTED)
        ns_outside_report(o, "%s", _("Further errors are only counted."));
}

/* “Line 3: ...” about the line that is being placed. */
static char *at_line(const NsOutside *o, const char *sentence)
{
    const NsOutsideInput *input = o->current;
    return g_strdup_printf(input->events ? _("Event %zu: %s") : _("Line %zu: %s"), input->lines,
                           sentence);
}

void ns_outside_note(NsOutside *o, const char *sentence)
{
    g_autofree char *message = at_line(o, sentence);
    note(o, message);
}

/* Once a name is that of a loss, a line without one is itself wrong. */
static void note_held(NsOutside *o)
{
    if (!o->held.length || !ns_outside_columns_have_loss(o->names)) return;
    for (char *message; (message = g_queue_pop_head(&o->held)); g_free(message)) note(o, message);
}

/* `missing`: the line has no step or no loss.  While no name is that of a loss, its name is what is
 * missing, and nothing is said of each line. */
static void skip_wrong(NsOutside *o, const char *why, bool missing)
{
    g_autofree char *sentence = g_strdup_printf(_("%s; it is skipped."), why);
    o->counts.wrong++;
    if (o->held.length < MOST_NOTED) note_held(o);
    if (missing && (o->held.length || !ns_outside_columns_have_loss(o->names))) {
        if (o->held.length < MOST_NOTED) g_queue_push_tail(&o->held, at_line(o, sentence));
    } else {
        ns_outside_note(o, sentence);
    }
}

void ns_outside_leave_out(NsOutside *o, const char *name)
{
    o->counts.left_out++;
    if (g_hash_table_size(o->left_out) < MOST_LEFT_OUT)
        g_hash_table_add(o->left_out, g_strdup(name));
}

/* Reports values and lines that are not shown, once.  Of a log without a record the names are
 * reported. */
static void report_counts(NsOutside *o)
{
    size_t values = o->counts.left_out, second = o->counts.second, lines = o->counts.of_processes;
    size_t all = values + o->counts.summaries + second + lines;
    const GPtrArray *runs = o->names->runs;
    if (runs->len > o->counts.runs && ns_outside_lanes(o) > 1) {
        g_autoptr(GString) shown = g_string_new(NULL);
        for (size_t i = 0; i < ns_outside_lanes(o); i++)
            if (o->lanes[i].records.history && ns_outside_lane_name(o, i))
                g_string_append_printf(shown, shown->len ? ", %s" : "%s",
                                       ns_outside_lane_name(o, i));
        ns_outside_report(o, _("The log has %u runs; shown are %s."), runs->len, shown->str);
        o->counts.runs = runs->len;
    }
    if (all == o->counts.reported || !ns_outside_lanes(o)) return;
    o->counts.reported = all;
    g_autoptr(GList) sorted = g_list_sort(g_hash_table_get_keys(o->left_out), (GCompareFunc)strcmp);
    g_autoptr(GString) names = g_string_new(NULL);
    size_t n = 0;
    for (const GList *at = sorted; at; at = at->next, n++)
        if (n < MOST_NAMES)
            g_string_append_printf(names, "%s%s", n ? ", " : "", (const char *)at->data);
    if (n > MOST_NAMES) g_string_append(names, ", …");
    if (values)
        ns_outside_report(
            o,
            ns_plural(
                "%zu value is not drawn (no curve for it, or no training loss at its step): %s.",
                "%zu values are not drawn (no curve for them, or no training loss at their "
                "steps): %s.",
                values),
            values, names->str);
    if (o->counts.summaries)
        ns_outside_report(
            o, "%s",
            _("The mean training loss of the whole run is not a point on the curve and is not "
              "drawn."));
    if (second)
        ns_outside_report(o,
                          ns_plural("%zu value was repeated at its step; the first is shown.",
                                    "%zu values were repeated at their steps; the first are shown.",
                                    second),
                          second);
    if (lines)
        ns_outside_report(o,
                          ns_plural("%zu line of another process is left out.",
                                    "%zu lines of other processes are left out.", lines),
                          lines);
}

/* ---- A step ---- */

/* The line that waits for the loss of a step; NULL if there is none.  *at is its place. */
static NsOutsideLine *find_waiting(const Lane *lane, int64_t step, guint *at)
{
    *at = lane->waiting->len;
    while (*at && ((NsOutsideLine *)lane->waiting->pdata[*at - 1])->step > step) (*at)--;
    NsOutsideLine *line = *at ? lane->waiting->pdata[*at - 1] : NULL;
    return line && line->step == step ? line : NULL;
}

static void leave_out_line(NsOutside *o, const NsOutsideLine *line)
{
    for (guint i = 0; i < line->arrays->len; i++)
        ns_outside_leave_out(o, g_array_index(line->arrays, NsOutsideArray, i).group->key);
    for (size_t i = NS_OUTSIDE_LR; i <= NS_OUTSIDE_GRAD_NORM; i++)
        if (line->scalars[i].name) ns_outside_leave_out(o, line->scalars[i].name->raw);
}

/* Keeps what a step without a loss has, until its loss comes.  Takes over the line. */
static void wait_for_loss(NsOutside *o, Lane *lane, NsOutsideLine *taken)
{
    guint at;
    g_autoptr(NsOutsideLine) line = taken;
    NsOutsideLine *there = find_waiting(lane, line->step, &at);
    bool any = line->arrays->len || line->scalars[NS_OUTSIDE_LR].name ||
               line->scalars[NS_OUTSIDE_GRAD_NORM].name;
    if (there) {
        ns_outside_line_merge(there, line);
    } else if (any) {
        g_ptr_array_insert(lane->waiting, (gint)at, g_steal_pointer(&line));
        if (lane->waiting->len <= MOST_LATE) return;
        leave_out_line(o, lane->waiting->pdata[0]);
        g_ptr_array_remove_index(lane->waiting, 0);
    }
}

/* Decides whether the loss of the line is that of the lane.  A better name replaces all records
 * under a worse one; a worse name keeps its own. */
static void choose_loss(NsOutside *o, Lane *lane, NsOutsideLine *line)
{
    NsOutsideCell *loss = &line->scalars[NS_OUTSIDE_LOSS];
    const NsOutsideName *taken = lane->loss;
    bool mean = line->summary && loss->name && loss->name->mean;
    if (mean) *loss = (NsOutsideCell){0};
    o->counts.summaries += mean;
    for (guint i = line->summary ? line->cells->len : 0; i-- > 0;) {
        if (!g_array_index(line->cells, NsOutsideCell, i).name->mean) continue;
        g_array_remove_index(line->cells, i);
        o->counts.summaries++;
    }
    if (!loss->name || loss->name == taken) return;
    if (!taken || loss->name->rank < taken->rank || taken == lane->validation) {
        size_t n = lane->records.history ? ns_history_steps(lane->records.history) : 0;
        if (taken && n) {
            ns_outside_report(
                o,
                ns_plural(
                    "%zu value of “%s” is replaced by “%s”, which is a better match for the loss.",
                    "%zu values of “%s” are replaced by “%s”, which is a better match for the "
                    "loss.",
                    n),
                n, taken->raw, loss->name->raw);
            /* Its evaluations stay. */
            lane->records.as_losses = false;
            g_clear_pointer(&lane->records.history, ns_history_unref);
        }
        bool plain = loss->name->rank < 2 || loss->name->mean;
        if (loss->name->perplexity)
            ns_outside_report(o, _("The logarithm of “%s” is shown as the training loss."),
                              loss->name->raw);
        else if (!plain)
            ns_outside_report(o, _("“%s” is shown as the training loss."), loss->name->raw);
        lane->loss = loss->name;
        return;
    }
    ns_outside_line_add(line, *loss);
    *loss = (NsOutsideCell){0};
}

static void choose_validation(NsOutside *o, Lane *lane, NsOutsideLine *line)
{
    NsOutsideCell *loss = &line->scalars[NS_OUTSIDE_VALIDATION];
    if (!loss->name) return;
    bool replace = lane->batches == line->step;
    if (!lane->validation) lane->validation = loss->name;
    if (lane->validation == loss->name || line->batches || replace) {
        lane->batches = line->batches ? line->step : -1;
        if (!ns_outside_records_evaluate(&lane->records, line->step, loss->value, replace) &&
            !line->again)
            o->counts.second++;
        return;
    }
    ns_outside_line_add(line, *loss);
    *loss = (NsOutsideCell){0};
}

/* A step with a loss that was already read begins the run again from there; returns false if it was
 * too often. */
static bool restart(NsOutside *o, Lane *lane, int64_t step)
{
    if (lane->restarts == MOST_RESTARTS) {
        skip_wrong(o,
                   _("its step is before the last one, and the run has been restarted too often"),
                   false);
        return false;
    }
    lane->restarts++;
    g_autofree char *what =
        g_strdup_printf(_("the run goes back to step %" PRId64 " after step %" PRId64
                          "; everything from there on is replaced."),
                        step, ns_outside_records_last(&lane->records));
    g_autofree char *message = at_line(o, what);
    ns_outside_report(o, "%s", message);
    ns_outside_records_cut(&lane->records, step);
    lane->records.steps.top = step;
    return true;
}

static void insert_late(Lane *lane)
{
    ns_outside_records_insert(&lane->records, lane->late);
    g_ptr_array_set_size(lane->late, 0);
}

/* Adds the lines of a step, which are complete. */
static void close_step(NsOutside *o, Lane *lane)
{
    g_autoptr(NsOutsideLine) line = g_steal_pointer(&lane->open);
    NsOutsideRecords *records = &lane->records;
    guint at;
    if (!line) return;
    choose_loss(o, lane, line);
    int64_t last = ns_outside_records_last(records);
    int64_t record = records->history ? ns_history_record(records->history, line->step) : -1;
    bool has = record >= 0 && ns_history_step(records->history, (size_t)record)->step == line->step;
    bool twice = has && line->scalars[NS_OUTSIDE_LOSS].name && !line->again;
    bool begins_again = twice && !line->repeats;
    o->counts.second += twice && line->repeats;
    if (begins_again) {
        insert_late(lane);
        if (!restart(o, lane, line->step)) return;
    }
    choose_validation(o, lane, line);
    ns_outside_line_gather(line);
    if (line->continuation) ns_outside_records_continue(records, line);
    if (line->scalars[NS_OUTSIDE_LOSS].name) {
        NsOutsideLine *waiting = find_waiting(lane, line->step, &at);
        if (waiting) {
            ns_outside_line_merge(line, waiting);
            g_ptr_array_remove_index(lane->waiting, at - 1);
        }
        if (line->step > last || begins_again) {
            ns_outside_records_append(records, line);
            return;
        }
    } else if (!has) {
        wait_for_loss(o, lane, g_steal_pointer(&line));
        return;
    }
    g_ptr_array_add(lane->late, g_steal_pointer(&line));
    if (lane->late->len == MOST_LATE) insert_late(lane);
}

static void close_all(NsOutside *o)
{
    for (size_t i = 0; i < NS_LANES_MAX; i++) {
        close_step(o, &o->lanes[i]);
        insert_late(&o->lanes[i]);
    }
}

/* Shows the validation loss of a log that has no other; a single one may come before training. */
static void show_validation(NsOutside *o, Lane *lane)
{
    if (lane->loss != (lane->records.history ? lane->validation : NULL)) return;
    const GArray *evaluations = lane->records.evaluations;
    if (evaluations->len < 2) return;
    lane->records.as_losses = true;
    if (!lane->loss)
        ns_outside_report(o, _("There is no training loss; “%s” is shown in its place."),
                          lane->validation->raw);
    for (guint i = 0; i < evaluations->len; i++) {
        const NsEvaluation *one = &g_array_index(evaluations, NsEvaluation, i);
        if (one->step <= ns_outside_records_last(&lane->records)) continue;
        lane->open = ns_outside_line_new();
        lane->open->step = one->step;
        lane->open->scalars[NS_OUTSIDE_LOSS] = (NsOutsideCell){lane->validation, one->loss};
        close_step(o, lane);
    }
}

/* Adds the line of a file to that of its step. */
static void join(NsOutside *o, Lane *lane, NsOutsideInput *file)
{
    NsOutsideLine *line = file->line, *open = lane->open;
    const NsOutsideName *loss = line->scalars[NS_OUTSIDE_LOSS].name;
    const NsOutsideName *validation = line->scalars[NS_OUTSIDE_VALIDATION].name;
    bool twice = loss && open->scalars[NS_OUTSIDE_LOSS].name == loss && !line->again;
    bool evaluated = validation && open->scalars[NS_OUTSIDE_VALIDATION].name == validation;
    if (twice && !line->repeats) {
        /* A run that continues from its newest step. */
        g_autofree char *what = g_strdup_printf(
            _("step %" PRId64 " comes again; its newer values are shown."), line->step);
        ns_outside_note(o, what);
        lane->open = line;
        file->line = open;
    } else if (!line->again && (twice || (evaluated && !open->batches))) {
        o->counts.second++;
    }
    ns_outside_line_merge(lane->open, file->line);
}

/* ---- Lines ---- */

/* Whether the number is another one than that of the first line. */
static bool differs(NsOutsideCell *first, const NsOutsideCell *scalar)
{
    if (!scalar->name) return false;
    if (!first->name) *first = *scalar;
    return scalar->value < first->value || scalar->value > first->value;
}

/* Whether two files are written at the same time, so that both are of one run of several
 * processes. */
static bool are_processes(const NsOutside *o, const Lane *lane, const NsOutsideInput *file,
                          int64_t step)
{
    const NsOutsideInput *owner = o->files->pdata[lane->owner];
    const NsOutsideEvents *first = owner->events, *events = file->events;
    if (!first || !events || !(first->first_time > 0) || !(events->first_time > 0)) return false;
    if (events->first_time < first->last_time) return true;
    bool from_start = lane->records.history && step <= ns_history_first_step(lane->records.history);
    bool others = file->writer && owner->writer && !g_str_equal(file->writer, owner->writer);
    return others && from_start && ABS(file->start - owner->start) <= START_TOGETHER &&
           events->first_time - first->last_time <= WRITE_TOGETHER;
}

/* Whether the file continues the lane, or is that of another process. */
static bool take_file(NsOutside *o, Lane *lane, NsOutsideInput *file, int64_t step)
{
    if (lane->records.steps.top < 0) lane->owner = file->number;
    NsOutsideInput *owner = o->files->pdata[lane->owner];
    if (owner == file) return true;
    /* The newest step of the owner, which has no end yet, comes before those of the file. */
    ns_outside_input_pause(owner);
    o->current = file;
    close_step(o, lane);
    file->left_out = are_processes(o, lane, file, step);
    if (file->left_out)
        ns_outside_report(o, _("“%s” and “%s” are written at the same time; the first is shown."),
                          owner->name, file->name);
    else
        lane->owner = file->number;
    return !file->left_out;
}

/* Takes one loss of several, while the lane has no whole one, and that of validation beside it. */
static void take_parts(const Lane *lane, NsOutsideLine *line)
{
    for (NsOutsideKind kind = NS_OUTSIDE_LOSS; kind <= NS_OUTSIDE_VALIDATION; kind++) {
        const NsOutsideName *own = line->scalars[NS_OUTSIDE_LOSS].name;
        const NsOutsideName *loss = lane->loss ? lane->loss : own;
        const NsOutsideCell *cell = ns_outside_line_part(line, kind);
        if (!cell || line->scalars[kind].name || (loss ? !loss->part : kind != NS_OUTSIDE_LOSS))
            continue;
        line->scalars[kind] = *cell;
        if (cell->name->perplexity) line->scalars[kind].value = log(cell->value);
        g_array_remove_index(
            line->cells, (guint)(cell - (const NsOutsideCell *)(const void *)line->cells->data));
    }
}

void ns_outside_take_line(NsOutsideInput *file)
{
    NsOutside *o = file->owner;
    NsOutsideLine *line = file->line;
    o->current = file;
    if (file->lane) line->lane = file->lane;
    if (line->lane > NS_LANES_MAX) return; /* the number of runs is reported */
    Lane *lane = &o->lanes[line->lane - 1];
    o->counts.second += line->repeated;
    take_parts(lane, line);
    if (differs(&lane->seed, &line->scalars[NS_OUTSIDE_SEED])) {
        if (!lane->seeds_noted)
            ns_outside_report(o,
                              _("The run has several seeds; only the first, seed %.0f, is shown."),
                              lane->seed.value);
        lane->seeds_noted = true;
        return;
    }
    bool loss = line->scalars[NS_OUTSIDE_LOSS].name;
    if (file->left_out || differs(&lane->process, &line->scalars[NS_OUTSIDE_PROCESS]) ||
        (file->name && loss && line->step >= 0 && !line->again &&
         !take_file(o, lane, file, line->step))) {
        o->counts.of_processes++;
        return;
    }
    if (!ns_outside_steps_find(&lane->records.steps, line, lane->open)) {
        skip_wrong(o, _("it has no step"), true);
        return;
    }
    if (line->step > o->last) return;
    if (lane->open && lane->open->step == line->step) {
        join(o, lane, file);
        return;
    }
    close_step(o, lane);
    lane->open = line;
    file->line = ns_outside_line_new();
}

void ns_outside_skip_line(NsOutsideInput *file, const char *why)
{
    file->owner->current = file;
    skip_wrong(file->owner, _(why), why == ns_outside_line_check(file->line));
}

/* ---- Files ---- */

void ns_outside_add_file(NsOutside *o, const char *name, const char *prefix, size_t lane,
                         bool table)
{
    NsOutsideInput *file = ns_outside_input_new(o->names, prefix, o);
    file->number = o->files->len;
    file->lane = lane;
    file->expects_table = table;
    file->name = g_strdup(name);
    /* “events.out.tfevents.TIME.HOST.PROCESS.NUMBER” */
    const char *time = name ? strstr(name, "tfevents.") : NULL;
    char *end;
    if (time) {
        file->start = g_ascii_strtoll(time + strlen("tfevents."), &end, 10);
        file->writer = g_strdup(end);
    }
    g_ptr_array_add(o->files, file);
}

static NsOutsideInput *file_at(NsOutside *o, size_t i)
{
    if (i == o->files->len) ns_outside_add_file(o, NULL, NULL, 0, false);
    return o->files->pdata[i];
}

void ns_outside_feed_file(NsOutside *o, size_t i, const char *bytes, size_t n)
{
    ns_outside_input_feed(file_at(o, i), bytes, n);
    close_all(o);
}

void ns_outside_feed(NsOutside *o, const char *bytes, size_t n)
{
    ns_outside_feed_file(o, 0, bytes, n);
}

bool ns_outside_pause(NsOutside *o)
{
    bool any = false;
    for (guint i = 0; i < o->files->len; i++) any |= ns_outside_input_pause(o->files->pdata[i]);
    close_all(o);
    for (size_t i = 0; i < NS_LANES_MAX; i++) show_validation(o, &o->lanes[i]);
    note_held(o);
    report_counts(o);
    g_autofree char *names = ns_outside_lanes(o) ? NULL : ns_outside_columns_words(o->names);
    if (names && *names && !o->counts.nothing_reported) {
        ns_outside_report(o, _("There is no step with a training loss yet; the names are: %s."),
                          names);
        o->counts.nothing_reported = true;
    }
    return any;
}

bool ns_outside_is_partial(const NsOutside *o)
{
    bool partial = false;
    for (guint i = 0; i < o->files->len; i++) {
        const NsOutsideEvents *e = ((const NsOutsideInput *)o->files->pdata[i])->events;
        partial |= e && e->step->again && (e->left_out || e->at < e->bytes->len);
    }
    return partial;
}

void ns_outside_end(NsOutside *o)
{
    file_at(o, 0);
    for (guint i = 0; i < o->files->len; i++) ns_outside_input_end(o->files->pdata[i]);
    close_all(o);
    for (size_t i = 0; i < NS_LANES_MAX; i++) {
        Lane *lane = &o->lanes[i];
        show_validation(o, lane);
        for (guint k = 0; k < lane->waiting->len; k++) leave_out_line(o, lane->waiting->pdata[k]);
        g_ptr_array_set_size(lane->waiting, 0);
    }
    note_held(o);
    report_counts(o);
    const char *missing = ns_outside_map_given() ? ns_outside_names_missing(o->names) : NULL;
    g_autofree char *names = ns_outside_columns_words(o->names);
    if (missing && ns_outside_lanes(o))
        ns_outside_report(o, _("There is no column “%s”; there are %s."), missing, names);
}

bool ns_outside_may_be_mapped(const NsOutside *o)
{
    return ns_outside_columns_may_be_mapped(o->names);
}

bool ns_outside_has_loss(const NsOutside *o)
{
    bool step = false;
    for (guint i = 0; i < o->names->list->len; i++) {
        const NsOutsideName *name = o->names->list->pdata[i];
        step |= name->use->listed && name->kind <= NS_OUTSIDE_EPOCH;
    }
    return step && ns_outside_columns_have_loss(o->names);
}

NsOutsideReading *ns_outside_reading(const NsOutside *o)
{
    const NsOutsideName *taken[3 * NS_LANES_MAX];
    size_t n = 0;
    for (size_t i = 0; i < NS_LANES_MAX; i++) {
        if (o->lanes[i].loss) taken[n++] = o->lanes[i].loss;
        if (o->lanes[i].validation) taken[n++] = o->lanes[i].validation;
        if (o->lanes[i].records.steps.tokens) taken[n++] = o->lanes[i].records.steps.tokens;
    }
    NsOutsideReading *reading = g_atomic_rc_box_new0(NsOutsideReading);
    reading->columns = ns_outside_columns(o->names, taken, n, o->left_out);
    reading->program = ns_outside_program(o->names);
    reading->format = o->project      ? _("trackio project")
                      : o->files->len ? ns_outside_input_format(o->files->pdata[0])
                                      : "";
    reading->map = g_strdup(o->map);
    reading->files = o->files->len;
    reading->lines = ns_outside_lines(o);
    reading->wrong = o->counts.wrong;
    return reading;
}

bool ns_outside_recall(NsOutside *o)
{
    const GPtrArray *names = o->names->list;
    if (ns_outside_map_given() || *o->map || o->names_seen == names->len) return false;
    o->names_seen = names->len;
    g_autofree char *map = ns_outside_columns_recall(o->names);
    if (!map) return false;
    ns_outside_map(o, map);
    ns_outside_report(o, _("Its columns are read as chosen before: %s."), map);
    return true;
}

bool ns_outside_remember(const NsOutside *o, const char *map, GError **error)
{
    if (!map && (!ns_outside_map_given() || (*o->map && !ns_outside_lanes(o)))) return true;
    return ns_outside_columns_remember(o->names, map ? map : o->map, error);
}

bool ns_outside_refuse_empty(const NsOutside *o, const char *name, bool limited, GError **error)
{
    return ns_outside_columns_refuse(o->names, name, limited, error);
}

bool ns_outside_are(const char *bytes, size_t n)
{
    g_autoptr(NsOutside) o = ns_outside_new(1 << 16);
    const NsOutsideInput *file = file_at(o, 0);
    for (size_t at = 0; at < n; at += SNIFFED) {
        ns_outside_feed(o, bytes + at, MIN(SNIFFED, n - at));
        if (ns_outside_input_is_log(file, false)) return true;
    }
    ns_outside_end(o);
    return ns_outside_input_is_log(file, true);
}
