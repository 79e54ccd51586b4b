/** One automation, new or to be edited: a form or its YAML, of which each makes the other. The daemon checks both while a person writes. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { AutomationDraft, AutomationForm, DraftFinding } from "../../../src/hosts/daemon/dashboard/shown.ts";
import { ProjectChoice } from "../app.tsx";
import { ask, once, useAsked } from "../ask.ts";
import { Inputs, isAbout, type Values, Wrong } from "../form.tsx";
import { Failed, Head, safe, Waiting } from "../parts.tsx";
import { hashOf, type Route } from "../route.ts";

const isNew = (id: string): boolean => id === "new";
const first: Values = { trigger: { type: "event" }, context_steps: [{ type: "shell" }] };
const checkedAfter = 350;

export function Automation({ route }: { route: Route }) {
  const { data: form, error } = useAsked<AutomationForm>("automation_form", {}, { follows: once });
  return (
    <>
      <p class="crumb">
        <a href={hashOf({ page: "automations", query: { project: route.query.project ?? "" } })}>Automations</a>
      </p>
      <Failed error={error} />
      {form ? <Editor key={route.id} form={form} route={route} /> : error === undefined ? <Waiting /> : null}
    </>
  );
}

/** What a person has written last: the daemon makes the other of it. */
type Written = { fields: Values } | { yaml: string };

function Editor({ form, route }: { form: AutomationForm; route: Route }) {
  const { project = "" } = route.query;
  const id = isNew(route.id) ? undefined : route.id;
  const [written, setWritten] = useState<Written | undefined>(id === undefined ? { fields: first } : undefined);
  const [draft, setDraft] = useState<AutomationDraft>();
  const [view, setView] = useState<"form" | "yaml">("form");
  const [refusal, setRefusal] = useState<string>();
  const [changed, setChanged] = useState<ReadonlySet<string>>(new Set()); // ids of inputs
  const [isWhole, setWhole] = useState(id !== undefined); // what was never touched is no mistake until it is saved
  const last = useRef(0);
  const updated = useRef<number | null>(null); // when this page read it
  const given = { ...(project === "" ? {} : { project }), ...(id === undefined ? {} : { id }) };

  const check = (one: Written | undefined): Promise<AutomationDraft> =>
    ask<AutomationDraft>("automation_draft", { ...given, ...one });

  useEffect(() => {
    const number = ++last.current;
    const look = async (): Promise<void> => {
      try {
        const checked = await check(written);
        if (number !== last.current) return;
        setDraft(checked);
        if (written === undefined) updated.current = checked.updated;
        if (written === undefined && checked.fields) setWritten({ fields: checked.fields });
      } catch (error) {
        if (number === last.current) setRefusal(error instanceof Error ? error.message : String(error));
      }
    };
    const timer = setTimeout(() => void look(), written === undefined ? 0 : checkedAfter);
    return () => clearTimeout(timer);
  }, [written, project]);

  const fields = written && "fields" in written ? written.fields : (draft?.fields ?? undefined);
  const isShown = (one: DraftFinding): boolean =>
    isWhole || view === "yaml" || one.severity !== "error" || isAbout(one, changed);
  const findings = (draft?.findings ?? []).filter(isShown);
  const isWrong = hasErrors(findings);
  async function save(): Promise<void> {
    try {
      const checked = await check(written);
      setDraft(checked);
      setWhole(true);
      if (!checked.fields || hasErrors(checked.findings)) return;
      const since = updated.current === null ? {} : { updated: updated.current };
      await ask("automation_save", { ...given, ...since, fields: checked.fields });
      location.hash = hashOf({ page: "automations", query: { project } });
    } catch (error) {
      setRefusal(error instanceof Error ? error.message : String(error));
    }
  }
  const show = (wanted: "form" | "yaml"): void => {
    if (wanted === "form" && fields) setWritten({ fields });
    if (wanted === "yaml") setWritten({ yaml: draft?.yaml ?? "" });
    setView(wanted);
  };
  const canShowYaml = draft?.yaml !== null && draft !== undefined;
  return (
    <>
      <Head title={id === undefined ? "New automation" : safe(String(fields?.name ?? id))}>
        {id === undefined ? <ProjectChoice route={route} /> : null}
      </Head>
      <div class="buttons">
        <button
          type="button"
          aria-pressed={view === "form"}
          disabled={fields === undefined}
          onClick={() => show("form")}
        >
          Form
        </button>
        <button type="button" aria-pressed={view === "yaml"} disabled={!canShowYaml} onClick={() => show("yaml")}>
          YAML
        </button>
        {canShowYaml ? null : <span class="dim">YAML follows when the form has no error.</span>}
      </div>
      <form
        class="try"
        onInput={({ target }) => {
          if (target instanceof HTMLElement && target.id !== "") setChanged(new Set([...changed, target.id]));
        }}
        onSubmit={(submitted) => {
          submitted.preventDefault();
          void save();
        }}
      >
        {view === "yaml" ? (
          <label>
            <span>The automation as YAML</span>
            <textarea
              rows={22}
              spellcheck={false}
              value={written && "yaml" in written ? written.yaml : (draft?.yaml ?? "")}
              onInput={(typed) => setWritten({ yaml: typed.currentTarget.value })}
            />
            <Wrong findings={findings} />
          </label>
        ) : fields ? (
          <Parts form={form} values={fields} set={(now) => setWritten({ fields: now })} findings={findings} />
        ) : (
          <Waiting />
        )}
        <Failed error={refusal} />
        <div class="buttons">
          <button type="submit" class="main" disabled={isWrong || !fields}>
            {id === undefined ? "Create" : "Save"}
          </button>
          {isWrong ? <span class="wrong">{sayCount(findings)}</span> : null}
        </div>
      </form>
    </>
  );
}

