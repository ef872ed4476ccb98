/* SPDX-License-Identifier: MIT
 *
 * Lines of text that a program prints while it trains: “iter 100: loss 2.5, time 3ms”, objects of
 * Python or JSON behind other words, and progress bars.  The step may be in a line before that of
 * the loss: “Epoch 1/3”, “[step=10/500]”, or a bar. */
#include "core/store/outside_input-private.h"

#include "core/base/words.h"

#include <math.h>
#include <string.h>

void ns_outside_text_clean(char *text)
{
    char *to = text;
    while (*text) {
        if (*text == '\033') {
            text += 1 + (text[1] == '[');
            text += strspn(text, "0123456789;?");
            text += *text != '\0';
        } else {
            *to++ = *text == '\b' ? '\r' : *text;
            text++;
        }
    }
    *to = '\0';
}

/* Words that only a line of text has for what comes before it, or in llm.c. */
static const struct {
    const char *word, *name;
} short_words[] = {{"s", "step"},
                   {"trl", "train loss"},
                   {"tel", "val loss"},
                   {"norm", "grad norm"},
                   {"val", "val loss"}};

/* Whether the word is the name of a number of this kind or one before it. */
static bool is_kind(NsOutsideNames *names, const char *word, NsOutsideKind last)
{
    bool whole = !strchr(word, '/') && g_utf8_validate(word, -1, NULL);
    const NsOutsideName *name = whole ? ns_outside_names_find(names, NULL, word) : NULL;
    return name && name->kind <= last;
}

static bool is_place(NsOutsideNames *names, const char *word)
{
    return is_kind(names, word, NS_OUTSIDE_EPOCH);
}

void ns_outside_text_take_label(NsOutsideInput *input)
{
    GString *text = input->text;
    /* “2026-01-01T10:00:00.5Z stdout F step=3” of a container */
    char *stream = strstr(text->str, " stdout F ");
    if (!stream) stream = strstr(text->str, " stderr F ");
    size_t time = strcspn(text->str, " ");
    if (stream && stream == text->str + time && g_ascii_isdigit(*text->str))
        g_string_erase(text, 0, (gssize)time + (gssize)strlen(" stdout F "));
    const char *start = text->str + strspn(text->str, " ");
    bool bracket = *start == '[';
    const char *end = start + strcspn(start, bracket ? "] " : ": "), *digits = end;
    input->process = -1;
    while (digits > start && g_ascii_isdigit(digits[-1])) digits--;
    if (digits == end || end - digits > 5 || (bracket && *end != ']')) return;
    const char *rest = end + bracket;
    if (bracket && g_str_has_prefix(rest, "<stdout>")) rest += strlen("<stdout>");
    if (*rest++ != ':' || (!bracket && *rest++ != ' ')) return;
    size_t letters = strspn(start + bracket, G_CSET_a_2_z G_CSET_A_2_Z);
    g_autofree char *word = g_strndup(start + bracket, letters);
    input->numbered = digits == start;
    bool object = rest[strspn(rest, " ")] == '{', place = false;
    g_auto(GStrv) words =
        g_strsplit_set(input->numbered && !object ? rest : "", " \t,|:=;()[]", -1);
    for (char **one = words; *one; one++) place |= is_place(input->names, *one);
    if (is_place(input->names, word) || (bracket && digits == start + 1) ||
        !(bracket || object || place))
        return;
    input->process = g_ascii_strtod(digits, NULL);
    g_string_erase(text, 0, rest - text->str);
}

/* The step or epoch in words that also name a split, as the first of two or as the last: “Epoch
 * val”, “eval metrics after step”, “validation loss at iteration”; or NULL. */
static const NsOutsideName *find_place(NsOutsideNames *names, const char *words)
{
    const char *space = strrchr(words, ' ');
    if (!space || strstr(words, " per ") ||
        !(ns_outside_has_split(words, false) || ns_outside_has_split(words, true)))
        return NULL;
    bool two = strchr(words, ' ') == space;
    g_autofree char *first = g_strndup(words, two ? (gsize)(space - words) : 0);
    const char *const places[] = {space + 1, first};
    for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
        bool many = g_str_has_suffix(places[i], "s"); /* “Eval steps: 500” is a setting */
        if (!many && is_place(names, places[i]))
            return ns_outside_names_find(names, NULL, places[i]);
    }
    return NULL;
}

