/* SPDX-License-Identifier: MIT */
#include "core/store/outside_records-private.h"

#include "core/base/words.h"
#include "core/store/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* No model has records with more values. */
#define WIDEST ((size_t)1 << 22)

/* No stack that is deeper than one before it has more layers. */
#define DEEPEST 1024

/* Single numbers with names of their own. */
#define MOST_SCALARS 24

/* A number in every line that has grown so often is a count of all tokens, not of one batch. */
#define COUNT_GROWS 10

/* The number that is added to the steps that are counted from the beginning of an epoch. */
typedef struct {
    double epoch;
    int64_t offset;
} Epoch;

void ns_outside_records_init(NsOutsideRecords *r, size_t budget, NsOutside *owner)
{
    *r = (NsOutsideRecords){.budget = budget,
                            .owner = owner,
                            .evaluations = g_array_new(FALSE, FALSE, sizeof(NsEvaluation)),
                            .continuations = g_array_new(FALSE, FALSE, sizeof(NsContinuation)),
                            .steps = {.owner = owner, .top = -1, .epoch = -1}};
    r->steps.epochs = g_array_new(FALSE, FALSE, sizeof(Epoch));
}

void ns_outside_records_clear(NsOutsideRecords *r)
{
    if (r->history) ns_history_unref(r->history);
    ns_values_free(&r->values);
    g_array_unref(r->evaluations);
    g_array_unref(r->continuations);
    g_array_unref(r->steps.epochs);
}

int64_t ns_outside_records_last(const NsOutsideRecords *r)
{
    return r->history ? ns_history_last_step(r->history) : -1;
}

/* ---- The layout ---- */

/* Derives the size of the model from an array of this domain, if it is not known yet.  A model with
 * two stacks has two more hidden states than layers. */
static void learn_size(NsOutsideRecords *r, NsDomain domain, const NsOutsideArray *array)
{
    NsRecordLayout *layout = &r->layout;
    if (domain == NS_DOMAIN_HIDDEN && !r->has_hidden) {
        bool fits =
            !layout->layers || array->n == layout->layers + 1 || array->n == layout->layers + 2;
        if (!fits || array->n < 2) return;
        layout->hidden = array->n;
        r->has_hidden = true;
    } else if (domain == NS_DOMAIN_LAYER && !layout->layers) {
        bool fits =
            !r->has_hidden || layout->hidden == array->n + 1 || layout->hidden == array->n + 2;
        if (fits) layout->layers = array->n;
    } else if (domain == NS_DOMAIN_HEAD && !layout->heads && array->inner) {
        if (!layout->layers) layout->layers = array->n / array->inner;
        layout->heads = array->inner;
    }
    if (layout->layers && !r->has_hidden) layout->hidden = layout->layers + 1;
}

/* Places the values of each quantity behind those of the one before it. */
static void place_quantities(NsRecordLayout *layout)
{
    layout->width = 0;
    for (unsigned q = 0; q < NS_QUANTITY_ALL; q++) {
        layout->offset[q] = layout->width;
        layout->width += layout->count[q];
    }
}

/* Whether an array may be by layer.  Of several stacks the deepest has all layers, and those that
 * another one lacks have no values. */
static bool fits_layers(NsOutsideRecords *r, const NsOutsideArray *array)
{
    NsRecordLayout *layout = &r->layout;
    bool layered = array->name->layered;
    if (array->n == layout->layers) return true;
    if (array->n < layout->layers) return layered ? array->n == array->group->size : r->stacks;
    if (!layered || r->has_hidden || layout->heads || array->n > DEEPEST) return false;
    r->stacks = true;
    layout->layers = array->n;
    layout->hidden = array->n + 1;
    for (unsigned q = 0; q < NS_QUANTITY_ALL; q++)
        if (layout->count[q])
            layout->count[q] = ns_record_layout_count(layout, ns_quantity((NsQuantity)q)->domain);
    place_quantities(layout);
    return true;
}

