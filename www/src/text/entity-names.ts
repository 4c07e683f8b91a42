// Names of the labels of the model that finds names and numbers.

/** The name of each label, singular and plural. */
export const ENTITY_NAMES: Record<string, [string, string]> = {
  EMAIL: ["e-mail address", "e-mail addresses"],
  ID: ["card, account or other number", "card, account or other numbers"],
  PERSON: ["name", "names"],
  LOCATION: ["place", "places"],
  ORGANIZATION: ["organisation", "organisations"],
  ADDRESS: ["postal address", "postal addresses"],
  PHONE: ["telephone number", "telephone numbers"],
  DATE: ["date", "dates"],
  MONEY: ["amount of money", "amounts of money"],
  AGE: ["age", "ages"],
  IP: ["network address", "network addresses"],
  USERNAME: ["user name", "user names"],
  PASSWORD: ["password", "passwords"],
  SECRET: ["key or token", "keys and tokens"],
  HEALTH: ["health detail", "health details"],
};