/* The length of the words before “at step” or “after iteration” at the end of words that name where
 * something was measured; G_MAXSIZE of any others.  *place: the step. */
static size_t find_at(NsOutsideNames *names, const char *words, const char **place)
{
    static const char *const before[] = {"at", "after"};
    const char *space = strrchr(words, ' ');
    for (size_t i = 0; space && i < G_N_ELEMENTS(before); i++) {
        size_t n = strlen(before[i]), length = (size_t)(space - words);
        bool ends = length >= n && memcmp(space - n, before[i], n) == 0 &&
                    (length == n || space[-(ptrdiff_t)n - 1] == ' ');
        *place = space + 1;
        if (ends && is_place(names, space + 1)) return length - n;
    }
    return G_MAXSIZE;
}

/* Adds a number under the words before it, which may be about validation. */
static void put(NsOutsideLine *line, NsOutsideNames *names, const char *words, double value,
                bool *validation)
{
    /* “I0101 10:00:00.123 7 train.py:140] loss 2.5” */
    if (!*words || !g_utf8_validate(words, -1, NULL) || g_str_has_suffix(words, ".py") ||
        (strchr("IWEF", *words) && strspn(words + 1, "0123456789") == 4 && !words[5]))
        return;
    if (!words[1] && g_ascii_ispunct(*words) && *words != '#') return;
    bool loss = line->scalars[NS_OUTSIDE_LOSS].name;
    for (size_t i = 0; i < G_N_ELEMENTS(short_words); i++)
        if (g_ascii_strcasecmp(words, short_words[i].word) == 0 &&
            (loss || i + 2 < G_N_ELEMENTS(short_words)))
            words = short_words[i].name;
    const NsOutsideName *name = ns_outside_names_find(names, NULL, words);
    const NsOutsideName *place =
        name && name->kind <= NS_OUTSIDE_EPOCH ? NULL : find_place(names, words);
    if (place) {
        *validation |= ns_outside_has_split(words, true);
        name = place;
    } else if (*validation && name &&
               (name->kind == NS_OUTSIDE_LOSS || name->kind == NS_OUTSIDE_VALUE)) {
        name = ns_outside_names_find(names, "validation", words);
    }
    /* “train 50000, val 10000” may be of anything. */
    if (name && name->split && line->step < 0 && !line->scalars[NS_OUTSIDE_EPOCH].name) return;
    ns_outside_line_put(line, name, value);
}

/* After the number of a total, “10/500”, was put into a line: of “Batch 2/300” the first may be the
 * epoch and the second the step, because the first is the larger one or the second grows; and the
 * batches of an evaluation are none of training. */
static void settle_total(NsOutsideText *text, NsOutsideLine *line, NsOutsideNames *names,
                         double total, bool validation)
{
    NsOutsideCell *step = &line->scalars[NS_OUTSIDE_STEP];
    const double first = step->value;
    g_autofree char *name = g_ascii_strdown(step->name->raw, -1);
    if (!validation && g_str_has_suffix(name, "batch")) {
        text->pairs |= total < first || total <= 0 ||
                       (text->pair[1] > 0 && first == text->pair[0] && total > text->pair[1]);
        text->pair[0] = first;
        text->pair[1] = total;
    }
    bool own = validation && (text->pairs || (text->total > 0 && total != text->total));
    if (!validation) text->total = total;
    if (text->pairs) ns_outside_line_put(line, ns_outside_names_find(names, NULL, "epoch"), first);
    step->value = text->pairs ? total : first;
    line->step = own ? -1 : (int64_t)step->value;
    line->batches |= own;
    if (own) step->name = NULL;
}