/* The quantity of a single number, of which a lane has a limited number. */
static NsQuantity find_scalar(NsOutsideRecords *r, NsOutsideGroup *group, const char *key)
{
    if (!group->quantity && r->scalars == MOST_SCALARS) return (NsQuantity)NS_QUANTITY_ALL;
    int found =
        group->quantity ? (int)group->quantity - 1 : ns_choices_find(ns_quantity_choice, key);
    bool known = found >= 0 && ns_quantity((NsQuantity)found)->domain == NS_DOMAIN_STEP;
    bool has = known && r->layout.count[found];
    if (!has && (r->scalars == MOST_SCALARS || (found >= 0 && !known)))
        return (NsQuantity)NS_QUANTITY_ALL;
    NsQuantity quantity = known ? (NsQuantity)found : ns_quantity_name(key, NS_DOMAIN_STEP);
    bool fits = (unsigned)quantity < NS_QUANTITY_ALL;
    if (fits) group->quantity = (unsigned)quantity + 1;
    r->scalars += !has && fits;
    return quantity;
}

/* The quantity of an array; NS_QUANTITY_ALL if none fits. */
static NsQuantity find_quantity(NsOutsideRecords *r, NsOutsideArray *array)
{
    unsigned known = array->group->registered;
    if (known) {
        NsDomain domain = ns_quantity((NsQuantity)(known - 1))->domain;
        if (array->scalar != (domain == NS_DOMAIN_STEP)) return (NsQuantity)NS_QUANTITY_ALL;
        learn_size(r, domain, array);
        bool nested = array->inner > 0;
        array->outputs = domain == NS_DOMAIN_HIDDEN && array->name->of_block &&
                         array->n == r->layout.layers && r->layout.hidden == array->n + 1;
        bool fits = nested == (domain == NS_DOMAIN_HEAD) &&
                    (!nested || array->inner == r->layout.heads) &&
                    (domain == NS_DOMAIN_LAYER
                         ? fits_layers(r, array)
                         : array->n + array->outputs == ns_record_layout_count(&r->layout, domain));
        return fits ? (NsQuantity)(known - 1) : (NsQuantity)NS_QUANTITY_ALL;
    }
    if (array->inner) return (NsQuantity)NS_QUANTITY_ALL;
    /* Its size was one of hidden states before there was a deeper stack. */
    const unsigned before = r->stacks && !array->scalar ? array->group->profile : 0;
    if (before && array->n <= r->layout.count[before - 1]) return (NsQuantity)(before - 1);
    /* Two members of a record may not have one name. */
    static const char *const taken[] = {
        "step", "loss", "lr", "seconds", "grad_norm", "validation_loss", "probe_seconds", NULL};
    const char *own = array->group->key, *second = g_strv_contains(taken, own) ? "_2" : "";
    if (!array->scalar && g_str_equal(own, "grad_norm")) own = "grad_layer";
    g_autofree char *key = g_strconcat(array->group->gradient ? "grad-" : "", own,
                                       own == array->group->key ? second : "", NULL);
    if (array->scalar) return find_scalar(r, array->group, key);
    if (!r->layout.layers && !r->has_hidden) learn_size(r, NS_DOMAIN_LAYER, array);
    bool hidden = array->n == r->layout.hidden && !array->group->gradient;
    if (!hidden && !fits_layers(r, array)) return (NsQuantity)NS_QUANTITY_ALL;
    return ns_quantity_name(key, hidden ? NS_DOMAIN_HIDDEN : NS_DOMAIN_LAYER);
}

/* ---- Records ---- */

/* Extends the layout by n values of a quantity. */
static void add_quantity(NsRecordLayout *layout, NsQuantity quantity, size_t n)
{
    if (layout->count[quantity] || layout->width + n > WIDEST) return;
    layout->count[quantity] = n;
    place_quantities(layout);
}

