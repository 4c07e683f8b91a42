// The command `webert mcp`: search, redaction and classification as tools of the Model Context Protocol, over standard input and output.
import { createInterface } from "node:readline";
import { loadIndex, type Pipeline, pipeline, redact, type SearchIndex, type Source } from "../index.js";
import { McpServer, type Tool } from "../integrations/mcp.js";
import { MODEL, type Options, picked, UsageError, usage } from "./command-line.js";

/** What the tools have loaded. */
const opened: { dispose(): Promise<void> }[] = [];

/** Returns a function that loads once, at its first call. A failed load is tried again. */
function once<T extends { dispose(): Promise<void> }>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load().then(
      (loaded) => {
        opened.push(loaded);
        return loaded;
      },
      (error: unknown) => {
        loading = undefined;
        throw error;
      },
    );
    return loading;
  };
}

const text = { type: "string", description: "the text" } as const;

/** Finds passages of an index. */
function searchTool(file: string, options: Options): Tool {
  const { model } = options as { model?: Source };
  const index = once<SearchIndex>(() =>
    loadIndex(file, { ...(model && { model }), model_options: picked(options, MODEL) }),
  );
  return {
    name: "search",
    title: "Search documents",
    description: "Finds passages of the indexed documents by meaning and by words, best first.",
    inputSchema: {
      type: "object",
      properties: {
        query: { type: "string", description: "what to look for, as a question or words" },
        top_k: { type: "integer", description: "maximum number of passages (default: 5)", minimum: 1, maximum: 100 },
      },
      required: ["query"],
    },
    async run({ query, top_k = 5 }, signal) {
      const results = await (await index()).search(query as string, { top_k: top_k as number, signal });
      return { results: results.map(({ id, score, text }) => ({ id, score, text })) };
    },
  };
}

/**
 * Replaces personal data. The originals are not returned: what a tool returns goes to the language model, from which they
 * are to be kept.
 */
function redactTool(options: Options): Tool {
  return {
    name: "redact",
    title: "Redact personal data",
    description:
      "Replaces names, places, e-mail addresses, card numbers and other personal data in a text by placeholders such as [PERSON_1].",
    inputSchema: { type: "object", properties: { text }, required: ["text"] },
    async run(args, signal) {
      const model = options.redactor as Source | undefined;
      const found = await redact(args.text as string, { ...picked(options, MODEL), ...(model && { model }), signal });
      const placeholders = [...new Set(found.entities.map(({ placeholder }) => placeholder))];
      return { text: found.text, placeholders };
    },
  };
}

/** Labels a text. */
function classifyTool(options: Options): Tool {
  const { classifier, zero_shot } = options as { classifier?: string; zero_shot?: string };
  const load = picked(options, MODEL);
  const byLabels = once<Pipeline<"text-classification">>(() =>
    pipeline("text-classification", classifier ?? null, load),
  );
  const byInference = once<Pipeline<"zero-shot-classification">>(() =>
    pipeline("zero-shot-classification", zero_shot!, load),
  );
  const labels = { type: "array", items: { type: "string" }, description: "labels to choose from" } as const;
  const what = classifier ? `the model ${classifier}` : "its sentiment, positive or negative";
  return {
    name: "classify",
    title: "Classify a text",
    description: `Labels a text by ${zero_shot ? `the given labels; without labels by ${what}` : what}, with scores from 0 to 1.`,
    inputSchema: { type: "object", properties: { text, ...(zero_shot && { labels }) }, required: ["text"] },
    async run(args, signal) {
      if (args.labels === undefined) {
        const found = await (await byLabels())(args.text as string, { top_k: null, signal });
        return { labels: (found as { label: string; score: number }[]).map(({ label, score }) => ({ label, score })) };
      }
      const found = await (await byInference())(args.text as string, args.labels as string[], { signal });
      return { labels: found.labels.map((label, n) => ({ label, score: found.scores[n]! })) };
    },
  };
}

/** Answers requests of standard input until it ends. Only messages are written to standard output. */
export async function mcp(words: string[], options: Options, version: string): Promise<void> {
  if (words.length > 1) throw new UsageError(`usage: ${usage("mcp")}`);
  const [file] = words;
  const tools = [
    ...(file === undefined ? [] : [searchTool(file, options)]),
    redactTool(options),
    classifyTool(options),
  ];
  const server = new McpServer(tools, version);
  const pending = new Set<Promise<void>>();
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    if (!line.trim()) continue;
    const answered = server.answer(line).then((reply) => {
      if (reply) process.stdout.write(`${JSON.stringify(reply)}\n`);
    });
    pending.add(answered);
    void answered.finally(() => pending.delete(answered));
  }
  await Promise.all(pending);
  await Promise.all([...opened.map((one) => one.dispose()), redact.dispose()]);
}
