/** The words of a question that are worth looking for. */

const stopWords: ReadonlySet<string> = new Set(
  (
    "a about after all also am an and any are as at be because been before being between both but by can could did do does " +
    "doing done down during each few for from further get got had has have having he her here hers him his how i if in into " +
    "is it its just like make many may me might more most much must my no nor not now of off on once only or other our ours " +
    "out over own please same shall she should show so some such tell than that the their theirs them then there these they " +
    "this those through to too under until up us use very was we were what when where which while who whom why will with " +
    "would you your yours"
  ).split(" "),
);
const wordsAtMost = 24;

/** In lower case and each once, without those that stand in every text, unless there are no others. */
export function wordsOf(query: string): string[] {
  const all = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [])];
  const telling = all.filter((word) => !stopWords.has(word));
  return (telling.length > 0 ? telling : all).slice(0, wordsAtMost);
}
