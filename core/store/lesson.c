/* SPDX-License-Identifier: MIT */
#include "core/store/lesson.h"

#include "core/base/error.h"
#include "core/store/bundled.h"
#include "core/store/entries.h"

#include <string.h>

#define LAST_STEP 1000000000

/* The entries of one card that describe its experiment; they are applied when the card is
 * complete. */
typedef struct {
    const NsEntry *setup[1 + NS_LANES_MAX]; /* [0]: for all lanes; [1 + i]: for lane i */
    const NsEntry *steps[1 + NS_LANES_MAX]; /* the same for `do` */
    const NsEntry *change[1 + NS_LANES_MAX];
} Plan;

typedef struct {
    NsLesson *lesson;
    NsCard *card; /* NULL before the first card */
    Plan plan;
    const NsEntry *began; /* the section that began the card */
} Reader;

void ns_lesson_free(NsLesson *lesson)
{
    if (!lesson) return;
    for (NsCard *card = lesson->card; card < lesson->card + lesson->n; card++) {
        g_free(card->title);
        g_free(card->page);
        g_free(card->highlight);
        g_free(card->chart);
        g_strfreev(card->texts);
        g_strfreev(card->tries);
        g_free(card->tried);
        g_strfreev(card->claims);
        ns_experiment_clear(&card->begin);
        ns_experiment_clear(&card->end);
        ns_lesson_conditions_clear(&card->conditions);
        g_free(card->ask);
        for (size_t i = 0; i < card->n_choices; i++) {
            g_free(card->choices[i]);
            g_free(card->why[i]);
        }
    }
    g_free(lesson->card);
    g_free(lesson->title);
    g_free(lesson->summary);
    g_free(lesson);
}

static bool refuse(const NsEntry *entry, GError **error, const char *words)
{
    return ns_refuse(error, NS_ERROR_SETTING, "Line %zu: %s", entry->line, words);
}

static void replace(char **text, const char *value)
{
    g_free(*text);
    *text = g_strdup(value);
}

/* ---- The experiment of a card ---- */

/* The index of the lane with this lowercase letter; NS_LANES_MAX if there is none. */
static size_t find_lane(const char *word)
{
    g_autofree char *letter = g_ascii_strup(word, -1);
    return g_str_equal(letter, word) ? NS_LANES_MAX : ns_lane_find(letter);
}

/* The slot for a key such as "setup" or "setup-b", or NULL for any other key. */
static const NsEntry **slot(const NsEntry **slots, const char *key, const char *word)
{
    size_t length = strlen(word);
    if (!g_str_has_prefix(key, word)) return NULL;
    if (!key[length]) return &slots[0];
    size_t lane = key[length] == '-' ? find_lane(key + length + 1) : NS_LANES_MAX;
    return lane < NS_LANES_MAX ? &slots[1 + lane] : NULL;
}

static bool assign(NsSettings *settings, const NsEntry *entry, GError **error)
{
    GError *wrong = NULL;
    NsNamed named = {0};
    return !entry || ns_settings_name_all(settings, &named, entry->value, &wrong) ||
           ns_entry_blame(entry, wrong, error);
}

static bool assign_lanes(NsExperiment *experiment, const NsEntry *const *entries, GError **error)
{
    for (size_t i = experiment->n; i < NS_LANES_MAX; i++)
        if (entries[1 + i]) return refuse(entries[1 + i], error, "There is no such lane.");
    for (size_t i = 0; i < experiment->n; i++)
        if (!assign(&experiment->lane[i], entries[0], error) ||
            !assign(&experiment->lane[i], entries[1 + i], error))
            return false;
    ns_experiment_link(experiment);
    return true;
}

static size_t count(const NsEntry *const *entries)
{
    size_t n = 0;
    for (size_t i = 0; i <= NS_LANES_MAX; i++)
        if (entries[i]) n = MAX(i, 1);
    return n;
}

/* Derives the settings of the card from those of the previous card and its own entries. */
static bool settle_lanes(Reader *reader, GError **error)
{
    NsCard *card = reader->card;
    Plan *plan = &reader->plan;
    size_t fresh = count(plan->setup);
    if (fresh) {
        ns_experiment_init(&card->begin);
        ns_experiment_resize(&card->begin, fresh, 0);
    }
    if (!assign_lanes(&card->begin, plan->setup, error)) return false;
    const NsExperiment *from = fresh                         ? &card->begin
                               : card > reader->lesson->card ? &card[-1].end
                                                             : NULL;
    if (from) ns_experiment_copy(&card->end, from);
    card->asks_for_settings = count(plan->steps) > 0;
    if (!assign_lanes(&card->end, plan->steps, error) ||
        !assign_lanes(&card->end, plan->change, error))
        return false;
    if (ns_experiment_check(&card->end, NULL, error)) return true;
    g_prefix_error(error, "Line %zu: ", reader->began->line);
    return false;
}

/* ---- A card ---- */

