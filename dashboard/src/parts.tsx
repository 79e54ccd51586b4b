/** Small parts of pages: verdicts, times, places in files, commands to type. Texts of others are always text. */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { HookPlace, ProjectShown } from "../../src/hosts/daemon/dashboard/shown.ts";
import { ask } from "./ask.ts";

/** Control and bidirectional characters are shown, not obeyed: they can make a command look like another. */
export const safe = (text: string): string =>
  text.replace(/(?![\n\t])[\p{Cc}\p{Cf}]/gu, (one) => `\\u${(one.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`);

export const Code = ({ children }: { children: string }) => <code>{safe(children)}</code>;

const words: Readonly<Record<string, { text: string; tone: string }>> = {
  deny: { text: "blocked", tone: "bad" },
  "kept working": { text: "kept working", tone: "bad" },
  "not known": { text: "not known", tone: "warn" },
  unseen: { text: "unseen", tone: "bad" },
  ask: { text: "asked you", tone: "warn" },
  allow: { text: "allowed", tone: "good" },
  defer: { text: "left to the agent", tone: "plain" },
  completed: { text: "completed", tone: "plain" },
  running: { text: "running", tone: "info" },
  queued: { text: "queued", tone: "info" },
  skipped: { text: "skipped", tone: "plain" },
  failed: { text: "failed", tone: "bad" },
  timeout: { text: "timed out", tone: "bad" },
  cancelled: { text: "cancelled", tone: "warn" },
  interrupted: { text: "interrupted", tone: "warn" },
  rewritten: { text: "rewritten", tone: "info" },
  context: { text: "context added", tone: "info" },
  obeyed: { text: "obeyed", tone: "good" },
  disobeyed: { text: "not obeyed", tone: "bad" },
  unknown: { text: "not known whether obeyed", tone: "warn" },
  "not matched": { text: "not matched", tone: "plain" },
};

export const toneOf = (is: string): string => words[is]?.tone ?? "plain";
export const wordOf = (is: string): string => words[is]?.text ?? is;

export const Badge = ({ is }: { is: string }) => <span class={`badge ${toneOf(is)}`}>{safe(wordOf(is))}</span>;

const units: readonly [limit: number, size: number, name: string][] = [
  [60, 1, "s"],
  [3_600, 60, "min"],
  [86_400, 3_600, "h"],
  [Number.POSITIVE_INFINITY, 86_400, "d"],
];

export function ago(at: number, now = Date.now()): string {
  const seconds = Math.max(0, (now - at) / 1000);
  if (seconds < 5) return "just now";
  const [, size, name] = units.find(([limit]) => seconds < limit) ?? [0, 1, "s"];
  return `${Math.floor(seconds / size)} ${name} ago`;
}

/** Made once: a list makes hundreds of texts with them. */
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const timeOfDay = new Intl.DateTimeFormat(undefined, { timeStyle: "medium", hourCycle: "h23" });

export const When = ({ at }: { at: number }) => (
  <time dateTime={new Date(at).toISOString()} title={moment.format(at)}>
    {ago(at)}
  </time>
);

export const clock = (at: number): string => timeOfDay.format(at);

export function duration(ms: number | null): string {
  if (ms === null) return "";
  if (ms < 1) return "<1 ms";
  return ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** Where a hook is written: short where the project is known, to be opened in the person's editor, or to be copied. */
export function Place({ hook, project }: { hook: HookPlace; project?: ProjectShown | undefined }) {
  const scheme = useEditor();
  if (hook.file === null) return <span class="dim">{hook.layer === "built in" ? "built in" : "in no file"}</span>;
  const root = project === undefined ? "" : `${project.root}/`;
  const short = root !== "" && hook.file.startsWith(root) ? hook.file.slice(root.length) : hook.file;
  const line = hook.line === null ? "" : `:${hook.line}`;
  const whole = `${hook.file}${line}`;
  return (
    <span class="command">
      <code class="place" title={safe(whole)}>
        {safe(short)}
        {line}
      </code>
      {scheme === undefined ? null : scheme === null ? (
        <Copy text={whole} />
      ) : (
        <a
          class="quiet"
          aria-label={`Open ${safe(whole)} in your editor`}
          href={`${scheme}://file${hook.file.split("/").map(encodeURIComponent).join("/")}${line}`}
        >
          open
        </a>
      )}
    </span>
  );
}

let editor: Promise<{ scheme: string | null }> | undefined;

/** The scheme of the addresses that it opens; null: none is known. Undefined: not asked yet. Asked once for all pages. */
function useEditor(): string | null | undefined {
  const [scheme, set] = useState<string | null>();
  useEffect(() => {
    editor ??= ask("editor");
    editor.then(
      (found) => set(found.scheme),
      () => {
        editor = undefined;
        set(null);
      },
    );
  }, []);
  return scheme;
}

/** What a person types in a terminal: to be copied, never done from here. */
export const Command = ({ children }: { children: string }) => (
  <span class="command">
    <code>{safe(children)}</code>
    <Copy text={children} />
  </span>
);

export const Copy = ({ text, says = "copy", label = text }: { text: string; says?: string; label?: string }) => (
  <button
    type="button"
    class="quiet"
    aria-label={`Copy: ${safe(label)}`}
    onClick={(event) => {
      const button = event.currentTarget;
      void navigator.clipboard.writeText(text).then(() => {
        button.textContent = "copied";
        setTimeout(() => {
          button.textContent = says;
        }, 1_500);
      });
    }}
  >
    {says}
  </button>
);
export const Failed = ({ error }: { error: string | undefined }) =>
  error === undefined ? null : (
    <p class="notice" role="alert">
      {safe(error)}
    </p>
  );

export const Waiting = () => (
  <div class="waiting" role="status">
    <span class="hidden">Loading</span>
  </div>
);

export function Head({
  title,
  says,
  children,
}: {
  title: string;
  says?: ComponentChildren;
  children?: ComponentChildren;
}) {
  return (
    <div class="head">
      <div>
        <h1>{title}</h1>
        {says === undefined ? null : <p class="dim">{says}</p>}
      </div>
      {children}
    </div>
  );
}

export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;
