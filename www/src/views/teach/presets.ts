// First lessons: labels, a few examples of each, and a sentence to try that is not an example.

import { later } from "../../language.ts";

export interface Preset {
  id: string;
  name: string;
  /** Texts by their label. */
  labels: Record<string, string[]>;
  /** Texts without a label, to try and to sort; the first is tried at once. */
  others: string[];
}

export const PRESETS: readonly Preset[] = [
  {
    id: "messages",
    name: later("Messages to a shop"),
    labels: {
      question: [
        "When will my order arrive?",
        "Do you have this coat in blue?",
        "How do I change my address?",
        "Can I pay by card when you deliver?",
        "Which size fits someone of 1.80 metres?",
      ],
      complaint: [
        "The parcel came three weeks late.",
        "The cup was broken when I opened the box.",
        "I was charged twice and nobody answers my letters.",
        "The zip came off on the first day.",
        "This is the wrong colour, I ordered green.",
      ],
      praise: [
        "Thank you, the shoes are wonderful.",
        "Your driver was so kind, please tell him.",
        "The best soap I have ever bought.",
        "Everything came quickly and well packed.",
        "My daughter loves her new bicycle.",
      ],
    },
    others: [
      "The lamp does not work and I want my money back.",
      "Is it possible to change the colour of my order?",
      "I am very happy with the chair.",
      "My parcel was left in the rain.",
      "Do you also sell candles?",
      "The woman at the desk was a great help.",
      "I have been waiting for ten days.",
      "What does it cost to send this to Norway?",
    ],
  },
  {
    id: "sentiment",
    name: later("Sentiment"),
    labels: {
      positive: [
        "What a lovely evening.",
        "The soup was delicious.",
        "I laughed from beginning to end.",
        "A clear and helpful book.",
        "They were friendly and quick.",
        "I would go there again at once.",
      ],
      negative: [
        "We waited for an hour and left.",
        "The room was cold and dirty.",
        "I was bored after ten minutes.",
        "It broke when I first used it.",
        "Nobody there cared about us.",
        "I want my money back.",
      ],
    },
    others: [
      "The staff made us feel at home.",
      "The acting was dull, and I was glad when it ended.",
      "The bread was old and the coffee was cold.",
      "We had a wonderful week by the sea.",
      "Not a bad choice at all.",
      "The manual explains nothing.",
      "My son could not stop reading.",
      "Far too expensive for what you get.",
    ],
  },
  {
    id: "topic",
    name: later("Topic"),
    labels: {
      sport: [
        "She ran the last mile in five minutes.",
        "The match ended without a goal.",
        "Their keeper was hurt in training.",
        "He won the race by a second.",
      ],
      food: [
        "Let the dough rest for an hour.",
        "This sauce needs more salt.",
        "They serve fresh fish every Friday.",
        "Cut the onions and fry them in butter.",
      ],
      weather: [
        "It will rain in the north tomorrow.",
        "A cold wind came from the sea.",
        "The fog cleared before noon.",
        "Snow is expected in the mountains.",
      ],
      money: [
        "The bank lowered its rates again.",
        "Rents went up more than wages.",
        "She sold her shares too early.",
        "The firm made a loss this year.",
      ],
    },
    others: [
      "The striker missed two penalties.",
      "Bake the bread until it is brown.",
      "The storm will reach the coast tonight.",
      "Her savings lost half of their value.",
      "They trained in the rain before the final.",
      "The price of wheat rose after the dry summer.",
      "Serve the soup with a little cream.",
      "It was the hottest day of the year.",
    ],
  },
];