/* Words that name no number, such as those of a logger, may still say that it is of validation. */
static void drop(GString *words, bool *validation)
{
    *validation |= words->len && ns_outside_has_split(words->str, true);
    g_string_truncate(words, 0);
}

/* The name of a number in brackets, “[2/5][ 10/500]” or “[100] loss=2”, that has no other words
 * before it than “Train” or “Test”: the epoch if another one follows, or the step; NULL for any
 * other number.  `end` is that of the number. */
static const char *find_bracket(NsOutsideNames *names, const char *end, bool bracket, bool of,
                                const char *words)
{
    const char *next = end + strspn(end, "] ");
    bool opens = *next == '[' && g_ascii_isdigit(next[1 + strspn(next + 1, " ")]);
    if (!bracket && !opens) return NULL;
    bool split = !strchr(words, ' ') &&
                 (ns_outside_has_split(words, false) || ns_outside_has_split(words, true));
    if (*words && !split) return NULL;
    if (opens && (bracket || split)) return "epoch";
    next += *next == '['; /* “[100] [collection=train] loss=2” */
    /* “[100] lr=0.1”, “[100] loss 2.5” */
    size_t n = strcspn(next, " =:[,");
    g_autofree char *word = g_strndup(next, n);
    bool named = *end == ']' && (next[n] == '=' || is_kind(names, word, NS_OUTSIDE_LOSS));
    return bracket && (of || named) ? "batch" : NULL;
}

/* Reads a number, also with groups of digits, at the beginning of a word that has n bytes. */
static const char *read_number(const char *word, size_t *n, double *value)
{
    static const char after[] = " \t,|:;()[]";
    const char *grouped = ns_outside_read_groups(word, true, value);
    if (grouped && (!*grouped || strchr(after, *grouped))) {
        *n = (size_t)(grouped - word);
        return grouped;
    }
    const char *end = ns_outside_read_number(word, value);
    return end && end <= word + *n ? end : NULL;
}

/* Reads a number of iterations with a unit, “20.0it” or “1.01kit”; NULL if there is none. */
static const char *read_scaled(const char *word, double *value)
{
    const char *end = ns_outside_read_number(word, value);
    if (end && *end && strchr("kM", *end)) *value *= *end++ == 'k' ? 1e3 : 1e6;
    return end && g_str_has_prefix(end, "it") ? end + 2 : NULL;
}

/* Reads the words and numbers of a line.  Returns the length of a progress bar,
 * “ 8%|██  | 30/375 [00:12<02:01]”; 0 if there is none. */
