/* SPDX-License-Identifier: MIT */
#include "core/store/outside.h"

#include "core/base/words.h"
#include "core/store/json.h"
#include "core/store/outside_events-private.h"
#include "core/store/outside_line-private.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* No model has records with more values. */
#define WIDEST ((size_t)1 << 22)

/* Messages about single lines; further errors are only counted. */
#define MOST_TOLD 5

/* Each restart copies everything read before it, so their number is limited. */
#define MOST_RESTARTS 100

typedef struct {
    NsRecordLayout layout;
    NsHistory *history; /* NULL before the first record */
    NsValues values;    /* [layout.width] */
    bool has_hidden;    /* an array has determined the number of hidden states */
    bool has_seed;
    double seed; /* the first one; lines of other seeds are ignored */
    bool seeds_told;
    size_t restarts;
} Lane;

struct NsOutside {
    size_t budget;
    int64_t last;                   /* last step that is accepted */
    GHashTable *gradients, *others; /* from name to quantity plus 1 */
    bool known;                     /* whether the format has been detected */
    NsOutsideEvents *events;        /* NULL if the format is lines */
    GString *text;                  /* an incomplete line, or bytes before the format is known */
    bool passing;                   /* skipping the rest of a line that was too long */
    bool begun;                     /* the first line that is not empty has been read */
    char **columns, separator;      /* of a table; NULL if it is not one */
    NsOutsideLine *line;
    Lane lanes[NS_LANES_MAX];
    size_t lines, wrong, told;
    GPtrArray *names; /* of what was read before the first record */
    GQueue messages;
};

/* ---- Life cycle ---- */

NsOutside *ns_outside_new(size_t budget)
{
    NsOutside *o = g_new0(NsOutside, 1);
    o->budget = budget;
    o->last = G_MAXINT64;
    o->gradients = g_hash_table_new(g_str_hash, g_str_equal);
    o->others = g_hash_table_new(g_str_hash, g_str_equal);
    for (unsigned q = 0; q < NS_QUANTITY_COUNT; q++)
        g_hash_table_insert(q < NS_PARAMETER_COUNT ? o->gradients : o->others,
                            (gpointer)(guintptr)ns_json_quantity_key((NsQuantity)q),
                            GUINT_TO_POINTER(q + 1));
    o->text = g_string_new(NULL);
    o->line = ns_outside_line_new();
    o->names = g_ptr_array_new_with_free_func(g_free);
    g_queue_init(&o->messages);
    return o;
}

static void lane_clear(Lane *lane)
{
    g_clear_pointer(&lane->history, ns_history_unref);
    ns_values_free(&lane->values);
    *lane = (Lane){0};
}

size_t ns_outside_lanes(const NsOutside *o)
{
    size_t n = NS_LANES_MAX;
    while (n && !o->lanes[n - 1].history) n--;
    return n;
}

void ns_outside_begin_again(NsOutside *o)
{
    if (ns_outside_lanes(o))
        g_queue_push_tail(
            &o->messages,
            g_strdup(
                _("The file was replaced by another one; its run replaces the run read so far.")));
    for (size_t i = 0; i < NS_LANES_MAX; i++) lane_clear(&o->lanes[i]);
    g_string_truncate(o->text, 0);
    o->passing = o->begun = o->known = false;
    g_clear_pointer(&o->events, ns_outside_events_free);
    o->lines = o->wrong = o->told = 0;
    g_ptr_array_set_size(o->names, 0);
    g_clear_pointer(&o->columns, g_strfreev);
}

void ns_outside_free(NsOutside *o)
{
    if (!o) return;
    ns_outside_begin_again(o);
    g_hash_table_unref(o->gradients);
    g_hash_table_unref(o->others);
    g_string_free(o->text, TRUE);
    ns_outside_line_free(o->line);
    g_ptr_array_unref(o->names);
    g_queue_clear_full(&o->messages, g_free);
    g_free(o);
}