/* A change is made at the end of the run of a card before, in settings that act there. */
static bool finish_change(const Reader *reader, GError **error)
{
    NsCard *card = reader->card;
    if (card->data == SIZE_MAX || !card->end.n)
        return refuse(reader->began, error,
                      "A change needs the run of a card before, and goes without setup and do.");
    card->change = reader->lesson->card[card->data].run;
    for (size_t i = 0; i < card->end.n; i++)
        for (size_t k = 0; ns_param(k); k++) {
            const NsParam *param = ns_param(k);
            if (param->effect == NS_EFFECT_LIVE ||
                ns_settings_same(&card[-1].end.lane[i], &card->end.lane[i], param))
                continue;
            return ns_refuse(error, NS_ERROR_SETTING,
                             "Line %zu: “%s” does not act on a running model; ask for it with do.",
                             reader->began->line, param->key);
        }
    return true;
}

static bool finish_card(Reader *reader, GError **error)
{
    const NsCard *card = reader->card;
    if (!card) return true;
    if (!card->title || !card->texts)
        return refuse(reader->began, error, "This card has no title or no text.");
    size_t n = 0;
    for (char **text = card->texts; *text; text++) {
        g_auto(GStrv) words = g_strsplit_set(*text, " \t", -1);
        for (char **word = words; *word; word++) n += **word != '\0';
    }
    if (n > NS_CARD_WORDS) return refuse(reader->began, error, "This card has more than 60 words.");
    if (!card->tries != !card->tried)
        return refuse(reader->began, error,
                      "A try needs a tried: what the card says when it was done.");
    for (char **key = card->tries; key && *key; key++)
        if (!ns_param_find(*key))
            return refuse(reader->began, error, "The try of this card is no setting.");
    if (card->ask && (card->n_choices < 2 || card->right == SIZE_MAX))
        return refuse(reader->began, error,
                      "The question of this card needs a wrong choice and the right one.");
    for (size_t i = 0; i < card->n_choices; i++)
        if (!card->why[i])
            return refuse(reader->began, error,
                          "Each answer of this card needs a why: what makes it right or wrong.");
    if (!settle_lanes(reader, error)) return false;
    if (card->draws && card->draw_lane >= card->end.n)
        return refuse(reader->began, error,
                      "The curve to draw belongs to a lane that does not exist.");
    /* A card speaks of the run of a card before, until the settings become others. */
    size_t at = (size_t)(card - reader->lesson->card);
    bool other = at == 0 || card->begin.n || card->asks_for_settings;
    reader->card->data = other ? SIZE_MAX : card[-1].run ? at - 1 : card[-1].data;
    if (!other) reader->card->start = card[-1].start;
    return !count(reader->plan.change) || finish_change(reader, error);
}

static bool read_count(int64_t *number, const NsEntry *entry, GError **error)
{
    return g_ascii_string_to_signed(entry->value, 10, 0, LAST_STEP, number, NULL) ||
           refuse(entry, error, "This is not a number of steps.");
}

static bool read_draw(NsCard *card, const NsEntry *entry, GError **error)
{
    int quantity = ns_choices_find(ns_quantity_choice, entry->value);
    bool layers = quantity >= 0 && (ns_quantity((NsQuantity)quantity)->domain == NS_DOMAIN_LAYER ||
                                    ns_quantity((NsQuantity)quantity)->domain == NS_DOMAIN_HIDDEN);
    if (!layers) return refuse(entry, error, "This is not a quantity of layers.");
    card->draws = true;
    card->quantity = (NsQuantity)quantity;
    return true;
}

/* The keys whose values are stored unchanged as texts. */
static char **text_slot(NsCard *card, const char *key)
{
    const struct {
        const char *key;
        char **text;
    } texts[] = {{"title", &card->title}, {"page", &card->page},   {"highlight", &card->highlight},
                 {"chart", &card->chart}, {"tried", &card->tried}, {"ask", &card->ask}};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
        if (g_str_equal(key, texts[i].key)) return texts[i].text;
    return NULL;
}

