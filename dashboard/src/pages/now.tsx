/** What happens now: what was blocked comes first, with its rule and file; then what runs, and each session as a lane. */
import { useState } from "preact/hooks";
import type {
  Blocked,
  CoverageShown,
  EventShown,
  Registration,
  Session,
  Now as Shown,
} from "../../../src/hosts/daemon/dashboard/shown.ts";
import { ProjectChoice } from "../app.tsx";
import { ask, useAsked } from "../ask.ts";
import {
  Badge,
  Command,
  clock,
  counted,
  duration,
  Failed,
  Head,
  Place,
  safe,
  toneOf,
  Waiting,
  When,
  wordOf,
} from "../parts.tsx";
import { hashOf, type Route } from "../route.ts";

export function Now({ route }: { route: Route }) {
  const { project = "" } = route.query;
  const { data, error } = useAsked<Shown>("now", project === "" ? {} : { project });
  return (
    <>
      <Head title="Now" says={data ? summary(data) : undefined}>
        <ProjectChoice route={route} isForAll />
      </Head>
      <Failed error={error} />
      {data ? <Whole data={data} project={project} /> : error === undefined ? <Waiting /> : null}
    </>
  );
}

function summary({ hooks, untrusted, sessions }: Shown): string {
  const open = sessions.filter(({ id, hasEnded }) => id !== null && !hasEnded).length;
  return [
    `${counted(hooks, "hook")} active`,
    ...(untrusted > 0 ? [`${untrusted} not trusted: type hookline trust`] : []),
    counted(open, "open session"),
  ].join(" · ");
}

function Whole({ data, project }: { data: Shown; project: string }) {
  const { blocked, sessions, running, store, missing, registrations } = data;
  return (
    <>
      {store.notWrittenSince === null ? null : (
        <p class="notice" role="alert">
          The store takes no data since {store.notWrittenSince}: hooks still decide, but what happens is not kept.{" "}
          <code>hookline status</code> says why.
        </p>
      )}
      {missing.length === 0 ? null : <Unreached missing={missing} />}
      {sessions.length === 0 && blocked.length === 0 ? (
        data.isElsewhere ? (
          <NothingHere />
        ) : (
          <Nothing hooks={data.hooks} registered={data.registered} />
        )
      ) : (
        <>
          {data.disobeyed.length > 0 ? <Disobeyed disobeyed={data.disobeyed} project={project} /> : null}
          <Refused blocked={blocked} project={project} />
          {running.length > 0 ? <Running running={running} /> : null}
          <section aria-labelledby="sessions">
            <h2 id="sessions">Sessions</h2>
            {sessions.map((session) => (
              <Lane
                key={session.id ?? `${session.sender} ${session.project.root}`}
                session={session}
                project={project}
              />
            ))}
          </section>
        </>
      )}
      {registrations.length === 0 ? null : <Registered registrations={registrations} />}
    </>
  );
}

/** What no hook has seen stands before all else: of it nothing else here tells. */
const Unreached = ({ missing }: { missing: readonly CoverageShown[] }) => (
  <section aria-labelledby="unreached">
    <h2 id="unreached">
      Did not reach Hookline <span class="count">{missing.length}</span>
    </h2>
    <ul class="cards">
      {missing.map((one) => (
        <li key={`${one.agent} ${one.session}`} class={one.isKnown ? "card refusal" : "card"}>
          <div class="line">
            <Badge is={one.isKnown ? "unseen" : "not known"} />
            <strong>{safe(one.says)}</strong>
            <span class="dim push">
              {safe(one.agent)} · <When at={one.last} />
            </span>
          </div>
          {one.because === null ? null : <p>{safe(one.because.replaceAll("`", ""))}</p>}
          {one.missed.length === 0 ? null : (
            <details>
              <summary>Calls that did not reach Hookline</summary>
              <ul class="rows">
                {one.missed.map(({ tool, subject, at }) => (
                  <li key={`${at} ${subject}`} class="row event">
                    <span class="dim">{at === null ? "" : clock(at)}</span>
                    <span class="name">{safe(tool)}</span>
                    <span class="said">{safe(subject)}</span>
                  </li>
                ))}
              </ul>
            </details>
          )}
        </li>
      ))}
    </ul>
  </section>
);

