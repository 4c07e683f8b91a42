// A small collection written for tests: passages, and questions with the passages that answer them, 2 well, 1 in part.
import { readFile } from "node:fs/promises";

const rows = async (name) => {
  const text = await readFile(new URL(`${name}.tsv`, import.meta.url), "utf8");
  return text.trim().split("\n").map((line) => line.split("\t"));
};

/** `passages` of { id, text }; `queries` of { id, text, relevant }, which has grades by the ids of passages. */
export async function collection() {
  const [passages, queries] = await Promise.all(["passages", "queries"].map(rows));
  const grades = (text) => Object.fromEntries(text.split(" ").map((pair) => [pair.slice(0, 3), Number(pair.slice(4))]));
  return {
    passages: passages.map(([id, text]) => ({ id, text })),
    queries: queries.map(([id, text, judgements]) => ({ id, text, relevant: grades(judgements) })),
  };
}

const gain = (grades) => grades.reduce((sum, grade, n) => sum + (2 ** grade - 1) / Math.log2(n + 2), 0);

/** nDCG@10 and recall@10, the means over all questions, of what `search` gives: ids, best first. */
export async function judged(queries, search) {
  let [ndcg, recall] = [0, 0];
  for (const { text, relevant } of queries) {
    const grades = (await search(text)).slice(0, 10).map((id) => relevant[id] ?? 0);
    const ideal = Object.values(relevant).sort((a, b) => b - a);
    ndcg += gain(grades) / gain(ideal) / queries.length;
    recall += grades.filter((grade) => grade > 0).length / ideal.length / queries.length;
  }
  return { ndcg, recall };
}
