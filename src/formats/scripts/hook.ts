/** A script whose front matter says its type becomes a Hook: when it runs, on which files, whether it may refuse, and the parameters of its step. */
import { messageOf } from "../../engine/error.ts";
import type { Fields } from "../../engine/event.ts";
import type { Condition, FailurePolicy, Hook, Limits, Problem, Role, Trigger } from "../../engine/hook.ts";
import { isRoot, reportUseless, type ScriptFields, type ScriptType, saysNo, secondsOf, textOf } from "./fields.ts";
import type { WrittenScript } from "./script.ts";
import { slugOf } from "./slug.ts";

/** Seconds that a script has unless it says otherwise (R14, R40). */
const defaultLimit = 300;
/** The script's own limit ends it and says so; this one is the net below, and leaves it time to settle (R54). */
const afterLimit = 15;
const defaultPriority = 100;

interface Kind {
  event: "SessionStart" | "Stop" | "git.pre-commit";
  limits: Limits;
  role: Role;
  onFailure: FailurePolicy;
}

/** What the type alone decides. A file script's failure is an answer of its handler, so it is no guard. */
const kinds: { readonly [T in ScriptType]: Kind } = {
  session: {
    event: "SessionStart",
    limits: { once: "session", overlap: "queue" },
    role: "observe",
    onFailure: "continue",
  },
  file: { event: "Stop", limits: { untilPass: true, overlap: "queue" }, role: "observe", onFailure: "continue" },
  "pre-commit": { event: "git.pre-commit", limits: { overlap: "queue" }, role: "guard", onFailure: "block" },
};

/** Undefined: a field that the type cannot do without is missing, which is reported. */
export function hookOf(type: ScriptType, fields: ScriptFields, script: WrittenScript): Hook | undefined {
  const { fileName, id, origin, report } = script;
  reportUseless(fields, type, report);
  const { event, ...kind } = kinds[type];
  const pattern = type === "session" ? undefined : patternOf(fields, script);
  if (type === "file" && pattern === undefined) {
    tellOfPattern(fields, script);
    return undefined;
  }
  const own = secondsOf(fields, "timeout", report);
  const summary = textOf(fields, "description");
  const isBackground = type === "session" && saysNo(fields, "blocking", report);
  const on: Trigger = { event: [event], as: [event] };
  return {
    id,
    name: textOf(fields, "name") ?? fileName,
    on,
    ...(pattern === undefined ? {} : { when: changed(pattern, origin.root) }),
    steps: [
      {
        uses: "script",
        with: parametersOf(type, fields, script, own),
        timeout: (own ?? defaultLimit) + afterLimit,
        onError: "stop",
      },
    ],
    ...kind,
    mode: isBackground ? "async" : "sync",
    priority: defaultPriority,
    enabled: true,
    tags: [],
    ...(summary === undefined ? {} : { summary }),
    origin,
  };
}

function parametersOf(
  type: ScriptType,
  fields: ScriptFields,
  { fileName, origin, options, report }: WrittenScript,
  limit: number | undefined,
): Fields {
  const pattern = type === "session" ? undefined : textOf(fields, "pattern");
  const isQuiet = type !== "session" && saysNo(fields, "notify_llm", report);
  return {
    file: origin.file ?? "",
    type,
    slug: slugOf(fileName),
    family: options.family,
    ...(pattern === undefined ? {} : { pattern }),
    ...(type === "file" && isQuiet ? { notify: false } : {}), // git itself shows a pre-commit script's failure
    ...(type === "session" && isRoot(fields, report) ? { run_as: "root" } : {}),
    ...(limit === undefined ? {} : { limit }),
  };
}

const changed = (pattern: string, root: string | undefined): Condition => ({
  is: "changed_files",
  with: { patterns: [pattern], ...(root === undefined ? {} : { root }) },
});

/** As written. One that cannot be compiled is reported, and its hook then fails at each of its events; one that fits nothing is reported, too. */
function patternOf(fields: ScriptFields, { options, report }: WrittenScript): string | undefined {
  const pattern = textOf(fields, "pattern");
  if (pattern === undefined || !options.patterns) return pattern;
  const place = fields.get("pattern")?.valueAt ?? 0;
  try {
    options.patterns.glob(pattern);
  } catch (error) {
    const message = `"pattern" cannot be used: ${messageOf(error)}`;
    report(place, { severity: "error", code: "matcher-invalid", message });
    return pattern;
  }
  const unlikely = unlikelyGlob(pattern);
  if (unlikely) report(place, { severity: "warning", code: "matcher-never", ...unlikely });
  return pattern;
}

function tellOfPattern(fields: ScriptFields, { report }: WrittenScript): void {
  if (fields.get("pattern")?.isList) return; // reported with the list
  report(fields.get("pattern")?.at ?? fields.get("type")?.at ?? 0, {
    severity: "error",
    code: "missing-field",
    message: 'a file script needs a "pattern", so it never runs',
    suggestion: 'write pattern: "*.ts", say',
  });
}

type Found = Pick<Problem, "message" | "suggestion">;

/** Undefined: it can fit. */
function unlikelyGlob(written: string): Found | undefined {
  const pattern = written.trim();
  const bare = withoutSets(pattern);
  return mistakes.find(({ shape }) => shape.test(bare))?.tell(pattern);
}

/** First match. Each shape is looked for outside of [sets], {alternatives}, (groups) and what a \ makes a plain letter. */
const mistakes: readonly { shape: RegExp; tell(pattern: string): Found }[] = [
  {
    shape: /[[{]/,
    tell: (pattern) => ({
      message: `the "${withoutSets(pattern).match(/[[{]/)?.[0]}" in "${pattern}" is not closed, so the script may never run`,
      suggestion: "close it, or write \\ before it where a name has it",
    }),
  },
  {
    shape: /,(?=\s|.*[*?[{])/,
    tell: (pattern) => ({
      message: `"${pattern}" is one pattern, and no file is likely to be called so: the script may never run`,
      suggestion: `write "{${pattern.split(/,\s*/).join(",")}}"`,
    }),
  },
  {
    shape: /^!/,
    tell: (pattern) => ({
      message: `"!" at its beginning excludes nothing: only names that begin with it fit "${pattern}"`,
      suggestion: "write a pattern of the files that are meant, such as !(*.test).ts",
    }),
  },
  {
    shape: /(?:^|\/)\.\.(?:\/|$)/,
    tell: (pattern) => ({
      message: `"${pattern}" leads out of its folder, where no file is looked for: the script never runs`,
      suggestion: "write the path from the project's folder",
    }),
  },
  {
    shape: /\/$/,
    tell: (pattern) => ({
      message: `"${pattern}" ends as a folder and is compared with files: the script never runs`,
      suggestion: `write "${pattern}**"`,
    }),
  },
];

/** What is whole inside brackets has its own rules; the innermost go first. */
function withoutSets(pattern: string): string {
  let text = pattern.replace(/\\./g, "_").replace(/\[[!^]?\]?[^\]]*\]/g, "_");
  for (let before = ""; before !== text; ) {
    before = text;
    text = text.replace(/[@!?+*]?\([^()]*\)|\{[^{}]*\}/g, "_");
  }
  return text;
}