/** When each was last heard of in this project. */
const Registered = ({ registrations }: { registrations: readonly Registration[] }) => (
  <section aria-labelledby="registered">
    <h2 id="registered">Agents that call Hookline</h2>
    <ul class="rows">
      {registrations.map(({ agent, layer, file, last }) => (
        <li key={file} class="row">
          <strong>{safe(agent)}</strong>
          <span class="dim">{layer}</span>
          <span class="dim push">{last === null ? "no call of this project lately" : <When at={last} />}</span>
        </li>
      ))}
    </ul>
  </section>
);

const NothingHere = () => (
  <section class="empty">
    <h2>Nothing has happened in this project lately</h2>
    <p>
      Hooks have run in others. <a href={hashOf({})}>See all projects</a>
    </p>
  </section>
);

const Nothing = ({ hooks, registered }: Pick<Shown, "hooks" | "registered">) => (
  <section class="empty">
    <h2>Nothing has happened yet</h2>
    <p>As soon as an agent works here, you see each of its steps, what was blocked, and by which hook.</p>
    <ol>
      {registered.length === 0 ? (
        <li>
          Register Hookline with your agent: <Command>hookline install claude-code</Command>
        </li>
      ) : null}
      {hooks === 0 ? (
        <li>
          Add the guards: <Command>hookline add guard</Command>
        </li>
      ) : null}
      {registered.length === 0 ? null : (
        <li>
          Start a session of {registered.join(" or ")} in your project. Hookline is registered, and nothing has come
          yet: a session that runs already may have begun before.
        </li>
      )}
      <li>
        {registered.length === 0 ? "Work as ever, or see" : "Or see"} it at work first: <Command>hookline demo</Command>
      </li>
      {registered.length === 0 ? null : (
        <li>
          If nothing comes, see why: <Command>hookline doctor</Command>
        </li>
      )}
    </ol>
  </section>
);

/** What was decided stands beside what happened, and is not said for it. */
const Disobeyed = ({ disobeyed, project }: { disobeyed: readonly Blocked[]; project: string }) => (
  <section aria-labelledby="disobeyed">
    <h2 id="disobeyed">
      Not obeyed <span class="count">{disobeyed.length}</span>
    </h2>
    <ul class="rows alarm">
      {disobeyed.map((one) => (
        <li key={one.id}>
          <Unruly one={one} project={project} />
        </li>
      ))}
    </ul>
  </section>
);

function Unruly({ one, project }: { one: Blocked; project: string }) {
  const said = (
    <>
      <span class="line">
        <Badge is="disobeyed" />
        {one.tool === null ? null : <span class="tool">{safe(one.tool)}</span>}
        <code class="said">{safe(what(one))}</code>
      </span>
      <span class="line">
        <span>{safe(one.receipt?.says ?? "")}</span>
        <span class="dim push">
          {safe(one.hook.name)} · {safe(one.sender)} · <When at={one.at} />
        </span>
      </span>
    </>
  );
  return one.run === null ? (
    <div class="row">{said}</div>
  ) : (
    <a class="row" href={hashOf({ page: "run", id: one.run, query: project === "" ? {} : { project } })}>
      {said}
    </a>
  );
}

const shownAtFirst = 4;

function Refused({ blocked, project }: { blocked: readonly Blocked[]; project: string }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole || blocked.length === shownAtFirst + 1 ? blocked : blocked.slice(0, shownAtFirst);
  return (
    <section aria-labelledby="blocked">
      <h2 id="blocked">
        Blocked <span class="count">{blocked.length}</span>
      </h2>
      {blocked.length === 0 ? (
        <p class="calm">
          Nothing was blocked. When a hook refuses something, it stands here, with the reason and the file.
        </p>
      ) : null}
      <ul class="cards">
        {shown.map((one) => (
          <Refusal key={one.id} one={one} isOfOne={project !== ""} />
        ))}
      </ul>
      {blocked.length > shown.length ? (
        <button type="button" class="quiet" onClick={() => setWhole(true)}>
          Show {blocked.length - shown.length} more
        </button>
      ) : null}
    </section>
  );
}