static double read_words(NsOutsideText *printed, NsOutsideLine *line, NsOutsideNames *names,
                         const char *text)
{
    static const char separators[] = " \t,|:=;()[]%\"";
    static const char *const levels[] = {"INFO", "info", "DEBUG", "WARNING", "postfix", NULL};
    /* The first words of bars that count no steps, of transformers, datasets and trl */
    static const char *const other_bars[] = {
        "Loading",  "Map",        "Filter",     "Tokenizing",    "Downloading", "Fetching",
        "Running",  "Saving",     "Generating", "Preprocessing", "Grouping",    "Casting",
        "Creating", "Packing",    "Truncating", "Converting",    "Applying",    "Adding",
        "Dropping", "Extracting", NULL};
    g_autoptr(GString) name = g_string_new(NULL);
    const char *begin = text + strspn(text, " ");
    g_autofree char *label = g_strndup(begin, strcspn(begin, " :("));
    const bool of_steps = !g_strv_contains(other_bars, label);
    /* An estimator of TensorFlow evaluates. */
    bool validation = g_str_has_prefix(text, "INFO:tensorflow:Saving dict");
    bool percent = false, mean = false, batch = false, unit_only = false;
    double length = 0;
    for (const char *at = text; *at;) {
        const char *gap = at;
        at += strspn(at, separators);
        bool bracket = memchr(gap, '[', (size_t)(at - gap));
        /* The end of “101-200”. */
        size_t n = strcspn(at, separators), digits = strspn(at, "0123456789");
        size_t more = digits && at[digits] == '-' ? strspn(at + digits + 1, "0123456789") : 0;
        if (more && at[digits + 1 + more] != '-') {
            at += digits + 1;
            n -= digits + 1;
        }
        double value, other;
        const char *end = n ? read_number(at, &n, &value) : NULL, *word = at;
        /* “| 400 ms | 50.0% MFU |”; “number of nan iterations: 0” */
        bool divided = memchr(gap, '|', (size_t)(at - gap));
        if (unit_only && divided) g_string_truncate(name, 0);
        unit_only = end ? !name->len : unit_only && !divided;
        if (end && g_ascii_isalpha(*word) && g_str_has_suffix(name->str, " of")) end = NULL;
        if (end && end + 1 == at + n) end = ns_outside_read_unit(end, &value);
        /* A quote ends a text: “msg="train step" step=3”. */
        if (!end && (*gap == '"' || memchr(gap, '\t', (size_t)(at - gap)))) drop(name, &validation);
        at += n;
        /* “1.01kit/20.0kit”, so that several losses may have one step */
        double done, total;
        const char *all = end && end < at && *end != '/' ? read_scaled(word, &done) : NULL;
        bool scaled = all && *all == '/' && read_scaled(all + 1, &total) == at;
        if (scaled) {
            drop(name, &validation);
            length = total;
            line->repeats = true;
            line->batches |= validation;
            if (!validation) put(line, names, "it", floor(done + 0.5), &validation);
            continue;
        }
        if (end && *end == '.' && end + 1 == at) end = at; /* of a sentence */
        /* “train Loss | 2.5” */
        const char *bar = at + strspn(at, " "), *beyond = bar + strspn(bar, "| ");
        bool ends =
            (*at && strchr(",;]", *at)) || (*bar == '|' && !ns_outside_read_number(beyond, &other));
        bool called = *at == '(' && strchr("-.0123456789", at[1]); /* “tensor(2.5)” */
        /* “step 3/100” */
        bool of = end && end < at && *end == '/' &&
                  strspn(end + 1, "0123456789") == (size_t)(at - end - 1);
        const char *place =
            end == at || of ? find_bracket(names, at, bracket, of, name->str) : NULL;
        /* “100 | loss 2.5”, “[100 | 20.5] loss=2.5”, “200/ 2983 batches” */
        if (end == at && word == text + bracket && at[0] == ' ' && at[1] == '|') place = "batch";
        /* “10: loss 2.5” */
        bool numbered = end == at && word == text && at[0] == ':' && at[1] == ' ';
        g_autofree char *next_word = numbered ? g_strndup(at + 2, strcspn(at + 2, " =:")) : NULL;
        if (numbered && is_kind(names, next_word, NS_OUTSIDE_LOSS)) place = "batch";
        const char *after = of ? end + 1 + strspn(end + 1, " 0123456789") : "";
        g_autofree char *counted = g_strndup(after, strcspn(after, separators));
        if (of && !name->len && *counted && is_place(names, counted)) place = counted;
        bool stepped = line->scalars[NS_OUTSIDE_STEP].name;
        g_autofree char *unit = end ? g_strndup(end, (gsize)(at - end)) : NULL;
        const char *count = at + strspn(at, "% "); /* “5%|# | 3/60 [”, “5% 3/60 [” */
        /* “Loss 6.5 (6.25)” of one batch of an evaluation, and the mean of those so far */
        NsOutsideCell *evaluation = &line->scalars[NS_OUTSIDE_VALIDATION];
        if (batch && end && line->batches && memchr(gap, '(', (size_t)(word - gap)))
            evaluation->value = value;
        batch = false;
        const char *step = NULL;
        size_t before = end == at || of ? find_at(names, name->str, &step) : G_MAXSIZE;
        if (end && *at == '%' && (at[1] == '|' || count[strspn(count, "0123456789")] == '/')) {
            percent = true;
            drop(name, &validation);
        } else if (of && percent) {
            length = length > 0 || !of_steps ? length : g_ascii_strtod(end + 1, NULL);
            if (!validation && of_steps) put(line, names, "it", value, &validation);
            line->batches |= validation;
        } else if (place) {
            drop(name, &validation);
            put(line, names, place, value, &validation);
        } else if (end == at && g_str_has_prefix(at, ")=")) {
            g_string_append_printf(name, " %.*s", (int)n, word); /* “lr (group 0)=0.1” */
            continue;
        } else if (before < G_MAXSIZE) {
            /* “Average loss at step 100: 2.5” */
            const char *next = at + strspn(at, " :=,");
            put(line, names, step, value, &validation);
            if (!ns_outside_read_number(next, &other)) drop(name, &validation);
            g_string_truncate(name, MIN(before, name->len));
            g_strchomp(name->str);
            name->len = strlen(name->str);
            if (name->len) continue;
        } else if (end == at || of) {
            batch = !evaluation->name;
            put(line, names, name->str, value, &validation);
            batch &= evaluation->name != NULL;
        } else if (end && *unit && is_place(names, unit)) {
            put(line, names, unit, value, &validation);
        } else if (!end && memchr(gap, '=', (size_t)(word - gap)) && !called) {
            /* “split=val step=3”; a text is no part of the next name. */
            g_autofree char *copy = g_strndup(word, n);
            validation |= ns_outside_is_of_validation(name->str, copy);
        } else if (!end && !ends) {
            g_autofree char *copy = g_strndup(word, n);
            if (g_strv_contains(levels, copy))
                g_string_truncate(name, 0);
            else if (g_str_equal(copy, "-"))
                drop(name, &validation);
            else if (n && name->len < 64 && !called && !strchr("-+>*", *copy))
                g_string_append_printf(name, name->len ? " %s" : "%s", copy);
            /* “tensorflow:loss = 2”, “result (greedy): loss: 2”, “words/s : norm 2”, but not
             * “loss:2” or “loss:nan” */
            const char *colon = at + strspn(at, ") "), *next = colon + (*colon == ':');
            next += strspn(next, colon > at ? " " : "");
            bool apart = *at == ':' && at[1] == ' ';
            g_autofree char *first = apart ? g_strndup(at + 2, strcspn(at + 2, " =:")) : NULL;
            const char *argument = at + (*at == '('); /* “Metrics(step=3, loss=2.5)” */
            argument += strspn(argument, G_CSET_a_2_z G_CSET_A_2_Z "_");
            bool host = apart && is_place(names, first); /* “gpu7: step 3” */
            if ((*colon == ':' && g_ascii_isalpha(*next) &&
                 !ns_outside_read_number(next, &value)) ||
                host || (*at == '(' && *argument == '='))
                drop(name, &validation);
            continue;
        } else if (ends && (!name->len || (*bar == '|' && gap[0] == ' '))) {
            /* “| valid | loss 4.2”, “[valid] loss: 4.2”, “| valid on 'valid' subset | loss 4.2” */
            const char *head = name->len ? name->str : word;
            g_autofree char *copy = g_strndup(head, name->len ? strcspn(head, " ") : n);
            validation |= ns_outside_is_of_validation("split", copy);
            mean |= *bar == '|' && g_str_equal(copy, "train");
        }
        if (of && !percent && !stepped && line->scalars[NS_OUTSIDE_STEP].name)
            settle_total(printed, line, names, g_ascii_strtod(end + 1, NULL), validation);
        g_string_truncate(name, 0);
    }
    /* “| train | epoch 001 | loss 4.2” is the mean of an epoch. */
    NsOutsideCell *loss = &line->scalars[NS_OUTSIDE_LOSS];
    if (mean && loss->name) loss->name = ns_outside_names_find(names, NULL, "train_loss");
    return length;
}

