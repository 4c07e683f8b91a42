// Types of the package, as a strict program sees them: what compiles, and what does not.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "..");

/** Compiles a program against the package's declarations. `@ts-expect-error` marks the lines that must not compile. */
function compile(name, program) {
  const folder = join(root, `target/types-of/${name}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  symlinkSync(root, join(folder, "node_modules/webert"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "program.ts"), program);
  const options = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--noEmit"];
  const module = ["--target", "es2022", "--lib", "es2023,dom", "--module", "esnext", "--moduleResolution", "bundler"];
  execFileSync(
    process.execPath,
    [
      join(root, "node_modules/typescript/bin/tsc"),
      "--ignoreConfig",
      ...options,
      ...module,
      "--types",
      "",
      "program.ts",
    ],
    { cwd: folder, stdio: "inherit" },
  );
}

test("documents of an index are typed, and results have their fields", () => {
  compile(
    "documents",
    `import { createIndex, loadIndex } from "webert";
interface Page { id: number; text: string; language: "en" | "de"; page: number }
const index = await createIndex<Page>();
await index.add({ id: 1, text: "a", language: "en", page: 3 });
const [best] = await index.search("a", { where: { language: ["en", "de"], page: 3 } });
export const page: number = best!.page;
export const language: "en" | "de" = best!.language;
export const score: number = best!.score;
await index.search("a", { where: ({ page }) => page > 2 });
await index.remove(1);
const again = await loadIndex<Page>("pages");
export const id: number = (await again.search("a"))[0]!.id;
// @ts-expect-error a field is missing
await index.add({ id: 1, text: "a", language: "en" });
// @ts-expect-error no such field
await index.search("a", { where: { lang: "en" } });
// @ts-expect-error no such value
await index.search("a", { where: { language: "fr" } });
// @ts-expect-error the ids are numbers
await index.remove("1");
// @ts-expect-error results have no such field
best!.author;
// @ts-expect-error a document has an id and a text
await createIndex<{ id: number }>();
const any = await createIndex();
await any.add([{ id: "x", text: "a", anything: [1] }]);
export const found: unknown = (await any.search("a", { where: { anything: 1 } }))[0]!.anything;
`,
  );
});

test("a kept model is a source, and a signal may be null or undefined", () => {
  compile(
    "saved",
    `import { pipeline, saved, Trainer } from "webert";
const trainer = await Trainer.from_pretrained("text-classification", { name: "tickets" }, { labels: ["a", "b"] });
await trainer.save({ name: "tickets", dtype: "q8" });
const classify = await pipeline("text-classification", { name: "tickets" }, { signal: null });
const file: Blob = await saved.export("tickets");
await pipeline("text-classification", { file }, { signal: undefined });
await classify("a", { signal: null });
export const label: string = (await classify("a", { signal: undefined }))[0]!.label;
export const names: string[] = await saved.list();
// @ts-expect-error a name is a string
await pipeline("text-classification", { name: 3 });
// @ts-expect-error no such dtype
await trainer.save({ dtype: "q4" });
`,
  );
});

test("a pipeline of one of several tasks can be called, and one of a known task stays typed", () => {
  compile(
    "union",
    `import { pipeline } from "webert";
for (const task of ["fill-mask", "text-classification"] as const) {
  const pipe = await pipeline(task);
  await pipe("x");
  for await (const answer of pipe.stream(["x"])) console.log(answer);
}
const known = await pipeline("text-classification");
const label: string = (await known("x"))[0]!.label;
// @ts-expect-error an unknown option
await known("x", { topK: 3 });
console.log(label);
`,
  );
});