/** What was refused, in a person's words: of a tool's call, what it would have done. */
const what = ({ name, tool, subject }: EventShown): string =>
  Object.hasOwn(wanted, name) ? `${wanted[name]}${subject}` : subject === "" ? (tool ?? name) : subject;
const wanted: Readonly<Record<string, string>> = {
  Stop: "The agent wanted to stop",
  SubagentStop: "A subagent wanted to stop",
  "git.pre-commit": "A commit of ",
  UserPromptSubmit: "Your prompt: ",
};

const isCommand = ({ tool }: EventShown): boolean => tool !== null;

function Refusal({ one, isOfOne }: { one: Blocked; isOfOne: boolean }) {
  const { hook, project, couldBeAllowed, appeal } = one;
  return (
    <li class="card refusal">
      <div class="line">
        <Badge is={refusedAs(one)} />
        {one.receipt === null || one.receipt.is === "open" ? null : <Badge is={one.receipt.is} />}
        {one.tool === null ? null : <span class="tool">{safe(one.tool)}</span>}
        <span class="dim push">
          {isOfOne ? "" : `${safe(project.name)} · `}
          {safe(one.sender)} · <When at={one.at} />
        </span>
      </div>
      {isCommand(one) ? <pre class="subject">{safe(what(one))}</pre> : <p class="subject">{safe(what(one))}</p>}
      <dl>
        <dt>Why</dt>
        <dd>{safe(one.reason ?? "The hook gave no reason.")}</dd>
        <dt>Hook</dt>
        <dd>
          <strong>{safe(hook.name)}</strong> in <Place hook={hook} project={project} />
        </dd>
        {appeal === null ? null : <Appealed key={appeal.id} {...appeal} />}
        {couldBeAllowed ? (
          <>
            <dt>Allow once</dt>
            <dd>
              within five minutes, type <Command>hookline allow-once</Command> in your terminal
            </dd>
          </>
        ) : null}
      </dl>
      {one.run === null ? null : (
        <a class="more" href={hashOf({ page: "run", id: one.run, query: isOfOne ? { project: project.root } : {} })}>
          See how it was decided
        </a>
      )}
    </li>
  );
}

/** Here a person can only say no: what loosens a guard is typed in a terminal. */
function Appealed({ id, why }: NonNullable<Blocked["appeal"]>) {
  const [said, say] = useState<string>();
  const no = (): void =>
    void ask("appeal_no", { id }).then(
      () => say("You said no."),
      (error: unknown) => say(error instanceof Error ? error.message : String(error)),
    );
  return (
    <>
      <dt>The agent says</dt>
      <dd>
        {safe(why)}{" "}
        {said === undefined ? (
          <button type="button" class="quiet" onClick={no}>
            No
          </button>
        ) : (
          <span class="dim">{safe(said)}</span>
        )}{" "}
        <span class="dim">an exception:</span> <Command>hookline allow-once</Command>
      </dd>
    </>
  );
}

const Running = ({ running }: Pick<Shown, "running">) => (
  <section aria-labelledby="running">
    <h2 id="running">
      Running <span class="count">{running.length}</span>
    </h2>
    <ul class="rows">
      {running.map(({ run, name, event, since }) => (
        <li key={run}>
          <a class="row" href={hashOf({ page: "run", id: run })}>
            <span class="dot live" aria-hidden="true" />
            <strong>{safe(name)}</strong>
            <span class="dim">
              {safe(event)} · since {clock(since)}
            </span>
          </a>
        </li>
      ))}
    </ul>
  </section>
);

const rowsAtFirst = 5;
const isRecent = 60_000;

