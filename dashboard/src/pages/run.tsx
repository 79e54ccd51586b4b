/** One run as it went: the event, each condition with its value, the steps, what came of it, and the reply to the agent. */
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import type { ConditionShown, Replay, Trace } from "../../../src/hosts/daemon/dashboard/shown.ts";
import { ask, useAsked } from "../ask.ts";
import { Badge, Command, Copy, duration, Failed, Head, Place, safe, Waiting, When, wordOf } from "../parts.tsx";
import { hashOf, type Route } from "../route.ts";

export function Run({ route }: { route: Route }) {
  const event = useRef("");
  const { data, error } = useAsked<Trace>(
    "trace",
    { id: route.id },
    {
      follows: (news) =>
        news === "" || news.includes(route.id) || (event.current !== "" && news.includes(event.current)),
    },
  );
  event.current = data?.run.eventId ?? "";
  if (!data) return error === undefined ? <Waiting /> : <Gone error={error} />;
  return <Whole data={data} project={route.query.project ?? ""} />;
}

const Gone = ({ error }: { error: string }) => (
  <section class="empty">
    <h1>This run cannot be shown</h1>
    <Failed error={error} />
    <p>
      It may be older than runs are kept. <a href={hashOf({ page: "runs" })}>See all runs</a>
    </p>
  </section>
);

function Whole({ data, project }: { data: Trace; project: string }) {
  const { run, hook, event, condition, effects, others, outcome, reply, couldBeAllowed } = data;
  const verdict = run.outcome?.verdict?.is;
  return (
    <>
      <p class="crumb">
        <a href={hashOf({ page: "runs", query: { project } })}>Runs</a>
      </p>
      <Head title={safe(run.hookName)} />
      <div class="facts">
        <Badge is={verdict === "deny" || verdict === "ask" ? verdict : run.status} />
        {hook ? <Place hook={hook} project={event?.project} /> : <span class="dim">its hook is known no more</span>}
        <span class="dim">
          <When at={run.startedAt} />
          {run.ms === undefined ? "" : ` · ${duration(run.ms)}`}
          {run.asked > 1 ? ` · asked ${run.asked} times, as its input was rewritten` : ""}
        </span>
      </div>
      <p class="lead">{safe(run.outcome?.verdict?.reason ?? data.result)}</p>
      {couldBeAllowed ? (
        <p>
          Within five minutes you can let this call happen once: type <Command>hookline allow-once</Command> in your
          terminal.
        </p>
      ) : null}
      <ol class="trace">
        <Part
          title="Event"
          says={event ? `${event.name} from ${event.sender}` : `${run.eventName}, set off by ${run.cause}`}
        >
          {event === null ? (
            <p class="dim">The store holds the event no more.</p>
          ) : (
            <>
              {event.subject === "" ? null : <pre class="subject">{safe(event.subject)}</pre>}
              <Folded title="The whole payload" text={JSON.stringify(event.data, null, 2)} />
              {event.isCut ? <p class="dim">The payload was too large to be kept whole.</p> : null}
            </>
          )}
        </Part>
        <Part title="Condition" says={hook ? `listens to ${hook.on}` : ""}>
          {condition ? (
            <Tested condition={condition} />
          ) : (
            <p class="dim">{hook ? "It has no condition: it runs each time." : "It is not known."}</p>
          )}
        </Part>
        {effects.length === 0 ? null : (
          <Part title="Effects" says="what the call does, as far as its text tells">
            <ul class="plain">
              {effects.map((one) => (
                <li key={one}>
                  <code>{safe(one)}</code>
                </li>
              ))}
            </ul>
          </Part>
        )}
        <Part title="Steps" says={run.steps.length === 0 ? (run.reason ?? "none ran") : ""}>
          <TimeLine run={run} />
          {run.steps.map((step, index) => (
            <Step key={`${index} ${step.uses}`} step={step} />
          ))}
        </Part>
        <Part title="Answer of this hook" says={data.result}>
          {run.outcome && Object.keys(run.outcome).length > 0 ? (
            <Folded title="All fields" text={JSON.stringify(run.outcome, null, 2)} />
          ) : null}
          {run.notes.map((note) => (
            <p key={note} class="note">
              {safe(note)}
            </p>
          ))}
        </Part>
        {others.length > 1 ? (
          <Part title="All hooks of this event" says={mergedWords(data)}>
            <ul class="rows">
              {others.map((one) => (
                <li key={one.id}>
                  <Other one={one} isThis={one.run === run.id} project={project} />
                </li>
              ))}
            </ul>
          </Part>
        ) : null}
        <Part title="Reply to the agent" says={outcome === null ? "not answered" : ""}>
          {reply === null ? (
            <p class="dim">Nothing was sent back, or the sender is no coding agent.</p>
          ) : (
            <Folded title="As it was sent, made again from the record" text={JSON.stringify(reply, null, 2)} isOpen />
          )}
        </Part>
      </ol>
      <Again id={run.id} event={event} project={project} hook={run.hook} />
    </>
  );
}