/* Finds the quantities of the arrays of a line, and extends the layout by those that are new. */
static void find_quantities(NsOutsideRecords *r, NsOutsideLine *line)
{
    if (line->scalars[NS_OUTSIDE_GRAD_NORM].name)
        add_quantity(&r->layout, NS_QUANTITY_GRAD_TOTAL, 1);
    NsOutsideArray *arrays = (NsOutsideArray *)(void *)line->arrays->data;
    /* Quantities of the registry come before others, because they determine the size of the model,
     * and layers before hidden states, which are those of blocks if there are as many. */
    for (int pass = 0; pass <= 4; pass++)
        for (guint i = 0; i < line->arrays->len; i++) {
            unsigned known = arrays[i].group->registered;
            bool hidden = known && ns_quantity((NsQuantity)(known - 1))->domain == NS_DOMAIN_HIDDEN;
            int own = arrays[i].group->gradient ? 2 : 4;
            if (known) own = !hidden ? 0 : arrays[i].name->of_block ? 3 : 1;
            if (own == pass) arrays[i].quantity = find_quantity(r, &arrays[i]);
        }
    for (guint i = 0; i < line->arrays->len; i++) {
        const NsOutsideArray *array = &arrays[i];
        NsRecordLayout *layout = &r->layout;
        bool fits = (unsigned)array->quantity < NS_QUANTITY_ALL;
        if (fits) {
            NsDomain domain = ns_quantity(array->quantity)->domain;
            add_quantity(layout, array->quantity, ns_record_layout_count(layout, domain));
            if (domain != NS_DOMAIN_STEP) array->group->profile = (unsigned)array->quantity + 1;
        } else if (array->scalar || array->group->noted) {
            ns_outside_leave_out(r->owner, array->group->key);
        } else {
            bool has_size = array->n == layout->layers || array->n == layout->hidden;
            /* The number of values is right, so there is no more place for a name. */
            bool full = has_size && !array->inner && !array->group->registered;
            g_autofree char *what =
                full ? g_strdup_printf(
                           _("“%s” is skipped: at most %d names from other programs are read."),
                           array->group->key, NS_QUANTITIES_NAMED)
                     : g_strdup_printf(
                           _("“%s” has %zu values, but the model has %zu layers and %zu hidden "
                             "states; it is skipped."),
                           array->group->key, array->n, layout->layers, layout->hidden);
            ns_outside_note(r->owner, what);
            array->group->noted = true;
        }
    }
}

/* Puts the arrays of a line into the places that have no value yet. */
static void put_arrays(const NsOutsideRecords *r, const NsOutsideLine *line, NsValues values)
{
    const NsRecordLayout *layout = &r->layout;
    for (guint i = 0; i < line->arrays->len; i++) {
        const NsOutsideArray *array = &g_array_index(line->arrays, NsOutsideArray, i);
        if ((unsigned)array->quantity >= NS_QUANTITY_ALL || !layout->count[array->quantity])
            continue;
        for (size_t k = 0; k < array->n; k++) {
            NsOutsideNumber number =
                g_array_index(line->numbers, NsOutsideNumber, (guint)(array->first + k));
            size_t at = layout->offset[array->quantity] + array->outputs + k;
            if (number.has && !values.has[at]) ns_values_put(values, at, number.value);
        }
    }
}

static NsStep step_of(const NsOutsideLine *line)
{
    const NsOutsideCell *scalars = line->scalars;
    const NsOutsideCell *lr = &scalars[NS_OUTSIDE_LR], *norm = &scalars[NS_OUTSIDE_GRAD_NORM];
    const NsOutsideCell *seconds = &scalars[NS_OUTSIDE_SECONDS];
    const NsOutsideCell *probe = &scalars[NS_OUTSIDE_PROBE_SECONDS];
    return (NsStep){.step = line->step,
                    .loss = scalars[NS_OUTSIDE_LOSS].value,
                    .lr = lr->name ? lr->value : (double)NAN,
                    .grad_norm = norm->name ? norm->value : (double)NAN,
                    .seconds = seconds->name ? seconds->value : 0,
                    .probe_seconds = probe->name ? probe->value : 0,
                    .lr_absent = !lr->name,
                    .seconds_absent = !seconds->name,
                    .grad_norm_absent = !norm->name};
}