/** A session: each event a mark, oldest first; the last ones in words. */
function Lane({ session, project }: { session: Session; project: string }) {
  const { events, sender, id, last, hasEnded, coverage } = session;
  const [isWhole, setWhole] = useState(false);
  const isLive = !hasEnded && id !== null && Date.now() - last < isRecent;
  const rows = (isWhole ? events : events.slice(-rowsAtFirst)).toReversed();
  return (
    <article class="card lane">
      <div class="line">
        {isLive ? <span class="dot live" aria-hidden="true" /> : null}
        <h3>{safe(sender)}</h3>
        <span class="dim">{safe(session.project.name)}</span>
        {id === null ? null : <code class="dim id">{safe(id.slice(0, 8))}</code>}
        <span class="dim push">
          {hasEnded ? "ended " : ""}
          <When at={last} />
        </span>
      </div>
      <ol class="marks" aria-label={`The last ${counted(events.length, "event")}, oldest first`}>
        {events.map((event) => (
          <li key={event.id}>
            <Marked event={event} project={project} />
          </li>
        ))}
      </ol>
      {coverage === null ? null : <p class="dim coverage">{safe(coverage.says)}</p>}
      <ul class="rows">
        {rows.map((event) => (
          <li key={event.id}>
            <EventRow event={event} project={project} />
          </li>
        ))}
      </ul>
      {events.length > rows.length ? (
        <button type="button" class="quiet" onClick={() => setWhole(true)}>
          Show all {events.length} events
        </button>
      ) : null}
    </article>
  );
}

/** A refused stop lets the agent go on. */
const refusedAs = ({ name }: Pick<EventShown, "name">): string =>
  name === "Stop" || name === "SubagentStop" ? "kept working" : "deny";

/** The most important thing that came of an event; undefined: nothing. */
function cameOf({ name, verdict, isRewritten, hasContext, runs, isAnswered }: EventShown): string | undefined {
  if (verdict === "deny") return refusedAs({ name });
  if (verdict === "ask") return verdict;
  const failed = runs.find(({ status }) => status === "failed" || status === "timeout");
  if (failed) return failed.status;
  if (!isAnswered) return "running";
  if (isRewritten) return "rewritten";
  if (hasContext) return "context";
  return verdict ?? undefined;
}

const runOf = ({ runs }: EventShown): string | undefined =>
  (runs.find(({ status }) => status === "failed" || status === "timeout") ?? runs[0])?.id;

const labelOf = (event: EventShown): string => {
  const came = cameOf(event);
  return safe(
    `${event.name}${event.tool === null ? "" : ` ${event.tool}`}${came === undefined ? "" : `: ${wordOf(came)}`}`,
  );
};

function Marked({ event, project }: { event: EventShown; project: string }) {
  const came = cameOf(event);
  const run = runOf(event);
  const tone = came === undefined ? (run === undefined ? "none" : "plain") : toneOf(came);
  return run === undefined ? (
    <span class={`mark ${tone}`} title={labelOf(event)}>
      <span class="hidden">{labelOf(event)}</span>
    </span>
  ) : (
    <a class={`mark ${tone}`} title={labelOf(event)} href={hashOf({ page: "run", id: run, query: { project } })}>
      <span class="hidden">{labelOf(event)}</span>
    </a>
  );
}

function EventRow({ event, project }: { event: EventShown; project: string }) {
  const came = cameOf(event);
  const run = runOf(event);
  const said = (
    <>
      <time class="dim" dateTime={new Date(event.at).toISOString()}>
        {clock(event.at)}
      </time>
      <span class="name">{safe(event.tool ?? event.name)}</span>
      <span class="said">{safe(event.subject)}</span>
      {came === undefined ? <span class="dim ran">{ranWords(event)}</span> : <Badge is={came} />}
      <span class="dim ms">{duration(event.ms)}</span>
    </>
  );
  return run === undefined ? (
    <div class="row event">{said}</div>
  ) : (
    <a class="row event" href={hashOf({ page: "run", id: run, query: { project } })}>
      {said}
    </a>
  );
}

const ranWords = ({ runs }: EventShown): string => (runs.length === 0 ? "no hook" : counted(runs.length, "hook"));
