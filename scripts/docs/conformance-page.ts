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
made from those names, and a claim that is listed as tested without such a test fails \`npm run check\`.

${counts.tested} claims are tested. ${counts.design} are part of the design and cannot be shown by a run. ${counts.later} are not built yet.
**Differs** says how Hookline departs from the specification. Tests under \`test/real-agents\` start the
real agent, with \`npm run test:agents\`; all others run with \`npm test\`.
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
    ...tests.slice(0, testsShown).map(testCell),
    ...(tests.length > testsShown ? [`and ${tests.length - testsShown} more`] : []),
  ];
  return told.length > 0 ? told.join("<br>") : "**no test names it**";
}

const testCell = ({ file, sentence }: NamedTest): string =>
  `• ${cell(sentence)} (${file.replace(/^test\//, "").replace(/\/flow\.json$|\.test\.ts$|\.ts$/, "")})`;

const cell = (text: string): string => text.replaceAll("|", "\\|").replace(/[<>*]/g, "\\$&");

/** What is wrong between the list of claims and the tests. */
export function conformanceComplaints(tests: ReadonlyMap<string, readonly NamedTest[]>): string[] {
  const untested = Object.entries(claims)
    .filter(([id, { design, later }]) => !design && !later && !tests.has(id))
    .map(
      ([id, { says }]) =>
        `docs/conformance.md: no test names ${id} (${says}) — add the tag to the test that proves it, or say in scripts/docs/claims.ts why it has none`,
    );
  const unknown = [...tests]
    .filter(([id]) => /^(A|AT|B|BT|C|CT|D|DT|E|ET|X)\d/.test(id) && !Object.hasOwn(claims, id))
    .map(([id, [first]]) => `${first?.file}: a test names ${id}, which scripts/docs/claims.ts does not know`);
  return [...untested, ...unknown];
}
