/* SPDX-License-Identifier: MIT */
#include "core/data/grammar.h"

#include <stdbool.h>
#include <string.h>

#define NONE (-1)

/* Two synonyms, and a more general word. */
typedef struct {
    const char *words[2], *general;
} Noun;

typedef struct {
    const char *words[2];
} Synonyms;

typedef struct {
    const char *past[2], *participle[2];
} Verb;

static const Noun nouns[] = {
    {{"dog", "hound"}, "animal"},       {{"cat", "feline"}, "animal"},
    {{"horse", "steed"}, "animal"},     {{"rabbit", "bunny"}, "animal"},
    {{"boy", "lad"}, "person"},         {{"doctor", "physician"}, "person"},
    {{"teacher", "tutor"}, "person"},   {{"king", "monarch"}, "person"},
    {{"car", "automobile"}, "vehicle"}, {{"ship", "vessel"}, "vehicle"},
    {{"bike", "bicycle"}, "vehicle"},   {{"plane", "aircraft"}, "vehicle"},
};
/* The first AGENTS nouns can be agents; the others, which are things, can only be patients. */
#define AGENTS 8

static const Synonyms adjectives[] = {
    {{"big", "large"}},  {{"small", "little"}}, {{"quick", "fast"}},  {{"angry", "furious"}},
    {{"happy", "glad"}}, {{"old", "aged"}},     {{"strange", "odd"}}, {{"famous", "renowned"}},
};

static const Verb verbs[] = {
    {{"saw", "spotted"}, {"seen", "spotted"}},
    {{"helped", "assisted"}, {"helped", "assisted"}},
    {{"found", "discovered"}, {"found", "discovered"}},
    {{"pulled", "dragged"}, {"pulled", "dragged"}},
    {{"watched", "observed"}, {"watched", "observed"}},
    {{"followed", "pursued"}, {"followed", "pursued"}},
    {{"guarded", "protected"}, {"guarded", "protected"}},
    {{"chose", "selected"}, {"chosen", "selected"}},
};

static const Synonyms places[] = {
    {{"in the forest", "in the woods"}},
    {{"near the river", "by the stream"}},
    {{"on the hill", "on the slope"}},
    {{"at the market", "at the bazaar"}},
};

static const Synonyms times[] = {
    {{"yesterday", "the day before"}},
    {{"in the morning", "before noon"}},
    {{"at night", "after dark"}},
    {{"in winter", "in the cold season"}},
};

/* Indices into the tables; NONE for a detail that the fact leaves out. */
typedef struct {
    int noun, adjective;
    bool general; /* written as the more general word */
} Phrase;

typedef struct {
    Phrase agent, patient;
    int verb, place, time;
} Fact;

/* ---- Facts ---- */

static bool chance(NsRng *rng, unsigned percent)
{
    return ns_rng_below(rng, 100) < percent;
}

static int draw(NsRng *rng, size_t n)
{
    return (int)ns_rng_below(rng, n);
}

/* Draws an index below n other than `but`; n > 1. */
static int other(NsRng *rng, size_t n, int but)
{
    int i = draw(rng, n - 1);
    return i < but ? i : i + 1;
}

static Phrase draw_phrase(NsRng *rng, size_t n)
{
    return (Phrase){.noun = draw(rng, n),
                    .adjective = chance(rng, 60) ? draw(rng, G_N_ELEMENTS(adjectives)) : NONE};
}

static Fact draw_fact(NsRng *rng)
{
    Fact fact = {.agent = draw_phrase(rng, AGENTS),
                 .patient = draw_phrase(rng, G_N_ELEMENTS(nouns)),
                 .verb = draw(rng, G_N_ELEMENTS(verbs)),
                 .place = chance(rng, 50) ? draw(rng, G_N_ELEMENTS(places)) : NONE,
                 .time = chance(rng, 50) ? draw(rng, G_N_ELEMENTS(times)) : NONE};
    if (fact.patient.noun == fact.agent.noun)
        fact.patient.noun = other(rng, G_N_ELEMENTS(nouns), fact.agent.noun);
    return fact;
}

/* Removes details of a phrase, so that it still follows from the original one. */
static void weaken_phrase(NsRng *rng, Phrase *phrase)
{
    if (chance(rng, 40)) phrase->adjective = NONE;
    if (chance(rng, 30)) phrase->general = true;
}

static Fact entailed(NsRng *rng, Fact fact)
{
    weaken_phrase(rng, &fact.agent);
    weaken_phrase(rng, &fact.patient);
    if (chance(rng, 40)) fact.place = NONE;
    if (chance(rng, 40)) fact.time = NONE;
    return fact;
}

/* Draws a noun that is neither the old one nor that of the other phrase.  It is written as itself,
 * because its general word may be the same as that of the old noun. */
static void change_noun(NsRng *rng, Phrase *phrase, size_t n, int in_other)
{
    int old = phrase->noun;
    do phrase->noun = other(rng, n, old);
    while (phrase->noun == in_other);
    phrase->general = false;
}

