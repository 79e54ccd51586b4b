/** hookline worker: performs automations that other machines have put into a Postgres store, in the foreground, until it is stopped. */
import { HooklineError } from "../../../engine/error.ts";
import { type Fields, withoutDepth } from "../../../engine/event.ts";
import { buildVersion, type ExitCode, type Invocation, textFlag, usageError } from "../command.ts";
import { createLog, failureIn } from "../log.ts";
import { containModules } from "../module-output.ts";
import { sharedStore, stateFolder } from "../place.ts";
import { oneLine } from "../terminal.ts";

/** Milliseconds between two looks at what has changed; what is the same is not said again. */
const looksEvery = 10_000;

export async function worker(invocation: Invocation): Promise<ExitCode> {
  const { flags, environment, terminal, usage, cwd, home, json } = invocation;
  const url = sharedStore(invocation, textFlag(flags, "store"));
  if (url === undefined)
    throw usageError("a worker needs a store that machines share: name a Postgres by --store or HOOKLINE_STORE", usage);
  const given = textFlag(flags, "name");
  if (given?.trim() === "") throw usageError("--name is empty: give each worker of this machine its own name", usage);
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => {}); // a second one must not cut short what is being ended
  const [{ openWorker }, { takeName }, { createLearningRedaction }] = await Promise.all([
    import("../../worker/worker.ts"),
    import("../../worker/name.ts"),
    import("../../../storage/redaction/redaction.ts"),
  ]);
  const { redact } = createLearningRedaction({ environment });
  const folder = stateFolder(invocation);
  const log = createLog({ file: `${folder}/hookline.log`, now: Date.now, environment, redact });
  const complain = (message: string): void => {
    log({ is: "log", level: "warn", message, hook: "", run: "" });
    terminal.error(`hookline: ${oneLine(redact(message))}`);
  };
  const name = given ?? takeName(folder);
  const expelled = new AbortController();
  const opened = await openWorker({
    ...{ url, cwd, home, name, complain, redact },
    environment: withoutDepth(environment),
    expelled: () => expelled.abort(),
    beforeModules: () => containModules(log),
    observe(seen) {
      log(seen);
      const failure = failureIn(seen);
      if (failure !== undefined) terminal.error(`hookline: ${oneLine(redact(failure))}`);
    },
  });
  const say = (facts: Fields, isFirst: boolean): void => {
    if (json) terminal.print(JSON.stringify(isFirst ? { version: buildVersion(), pid: process.pid, ...facts } : facts));
    else {
      if (isFirst)
        terminal.print(terminal.paint("bold", `Hookline ${buildVersion()} works for ${facts.store}, as ${facts.name}`));
      terminal.print(healthLine(facts));
    }
  };
  try {
    await tellHealth(opened.health, say, AbortSignal.any([invocation.signal, expelled.signal]));
  } finally {
    terminal.print(json ? JSON.stringify({ stopping: true }) : "stopping: running automations get up to 10 s");
    await opened.close();
  }
  if (!expelled.signal.aborted) return 0;
  throw new HooklineError("worker_running", { name, holder: "it took the name over", where: "the store" });
}

function healthLine({ here, cap, running, waiting, workers, stranded }: Fields): string {
  const others = `${running} running and ${waiting} waiting in all, ${workers} ${workers === 1 ? "worker" : "workers"}`;
  const left = Number(stranded) > 0 ? `, ${stranded} for workers of another run schema` : "";
  return `${here} running here of at most ${cap} at once; ${others}${left}`;
}

/** The first at once, then what has changed, until the signal aborts. */
async function tellHealth(
  health: () => Promise<Fields>,
  say: (facts: Fields, isFirst: boolean) => void,
  signal: AbortSignal,
): Promise<void> {
  const aborted = new Promise<undefined>((resolve) => {
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  let known: string | undefined;
  while (!signal.aborted) {
    const asked = health().catch(() => undefined); // that the database is away is said elsewhere
    const facts = await Promise.race([asked, aborted]);
    const text = JSON.stringify(facts);
    if (facts && text !== known) say(facts, known === undefined);
    known = facts ? text : known;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(end, looksEvery);
      signal.addEventListener("abort", end, { once: true });
    });
  }
}