static void append(NsHistory *history, const NsStep *step, NsValues values)
{
    size_t n = ns_history_steps(history);
    bool was_finite = n == 0 || isfinite(ns_history_step(history, n - 1)->loss);
    ns_history_append(history, step, values);
    if (isfinite(step->loss) || !was_finite) return;
    NsEvent event = {.step = step->step, .kind = NS_EVENT_DIVERGED, .what = "loss"};
    ns_event_describe(&event, "The loss of step %" PRId64 " is not finite.", step->step);
    ns_history_append_event(history, &event);
}

/* ---- New histories ---- */

/* Copies the values of a record to their places in another layout.  For steps that share a bucket,
 * the maxima and the minima are written alternately, so that the new bucket has both again. */
static void copy_values(const NsHistory *from, size_t record, const NsRecordLayout *layout,
                        NsValues values, float *max)
{
    const NsRecordLayout *old = ns_history_layout(from);
    for (unsigned q = 0; q < NS_QUANTITY_ALL; q++) {
        size_t at = layout->offset[q];
        if (!old->count[q]) continue;
        ns_history_read(from, (NsQuantity)q, record, values.value + at, max, values.has + at);
        if (record % 2 == 0) memcpy(values.value + at, max, old->count[q] * sizeof *max);
    }
}

/* Gives the lane a new history of its layout, with the records before a step and with sorted lines
 * in their places. */
static void rebuild(NsOutsideRecords *r, int64_t before, const GPtrArray *lines)
{
    NsHistory *old = r->history;
    guint late = lines ? lines->len : 0;
    const NsRecordLayout layout = r->layout;
    size_t n = old ? (size_t)(ns_history_record(old, before - 1) + 1) : 0;
    int64_t first = n ? ns_history_first_step(old) : before;
    if (late) first = MIN(first, ((NsOutsideLine *)lines->pdata[0])->step);
    NsHistory *history = ns_history_new(&layout, r->budget, first);
    NsValues values = ns_values_new(layout.width);
    g_autofree float *max = g_new(float, MAX(layout.width, 1));
    size_t record = 0;
    for (guint i = 0; record < n || i < late;) {
        const NsOutsideLine *line = i < late ? lines->pdata[i] : NULL;
        bool is_old = !line || (record < n && ns_history_step(old, record)->step <= line->step);
        NsStep step = is_old ? *ns_history_step(old, record) : step_of(line);
        ns_values_reset(values, layout.width);
        if (is_old) copy_values(old, record++, &layout, values, max);
        for (; i < late; i++) {
            line = lines->pdata[i];
            if (line->step != step.step) break;
            /* The record gets the values that it lacks and the line has. */
            NsStep more = step_of(line);
            if (step.lr_absent) step.lr = more.lr;
            if (step.grad_norm_absent) step.grad_norm = more.grad_norm;
            if (step.seconds_absent) step.seconds = more.seconds;
            step.lr_absent &= more.lr_absent;
            step.grad_norm_absent &= more.grad_norm_absent;
            step.seconds_absent &= more.seconds_absent;
            put_arrays(r, line, values);
        }
        append(history, &step, values);
    }
    for (guint i = 0; i < r->evaluations->len && !r->as_losses; i++)
        ns_history_append_evaluation(history, &g_array_index(r->evaluations, NsEvaluation, i));
    for (guint i = 0; i < r->continuations->len; i++)
        ns_history_append_continuation(history,
                                       &g_array_index(r->continuations, NsContinuation, i));
    r->evaluations_late = false;
    if (old) ns_history_unref(old);
    r->history = history;
    ns_values_free(&r->values);
    r->values = values;
}