/* Reads a line such as “250 val 3.2512” of build-nanogpt; false for any other one. */
static bool read_triple(NsOutsideLine *line, NsOutsideNames *names, const char *text)
{
    size_t digits = strspn(text, "0123456789"), at = digits + 1;
    if (!digits || text[digits] != ' ') return false;
    size_t letters = strspn(text + at, "abcdefghijklmnopqrstuvwxyz_");
    double step, value;
    const char *end =
        text[at + letters] == ' ' ? ns_outside_read_number(text + at + letters + 1, &value) : NULL;
    if (!letters || !end || *end || !ns_outside_read_number(text, &step)) return false;
    g_autofree char *word = g_strndup(text + at, letters);
    bool curve = g_str_equal(word, "train") || g_str_equal(word, "val");
    g_autofree char *name = g_strconcat(word, curve ? "_loss" : NULL, NULL);
    ns_outside_line_put(line, ns_outside_names_find(names, NULL, "step"), step);
    ns_outside_line_put(line, ns_outside_names_find(names, NULL, name), value);
    return true;
}

/* Reads a text without “\r” into the line.  `last`: nothing takes its place on the screen.  Returns
 * whether it is a record; *object, whether it is one of Python or JSON. */
static bool read_part(NsOutsideText *text, NsOutsideLine *line, NsOutsideNames *names,
                      const char *part, bool last, bool *object)
{
    const NsOutsideCell *own = line->scalars;
    double bar = 0;
    bool triple = false;
    const char *start = strstr(part, "{'");
    if (!start) start = strstr(part, "{\"");
    const char *end = start ? strrchr(start, '}') : NULL;
    if (start > part && start[-1] == '(') end = NULL; /* an argument in a program */
    g_autofree char *inner = end ? g_strndup(start, (gsize)(end + 1 - start)) : NULL;
    *object = inner && !ns_outside_line_read(line, names, inner, strlen(inner));
    if (!*object) {
        ns_outside_line_clear(line);
        triple = read_triple(line, names, part);
        if (!triple) bar = read_words(text, line, names, part);
    }
    g_autofree char *words = g_strndup(part, *object ? (gsize)(start - part) : 0);
    if (*words && !own[NS_OUTSIDE_STEP].name) {
        /* “Step 100: {'loss': 2.5}” */
        g_autoptr(NsOutsideLine) before = ns_outside_line_new();
        bar = read_words(text, before, names, words);
        const NsOutsideCell *place = before->scalars;
        ns_outside_line_put(line, place[NS_OUTSIDE_STEP].name, place[NS_OUTSIDE_STEP].value);
        if (!own[NS_OUTSIDE_EPOCH].name)
            ns_outside_line_put(line, place[NS_OUTSIDE_EPOCH].name, place[NS_OUTSIDE_EPOCH].value);
    }
    /* “| valid | {'loss': 2.5}” */
    char *word = words + strlen(words);
    while (word > words && !g_ascii_isalpha(word[-1])) *--word = '\0';
    while (word > words && g_ascii_isalpha(word[-1])) word--;
    if (own[NS_OUTSIDE_LOSS].name && ns_outside_is_of_validation("split", word))
        ns_outside_line_validate(line, names);
    bool loss = own[NS_OUTSIDE_LOSS].name || own[NS_OUTSIDE_VALIDATION].name ||
                ns_outside_line_part(line, NS_OUTSIDE_LOSS) ||
                ns_outside_line_part(line, NS_OUTSIDE_VALIDATION);
    bool other = own[NS_OUTSIDE_LR].name || own[NS_OUTSIDE_GRAD_NORM].name;
    bool indented = g_ascii_isspace(*part) && ns_outside_line_has_any(line);
    /* “Validation bpb: 1.03” */
    for (guint i = 0; !loss && text->begun && i < line->cells->len; i++)
        other |= ns_outside_has_split(g_array_index(line->cells, NsOutsideCell, i).name->group->key,
                                      true);
    /* “iter 12: val loss 2.8” after “iter 12 step 3”: the step is another number. */
    if (line->worse) text->worse = line->worse;
    if (text->worse && own[NS_OUTSIDE_STEP].name == text->worse && !own[NS_OUTSIDE_LOSS].name) {
        line->step = -1;
        line->scalars[NS_OUTSIDE_STEP] = (NsOutsideCell){0};
    }
    bool has_step = own[NS_OUTSIDE_STEP].name, has_epoch = own[NS_OUTSIDE_EPOCH].name;
    bool placed = has_step || (has_epoch && !*object && !text->stepped);
    if (has_epoch && !*object) {
        text->used &= text->at[NS_OUTSIDE_EPOCH].value >= own[NS_OUTSIDE_EPOCH].value;
        text->at[NS_OUTSIDE_EPOCH] = own[NS_OUTSIDE_EPOCH];
    }
    if (placed && (bar <= 0 || text->bar_of_steps <= 0 || bar == text->bar_of_steps)) {
        text->at[NS_OUTSIDE_STEP] = own[NS_OUTSIDE_STEP];
        text->epoch = has_step ? own[NS_OUTSIDE_EPOCH] : (NsOutsideCell){0};
        text->used = false;
        text->bar = bar;
        if (loss && !has_epoch && text->at[NS_OUTSIDE_EPOCH].name)
            ns_outside_line_put(line, text->at[NS_OUTSIDE_EPOCH].name,
                                text->at[NS_OUTSIDE_EPOCH].value);
    } else if (!placed && last && (loss || indented || (other && text->begun))) {
        NsOutsideCell at = text->at[NS_OUTSIDE_STEP];
        if (!at.name && !*object) at = text->at[NS_OUTSIDE_EPOCH];
        ns_outside_line_put(line, at.name, at.value);
        if (!has_epoch) ns_outside_line_put(line, text->epoch.name, text->epoch.value);
        placed = at.name;
        line->repeats = text->used;
        if (own[NS_OUTSIDE_LOSS].name) text->bar_of_steps = text->bar;
    }
    /* “step=10, lr=[0.1]”, and indented lines below it, before the first loss */
    if (!text->begun && !text->early) text->early = ns_outside_line_new();
    if (!text->begun && !loss && (has_step || indented || other)) {
        if (has_step) ns_outside_line_clear(text->early);
        ns_outside_line_merge(text->early, line);
    } else if (!text->begun && loss && text->early->step == line->step) {
        ns_outside_line_merge(line, text->early);
    }
    text->used |= own[NS_OUTSIDE_LOSS].name != NULL;
    text->begun |= loss;
    text->stepped |= loss && has_step;
    return *object || (placed && (loss || (text->begun && (triple || other || indented))));
}

