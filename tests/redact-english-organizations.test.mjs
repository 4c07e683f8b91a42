// Organisations and places in English texts that `redact` finds by the words around them, and sentences that it leaves.
import assert from "node:assert/strict";
import { test } from "node:test";
import { redact } from "../dist/node.js";
import { takesLinearTime } from "./linear-time.mjs";
import { exactly } from "./redact-marked.mjs";

/** Returns a model that finds the words between "[" and "]" of a text with a label, and nothing else. */
function modelOf(marked, label) {
  const text = marked.replace(/[[\]]/g, "");
  const words = Array.from(marked.matchAll(/\[([^\]]+)\]/g), ([, word]) => word);
  const model = async (piece) =>
    words.map((word) => {
      const start = piece.indexOf(word);
      return { entity_group: label, score: 0.9, word, start, end: start + word.length };
    });
  const config = { id2label: { 0: "O", 1: `B-${label}` }, lower_case: true };
  return { text, model: Object.assign(model, { task: "token-classification", model: { config } }) };
}

/** Checks what becomes of the spans of a model: pairs of a text with its spans and the words that are replaced. */
async function becomes(label, cases) {
  for (const [marked, ...wanted] of cases) {
    const { text, model } = modelOf(marked, label);
    const { entities } = await redact(text, { model });
    assert.deepEqual(
      entities.map(({ word }) => word),
      wanted,
      marked,
    );
  }
}

test("a name with a capital after 'at' or 'the' is an organisation", () =>
  exactly([
    "We are meeting at [Wexcombe Point] after work.",
    "Is the quiz still at [The Drowned Rat]?",
    "My aunt has a bed in the [Brackwell] and she is well.",
    "I run the bar at the [Lantern] in town.",
    "The [Sentry] called at nine about the fire.",
    "You will have read it in [The Marlin], as I did.",
  ]));

test("a name before an account, card, branch or invoice is an organisation", () =>
  exactly([
    "I have sent the money to your [Harbury] account.",
    "You must show your [Quillmore] ID at the desk.",
    "Did you get the [Tandrex] invoice?",
    "i sent it to ur [penfold] acct",
  ]));

test("a name after a word for its kind, and a shop by its owner's name, are organisations", () =>
  exactly([
    "The ISP is [Veltrix] and the router is new.",
    "We live above [Bardelli's], next to the park.",
    "The operation was done at [Dr Marwick's] in spring.",
  ]));

test("organisations stand in the head and at the end of letters", () =>
  exactly([
    "The Editor\n[The Saltmarsh Packet]\n\nSir, I read your piece and it is wrong.",
    "[Office of the Registrar]\n\nI am writing to you about the fees.",
    "[Ringmoor Kennel Assn.]\n\nHere is what you have asked for.",
    "[HMP Ashcombe], wing B\n\nI hope that you are well.",
  ]));

test("a line under the name in a letter is an organisation", () =>
  exactly(["We will send it to you.\n\nKind regards\nOletha Marsh\n[Kadebrook]\n"], { label: "ORGANIZATION" }));

test("organisations stand in lines of a CV", () =>
  exactly([
    "Barista, [Beans and Bones], part time. I was there for some of it.",
    "[Trellico] — backend, since [2019]",
  ]));

test("well-known companies and offices need no capital", () =>
  exactly([
    "mum is at [publix] and then she is off to the bank",
    "i was on hold with the [dvla] for an hour",
    "is it [radio four] or not",
  ]));

test("a prefix, a kind and a genitive belong to the place or organisation that a model found", async () => {
  await becomes("LOCATION", [
    ["they moved her to east [dunmarrow] in the end", "east dunmarrow"],
    ["we are stuck at [dunmarrow] services and it is cold", "dunmarrow services"],
    ["He lives above [Dunmarrow]'s, by the sea.", "Dunmarrow's"],
    ["It is for [Dunmarrow], CA and she likes it.", "Dunmarrow, CA"],
  ]);
});

test("the next words with a capital belong to a name that a model found, words in lower case do not", () =>
  becomes("ORGANIZATION", [
    ["The boxes are for [Obrecht] Cold Store and they are late.", "Obrecht Cold Store"],
    ["The bus stops near the [Tavish depot] every hour.", "Tavish"],
    ["I will see you in [Tavish] Monday and we can talk.", "Tavish"],
    ["It is for [Tavish] The bill is paid.", "Tavish"],
  ]));

test("ordinary words with a capital stay after 'at' and 'the'", () =>
  exactly([
    "The Company will notify the Tenant, and the Board will meet at Christmas.",
    "Click the Save button in the Settings menu and look at Page 4.",
    "He lost the PDF, so the MRI is at the ER. She moved the API to the cloud.",
    "The French won, and the Romans came second. I read about it at Easter.",
    "I put the Will in the drawer and went to see the Doctor at noon.",
    "Send me your Photo ID and your Savings account. You need a Student card and my Business card.",
  ]));

test("ordinary sentences stay", () =>
  exactly([
    "Preheat the oven, add the Parmesan to the bowl and serve with the Chardonnay.",
    "i will target the gap next time and boots are by the door, so go on",
    "please add it to your new account and not to my old acct",
    "Kind regards\nThe Team",
    "Release notes – Version 2\nAll of it is new.",
    "The meeting is open to all. Open House is at ten, so come to the office with us.",
  ]));

test("long texts of near matches are read in time linear in their length", () =>
  takesLinearTime(
    ["at The ", "the Aa Bb ", "your Ab Cd Ef ", "Kind regards\nAa\n", "Aa, Bb – cc ", "Aa’s Bb’s "],
    "this is the text that is read and it is ",
  ));