/* Changes one detail, so that the new fact neither equals the old one nor follows from it. */
static void change(NsRng *rng, Fact *fact)
{
    bool same_kind =
        strcmp(nouns[fact->agent.noun].general, nouns[fact->patient.noun].general) == 0;
    bool alike = same_kind && (fact->agent.general || fact->patient.general);
    switch (ns_rng_below(rng, 6)) {
    case 0:
        if (fact->patient.noun < AGENTS && !alike) {
            Phrase agent = fact->agent;
            fact->agent = fact->patient;
            fact->patient = agent;
            return;
        }
        break;
    case 1:
        change_noun(rng, &fact->agent, AGENTS, fact->patient.noun);
        return;
    case 2:
        change_noun(rng, &fact->patient, G_N_ELEMENTS(nouns), fact->agent.noun);
        return;
    case 3: {
        Phrase *phrase = chance(rng, 50) ? &fact->agent : &fact->patient;
        phrase->adjective = phrase->adjective == NONE
                                ? draw(rng, G_N_ELEMENTS(adjectives))
                                : other(rng, G_N_ELEMENTS(adjectives), phrase->adjective);
        return;
    }
    case 4:
        fact->place = fact->place == NONE ? draw(rng, G_N_ELEMENTS(places))
                                          : other(rng, G_N_ELEMENTS(places), fact->place);
        return;
    default:
        break;
    }
    fact->verb = other(rng, G_N_ELEMENTS(verbs), fact->verb);
}

/* ---- Sentences ---- */

static void add(GString *sentence, const char *words)
{
    if (sentence->len > 0 && sentence->str[sentence->len - 1] != '\n')
        g_string_append_c(sentence, ' ');
    g_string_append(sentence, words);
}

static void write_phrase(NsRng *rng, const Phrase *phrase, GString *sentence)
{
    const Noun *noun = &nouns[phrase->noun];
    add(sentence, "the");
    if (phrase->adjective != NONE) add(sentence, adjectives[phrase->adjective].words[draw(rng, 2)]);
    int word = draw(rng, 2);
    add(sentence, phrase->general ? noun->general : noun->words[word]);
}

/* Writes place and time, if any, at the beginning or at the end of the sentence. */
static void write_fact(NsRng *rng, const Fact *fact, GString *sentence)
{
    bool place_first = chance(rng, 30), time_first = chance(rng, 30), passive = chance(rng, 50);
    const char *place = fact->place != NONE ? places[fact->place].words[draw(rng, 2)] : NULL;
    const char *time = fact->time != NONE ? times[fact->time].words[draw(rng, 2)] : NULL;
    const Verb *verb = &verbs[fact->verb];
    int word = draw(rng, 2);
    if (time && time_first) add(sentence, time);
    if (place && place_first) add(sentence, place);
    write_phrase(rng, passive ? &fact->patient : &fact->agent, sentence);
    if (passive) add(sentence, "was");
    add(sentence, passive ? verb->participle[word] : verb->past[word]);
    if (passive) add(sentence, "by");
    write_phrase(rng, passive ? &fact->agent : &fact->patient, sentence);
    if (place && !place_first) add(sentence, place);
    if (time && !time_first) add(sentence, time);
    add(sentence, ".");
}

void ns_fact_text(uint64_t seed, size_t n, GString *first, GString *second)
{
    NsRng rng;
    ns_rng_init(&rng, seed, ns_rng_stream("fact text"));
    for (size_t i = 0; i < n; i++) {
        Fact fact = draw_fact(&rng), next = fact;
        write_fact(&rng, &fact, first);
        switch (ns_rng_below(&rng, 3)) {
        case 0:
            next = draw_fact(&rng);
            next.agent = fact.agent;
            if (next.patient.noun == next.agent.noun)
                next.patient.noun = other(&rng, G_N_ELEMENTS(nouns), next.agent.noun);
            break;
        case 1:
            next = entailed(&rng, fact);
            break;
        default:
            break;
        }
        write_fact(&rng, &next, second);
        g_string_append_c(first, '\n');
        g_string_append_c(second, '\n');
    }
}

int ns_fact_pair(NsRng *rng, NsPairRelation relation, GString *first, GString *second)
{
    Fact fact = draw_fact(rng);
    int label = draw(rng, 2);
    Fact said = relation == NS_ENTAILMENT ? entailed(rng, fact) : fact;
    if (label == 0 && relation == NS_ENTAILMENT) {
        /* Restores the details that were left out, so that the change contradicts the first
         * sentence instead of adding a true detail again. */
        if (said.agent.adjective == NONE) said.agent.adjective = fact.agent.adjective;
        if (said.patient.adjective == NONE) said.patient.adjective = fact.patient.adjective;
        if (said.place == NONE) said.place = fact.place;
    }
    if (label == 0) change(rng, &said);
    write_fact(rng, &fact, first);
    write_fact(rng, &said, second);
    return label;
}