type Shown = { is: "replay"; replay: Replay } | { is: "test"; yaml: string };

/** What a person does with it next. The replay runs no program. */
function Again({ id, event, hook, project }: Pick<Trace, "event"> & { id: string; hook: string; project: string }) {
  const [shown, setShown] = useState<Shown>();
  const [refusal, setRefusal] = useState<string>();
  async function show(look: () => Promise<Shown>): Promise<void> {
    try {
      setShown(await look());
      setRefusal(undefined);
    } catch (error) {
      setRefusal(error instanceof Error ? error.message : String(error));
    }
  }
  const root = project || (event?.project.root ?? "");
  return (
    <section class="again" aria-labelledby="again">
      <h2 id="again">Go on</h2>
      <div class="buttons">
        <button
          type="button"
          onClick={() => void show(async () => ({ is: "replay", replay: await ask<Replay>("run_replay", { id }) }))}
        >
          Replay with the hooks of today
        </button>
        <button
          type="button"
          onClick={() => void show(async () => ({ is: "test", ...(await ask<{ yaml: string }>("run_test", { id })) }))}
        >
          Show as a test
        </button>
        <a class="button" href={hashOf({ page: "try", query: { project: root, hook, run: id } })}>
          Change it and try
        </a>
      </div>
      <Failed error={refusal} />
      <div aria-live="polite">
        {shown === undefined ? null : shown.is === "replay" ? (
          <Replayed replay={shown.replay} />
        ) : (
          <>
            <Folded title="As a hook test" text={shown.yaml} isOpen />
            <p>
              <Copy text={shown.yaml} says="copy the test" label="the test" /> into a file such as{" "}
              <code>.hookline/guard.hooktest.yaml</code>, then run it: <Command>hookline test</Command>
            </p>
          </>
        )}
      </div>
      <p class="dim">
        The same in sentences, in a terminal: <Command>{`hookline why ${id}`}</Command>
      </p>
    </section>
  );
}

function Replayed({ replay: { is, change } }: { replay: Replay }) {
  if (is === "same") return <p class="calm">The hooks of today answer the same.</p>;
  const { verdict, runs } = change;
  return (
    <>
      <h3>
        {is === "changed"
          ? "The hooks of today answer otherwise"
          : "What they answer depends on programs, and none ran"}
      </h3>
      <ul class="rows">
        {verdict ? (
          <li>
            <Changed name="together" old={verdict.old} today={verdict.new} />
          </li>
        ) : null}
        {runs.map(({ hook, old, new: today, open }) => (
          <li key={hook}>
            <Changed name={hook} old={old} today={open === undefined ? today : `not known: ${open}`} />
          </li>
        ))}
      </ul>
    </>
  );
}

const Changed = ({ name, old, today }: { name: string; old: string | null; today: string | null }) => (
  <div class="row">
    <span class="two">
      <strong>{safe(name)}</strong>
      <span class="because">then: {safe(old ?? "did not run")}</span>
      <span class="because">today: {safe(today ?? "")}</span>
    </span>
  </div>
);

function mergedWords({ outcome }: Trace): string {
  const { verdict } = outcome ?? {};
  return verdict ? `together: ${wordOf(verdict.is)}` : "together: no decision";
}

const Part = ({ title, says, children }: { title: string; says: string; children: ComponentChildren }) => (
  <li>
    <h2>{title}</h2>
    {says === "" ? null : <p class="dim">{safe(says)}</p>}
    {children}
  </li>
);

