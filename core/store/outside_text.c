/* SPDX-License-Identifier: MIT */
#include "core/store/outside_text-private.h"

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
} short_words[] = {{"s", "step"}, {"trl", "train loss"}, {"tel", "val loss"}, {"val", "val loss"}};

/* Adds a number under the words before it, which may be about validation. */
static void put(NsOutsideLine *line, NsOutsideNames *names, const char *words, double value,
                bool *validation)
{
    if (!*words || !g_utf8_validate(words, -1, NULL) || g_str_has_suffix(words, ".py")) return;
    /* “validation loss at iteration 100” */
    const char *at = strstr(words, " at ");
    bool loss = line->scalars[NS_OUTSIDE_LOSS].name;
    for (size_t i = 0; i < G_N_ELEMENTS(short_words); i++)
        if (g_str_equal(words, short_words[i].word) && (loss || i + 1 < G_N_ELEMENTS(short_words)))
            words = short_words[i].name;
    const NsOutsideName *name = ns_outside_names_find(names, NULL, words);
    const NsOutsideName *step = at ? ns_outside_names_find(names, NULL, at + 4) : NULL;
    if (step && step->kind == NS_OUTSIDE_STEP) {
        *validation = g_str_has_prefix(words, "validation");
        name = step;
    } else if (*validation && name &&
               (name->kind == NS_OUTSIDE_LOSS || name->kind == NS_OUTSIDE_VALUE)) {
        name = ns_outside_names_find(names, "validation", words);
    }
    ns_outside_line_put(line, name, value);
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

/* Reads the words and numbers of a line.  Returns the length of a progress bar,
 * “ 8%|██  | 30/375 [00:12<02:01]”; 0 if there is none. */
static double read_words(NsOutsideLine *line, NsOutsideNames *names, const char *text)
{
    static const char separators[] = " \t,|:=;()[]%";
    static const char *const levels[] = {"INFO", "DEBUG", "WARNING", NULL};
    g_autoptr(GString) name = g_string_new(NULL);
    bool validation = false, percent = false;
    double bar = 0;
    for (const char *at = text; *at;) {
        at += strspn(at, separators);
        size_t n = strcspn(at, separators);
        double value;
        const char *end = n ? read_number(at, &n, &value) : NULL, *word = at;
        at += n;
        bool ends = (*at && strchr(",;]", *at)) || at[strspn(at, " ")] == '|';
        bool called = *at == '(' && strchr("-.0123456789", at[1]); /* “tensor(2.5)” */
        /* “step 3/100” */
        bool of = end && end < at && *end == '/' &&
                  strspn(end + 1, "0123456789") == (size_t)(at - end - 1);
        if (end && *at == '%' && at[1] == '|') {
            percent = true;
        } else if (of && percent) {
            bar = bar > 0 ? bar : g_ascii_strtod(end + 1, NULL);
            put(line, names, "it", value, &validation);
        } else if (end == at || of) {
            put(line, names, name->str, value, &validation);
        } else if (!end && !ends) {
            g_autofree char *copy = g_strndup(word, n);
            if (g_strv_contains(levels, copy))
                g_string_truncate(name, 0);
            else if (n && name->len < 64 && !called && !strchr("->", *copy))
                g_string_append_printf(name, name->len ? " %s" : "%s", copy);
            continue;
        } else if (ends && !name->len) {
            /* “| valid | loss 4.2”, “[valid] loss: 4.2” */
            validation |= n == strlen("valid") && memcmp(word, "valid", n) == 0;
        }
        g_string_truncate(name, 0);
    }
    return bar;
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

bool ns_outside_text_read(NsOutsideText *text, NsOutsideLine *line, NsOutsideNames *names,
                          const char *part, bool last, bool *object)
{
    const NsOutsideCell *own = line->scalars;
    double bar = 0;
    bool triple = false;
    const char *start = strstr(part, "{'");
    if (!start) start = strstr(part, "{\"");
    const char *end = start ? strrchr(start, '}') : NULL;
    g_autofree char *inner = end ? g_strndup(start, (gsize)(end + 1 - start)) : NULL;
    *object = inner && !ns_outside_line_read(line, names, inner, strlen(inner));
    if (!*object) {
        ns_outside_line_clear(line);
        triple = read_triple(line, names, part);
        if (!triple) bar = read_words(line, names, part);
    }
    bool loss = own[NS_OUTSIDE_LOSS].name || own[NS_OUTSIDE_VALIDATION].name;
    bool other = own[NS_OUTSIDE_LR].name || own[NS_OUTSIDE_GRAD_NORM].name;
    bool indented = g_ascii_isspace(*part) && ns_outside_line_has_any(line);
    bool has_step = own[NS_OUTSIDE_STEP].name, has_epoch = own[NS_OUTSIDE_EPOCH].name;
    bool placed = has_step || (has_epoch && !*object);
    if (placed && (bar <= 0 || text->bar_of_steps <= 0 || bar == text->bar_of_steps)) {
        text->at[NS_OUTSIDE_STEP] = own[NS_OUTSIDE_STEP];
        if (has_epoch) text->at[NS_OUTSIDE_EPOCH] = own[NS_OUTSIDE_EPOCH];
        text->bar = bar;
    } else if (!placed && last && (loss || indented)) {
        NsOutsideCell at = text->at[NS_OUTSIDE_STEP];
        if (!at.name && !*object) at = text->at[NS_OUTSIDE_EPOCH];
        ns_outside_line_put(line, at.name, at.value);
        placed = at.name;
        if (own[NS_OUTSIDE_LOSS].name) text->bar_of_steps = text->bar;
    }
    text->begun |= loss;
    return *object || (placed && (loss || (text->begun && (triple || other || indented))));
}
