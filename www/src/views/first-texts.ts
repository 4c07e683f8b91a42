/** Sentences with which views open, by their ids. They are in the field before a view is fetched: a field of fewer lines would move the view. */
export const FIRST_TEXTS = {
  judge: "I would not call this a bad film.",
  compare: "In Texas they like to buy ___.",
  inside: "Anna was tired, so she went to bed early.", // a named head has a word in it, and it has a name and a feeling
  find: "Who was afraid at night?",
} as const;
