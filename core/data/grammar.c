/* Generates a play from a grammar.  SPDX-License-Identifier: MIT
 *
 * The grammar is the table below: a rule is a name and its forms, one of which is drawn uniformly.
 * In a form, {name} is replaced by the expansion of that rule, and {^name} by the same with a
 * capital letter.  Nouns and verbs are stems that take a plain s, so that agreement in number is a
 * choice of rules: np.s agrees with vp.s, np.p with vp.p.  The names in `computed` are written by
 * functions, because no table can express them: sums, weekdays, the characters on the stage.
 *
 * A model can learn, from easy to hard: letters, words, spelling after a capital, agreement across
 * a nested clause, brackets and quotation marks that close, names of those on the stage, sums. */
#include "core/data/grammar.h"

#include "core/base/rng.h"

#include <glib.h>
#include <string.h>

#define CAST 3      /* characters on the stage */
#define DEPTH_MAX 9 /* from this depth on a rule takes its first form, so that recursion ends */
#define SCENES 5    /* scenes in an act */
#define SPEECHES_MIN 8
#define SPEECHES_MAX 16

typedef struct {
    GString *text;
    NsRng rng;
    const char *cast[CAST];
    unsigned speaker; /* index into `cast` */
} Writer;

typedef struct {
    const char *name;
    const char *const *forms;
    size_t n;
} Rule;

#define RULE(name, ...)                                                                            \
    {                                                                                              \
        name, (const char *const[]){__VA_ARGS__},                                                  \
            sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)                            \
    }

