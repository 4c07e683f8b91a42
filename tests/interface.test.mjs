// The tasks as TypeScript declares them against tests/interface.json, which tests/interface.rs compares with Rust.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "..");
const interfaces = JSON.parse(await readFile(join(root, "tests/interface.json"), "utf8"));

/** For each task, the types of its options and answers by their names in src/js/tasks.ts, and the options that do not reach the engine. */
const TYPES = {
  "fill-mask": ["FillMaskOptions", ["FillMaskResult"], ["strategy", "num_steps", "temperature", "seed", "topk"]],
  "text-classification": ["TextClassificationOptions", ["TextClassificationResult"], ["topk"]],
  "token-classification": [
    "TokenClassificationOptions",
    ["TokenClassificationResult", "TokenClassificationGroup"],
    ["is_split_into_words", "delimiter"],
  ],
  "question-answering": [
    "QuestionAnsweringOptions",
    ["QuestionAnsweringResult"],
    ["max_question_len", "padding", "topk"],
  ],
  "zero-shot-classification": ["ZeroShotOptions", ["ZeroShotResult"]],
  "zero-shot-token-classification": ["ZeroShotTokenOptions", ["ZeroShotTokenResult"]],
  "feature-extraction": [
    "FeatureExtractionOptions",
    [],
    ["quantize", "precision", "ranges", "prompt", "prompt_name", "truncate_dim", "task"],
  ],
  "next-sentence-prediction": ["TaskOptions", ["NextSentenceResult"]],
  "multiple-choice": ["TaskOptions", ["MultipleChoiceResult"]],
  "replaced-token-detection": ["TaskOptions", ["ReplacedTokenResult"]],
  "text-ranking": ["TextRankingOptions", ["TextRankingResult"], ["prompt", "prompt_name"]],
};

/** Values of options that do not reach the engine, although the option does; src/js/embeddings/sentence.ts handles them. */
const MORE = { "feature-extraction": { pooling: '"model" | "sparse" | "colbert"' } };

/** The type of an object with these fields; a name that ends in "?" may be absent. */
const objectType = (fields) =>
  `{ ${Object.entries(fields)
    .map(([name, type]) => `${name}: ${type}`)
    .join("; ")} }`;

/** Lines that compile only if the types of a task equal the types that Rust reads and writes. */
function* checks(task) {
  const [options, answers, others = []] = TYPES[task];
  const found = interfaces[task];
  const [type, own] = [`api.${options}`, "keyof api.TaskOptions"];
  const names = Object.keys(found.options).map((name) => `"${name}"`);
  const all = [own, ...names, ...others.map((name) => `"${name}"`)];
  yield `same<keyof ${type}, ${all.join(" | ")}>();`;
  for (const [name, read] of Object.entries(found.options)) {
    const declared = `${type}["${name}"]`;
    const more = MORE[task]?.[name] ?? "never";
    yield `same<NonNullable<${declared}>, NonNullable<${read}> | ${more}>();`;
    // null is only declared where it is read
    yield `within<${declared}, ${read} | ${more} | undefined>();`;
  }
  assert.equal(answers.length, found.answers.length, `${task}: as many shapes of answers`);
  for (const [n, answer] of answers.entries()) yield `same<api.${answer}, ${objectType(found.answers[n])}>();`;
}

test("the types of options and answers equal the types that Rust reads and writes", async () => {
  assert.deepEqual(Object.keys(TYPES).sort(), Object.keys(interfaces).sort());
  const folder = join(root, "target/interface");
  await mkdir(folder, { recursive: true });
  const lines = Object.keys(TYPES).flatMap((task) => [...checks(task)]);
  const program = `import type * as api from "../../src/js/tasks.ts";
type Is<T> = <G>() => G extends T ? 1 : 2;
type Flat<T> = T extends object ? { [K in keyof T]: T[K] } : T;
declare function same<A, B>(..._: Is<Flat<A>> extends Is<Flat<B>> ? [] : [different: [A, B]]): void;
declare function within<A extends B, B>(): void;
same<keyof api.Calls, ${Object.keys(interfaces)
    .map((task) => `"${task}"`)
    .join(" | ")}>();
${lines.join("\n")}
`;
  await writeFile(join(folder, "check.ts"), program);
  const config = { extends: "../../tsconfig.json", include: ["check.ts", "../../src/js/built.d.ts"], exclude: [] };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const { status, stdout } = spawnSync(process.execPath, [tsc, "--pretty", "false", "-p", folder], {
    encoding: "utf8",
  });
  assert.equal(status, 0, stdout);
});

/** The `@default` tags of an interface of tasks.ts, as JSON text by the name of the option. */
function defaultTags(source, type) {
  const [body] = source.split(`export interface ${type} `)[1].split("\n}\n");
  const documented = body.matchAll(/\/\*\*((?:(?!\*\/).)*)\*\/\n {2}(\w+)\?: /gs);
  const tags = [...documented].map(([, comment, name]) => [name, /@default (.*?)\s*$/m.exec(comment)?.[1]]);
  return Object.fromEntries(tags.filter(([, value]) => value !== undefined));
}

test("the @default tags of options equal the defaults of Rust", async () => {
  const source = await readFile(join(root, "src/js/tasks.ts"), "utf8");
  for (const [task, [type, , others = []]] of Object.entries(TYPES)) {
    // null in Rust means that the default depends on the model; such an option has no tag
    const expected = Object.entries(interfaces[task].defaults).filter(([, value]) => value !== null);
    const found = Object.entries(defaultTags(source, type)).filter(([name]) => !others.includes(name));
    assert.deepEqual(
      found.map(([name, value]) => [name, JSON.parse(value)]).sort(),
      expected.sort(),
      `${task}: @default tags of ${type}`,
    );
  }
});