NsHistory *ns_outside_history(const NsOutside *o, size_t lane)
{
    return o->lanes[lane].history;
}

void ns_outside_end_with(NsOutside *o, int64_t step)
{
    o->last = step;
}

size_t ns_outside_lines(const NsOutside *o)
{
    return o->lines;
}

size_t ns_outside_wrong_lines(const NsOutside *o)
{
    return o->wrong;
}

char *ns_outside_take_message(NsOutside *o)
{
    return g_queue_pop_head(&o->messages);
}

/* ---- Names ---- */

static void note_name(NsOutside *o, const char *name, bool has)
{
    if (has) ns_outside_note_name(o->names, name);
}

/* Notes the names in the line as long as there is no record. */
static void note_names(NsOutside *o)
{
    const NsOutsideLine *line = o->line;
    if (ns_outside_lanes(o)) return;
    note_name(o, "step", line->step >= 0);
    note_name(o, "loss", line->loss.has);
    note_name(o, "validation_loss", line->validation.has);
    note_name(o, "lr", line->lr.has);
    note_name(o, "grad_norm", line->grad_norm.has);
    for (guint i = 0; i < line->arrays->len; i++)
        note_name(o, g_array_index(line->arrays, NsOutsideArray, i).name, true);
}

char *ns_outside_names(const NsOutside *o)
{
    const GPtrArray *names = o->events ? ns_outside_events_tags(o->events) : o->names;
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < names->len; i++)
        g_string_append_printf(text, "%s%s", i ? ", " : "", (char *)names->pdata[i]);
    return g_string_free(text, FALSE);
}

/* ---- Messages ---- */

/* Queues a message such as "Line 3: ...". */
static void tell_at(NsOutside *o, const char *what)
{
    g_queue_push_tail(&o->messages, o->events ? g_strdup_printf(_("Event %zu: %s"), o->lines, what)
                                              : g_strdup_printf(_("Line %zu: %s"), o->lines, what));
}

static void tell(NsOutside *o, const char *what)
{
    if (o->told++ < MOST_TOLD) tell_at(o, what);
    if (o->told == MOST_TOLD)
        g_queue_push_tail(&o->messages, g_strdup(_("Further errors are only counted.")));
}

static void leave_out(NsOutside *o, const char *why)
{
    g_autofree char *what = g_strdup_printf(_("%s; it is skipped."), why);
    o->wrong++;
    tell(o, what);
}

/* ---- The layout ---- */

static void set_count(NsRecordLayout *layout, NsQuantity quantity, size_t count)
{
    layout->count[quantity] = count;
    layout->width = 0;
    for (unsigned q = 0; q < NS_QUANTITY_ALL; q++) {
        layout->offset[q] = layout->width;
        layout->width += layout->count[q];
    }
}

/* Derives the size of the model from an array of this domain, if it is not known yet.  A model with
 * two stacks has two more hidden states than layers. */
static void learn_size(Lane *lane, NsDomain domain, const NsOutsideArray *array)
{
    NsRecordLayout *layout = &lane->layout;
    if (domain == NS_DOMAIN_HIDDEN && !lane->has_hidden) {
        bool fits =
            !layout->layers || array->n == layout->layers + 1 || array->n == layout->layers + 2;
        if (!fits || array->n < 2) return;
        layout->hidden = array->n;
        lane->has_hidden = true;
    } else if (domain == NS_DOMAIN_LAYER && !layout->layers) {
        bool fits =
            !lane->has_hidden || layout->hidden == array->n + 1 || layout->hidden == array->n + 2;
        if (fits) layout->layers = array->n;
    } else if (domain == NS_DOMAIN_HEAD && !layout->heads && array->inner) {
        if (!layout->layers) layout->layers = array->n / array->inner;
        layout->heads = array->inner;
    }
    if (layout->layers && !lane->has_hidden) layout->hidden = layout->layers + 1;
}