const hasErrors = (findings: readonly DraftFinding[]): boolean => findings.some(({ severity }) => severity === "error");

const sayCount = (findings: readonly DraftFinding[]): string => {
  const count = findings.filter(({ severity }) => severity === "error").length;
  return count === 1 ? "1 error" : `${count} errors`;
};

interface PartsProps {
  form: AutomationForm;
  values: Values;
  set(values: Values): void;
  findings: readonly DraftFinding[];
}

/** What each automation says; the rest is folded. */
const firstFields = ["name", "prompt_template"];
const pick = (fields: Values, names: readonly string[]): Values =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));

function Parts({ form, values, set, findings }: PartsProps) {
  const more = Object.keys(form.fields).filter((name) => !firstFields.includes(name));
  const hasPlace = ({ path: [name = ""] }: DraftFinding): boolean => name in form.fields || name in places;
  const common = { values, set, findings };
  return (
    <>
      <Wrong findings={findings.filter((one) => !hasPlace(one))} />
      <Inputs {...common} fields={pick(form.fields, ["name"])} />
      <Trigger {...common} form={form} />
      <Steps {...common} form={form} />
      <Inputs {...common} fields={pick(form.fields, ["prompt_template"])} />
      <details open={findings.some(({ path: [name = ""] }) => more.includes(name))}>
        <summary>Limits, model and notices</summary>
        <div class="fields">
          <Inputs {...common} fields={pick(form.fields, more)} />
        </div>
      </details>
    </>
  );
}
const places = { trigger: true, context_steps: true };

const valuesIn = (value: unknown): Values => (typeof value === "object" && value !== null ? { ...value } : {});

function Trigger({ form, values, set, findings }: PartsProps) {
  const trigger = valuesIn(values.trigger);
  const kind = form.triggers.find(({ type }) => type === trigger.type);
  return (
    <fieldset>
      <legend>What sets it off</legend>
      <label>
        <span>when</span>
        <select
          value={String(trigger.type)}
          onChange={(event) => set({ ...values, trigger: { type: event.currentTarget.value } })}
        >
          {form.triggers.map(({ type, summary }) => (
            <option key={type} value={type}>
              {type}: {summary}
            </option>
          ))}
        </select>
      </label>
      <Wrong findings={findings.filter(({ path }) => path[0] === "trigger" && path.length === 1)} />
      <Inputs
        fields={kind?.fields ?? {}}
        values={trigger}
        set={(now) => set({ ...values, trigger: now })}
        findings={findings}
        path={["trigger"]}
      />
    </fieldset>
  );
}

function Steps({ form, values, set, findings }: PartsProps) {
  const steps = Array.isArray(values.context_steps) ? values.context_steps.map(valuesIn) : [];
  const change = (now: readonly Values[]): void => set({ ...values, context_steps: now });
  return (
    <fieldset>
      <legend>Context steps: what is gathered first, in this order</legend>
      {steps.map((step, index) => (
        <fieldset key={index} class="step">
          <legend class="hidden">Step {index}</legend>
          <div class="line">
            <label>
              <span>step {index}</span>
              <select
                value={String(step.type)}
                onChange={(event) => change(steps.with(index, { type: event.currentTarget.value }))}
              >
                {form.steps.map(({ type }) => (
                  <option key={type} value={type}>
                    {type}
                  </option>
                ))}
              </select>
            </label>
            <button
              type="button"
              class="push"
              aria-label={`Remove step ${index}`}
              onClick={() => change(steps.toSpliced(index, 1))}
            >
              Remove
            </button>
          </div>
          <Wrong
            findings={findings.filter(
              ({ path }) => path[0] === "context_steps" && path[1] === String(index) && path.length === 2,
            )}
          />
          <Inputs
            fields={{ ...form.steps.find(({ type }) => type === step.type)?.fields, ...form.flags }}
            values={step}
            set={(now) => change(steps.with(index, now))}
            findings={findings}
            path={["context_steps", String(index)]}
          />
        </fieldset>
      ))}
      <button type="button" onClick={() => change([...steps, { type: "shell" }])}>
        Add a step
      </button>
    </fieldset>
  );
}
