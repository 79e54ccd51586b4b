/** docs/conformance.md: every claim, and the tests that carry it. */
import { automationCases, automations } from "./automation-claims.ts";
import { type Claim, cases, claims, common, ruleCases, rules, settings } from "./claims.ts";
import { repository, repositoryCases } from "./repository-claims.ts";
import { scriptCases, scripts } from "./script-claims.ts";
import { type NamedTest, testsByClaim } from "./test-names.ts";

const parts: readonly [string, Readonly<Record<string, Claim>>][] = [
  ["Every format (X)", common],
  ["Automations (A)", automations],
  ["Automations: worked examples (AT)", automationCases],
  ["Settings hooks (C)", settings],
  ["Settings hooks: worked examples (CT)", cases],
  ["Rules (D)", rules],
  ["Rules: worked examples (DT)", ruleCases],
  ["Workspace scripts (E)", scripts],
  ["Workspace scripts: worked examples (ET)", scriptCases],
  ["Repository hooks (B)", repository],
  ["Repository hooks: worked examples (BT)", repositoryCases],
];
const testsShown = 4;

export function conformancePage(): string {
  const tests = testsByClaim();
  const counts = { tested: 0, design: 0, later: 0 };
  for (const claim of Object.values(claims)) counts[claim.design ? "design" : claim.later ? "later" : "tested"] += 1;
  const intro = `# Conformance

Hookline follows five specifications: automations (000), repository hooks (001), settings hooks (002), rules (003) and workspace scripts (004).
This page lists each claim of theirs, the claims that hold for every format, and how this version meets them.
A test names the claims that it proves in brackets, as in \`[C36, CT11] a program that exits 2 blocks …\`; this page is
made from those names, and a claim that is listed as tested without such a test among those of \`npm test\` fails \`npm run check\`.

${counts.tested} claims are tested. ${counts.design} are part of the design and cannot be shown by a run. ${counts.later} are not built yet.
**Differs** says how Hookline departs from the specification. The place of a test says which command runs it:
${tableOf(suites)}
`;
  const sections = parts.map(([title, list]) => {
    const rows = Object.entries(list).map(([id, claim]) => row(id, claim, tests.get(id) ?? []));
    return `## ${title}\n\n| claim | meaning | status |\n|---|---|---|\n${rows.join("\n")}\n`;
  });
  return [intro, ...sections].join("\n");
}

const row = (id: string, claim: Claim, tests: readonly NamedTest[]): string =>
  `| ${id} | ${cell(claim.says)} | ${statusOf(claim, tests)} |`;

function statusOf(claim: Claim, tests: readonly NamedTest[]): string {
  const told = [
    ...(claim.differs ? [`**differs**: ${cell(claim.differs)}`] : []),
    ...(claim.design ? [`design: ${cell(claim.design)}`] : []),
    ...(claim.later ? [`not yet: ${cell(claim.later)}`] : []),
    ...(tests.length > 0 ? ["tested:"] : []),
    ...mainFirst(tests).slice(0, testsShown).map(testCell),
    ...(tests.length > testsShown ? [`and ${tests.length - testsShown} more`] : []),
  ];
  return told.length > 0 ? told.join("<br>") : "**no test names it**";
}

/** What runs before each commit first. */
const mainFirst = (tests: readonly NamedTest[]): NamedTest[] =>
  [...tests].sort((left, right) => Number(runBy(left.file) !== "npm test") - Number(runBy(right.file) !== "npm test"));

const testCell = ({ file, sentence }: NamedTest): string =>
  `• ${cell(sentence)} (${file.replace(/^test\//, "").replace(/\/flow\.json$|\.test\.ts$|\.ts$/, "")})`;

interface Suite {
  place: string;
  command: string;
  holds(file: string): boolean;
}
/** The first that holds a file runs it. */
const suites: readonly Suite[] = [
  { place: "`real-agents/…`", command: "npm run test:agents", holds: (file) => file.startsWith("test/real-agents/") },
  { place: "`browser/…`", command: "npm run test:browser", holds: (file) => file.startsWith("test/browser/") },
  { place: "`postgres/…`", command: "npm run test:postgres", holds: (file) => file.startsWith("test/postgres/") },
  {
    place: "a name that ends in `.slow`",
    command: "npm run test:slow",
    holds: (file) => file.endsWith(".slow.test.ts"),
  },
  { place: "any other", command: "npm test", holds: () => true },
];
const runBy = (file: string): string | undefined => suites.find(({ holds }) => holds(file))?.command;
const tableOf = (rows: readonly Suite[]): string =>
  ["", "| place | command |", "|---|---|", ...rows.map(({ place, command }) => `| ${place} | \`${command}\` |`)].join(
    "\n",
  );

const cell = (text: string): string => text.replaceAll("|", "\\|").replace(/[<>*]/g, "\\$&");

/** What is wrong between the list of claims and the tests. */
export function conformanceComplaints(tests: ReadonlyMap<string, readonly NamedTest[]>): string[] {
  const untested = Object.entries(claims)
    .filter(
      ([id, { design, later }]) => !design && !later && !tests.get(id)?.some(({ file }) => runBy(file) === "npm test"),
    )
    .map(
      ([id, { says }]) =>
        `docs/conformance.md: no test of npm test names ${id} (${says}) — add the tag to the test that proves it, or say in scripts/docs/claims.ts why it has none`,
    );
  const unknown = [...tests]
    .filter(([id]) => /^(A|AT|B|BT|C|CT|D|DT|E|ET|X)\d/.test(id) && !Object.hasOwn(claims, id))
    .map(([id, [first]]) => `${first?.file}: a test names ${id}, which scripts/docs/claims.ts does not know`);
  return [...untested, ...unknown];
}