/* The quantity of an array; NS_QUANTITY_ALL if none fits.  A single number can only be a quantity
 * of the registry with one value per step. */
static NsQuantity find_quantity(const NsOutside *o, Lane *lane, const NsOutsideArray *array)
{
    GHashTable *names = array->gradient ? o->gradients : o->others;
    unsigned known = GPOINTER_TO_UINT(g_hash_table_lookup(names, array->name));
    if (known) {
        NsDomain domain = ns_quantity((NsQuantity)(known - 1))->domain;
        if (array->scalar != (domain == NS_DOMAIN_STEP)) return (NsQuantity)NS_QUANTITY_ALL;
        learn_size(lane, domain, array);
        bool nested = array->inner > 0;
        bool fits = array->n == ns_record_layout_count(&lane->layout, domain) &&
                    nested == (domain == NS_DOMAIN_HEAD) &&
                    (!nested || array->inner == lane->layout.heads);
        return fits ? (NsQuantity)(known - 1) : (NsQuantity)NS_QUANTITY_ALL;
    }
    if (array->inner || array->scalar) return (NsQuantity)NS_QUANTITY_ALL;
    if (!lane->layout.layers && !lane->has_hidden) learn_size(lane, NS_DOMAIN_LAYER, array);
    bool hidden = array->n == lane->layout.hidden;
    if (array->n != (hidden ? lane->layout.hidden : lane->layout.layers))
        return (NsQuantity)NS_QUANTITY_ALL;
    g_autofree char *key = g_strconcat(array->gradient ? "grad-" : "", array->name, NULL);
    return ns_quantity_name(key, hidden ? NS_DOMAIN_HIDDEN : NS_DOMAIN_LAYER);
}

/* ---- Copies ---- */

/* Copies what `from` has before a step into records of another layout.  For steps that share a
 * bucket, the maxima and the minima are written alternately, so that the new bucket has both
 * again. */
static NsHistory *copy_before(const NsHistory *from, const NsRecordLayout *layout, size_t budget,
                              int64_t before)
{
    NsHistory *to = ns_history_new(layout, budget, ns_history_first_step(from));
    const NsRecordLayout *old = ns_history_layout(from);
    size_t n = (size_t)(ns_history_record(from, before - 1) + 1);
    g_auto(NsValues) values = ns_values_new(layout->width);
    g_autofree float *max = g_new(float, MAX(old->width, 1));
    for (size_t i = 0; i < n; i++) {
        for (unsigned q = 0; q < NS_QUANTITY_ALL; q++) {
            size_t at = layout->offset[q];
            if (!old->count[q]) continue;
            ns_history_read(from, (NsQuantity)q, i, values.value + at, max, values.has + at);
            if (i % 2 == 0) memcpy(values.value + at, max, old->count[q] * sizeof *max);
        }
        ns_history_append(to, ns_history_step(from, i), values);
    }
    for (size_t i = 0; i < ns_history_evaluations(from); i++)
        if (ns_history_evaluation(from, i)->step < before)
            ns_history_append_evaluation(to, ns_history_evaluation(from, i));
    for (size_t i = 0; i < ns_history_events(from); i++)
        if (ns_history_event(from, i)->step < before)
            ns_history_append_event(to, ns_history_event(from, i));
    return to;
}

/* Gives the lane a new history of this layout, with its records before a step. */
static void renew(NsOutside *o, Lane *lane, const NsRecordLayout *layout, int64_t before)
{
    NsHistory *old = lane->history;
    bool none = !old || before <= ns_history_first_step(old);
    lane->history = none ? ns_history_new(layout, o->budget, before)
                         : copy_before(old, layout, o->budget, before);
    if (old) ns_history_unref(old);
    lane->layout = *layout;
    ns_values_free(&lane->values);
    lane->values = ns_values_new(layout->width);
}

/* ---- Records ---- */