void ns_outside_records_append(NsOutsideRecords *r, NsOutsideLine *line)
{
    const NsStep step = step_of(line);
    find_quantities(r, line);
    if (!r->history || r->layout.width > ns_history_layout(r->history)->width)
        rebuild(r, line->step, NULL);
    ns_values_reset(r->values, r->layout.width);
    put_arrays(r, line, r->values);
    append(r->history, &step, r->values);
}

static int compare_lines(const void *a, const void *b)
{
    const NsOutsideLine *left = *(NsOutsideLine *const *)a, *right = *(NsOutsideLine *const *)b;
    return left->step < right->step ? -1 : left->step > right->step;
}

void ns_outside_records_insert(NsOutsideRecords *r, GPtrArray *lines)
{
    if (!r->history || (!lines->len && !r->evaluations_late)) return;
    g_ptr_array_sort(lines, compare_lines);
    for (guint i = 0; i < lines->len; i++) find_quantities(r, lines->pdata[i]);
    rebuild(r, G_MAXINT64, lines);
}

void ns_outside_records_cut(NsOutsideRecords *r, int64_t step)
{
    guint n = r->evaluations->len;
    while (n && g_array_index(r->evaluations, NsEvaluation, n - 1).step >= step) n--;
    g_array_set_size(r->evaluations, n);
    GArray *texts = r->continuations;
    while (texts->len && g_array_index(texts, NsContinuation, texts->len - 1).step >= step)
        g_array_set_size(texts, texts->len - 1);
    rebuild(r, step, NULL);
}

void ns_outside_records_continue(NsOutsideRecords *r, const NsOutsideLine *line)
{
    GArray *texts = r->continuations;
    NsContinuation one = *line->continuation;
    one.step = line->step;
    if (texts->len && g_array_index(texts, NsContinuation, texts->len - 1).step >= one.step) return;
    g_array_append_val(texts, one);
    if (r->history) ns_history_append_continuation(r->history, &one);
}

bool ns_outside_records_evaluate(NsOutsideRecords *r, int64_t step, double loss, bool replace)
{
    const NsEvaluation evaluation = {.step = step, .loss = loss};
    guint n = r->evaluations->len;
    while (n && g_array_index(r->evaluations, NsEvaluation, n - 1).step > step) n--;
    if (n && g_array_index(r->evaluations, NsEvaluation, n - 1).step == step) {
        if (replace) g_array_index(r->evaluations, NsEvaluation, n - 1) = evaluation;
        r->evaluations_late |= replace;
        return replace;
    }
    bool last = n == r->evaluations->len;
    g_array_insert_val(r->evaluations, n, evaluation);
    if (last && r->history && !r->evaluations_late && !r->as_losses)
        ns_history_append_evaluation(r->history, &evaluation);
    r->evaluations_late |= !last;
    return true;
}

/* ---- Steps ---- */

/* The number to add to a step that is counted from the beginning of its epoch. */
static int64_t offset_of(NsOutsideSteps *steps, const NsOutsideLine *line, double epoch)
{
    GArray *epochs = steps->epochs;
    int64_t offset = epochs->len ? g_array_index(epochs, Epoch, epochs->len - 1).offset : 0;
    bool loss = line->scalars[NS_OUTSIDE_LOSS].name && !line->summary;
    int64_t step = line->step + offset;
    if (epoch > steps->epoch && steps->epoch >= 0 && !line->again &&
        (step < steps->top || (loss && step == steps->top))) {
        /* The only step of an epoch is its length. */
        int64_t gap = steps->gap ? steps->gap : MAX(line->step, 1);
        Epoch next = {epoch, steps->top + gap - line->step};
        g_array_append_val(epochs, next);
        if (!steps->in_epoch)
            ns_outside_report(
                steps->owner, "%s",
                _("The steps restart in every epoch; they are numbered consecutively."));
        steps->in_epoch = true;
    }
    steps->epoch = MAX(steps->epoch, epoch);
    for (guint i = epochs->len; i-- > 0;)
        if (g_array_index(epochs, Epoch, i).epoch <= epoch)
            return g_array_index(epochs, Epoch, i).offset;
    return 0;
}

