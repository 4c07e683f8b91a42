// Names, numbers, ages, amounts and dates that `redact` finds by rules in English chats, transcripts and letters.
import { test } from "node:test";
import { exactly } from "./redact-marked.mjs";

const LONG = "and i need it for work tomorrow so can you please look under the seats at the back of the bus for me";

test("a title before a speaker stays, and so does a role", () =>
  exactly([
    "Nurse [Odalie]: How is the leg today?\n[Wenzel]: It is much better now.\nNurse [Odalie]: That is good to hear.",
    "DEP. [HARKNELL]: Where were you on that evening?\n[QUIMBLE]: I was at home all evening.\nDEP. [HARKNELL]: Was anyone there with you?",
    "Judge: I have read it all.\n[Wenzel]: Thank you very much.\nJudge: You may sit down now.",
    "Great-Aunt [Odalie]: Come in and sit down.\n[Wenzel]: We have brought a cake.\nGreat-Aunt [Odalie]: How very kind of you.",
  ]));

test("an answer in a dialogue is no name", () =>
  exactly([
    "DR. [QUORNBY]: How do you feel?\nPATIENT: Right. A little better.\nDR. [QUORNBY]: And at night?\nPATIENT: Yes. I sleep well.",
  ]));

test("lines with a name and a time belong to speakers", () =>
  exactly(["[Quillon] 7:12 AM\nbus is late\n[Wenzel] 7:13 AM\nwhich one\n[Quillon] 7:15 AM\nthe blue one"]));

test("initials and a name after a closing without comma sign a letter", () =>
  exactly([
    "It was lovely to see you all.\n\n[Q.]",
    "You may close the file.\n\n[Q.W.D.]\n\n--\nOffice",
    "See you there.\n\n[Wenzel Q.]",
    "Kiss the small ones.\n\nYour [P.]",
    "The food is ok.\n\nlove [Quilla]\n\np.s. my bunk is by the door",
    "Please stop doing this. [W.]",
    "hi there\n\nthe key is under the mat.\n\n[quilla]",
    "Thanks ever so much, [Quilla] x",
    "The road is open again.\n\nNgā mihi\n[Wenzel Quarrow]",
  ]));

test("a name stands before speaking and after the word for it in speech", () =>
  exactly([
    `good evening quarrow shuttles [quillon] speaking yeah hi i left my bag behind ${LONG}`,
    `first name [quillon] it is a name and not a coin ${LONG}`,
  ]));

test("a given name may be in lower case in a text in lower case", () =>
  exactly([
    "is the van free. i asked [duane] about it. he did not know",
    "can you ring me. [philippa] has the key. it is by the door",
  ]));

test("a family in the plural is one of persons", () =>
  exactly(["The dog belongs to the [Quarrows], I think.", "The [Quarrows] next door have a pond."]));

test("a name that is spelled may have a v", () => exactly(["spelled [n e v a e h] and nothing else"]));

test("numbers of parcels, containers, licences and files are identifiers", () =>
  exactly([
    "The parcel is [RX 551 204 873 IN], sent last week.",
    "The container [TQMU 551204-8] is on the quay.",
    "My licence is [QUARR 653127 W99TB], I think.",
    "Clerk: [A 551 204 873].",
    "The matter [QD/TS/21/0558] is closed.",
    "Bill to: Visa [5512], thanks.",
    "I gave them ck# [5512] and plot [17B] is mine.",
    "Bills no. 5512 and [5527] are attached.",
  ]));

test("an extension belongs to a telephone number", () =>
  exactly(["Call me at [(503) 555-0148 x2217] today.", "Call me on [262-555-0148 ext. 33] today."]));

test("spoken plates, codes and addresses of machines are found whole", () =>
  exactly([
    "his plate is ohio [nine dash four four one seven] and he is gone",
    "the code for the main door is [c four seven nine x] thanks",
    "The buzzer is [4 4 0 B].",
    "it is coming from [ten dot twenty dot four dot one one eight]",
  ]));

test("a login made of a name of the text is a user name", () =>
  exactly(["Steps: I type [wquarrow] and it loops. Wenzel Quarrow"], { label: "USERNAME" }));

test("a handle may have a hyphen", () => exactly(["Pay by check or [@quarrow-farms]."]));

test("ages in talk", () =>
  exactly(
    [
      "it was a stroke. only [61]",
      "happy [43] mom!!",
      "Happy birthday my sweet!! [13]!!!",
      "My sons are aged [4] and [11], both well.",
      "It is for two adults and a wee girl of [five].",
      "A man, around [30], was on the bench.",
      "The landlady is [eighty-something] and well.",
      "I am [20 yrs young].",
      "FEMALE, [27 YRS], of this town",
    ],
    { label: "AGE" },
  ));

test("amounts in talk", () =>
  exactly([
    "half of it. [300 cad] lol",
    "that is like [215 us]",
    "she pays [1500 kc] per night",
    "The road will cost [UGX 41m].",
    "They value it at [CHF 1.9 Mio.] now.",
    "The flat is sold for [nt$ 23.8 million] now",
    "I paid the [#45,000] to them.",
    "a room at [18k]/mo with a view",
    "bring a jacket and [tenner] for fuel",
    "I was charged twice [r18] for it",
  ]));

test("dates in talk", () =>
  exactly([
    "I can come from [the 21st to the 24th of May].",
    "is the cottage free [13.-15.2].",
    "a purchase on [12Jun] was mine",
    "please pay before [mar 3] if you can",
    "The party is on [Sat 1/11] at noon.",
  ]));

test("sentences without personal data stay", () =>
  exactly([
    "Generally speaking yes, English speaking guides are free.",
    "Fry two hundred and twenty five grams of butter until brown.",
    "Your Order\n\nThe parcel is on its way.",
    "I wrote the text. A. is the first answer.",
    "Read the AC/DC section and ISO/IEC/27001 of the manual.",
    "The code is on the fridge and I am out.",
    "The teams play the Lakers and the Bulls.",
    "Only 61 seats are left in the hall.",
    "She came fourth, happy to be back.",
    "There are 20 of us in the boat.",
    "There were 300 cadets in the yard.",
    "Set the oven and keep the tray at 30 for an hour.",
    "Plot the curve and badge the parts.",
    "theres a shea butter cream in the bag. its nice. dont forget it",
    "Lunch 12:30\nDinner 18:00\nBreakfast 7:30",
    "hi all\n\nthe bins are full again.\n\nthanks",
    "use vitamin b and x as you like",
  ]));