/* Copies the arrays of the line into the values of the lane, whose layout is extended if
 * necessary. */
static void take_arrays(NsOutside *o, Lane *lane)
{
    const NsOutsideLine *line = o->line;
    g_autofree NsQuantity *quantities = g_new(NsQuantity, line->arrays->len + 1);
    NsRecordLayout layout;
    /* Quantities of the registry come first, because they determine the size of the model. */
    for (int pass = 0; pass < 2; pass++)
        for (guint i = 0; i < line->arrays->len; i++) {
            const NsOutsideArray *array = &g_array_index(line->arrays, NsOutsideArray, i);
            GHashTable *names = array->gradient ? o->gradients : o->others;
            if ((pass == 0) == g_hash_table_contains(names, array->name))
                quantities[i] = find_quantity(o, lane, array);
        }
    layout = lane->layout;
    for (guint i = 0; i < line->arrays->len; i++) {
        const NsOutsideArray *array = &g_array_index(line->arrays, NsOutsideArray, i);
        bool fits = (unsigned)quantities[i] < NS_QUANTITY_ALL;
        if (fits && !layout.count[quantities[i]] && layout.width + array->n <= WIDEST)
            set_count(&layout, quantities[i], array->n);
        else if (!fits && !array->scalar) {
            GHashTable *names = array->gradient ? o->gradients : o->others;
            bool has_size = array->n == layout.layers || array->n == layout.hidden;
            /* The number of values is right, so there is no more place for a name. */
            bool full = has_size && !array->inner && !g_hash_table_contains(names, array->name);
            g_autofree char *what =
                full ? g_strdup_printf(
                           _("“%s” is one name too many; only %d names of other programs are "
                             "read, and it is skipped."),
                           array->name, NS_QUANTITIES_NAMED)
                     : g_strdup_printf(
                           _("“%s” has %zu values, but the model has %zu layers and %zu hidden "
                             "states; it is skipped."),
                           array->name, array->n, lane->layout.layers, lane->layout.hidden);
            tell(o, what);
        }
    }
    if (!lane->history || layout.width > ns_history_layout(lane->history)->width)
        renew(o, lane, &layout, line->step);
    ns_values_reset(lane->values, layout.width);
    for (guint i = 0; i < line->arrays->len; i++) {
        const NsOutsideArray *array = &g_array_index(line->arrays, NsOutsideArray, i);
        if ((unsigned)quantities[i] >= NS_QUANTITY_ALL || !layout.count[quantities[i]]) continue;
        for (size_t k = 0; k < array->n; k++) {
            NsOutsideNumber number =
                g_array_index(line->numbers, NsOutsideNumber, array->first + k);
            if (number.has)
                ns_values_put(lane->values, layout.offset[quantities[i]] + k, number.value);
        }
    }
}

static void take_record(NsOutside *o, Lane *lane)
{
    const NsOutsideLine *line = o->line;
    const NsStep step = {.step = line->step,
                         .loss = line->loss.value,
                         .lr = line->lr.has ? line->lr.value : (double)NAN,
                         .grad_norm = line->grad_norm.has ? line->grad_norm.value : (double)NAN,
                         .seconds = line->seconds.has ? line->seconds.value : 0,
                         .probe_seconds = line->probe_seconds.has ? line->probe_seconds.value : 0,
                         .lr_untold = !line->lr.has,
                         .seconds_untold = !line->seconds.has,
                         .grad_norm_untold = !line->grad_norm.has};
    bool was_finite =
        !lane->history || !ns_history_steps(lane->history) ||
        isfinite(ns_history_step(lane->history, ns_history_steps(lane->history) - 1)->loss);
    take_arrays(o, lane);
    ns_history_append(lane->history, &step, lane->values);
    if (isfinite(step.loss) || !was_finite) return;
    NsEvent event = {.step = step.step, .kind = NS_EVENT_DIVERGED, .what = "loss"};
    g_snprintf(event.text, sizeof event.text, "The loss of step %" PRId64 " is not finite.",
               step.step);
    ns_history_append_event(lane->history, &event);
}