/* clang-format off */
static const Rule rules[] = {
    /* The sentence of a speaker. */
    RULE("line",
        "{^clause}.", "{^clause}.", "{^clause}, {and} {clause}.", "{^clause}; {clause}.",
        "{^clause}, {other}.", "{^other}, {clause}.", "{^question}?", "{^question}, {other}?",
        "{^cry}! {^clause}.", "{^order}!", "{^order}, {other}.", "{^clause} ({clause}).",
        "{^person} {said}: \"{^clause}.\"", "{^person} {asked}: \"{^question}?\"",
        "{^date} {clause}.", "{^sum}.", "{^sum}, {other}.", "{^condition}.", "{^reply}, {other}: {clause}."),
    RULE("clause",
        "{np.s} {vp.s}", "{np.p} {vp.p}", "{np.s} {vp.s}", "{np.p} {vp.p}",
        "{person} {vp.s}", "I {vp.p}", "we {vp.p}", "they {vp.p}", "there is {one} {n.s} {where}",
        "there are {number} {n.p} {where}"),
    RULE("condition",
        "if {np.s} {vp.s}, then {np.p} {vp.p}", "when {np.p} {vp.p}, {np.s} {vp.s}",
        "either {np.s} {vp.s} or {np.p} {vp.p}"),
    RULE("question",
        "does {np.s} {verb} {np}", "do {np.p} {verb} {np}", "where is {np.s}", "where are {np.p}",
        "who {vp.s}", "why do you {verb} {np}", "how many {noun}s {vp.p}", "will {np} {vp.p}"),
    RULE("order",
        "{verb} {np}", "do not {verb} {np}", "give {person} {one} {n.s}", "come {where}", "let us {verb} {np}"),
    RULE("cry", "alas", "what", "peace", "look", "no more", "well", "hark", "enough"),
    RULE("reply", "yes", "no", "never", "perhaps", "gladly", "indeed", "truly", "so be it"),
    RULE("and", "and", "but", "for", "so", "while", "yet", "because", "until"),
    RULE("said", "said", "sang", "wrote", "whispered", "answered", "swore"),
    RULE("asked", "asked", "wondered", "cried"),
    RULE("person", "{name}", "{name}", "{other}", "{name}'s {kin}", "the {kin} of {name}"),
    RULE("kin", "brother", "sister", "father", "mother", "cousin", "servant", "friend", "daughter"),

    /* Noun phrases, singular and plural. */
    RULE("np", "{np.s}", "{np.p}"),
    RULE("np.s",
        "{the.s} {n.s}", "{the.s} {n.s}", "{the.s} {n.s}", "{one} {n.s}", "{name}'s {n.s}",
        "{the.s} {n.s} {where}", "{the.s} {n.s} that {vp.s}", "{the.s} {n.s} that {np.p} {verb}",
        "{the.s} {n.s} of {np}"),
    RULE("np.p",
        "{the.p} {n.p}", "{the.p} {n.p}", "{the.p} {n.p}", "{number} {n.p}", "{name}'s {n.p}",
        "{the.p} {n.p} {where}", "{the.p} {n.p} that {vp.p}", "{the.p} {n.p} that {np.s} {verb}s",
        "{np.s} and {np.s}"),
    RULE("n.s", "{noun}", "{noun}", "{adjective} {noun}"),
    RULE("n.p", "{noun}s", "{noun}s", "{adjective} {noun}s"),
    RULE("the.s", "the", "the", "this", "that", "every", "my", "your", "our"),
    RULE("the.p", "the", "the", "these", "those", "all", "my", "your", "our"),
    RULE("one", "a", "one", "no"),

    /* Verb phrases, singular and plural. */
    RULE("vp.s",
        "{rest}s", "{verb}s {np}", "{verb}s {np}", "{verb}s {np} {where}", "{adverb} {verb}s {np}",
        "{rest}s {where}", "is {adjective}", "is {adjective} and {adjective}",
        "does not {verb} {np}", "{modal} {verb} {np}", "{believe}s that {clause}"),
    RULE("vp.p",
        "{rest}", "{verb} {np}", "{verb} {np}", "{verb} {np} {where}", "{adverb} {verb} {np}",
        "{rest} {where}", "{modal} be {adjective}", "{modal} be {adjective} or {adjective}",
        "do not {verb} {np}", "{modal} {verb} {np}", "{believe} that {clause}"),
    RULE("modal", "will", "must", "may", "shall", "would", "should", "can", "might"),
    RULE("where", "{in} the {place}", "{in} the {place}", "{in} {name}'s {place}",
        "{in} the {adjective} {place}"),
    RULE("in", "in", "near", "by", "behind", "under", "beside", "beyond", "before"),

    /* Words.  Nouns, adjectives and names that follow "a" begin with a consonant. */
    RULE("noun",
        "king", "queen", "lord", "poet", "sailor", "soldier", "baker", "doctor", "judge", "tailor",
        "merchant", "beggar", "pilot", "weaver", "hunter", "miller", "neighbour", "scholar", "painter",
        "horse", "dog", "cat", "raven", "lion", "snake", "bee", "spider", "crow", "lamb", "tiger",
        "lamp", "crown", "sword", "book", "letter", "ship", "coin", "candle", "mirror", "drum",
        "kettle", "clock", "key", "ring", "rope", "boat", "lute", "map", "jewel", "basket", "quill",
        "star", "cloud", "storm", "river", "stone", "flower", "tree", "wave", "flame", "shadow",
        "dream", "secret", "question", "promise", "word", "song", "fear", "hope", "law", "war", "year",
        "voice", "heart", "hand", "joke", "debt", "fortune", "quarrel", "picture", "number"),
    RULE("verb",
        "love", "follow", "hear", "fear", "praise", "remember", "forget", "keep", "want", "need", "steal",
        "find", "bring", "visit", "know", "hate", "serve", "help", "thank", "paint", "sell", "count",
        "open", "burn", "hide", "move", "break", "measure", "change", "answer", "deceive", "question",
        "mock", "observe", "pardon", "mend", "trust", "draw", "lose", "win", "borrow", "judge"),
    RULE("rest",
        "sleep", "sing", "wait", "dance", "fall", "shine", "laugh",
        "weep", "dream", "tremble", "wander", "stand", "speak", "kneel", "arrive", "grow", "rest"),
    RULE("believe", "think", "know", "say", "believe", "hope", "swear", "doubt", "prove"),
    RULE("adjective",
        "good", "brave", "bright", "cold", "dark", "false", "gentle", "golden", "great", "green",
        "happy", "heavy", "jealous", "kind", "large", "little", "long", "lost", "mad", "new", "noble",
        "quick", "quiet", "red", "rich", "round", "royal", "sad", "silver", "simple", "small", "strange",
        "strong", "sweet", "tall", "true", "white", "wild", "wise", "young", "zealous", "foxy", "blue"),
    RULE("adverb", "always", "never", "often", "seldom", "gladly", "quietly", "still", "soon", "rarely"),
    RULE("place",
        "garden", "castle", "forest", "market", "harbour", "tower", "church", "kitchen", "field",
        "bridge", "river", "prison", "valley", "cellar", "library", "island", "gate", "mill", "village",
        "mountain"),
    RULE("month",
        "January", "February", "March", "April", "May", "June", "July", "August", "September",
        "October", "November", "December"),
};

static const char *const people[] = {
    "Adrian", "Beatrice", "Cassio", "Diana", "Edgar", "Flavia", "Gonzalo", "Helena", "Imogen",
    "Julia", "Kent", "Leonato", "Miranda", "Nerissa", "Orlando", "Portia", "Quince", "Rosalind",
    "Silvia", "Tobias", "Ursula", "Viola", "William", "Yorick",
};

static const char *const weekdays[] = {
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
};
/* clang-format on */

static unsigned below(Writer *w, size_t n)
{
    return (unsigned)ns_rng_below(&w->rng, n);
}

