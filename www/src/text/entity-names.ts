// Names of the labels of the model that finds names and numbers.
import { later } from "../language.ts";

/** The name of each label, singular and plural. */
export const ENTITY_NAMES: Record<string, [string, string]> = {
  EMAIL: [later("e-mail address"), later("e-mail addresses")],
  ID: [later("card, account or other number"), later("card, account or other numbers")],
  PERSON: [later("name"), later("names")],
  LOCATION: [later("place"), later("places")],
  ORGANIZATION: [later("organisation"), later("organisations")],
  ADDRESS: [later("postal address"), later("postal addresses")],
  PHONE: [later("telephone number"), later("telephone numbers")],
  DATE: [later("date"), later("dates")],
  MONEY: [later("amount of money"), later("amounts of money")],
  AGE: [later("age"), later("ages")],
  IP: [later("network address"), later("network addresses")],
  USERNAME: [later("user name"), later("user names")],
  PASSWORD: [later("password"), later("passwords")],
  SECRET: [later("key or token"), later("keys and tokens")],
  HEALTH: [later("health detail"), later("health details")],
};
