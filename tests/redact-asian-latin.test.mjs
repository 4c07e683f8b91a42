// What the rules of `redact` find, and what they leave, in Indonesian, Malay, Vietnamese, Tagalog and Swahili.
import assert from "node:assert/strict";
import { test } from "node:test";
import { redact } from "../dist/node.js";
import { exactly } from "./redact-marked.mjs";

test("well-known towns are places without capitals", () =>
  exactly([
    "besok saya terbang dari [makassar] dan tidak bisa ikut, kak.",
    "saya dah sampai [shah alam], awak kat mana?",
  ]));

test("words that towns share with a dish or an adjective stay in lower case", () =>
  exactly(["jalan ini padang rumput yang luas dan tidak ada orang", "malang sekali, saya tidak bisa datang"]));

test("abbreviations in capitals after prepositions are organisations, but no units of a hospital or papers", () =>
  exactly([
    "Surat dari [KWSP] sudah saya terima dan belum dibalas.",
    "Pasien dibawa ke UGD dan tidak demam.",
    "Tolong bawa uang ke ATM, kami tidak punya kartu.",
  ]));

test("ages stand after words for relatives and with the words for years", () =>
  exactly([
    "eyang kan sudah [81], wajar dan tidak apa-apa",
    "Ang nanay ko po ay [68 anyos] at hindi na makalakad.",
    "Barang ini sudah 40, tidak ada lagi.",
  ]));

test("ordinary words with a capital are no names for the model", async () => {
  const text =
    "Selamat pagi semua,\n\nDeposit RM2,000 telah diterima dan tidak boleh dikembalikan. Baki RM5,150 sebelum majlis.";
  const { entities } = await redact(text);
  assert.deepEqual(
    entities.filter((entity) => entity.entity_group === "PERSON"),
    [],
  );
});