static unsigned between(Writer *w, unsigned least, unsigned most)
{
    return least + below(w, most - least + 1);
}

static const Rule *find_rule(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(rules); i++)
        if (strcmp(rules[i].name, name) == 0) return &rules[i];
    g_return_val_if_reached(&rules[0]);
}

static void write_name(Writer *w)
{
    g_string_append(w->text, people[below(w, G_N_ELEMENTS(people))]);
}

/* Writes the name of a character on the stage who is not speaking. */
static void write_other(Writer *w)
{
    g_string_append(w->text, w->cast[(w->speaker + 1 + below(w, CAST - 1)) % CAST]);
}

static void write_number(Writer *w)
{
    g_string_append_printf(w->text, "%u", between(w, 2, 99));
}

static void write_sum(Writer *w)
{
    unsigned a = between(w, 2, 50), b = between(w, 2, 49), c = between(w, 2, 9),
             d = between(w, 2, 9);
    switch (below(w, 3)) {
    case 0:
        g_string_append_printf(w->text, "%u and %u make %u", a, b, a + b);
        break;
    case 1:
        g_string_append_printf(w->text, "%u less %u leaves %u", a + b, b, a);
        break;
    default:
        g_string_append_printf(w->text, "%u times %u is %u", c, d, c * d);
        break;
    }
}

static void write_date(Writer *w)
{
    unsigned month = between(w, 1, 12), year = between(w, 1583, 1699);
    unsigned days = g_date_get_days_in_month((GDateMonth)month, (GDateYear)year);
    unsigned day = between(w, 1, days);
    GDate date;
    g_date_clear(&date, 1);
    g_date_set_dmy(&date, (GDateDay)day, (GDateMonth)month, (GDateYear)year);
    g_string_append_printf(w->text, "on %s, %u %s %u,",
                           weekdays[g_date_get_weekday(&date) - G_DATE_MONDAY], day,
                           find_rule("month")->forms[month - 1], year);
}

static const struct {
    const char *name;
    void (*write)(Writer *w);
} computed[] = {
    {"name", write_name}, {"other", write_other}, {"number", write_number},
    {"sum", write_sum},   {"date", write_date},
};

static void write_symbol(Writer *w, const char *name, unsigned depth)
{
    for (size_t i = 0; i < G_N_ELEMENTS(computed); i++)
        if (strcmp(computed[i].name, name) == 0) {
            computed[i].write(w);
            return;
        }

    const Rule *rule = find_rule(name);
    const char *at = rule->forms[below(w, depth < DEPTH_MAX ? rule->n : 1)];
    while (*at) {
        size_t plain = strcspn(at, "{");
        g_string_append_len(w->text, at, (gssize)plain);
        at += plain;
        if (*at == '\0') break;

        gboolean capital = at[1] == '^';
        const char *from = at + (capital ? 2 : 1);
        size_t length = strcspn(from, "}");
        char inner[32];
        g_strlcpy(inner, from, MIN(length + 1, sizeof inner));
        size_t begin = w->text->len;
        write_symbol(w, inner, depth + 1);
        if (capital) w->text->str[begin] = g_ascii_toupper(w->text->str[begin]);
        at = from + length + 1;
    }
}

char *ns_grammar_text(uint64_t seed, size_t characters)
{
    Writer w = {.text = g_string_sized_new(characters + 1024)};
    ns_rng_init(&w.rng, seed, ns_rng_stream("grammar"));
    for (unsigned scene = 0; w.text->len < characters; scene++) {
        g_string_append_printf(w.text, "Act %u, Scene %u: ", scene / SCENES + 1,
                               scene % SCENES + 1);
        write_symbol(&w, "where", 0);
        g_string_append(w.text, ".\n\n");

        const char *all[G_N_ELEMENTS(people)];
        memcpy(all, people, sizeof all);
        for (size_t i = 0; i < CAST; i++) {
            size_t j = i + below(&w, G_N_ELEMENTS(people) - i);
            w.cast[i] = all[j];
            all[j] = all[i];
        }
        g_string_append_printf(w.text, "(Enter %s, %s and %s.)\n\n", w.cast[0], w.cast[1],
                               w.cast[2]);
        unsigned speeches = between(&w, SPEECHES_MIN, SPEECHES_MAX);
        while (speeches-- > 0 && w.text->len < characters) {
            w.speaker = (w.speaker + 1 + below(&w, CAST - 1)) % CAST;
            g_string_append_printf(w.text, "%s:\n", w.cast[w.speaker]);
            for (unsigned lines = between(&w, 1, 4); lines > 0; lines--) {
                write_symbol(&w, "line", 0);
                g_string_append_c(w.text, '\n');
            }
            g_string_append_c(w.text, '\n');
        }
    }
    return g_string_free(w.text, FALSE);
}