/* Puts spaces in the place of arrows and of pictures, which many scripts print between words. */
static void blank_pictures(char *text)
{
    for (char *at = text, *next; *at; at = next) {
        gunichar c = g_utf8_get_char_validated(at, -1);
        bool valid = c < (gunichar)-2;
        bool picture = valid && ((c >= 0x2190 && c < 0x2200) || (c >= 0x2600 && c < 0x27C0) ||
                                 c == 0xFE0F || (c >= 0x1F000 && c < 0x1FB00));
        next = valid ? g_utf8_next_char(at) : at + 1;
        if (picture) memset(at, ' ', (size_t)(next - at));
    }
}

/* Reads a line of text, in which a progress bar is drawn several times. */
bool ns_outside_text_take(NsOutsideInput *input, char *start, bool first)
{
    bool any = false;
    blank_pictures(input->text->str);
    g_auto(GStrv) parts = g_strsplit(input->text->str, "\r", -1);
    for (char **part = parts; *part; part++) {
        bool object;
        bool read = read_part(&input->printed, input->line, input->names, *part, !part[1], &object);
        input->steps += !read && input->line->step >= 0;
        if (!read) continue;
        any = true;
        input->of_text += !object || *start != '{';
        ns_outside_input_take(input, NULL);
    }
    if (!any && input->text->str[strspn(input->text->str, "-= ")])
        g_string_assign(input->head, input->text->str);
    /* Other text is expected around lines of text, but not between those of JSON. */
    if (!any && input->of_json) ns_outside_skip_line(input, N_("it is not a JSON object"));
    (void)first;
    return true;
}