static bool read_card_entry(Reader *reader, const NsEntry *entry, GError **error)
{
    NsCard *card = reader->card;
    const char *key = entry->key;
    char **text = text_slot(card, key);
    const NsEntry **setup = slot(reader->plan.setup, key, "setup");
    const NsEntry **step = slot(reader->plan.steps, key, "do");
    const NsEntry **change = slot(reader->plan.change, key, "change");
    if (text) return replace(text, entry->value), true;
    if (setup) return *setup = entry, true;
    if (step) return *step = entry, true;
    if (change) return *change = entry, true;
    if (g_str_equal(key, "text")) return ns_entry_list(entry, &card->texts), true;
    if (g_str_equal(key, "claim")) return ns_entry_list(entry, &card->claims), true;
    if (g_str_equal(key, "wait")) {
        GError *wrong = NULL;
        ns_lesson_conditions_clear(&card->conditions);
        return ns_lesson_conditions_read(&card->conditions, entry->value, &wrong) ||
               ns_entry_blame(entry, wrong, error);
    }
    if (g_str_equal(key, "run")) return read_count(&card->run, entry, error);
    if (g_str_equal(key, "start")) return read_count(&card->start, entry, error);
    if (g_str_equal(key, "fit")) {
        card->fit_all = g_str_equal(entry->value, "all");
        return card->fit_all || refuse(entry, error, "Charts can be fitted to “all” runs only.");
    }
    if (g_str_equal(key, "theory")) {
        card->theory = g_str_equal(entry->value, "on");
        if (card->theory || g_str_equal(entry->value, "off")) return true;
        GError *wrong = NULL;
        ns_refuse(&wrong, NS_ERROR_SETTING, "“%s” is not a valid value here; write on or off.",
                  entry->value);
        return ns_entry_blame(entry, wrong, error);
    }
    if (g_str_equal(key, "choice") || g_str_equal(key, "right")) {
        bool right = g_str_equal(entry->key, "right");
        if (card->n_choices == NS_CARD_CHOICES)
            return refuse(entry, error, "A question has at most 5 answers.");
        if (right && card->right != SIZE_MAX)
            return refuse(entry, error, "There is already a right answer.");
        if (right) card->right = card->n_choices;
        card->choices[card->n_choices++] = g_strdup(entry->value);
        return true;
    }
    if (g_str_equal(key, "why")) {
        /* Why the preceding answer is right or wrong. */
        if (!card->n_choices || card->why[card->n_choices - 1])
            return refuse(entry, error, "A why follows its answer, one for each.");
        card->why[card->n_choices - 1] = g_strdup(entry->value);
        return true;
    }
    if (g_str_equal(key, "try")) {
        g_strfreev(card->tries);
        card->tries = g_strsplit(entry->value, " ", -1);
        return true;
    }
    if (g_str_equal(key, "draw")) return read_draw(card, entry, error);
    if (g_str_equal(key, "draw-lane")) {
        card->draw_lane = find_lane(entry->value);
        return card->draw_lane < NS_LANES_MAX ||
               refuse(entry, error, "This is not a lane; lanes are a, b, c and d.");
    }
    if (g_str_equal(key, "draw-step")) return read_count(&card->draw_step, entry, error);
    static const char *const keys[] = {
        "title",     "page", "highlight", "chart",  "ask",    "why",   "setup", "do",
        "change",    "text", "claim",     "wait",   "choice", "right", "draw",  "draw-lane",
        "draw-step", "run",  "start",     "theory", "try",    "tried", "fit",   NULL};
    return ns_entry_unknown(entry, keys, error);
}

static bool read_entry(Reader *reader, const NsEntry *entry, GError **error)
{
    NsLesson *lesson = reader->lesson;
    if (!entry->key) {
        if (!finish_card(reader, error)) return false;
        if (!g_str_equal(entry->section, "card"))
            return refuse(entry, error, "A lesson is made of sections [card].");
        if (lesson->n == NS_CARDS_MAX) return refuse(entry, error, "A lesson has at most 7 cards.");
        reader->card = &lesson->card[lesson->n++];
        *reader->card = (NsCard){.right = SIZE_MAX};
        reader->plan = (Plan){0};
        reader->began = entry;
        return true;
    }
    if (reader->card) return read_card_entry(reader, entry, error);
    if (g_str_equal(entry->key, "title"))
        replace(&lesson->title, entry->value);
    else if (g_str_equal(entry->key, "summary"))
        replace(&lesson->summary, entry->value);
    else
        return ns_entry_unknown(entry, (const char *const[]){"title", "summary", NULL}, error);
    return true;
}

NsLesson *ns_lesson_new(const char *text, size_t size, GError **error)
{
    g_autoptr(NsEntries) entries = ns_entries_new(text, size, error);
    if (!entries) return NULL;
    g_autoptr(NsLesson) lesson = g_new0(NsLesson, 1);
    lesson->card = g_new0(NsCard, NS_CARDS_MAX);
    Reader reader = {.lesson = lesson};
    const NsEntry *entry;
    for (size_t i = 0; (entry = ns_entries_at(entries, i)); i++)
        if (!read_entry(&reader, entry, error)) return NULL;
    if (!finish_card(&reader, error)) return NULL;
    if (lesson->title && lesson->summary && lesson->n >= NS_CARDS_MIN)
        return g_steal_pointer(&lesson);
    return ns_refuse_null(error, NS_ERROR_SETTING,
                          "This is not a lesson: it needs a title, a summary and 4 to 7 cards.");
}

NsLesson *ns_lesson_open(size_t i, GError **error)
{
    g_autoptr(GBytes) bytes = ns_lesson_text(i);
    gsize size;
    const char *text = g_bytes_get_data(bytes, &size);
    return ns_lesson_new(text, size, error);
}

int64_t ns_lesson_data_step(const NsLesson *lesson, size_t at)
{
    const NsCard *card = &lesson->card[at];
    return card->data == SIZE_MAX ? card->start : lesson->card[card->data].run;
}