const joins = { all: "all of these", any: "one of these", not: "not this", test: "" } as const;

function Tested({ condition }: { condition: ConditionShown }) {
  const { is, holds, says, parts } = condition;
  const sign = holds === null ? "?" : holds ? "✓" : "✗";
  return (
    <div class={`tested ${holds === null ? "unknown" : holds ? "holds" : "fails"}`}>
      <p>
        <span class="sign" aria-hidden="true">
          {sign}
        </span>
        <span class="hidden">{holds === null ? "not known: " : holds ? "holds: " : "does not hold: "}</span>
        {is === "test" ? safe(says) : joins[is]}
      </p>
      {parts.map((part, index) => (
        <Tested key={`${index} ${part.says}`} condition={part} />
      ))}
    </div>
  );
}

/** Each step as a bar, in the order in which they ran. */
function TimeLine({ run }: Pick<Trace, "run">) {
  const total = run.steps.reduce((sum, { ms }) => sum + ms, 0);
  if (run.steps.length < 2 || total === 0) return null;
  let before = 0;
  return (
    <svg
      class="line"
      viewBox="0 0 100 6"
      preserveAspectRatio="none"
      role="img"
      aria-label={`Steps by time: ${run.steps.map(({ uses, ms }) => `${uses} ${duration(ms)}`).join(", ")}`}
    >
      {run.steps.map((step, index) => {
        const x = (before / total) * 100;
        before += step.ms;
        return (
          <rect
            key={`${index} ${step.uses}`}
            class={step.ok ? "good" : "bad"}
            x={x}
            y={0}
            width={Math.max(0.6, (step.ms / total) * 100 - 0.3)}
            height={6}
          />
        );
      })}
    </svg>
  );
}

function Step({ step }: { step: Trace["run"]["steps"][number] }) {
  const { uses, ok, ms, reason, evidence, output, tokens } = step;
  return (
    <div class="step">
      <p class="line">
        <strong>{safe(uses)}</strong>
        <Badge is={ok ? "completed" : "failed"} />
        <span class="dim">
          {duration(ms)}
          {evidence?.exitCode === undefined ? "" : ` · exit code ${evidence.exitCode}`}
          {tokens === undefined ? "" : ` · ${tokens} tokens`}
        </span>
      </p>
      {reason === undefined ? null : <p>{safe(reason)}</p>}
      {evidence?.stdout ? <Folded title="Output" text={evidence.stdout} isOpen /> : null}
      {evidence?.stderr ? <Folded title="Error output" text={evidence.stderr} isOpen /> : null}
      {Object.keys(output).length > 0 ? <Folded title="Result" text={JSON.stringify(output, null, 2)} /> : null}
    </div>
  );
}

const shownAtFirst = 20_000;

/** A long text, page by page: what is huge does not stop the page. */
function Folded({ title, text, isOpen = false }: { title: string; text: string; isOpen?: boolean }) {
  const [length, setLength] = useState(shownAtFirst);
  return (
    <details open={isOpen}>
      <summary>{title}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it */}
      <section class="sheet" tabIndex={0} aria-label={title}>
        <pre>{safe(text.slice(0, length))}</pre>
      </section>
      {text.length > length ? (
        <button type="button" class="quiet" onClick={() => setLength(length + shownAtFirst)}>
          Show more: {text.length - length} characters are left
        </button>
      ) : null}
    </details>
  );
}

function Other({ one, isThis, project }: { one: Trace["others"][number]; isThis: boolean; project: string }) {
  const said = (
    <>
      <Badge is={one.status} />
      <span class="two">
        <strong>{safe(one.name)}</strong>
        <span class="because">{safe(one.because)}</span>
        {one.changed.length === 0 ? null : (
          <span class="because">written since: {one.changed.map(safe).join(", ")}</span>
        )}
      </span>
      {isThis ? <span class="dim">this run</span> : null}
    </>
  );
  return one.run === null || isThis ? (
    <div class="row">{said}</div>
  ) : (
    <a class="row" href={hashOf({ page: "run", id: one.run, query: { project } })}>
      {said}
    </a>
  );
}