/* Whether the record can be added.  A step before the newest one restarts the run from there; the
 * same step again, or too many restarts, is an error. */
static bool begin_again(NsOutside *o, Lane *lane)
{
    int64_t newest = lane->history ? ns_history_last_step(lane->history) : -1;
    int64_t step = o->line->step;
    if (step > newest) return true;
    g_autofree char *digits = g_strdup_printf("%" PRId64, step);
    if (step == newest) {
        g_autofree char *why = g_strdup_printf(_("step %s was already read"), digits);
        leave_out(o, why);
        return false;
    }
    if (lane->restarts == MOST_RESTARTS) {
        leave_out(o,
                  _("its step is before the last one, and the run has been restarted too often"));
        return false;
    }
    lane->restarts++;
    g_autofree char *last = g_strdup_printf("%" PRId64, newest);
    g_autofree char *what = g_strdup_printf(
        _("the run goes back to step %s after step %s; everything from there on is replaced."),
        digits, last);
    tell_at(o, what);
    const NsRecordLayout layout = *ns_history_layout(lane->history);
    renew(o, lane, &layout, step);
    return true;
}

/* Removes the record of a step taken at a pause, because more of the step has arrived. */
static void forget_newest(NsOutside *o, Lane *lane)
{
    if (!lane->history || ns_history_last_step(lane->history) != o->line->step) return;
    const NsRecordLayout layout = *ns_history_layout(lane->history);
    renew(o, lane, &layout, o->line->step);
}

static void take_evaluation(NsOutside *o, Lane *lane)
{
    const NsEvaluation evaluation = {.step = o->line->step, .loss = o->line->validation.value};
    size_t n = lane->history ? ns_history_evaluations(lane->history) : 0;
    if (!lane->history)
        leave_out(o, _("its validation loss comes before the first step"));
    else if (n && ns_history_evaluation(lane->history, n - 1)->step >= evaluation.step) {
        if (o->line->again) return;
        leave_out(o, _("its validation loss belongs to a step before the last one"));
    } else
        ns_history_append_evaluation(lane->history, &evaluation);
}

static void tell_seeds(NsOutside *o, Lane *lane)
{
    if (!lane->seeds_told)
        g_queue_push_tail(
            &o->messages,
            g_strdup_printf(_("The run has several seeds; only the first, seed %.0f, is shown."),
                            lane->seed));
    lane->seeds_told = true;
}

/* Adds the contents of the line to its lane. */
static void take(NsOutside *o)
{
    const NsOutsideLine *line = o->line;
    if (line->step > o->last) return;
    Lane *lane = &o->lanes[line->lane - 1];
    if (line->seed.has && !lane->has_seed) {
        lane->has_seed = true;
        lane->seed = line->seed.value;
    }
    if (line->seed.has && (line->seed.value < lane->seed || line->seed.value > lane->seed)) {
        tell_seeds(o, lane);
        return;
    }
    if (line->loss.has) {
        if (line->again)
            forget_newest(o, lane);
        else if (!begin_again(o, lane))
            return;
        take_record(o, lane);
    }
    if (line->validation.has) take_evaluation(o, lane);
}

static void take_line(NsOutside *o, const char *text, size_t n)
{
    o->lines++;
    NsOutsideLine *line = o->line;
    if (!o->begun && strspn(text, " \t\r") < n) {
        o->begun = true;
        if ((o->columns = ns_outside_columns(text, &o->separator))) {
            for (char **name = o->columns; *name; name++) note_name(o, *name, true);
            return;
        }
    }
    const char *why = o->columns ? ns_outside_line_read_row(line, o->columns, o->separator, text)
                                 : ns_outside_line_read(line, text, n);
    note_names(o);
    if (why) {
        leave_out(o, _(why));
        return;
    }
    if (!line->passed_over) take(o);
}

