"""Texts and seed of the goldens of sentence-transformers, model2vec and filled masks."""
SET = "dev"
SEED = 1913

ENCODE = [
    "The teacher walked to the old bridge.",
    "a quiet garden in the summer",
    "",
    "Caf\u00e9 na\u00efve \u2014 the CITY of London!",
    "unbelievably complex problems, again and again and again; the train to Berlin was slow, the coffee cold, and nobody in the market had a ticket left for the night.",
    "music",
    "   spaces \t and\nlines   around  ",
    "\u4e2d\u6587 and \U0001F600 tokens",
    "query: a happy student sold the computer",
    "[MASK] is a special token, [SEP] too",
    "the the the the the the the the the the the the the the the the the the the the",
    "3.14 is not 42",
]
PAIRS = [
    ["where does the river end?", "the river ends near the city ."],
    ["where does the river end?", "the teacher likes music ."],
    ["", "an empty question"],
    ["an empty answer", ""],
    ["how many people work in the new company, and how many of them read the letter that the doctor wrote yesterday?", "the company has often found good people, and the doctor wrote a long letter to every one of them; nobody read it because the summer was warm and the garden was quiet."],
    ["Is Caf\u00e9 one word?", "caf\u00e9 \u4e2d\u6587"],
    ["a", "a"],
    ["the old house", "the old house"],
]
RANK = [
    ["who wrote the letter?", ["the doctor wrote a letter .", "the garden is dark", "a letter was sold in the market today", "", "the doctor wrote a letter .", "winter", "the student reads his letter because the music is loud and the train never comes, which is a problem for every teacher in this old city", "WHO wrote it?"]],
    ["cold coffee", ["warm coffee", "cold water", "the coffee was very cold this winter", "a bridge over the river"]],
    ["music", ["music"]],
]
PLL = [
    "the teacher walked to the old bridge .",
    "every student often reads a letter",
    "the coffee was cold and the music was loud !",
    "Alice opened the window in Berlin .",
    "a",
    "glockenspiel music",
    "the the the the",
    "she found 3 tickets, but the train was slow ...",
    "Caf\u00e9 in the garden ?",
    "history is a great science because it never ends .",
]
FILL = [
    "the [MASK] [MASK] to the old [MASK] .",
    "[MASK] [MASK] [MASK] [MASK] in the garden",
    "every [MASK] likes [MASK] and [MASK] .",
    "the coffee was [MASK]",
    "[MASK] [MASK] [MASK] [MASK] [MASK] [MASK] [MASK] [MASK]",
    "a [MASK] student [MASK] the [MASK] near [MASK] [MASK] !",
]
