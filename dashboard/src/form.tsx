/** Inputs for the fields of a JSON Schema, as the daemon describes them. What is wrong with a value the daemon says, not the page. */
import { useState } from "preact/hooks";
import type { DraftFinding } from "../../src/hosts/daemon/dashboard/shown.ts";
import { safe } from "./parts.tsx";

export type Values = Readonly<Record<string, unknown>>;
interface FieldSchema {
  type?: string;
  enum?: unknown[];
  items?: FieldSchema;
  anyOf?: FieldSchema[];
  description?: string;
  default?: unknown;
}

type Kind = "choice" | "flag" | "number" | "text" | "lines" | "json";

/** Of "a value or null" the value counts: an empty input says null. */
const meant = (schema: FieldSchema): FieldSchema => {
  const own = schema.anyOf?.filter(({ type }) => type !== "null") ?? [];
  return own.length === 1 && own[0] ? meant(own[0]) : schema;
};

function kindOf(written: FieldSchema): Kind {
  const schema = meant(written);
  if (schema.enum) return "choice";
  if (schema.type === "boolean") return "flag";
  if (schema.type === "number" || schema.type === "integer") return "number";
  if (schema.type === "string") return "text";
  if (schema.type === "array" && schema.items && kindOf(schema.items) === "text") return "lines";
  return "json";
}

/** Texts of these names are longer than a line. */
const long: ReadonlySet<string> = new Set(["prompt_template", "description_template", "command", "content"]);

/** An empty input is a field that is not there. */
const without = (values: Values, name: string): Values =>
  Object.fromEntries(Object.entries(values).filter(([key]) => key !== name));

interface InputsProps {
  fields: Readonly<Record<string, unknown>>;
  values: Values;
  set(values: Values): void;
  findings: readonly DraftFinding[];
  /** Where these fields are, from the outermost. */
  path?: readonly string[];
}

export const Inputs = ({ fields, values, set, findings, path = [] }: InputsProps) => (
  <>
    {Object.entries(fields).map(([name, schema]) => (
      <Field
        key={name}
        id={idOf([...path, name])}
        name={name}
        schema={schema as FieldSchema} // the daemon sends JSON Schemas
        value={values[name]}
        findings={findings.filter((one) => startsWith(one.path, [...path, name]))}
        set={(value) => set(value === undefined ? without(values, name) : { ...values, [name]: value })}
      />
    ))}
  </>
);

/** Of the input at a path. */
const idOf = (path: readonly string[]): string => ["field", ...path].join("-");

/** Whether it is about an input that a person has changed, or about what that is a part of. */
export const isAbout = ({ path }: DraftFinding, changed: ReadonlySet<string>): boolean => {
  const said = `${idOf(path)}-`;
  return path.length > 0 && [...changed].some((id) => said.startsWith(`${id}-`) || `${id}-`.startsWith(said));
};

const startsWith = (path: readonly string[], start: readonly string[]): boolean =>
  start.every((part, index) => path[index] === part);

const titleOf = (name: string): string => name.replaceAll("_", " ");
const asText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value, null, 2));

interface FieldProps {
  /** Of the input; what is said of it has ids that begin so. */
  id: string;
  name: string;
  schema: FieldSchema;
  value: unknown;
  findings: readonly DraftFinding[];
  set(value: unknown): void;
}

function Field(props: FieldProps) {
  const { id, name, schema, value, findings, set } = props;
  const isFlag = kindOf(schema) === "flag";
  return (
    <div class={isFlag ? "field flag" : "field"}>
      {isFlag ? (
        <input
          {...saidOf(id, findings)}
          type="checkbox"
          checked={value === undefined ? schema.default === true : value === true}
          onInput={(event) => set(event.currentTarget.checked)}
        />
      ) : null}
      <label for={id}>{titleOf(name)}</label>
      {isFlag ? null : <Input {...props} />}
      <div id={`${id}-says`} class="says">
        {schema.description === undefined ? null : <small class="dim">{safe(schema.description)}</small>}
        <Wrong findings={findings} />
      </div>
    </div>
  );
}

const saidOf = (id: string, findings: readonly DraftFinding[]) => ({
  ...{ id, "aria-describedby": `${id}-says` },
  "aria-invalid": findings.some(({ severity }) => severity === "error"),
});

function Input({ id, name, schema, value, findings, set }: FieldProps) {
  const kind = kindOf(schema);
  const usual = schema.default === undefined || schema.default === null ? "" : asText(schema.default);
  const said = saidOf(id, findings);
  if (kind === "choice")
    return (
      <select {...said} value={String(value ?? usual)} onInput={(event) => set(event.currentTarget.value)}>
        {usual === "" ? <option value="">–</option> : null}
        {(meant(schema).enum ?? []).map((one) => (
          <option key={String(one)} value={String(one)}>
            {String(one)}
          </option>
        ))}
      </select>
    );
  if (kind === "number")
    return (
      <input
        {...said}
        type="number"
        step="any"
        placeholder={usual}
        value={value === undefined || value === null ? "" : String(value)}
        onInput={({ currentTarget: { value: typed } }) => set(typed === "" ? undefined : Number(typed))}
      />
    );
  const shown = value === undefined ? "" : kind === "lines" && Array.isArray(value) ? value.join("\n") : asText(value);
  const read = (typed: string): unknown =>
    typed === "" ? undefined : kind === "lines" ? typed.split("\n") : kind === "json" ? readJson(typed) : typed;
  const isLong = kind !== "text" || long.has(name) || shown.includes("\n");
  return <Text said={said} shown={shown} usual={usual} isLong={isLong} set={(typed) => set(read(typed))} />;
}

interface TextProps {
  said: object;
  shown: string;
  usual: string;
  isLong: boolean;
  set(typed: string): void;
}

/** While a person writes, the text is theirs: what it means may be written in another way. */
function Text({ said, shown, usual, isLong, set }: TextProps) {
  const [typed, setTyped] = useState<string>();
  const value = typed ?? shown;
  const common = {
    ...{ ...said, value, placeholder: usual, spellcheck: false },
    onInput({ currentTarget }: { currentTarget: { value: string } }) {
      setTyped(currentTarget.value);
      set(currentTarget.value);
    },
    onBlur: () => setTyped(undefined),
  };
  return isLong ? (
    <textarea {...common} rows={Math.min(12, Math.max(2, value.split("\n").length))} />
  ) : (
    <input {...common} />
  );
}

/** What is no JSON stays the text that it is, and the daemon says what it expects. */
function readJson(typed: string): unknown {
  try {
    return JSON.parse(typed);
  } catch {
    return typed;
  }
}

export const Wrong = ({ findings }: Pick<FieldProps, "findings">) => (
  <>
    {findings.map(({ path, line, severity, message, suggestion }) => (
      <small key={`${path.join(".")} ${line} ${message}`} class={severity === "error" ? "wrong" : "warned"}>
        {line === null ? "" : `line ${line}: `}
        {safe(message)}
        {suggestion === null ? "" : ` (${safe(suggestion)})`}
      </small>
    ))}
  </>
);
