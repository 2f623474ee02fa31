// What the browser's half makes of the vectors and of records, for test_fairness.py to compare.
// Reads {"vectors": [...], "below": [...], "records": [[record, seen], ...]} from standard input.

import { below, commitment, shuffle, verifyRecord, words, head } from "../frontend/src/fairness.ts";

let input = "";
for await (const chunk of process.stdin) input += chunk;
const asked = JSON.parse(input);

async function* stream(given) {
  yield* given;
}

async function shuffled(vector) {
  const { server_seed: serverSeed, table, round, decks, client_seeds: clientSeeds } = vector;
  const how = { serverSeed, table, round, decks, clientSeeds };
  const block = [];
  for await (const word of words(serverSeed, head(how))) {
    block.push(word.toString(16).padStart(8, "0"));
    if (block.length === 8) break;
  }
  return {
    commitment: await commitment(serverSeed),
    head: head(how),
    first_block: block.join(""),
    deck: (await shuffle(how)).join(" "),
  };
}

async function drawn({ n, words }) {
  const left = stream(words);
  const result = await below(n, left);
  let unused = 0;
  for await (const _ of left) unused++;
  return { result, taken: words.length - unused };
}

async function verified([record, seen]) {
  try {
    return await verifyRecord(record, seen ?? {});
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { refused: error.message };
  }
}

console.log(
  JSON.stringify({
    vectors: await Promise.all((asked.vectors ?? []).map(shuffled)),
    below: await Promise.all((asked.below ?? []).map(drawn)),
    records: await Promise.all((asked.records ?? []).map(verified)),
  }),
);
