/** Every active hook of a project: where it is written, how it stands, what it has done, and why it did not run last time. */
import { useState } from "preact/hooks";
import type { HookShown, Hooks as Shown } from "../../../src/hosts/daemon/dashboard/shown.ts";
import { ProjectChoice } from "../app.tsx";
import { ask, useAsked } from "../ask.ts";
import { ago, Command, counted, duration, Failed, Head, Place, safe, Waiting } from "../parts.tsx";
import { hashOf, type Route } from "../route.ts";

export function Hooks({ route }: { route: Route }) {
  const { project = "" } = route.query;
  const given = project === "" ? {} : { project };
  const { data, error, again } = useAsked<Shown>("hook_list", given);
  const [wanted, setWanted] = useState("");
  const hooks = (data?.hooks ?? []).filter((hook) => isWanted(hook, wanted.toLowerCase()));
  return (
    <>
      <Head title="Hooks" says={data ? `${counted(data.hooks.length, "hook")} in running order` : undefined}>
        <ProjectChoice route={route} />
      </Head>
      <Failed error={error} />
      {!data ? (
        error === undefined ? (
          <Waiting />
        ) : null
      ) : (
        <>
          {data.problems
            .filter(({ severity }) => severity === "error")
            .map(({ file, line, column, message }) => (
              <p key={`${file}:${line}:${column} ${message}`} class="notice" role="alert">
                {safe(message)}: <code>{safe(`${file}:${line}:${column}`)}</code>
              </p>
            ))}
          <form class="filters" onSubmit={(event) => event.preventDefault()}>
            <label>
              <span>Find</span>
              <input
                type="search"
                value={wanted}
                placeholder="name, event, file"
                onInput={(event) => setWanted(event.currentTarget.value)}
              />
            </label>
          </form>
          {hooks.length === 0 ? <Nothing isFiltered={wanted !== ""} /> : null}
          <ul class="cards">
            {hooks.map((hook) => (
              <One key={hook.id} hook={hook} shown={data} route={route} again={again} />
            ))}
          </ul>
        </>
      )}
    </>
  );
}

const isWanted = (hook: HookShown, wanted: string): boolean =>
  wanted === "" ||
  [hook.name, hook.id, hook.on, hook.file ?? "", hook.state].some((one) => one.toLowerCase().includes(wanted));

const Nothing = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <p class="calm">No hook is called so.</p>
  ) : (
    <section class="empty">
      <h2>No hook is active here</h2>
      <p>
        Add the guards that come with Hookline: <Command>hookline add guard</Command>
      </p>
    </section>
  );

function One({ hook, shown, route, again }: { hook: HookShown; shown: Shown; route: Route; again(): void }) {
  const [refusal, setRefusal] = useState<string>();
  const { project = "" } = route.query;
  async function set(name: "pause" | "resume"): Promise<void> {
    try {
      await ask(name, { hook: hook.id, ...(project === "" ? {} : { cwd: project }) });
      setRefusal(undefined);
      again();
    } catch (error) {
      setRefusal(error instanceof Error ? error.message : String(error));
    }
  }
  return (
    <li class="card hook">
      <div class="line">
        <h2>{safe(hook.name)}</h2>
        {hook.isGuard ? <span class="badge good">guard</span> : null}
        {hook.state === "" ? null : <span class="badge warn">{safe(hook.state)}</span>}
        <span class="push buttons">
          <a
            class="button"
            aria-label={`Run ${safe(hook.name)}`}
            href={hashOf({ page: "try", query: { project: shown.project.root, hook: hook.id } })}
          >
            Run
          </a>
          {hook.stays !== null ? null : hook.isPaused ? (
            <button type="button" onClick={() => void set("resume")} aria-label={`Resume ${safe(hook.name)}`}>
              Resume
            </button>
          ) : (
            <button type="button" onClick={() => void set("pause")} aria-label={`Pause ${safe(hook.name)}`}>
              Pause
            </button>
          )}
        </span>
      </div>
      <Failed error={refusal} />
      {hook.summary === null ? null : <p>{safe(hook.summary)}</p>}
      <p class="when">
        <span class="dim">on</span> {safe(hook.on)}
        {hook.when === "always" ? null : (
          <>
            {" "}
            <span class="dim">when</span> {safe(hook.when)}
          </>
        )}
      </p>
      <p>
        <Place hook={hook} project={shown.project} />{" "}
        <span class="dim">
          {hook.layer === "built in" ? "" : `${hook.layer} layer · ${safe(hook.format)}`}
          {hook.isTrusted ? "" : " · not trusted: type hookline trust"}
        </span>
      </p>
      <dl class="figures">
        <div>
          <dt>last fired</dt>
          <dd>{hook.last === null ? "never" : ago(hook.last)}</dd>
        </div>
        <div>
          <dt>runs</dt>
          <dd>{hook.runs}</dd>
        </div>
        <div>
          <dt>p95</dt>
          <dd>{duration(hook.p95) || "–"}</dd>
        </div>
        <div class={hook.failures > 0 ? "bad" : ""}>
          <dt>failures</dt>
          <dd>{hook.failures}</dd>
        </div>
      </dl>
      {hook.notFired === null ? null : (
        <p class="why">
          <strong>Did not run on the last {safe(hook.notFired.event)}</strong> ({ago(hook.notFired.at)}):{" "}
          {safe(hook.notFired.because)}
        </p>
      )}
      {hook.lastRun === null ? null : (
        <a class="more" href={hashOf({ page: "runs", query: { hook: hook.id, project } })}>
          Its runs
        </a>
      )}
    </li>
  );
}
