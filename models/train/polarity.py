"""Short sentences that show the polarity of words, for the sentiment classifier: text/labelled/polarity.tsv in phrasings.

The labelled sentences alone use too few of the words by which people praise and blame.
"""

import sources

THINGS = """the food;the service;the hotel;the room;the film;the book;the ending;the acting;the music;the phone;the battery;the screen;the camera;the coffee;
the bread;the soup;the pizza;the trip;the flight;the weather;the weekend;the lesson;the course;the party;the concert;the game;the match;the museum;the beach;
the garden;the car;the bike;the sofa;the bed;the jacket;the shoes;the price;the design;the app;the update;the delivery;the website;the support;the breakfast;
the cake;the wine;the view;the house;the meeting;the story;the show;the play;the present;the repair;the haircut;the interview""".replace("\n", "").split(";")
PEOPLE = """the waiter;the doctor;the nurse;the teacher;the driver;the staff;our guide;my boss;my neighbour;the receptionist;the chef;the plumber;the seller;
the manager;the coach;his brother;her aunt;the landlord;the shop assistant;the dentist""".replace("\n", "").split(";")
STRENGTH = ["", "", "", "really ", "very ", "so ", "quite ", "incredibly ", "pretty ", "absolutely "]

KEEP = {  # phrasings that keep the polarity; {n} a noun with its article, {w} a word, {s} a word of strength
    "thing": ["{n} was {s}{w}.", "{n} is {s}{w}.", "What {a}!", "{n} turned out to be {s}{w}.", "I found {n} {s}{w}.", "Honestly, {n} was {w}.", "{s}{w}.",
              "{n} was {w}, and everyone in our group said so.", "It was {s}{w} from start to finish.", "How {w} {n} was!", "We thought {n} would be dull, but it was {w}.",
              "{n} could not have been more {w}.", "{n} was {w} and {w2}.", "{w}, {w2}: that is all I can say about {n}."],
    "person": ["{n} was {s}{w}.", "{n} was {w} and {w2}.", "I thought {n} was {s}{w}.", "{n} was {w} to everyone.", "What {ap}!", "How {w} {n} was to us!"],
    "verb": ["{n} {w} me.", "{n} {w} all of us.", "In the end {n} {w} me.", "I was {w} by {n}."],
    "did": ["I {w} {n}.", "We all {w} {n}.", "My sister {w} {n}.", "From the first day I {w} {n}."],
}
TURN = {  # phrasings that turn it round
    "thing": ["{n} was not {w}.", "{n} was not {w} at all.", "{n} was never {w}.", "I would not call {n} {w}.", "{n} was far from {w}.", "{n} was anything but {w}.",
              "Nothing about {n} was {w}."],
    "person": ["{n} was not {w}.", "{n} was never {w}.", "{n} was anything but {w}.", "{n} was not {w} at all."],
    "verb": ["{n} never {w} me.", "I was not {w} by {n}."],
    "did": [],
}
OTHER = {"positive": "negative", "negative": "positive"}
EACH = 5  # sentences of a word


def sentences(rng):
    """[(label, text)]."""
    found = []
    for line in sources.lines(sources.TEXT / "labelled" / "polarity.tsv"):
        label, kind, words = line.split("\t")
        words = [word.replace("_", " ") for word in words.split()]
        for word in words:
            for _ in range(EACH):
                found.append(phrase(label, kind, word, words, rng))
    return list(dict.fromkeys(found))


def phrase(label, kind, word, words, rng):
    turned = bool(TURN[kind]) and rng.random() < 0.25
    noun = rng.choice(PEOPLE if kind == "person" else THINGS)
    bare = noun.split(" ", 1)[1]
    text = rng.choice(TURN[kind] if turned else KEEP[kind]).format(
        n=noun, w=word, w2=rng.choice(words), s=rng.choice(STRENGTH), a=article(f"{word} {bare}"), ap=article(f"{word} person"))
    return OTHER[label] if turned else label, text[0].upper() + text[1:]


def article(words):
    return ("an " if words[0] in "aeiou" else "a ") + words