/* ---- Events ---- */

static void take_events(NsOutside *o, bool last)
{
    const char *why = NULL;
    NsOutsideEventsNews news;
    while ((news = ns_outside_events_next(o->events, last, o->line, &why)) !=
           NS_OUTSIDE_EVENTS_NONE) {
        o->lines = ns_outside_events_read(o->events);
        if (news == NS_OUTSIDE_EVENTS_WRONG)
            leave_out(o, _(why));
        else
            take(o);
    }
    o->lines = ns_outside_events_read(o->events);
}

bool ns_outside_pause(NsOutside *o)
{
    if (!o->events || !ns_outside_events_pause(o->events, o->line)) return false;
    take(o);
    return true;
}

bool ns_outside_is_partial(const NsOutside *o)
{
    return o->events && ns_outside_events_are_partial(o->events);
}

/* ---- Bytes ---- */

static void feed_lines(NsOutside *o, const char *bytes, size_t n)
{
    const char *end = bytes + n;
    while (bytes < end) {
        const char *newline = memchr(bytes, '\n', (size_t)(end - bytes));
        size_t size = (size_t)((newline ? newline : end) - bytes);
        if (!o->passing) g_string_append_len(o->text, bytes, (gssize)size);
        if (!o->passing && o->text->len > NS_OUTSIDE_LINE_MAX) {
            o->lines++;
            leave_out(o, _("it is longer than 16 MiB"));
            g_string_truncate(o->text, 0);
            o->passing = true;
        }
        if (newline) {
            if (!o->passing) take_line(o, o->text->str, o->text->len);
            g_string_truncate(o->text, 0);
            o->passing = false;
        }
        bytes += size + (newline != NULL);
    }
}

static void feed_events(NsOutside *o, const char *bytes, size_t n)
{
    ns_outside_events_feed(o->events, bytes, n);
    take_events(o, false);
}

/* Detects the format from the first bytes of the file. */
static void begin(NsOutside *o)
{
    GString *head = o->text;
    o->text = g_string_new(NULL);
    o->known = true;
    if (ns_outside_events_are(head->str, head->len)) o->events = ns_outside_events_new();
    (o->events ? feed_events : feed_lines)(o, head->str, head->len);
    g_string_free(head, TRUE);
}

void ns_outside_feed(NsOutside *o, const char *bytes, size_t n)
{
    if (o->known) {
        (o->events ? feed_events : feed_lines)(o, bytes, n);
        return;
    }
    g_string_append_len(o->text, bytes, (gssize)n);
    if (o->text->len >= NS_OUTSIDE_EVENTS_HEAD) begin(o);
}

void ns_outside_end(NsOutside *o)
{
    if (!o->known) begin(o);
    if (o->events)
        take_events(o, true);
    else if (o->text->len)
        feed_lines(o, "\n", 1);
}

bool ns_outside_are(const char *bytes, size_t n)
{
    const char *end = bytes + n, *newline;
    if (ns_outside_events_are(bytes, n)) return true;
    while (bytes < end && g_ascii_isspace(*bytes)) bytes++;
    newline = memchr(bytes, '\n', (size_t)(end - bytes));
    size_t size = (size_t)((newline ? newline : end) - bytes);
    g_autofree char *text = g_strndup(bytes, size);
    if (*text != '{') {
        char separator;
        g_auto(GStrv) columns = newline ? ns_outside_columns(text, &separator) : NULL;
        return columns != NULL;
    }
    NsOutsideLine *line = ns_outside_line_new();
    const char *why = ns_outside_line_read(line, text, strlen(text));
    /* If the bytes end within the first line, what is there of it has to suffice. */
    bool are = !line->passed_over && (!why || (!newline && line->step >= 0 && line->loss.has));
    ns_outside_line_free(line);
    return are;
}