/* Gives a line without a step the number of tokens up to it, unless that does not grow; returns
 * whether it has one. */
static bool count_tokens(NsOutsideSteps *steps, NsOutsideLine *line, NsOutsideLine *newest)
{
    guint i = 0;
    if (steps->counted || steps->by_epoch) return false;
    const NsOutsideCell *cells = (const NsOutsideCell *)(const void *)line->cells->data;
    while (i < line->cells->len &&
           !(cells[i].name->tokens && (!steps->tokens || steps->tokens == cells[i].name)))
        i++;
    if (i == line->cells->len) return false;
    const NsOutsideName *name = cells[i].name;
    double value = cells[i].value;
    bool whole = value >= 0 && value <= floor(value) && value < (double)NS_JSON_LAST_INTEGER;
    bool loss = line->scalars[NS_OUTSIDE_LOSS].name, grows = value > (double)steps->top;
    if (!whole || (loss && !grows && steps->grown < COUNT_GROWS)) {
        /* The number of one batch is no step, nor was it that of the first line. */
        if (newest && steps->tokens && steps->grown == 1) newest->step = steps->top = 0;
        steps->tokens = NULL;
        return false;
    }
    if (!steps->tokens)
        ns_outside_report(steps->owner, _("The log has no step; its “%s” is shown as the step."),
                          name->raw);
    steps->tokens = name;
    steps->grown += loss && grows;
    line->step = (int64_t)value;
    g_array_remove_index(line->cells, i);
    return true;
}

/* Gives a line without a step the epoch, or the number of losses before it. */
static void count_step(NsOutsideSteps *steps, NsOutsideLine *line)
{
    const NsOutsideCell *epoch = &line->scalars[NS_OUTSIDE_EPOCH];
    bool loss = line->scalars[NS_OUTSIDE_LOSS].name;
    bool whole = epoch->name && epoch->value >= 0 && epoch->value <= floor(epoch->value) &&
                 epoch->value < (double)NS_JSON_LAST_INTEGER;
    /* Several losses of one epoch need numbers of their own. */
    bool again = loss && steps->by_epoch && whole && (int64_t)epoch->value <= steps->top;
    if (whole && !again && !steps->counted) {
        if (!steps->by_epoch)
            ns_outside_report(steps->owner, "%s",
                              _("The log has no step; its epoch is shown as the step."));
        steps->by_epoch = true;
        line->step = (int64_t)epoch->value;
        return;
    }
    if (!steps->counted)
        ns_outside_report(steps->owner, "%s",
                          _("The log has no step; the order of its values is shown as the step."));
    steps->counted = true;
    line->step = loss ? steps->top + 1 : MAX(steps->top, 0);
}

bool ns_outside_steps_find(NsOutsideSteps *steps, NsOutsideLine *line, NsOutsideLine *newest)
{
    const NsOutsideCell *epoch = &line->scalars[NS_OUTSIDE_EPOCH];
    if (line->step >= 0) {
        steps->has_step = true;
        if (epoch->name && isfinite(epoch->value))
            line->step += offset_of(steps, line, epoch->value);
    } else if (steps->has_step) {
        return false;
    } else if (!count_tokens(steps, line, newest)) {
        count_step(steps, line);
    }
    if (line->scalars[NS_OUTSIDE_LOSS].name && line->step > steps->top) {
        if (steps->top >= 0) steps->gap = line->step - steps->top;
        steps->top = line->step;
    }
    return true;
}
