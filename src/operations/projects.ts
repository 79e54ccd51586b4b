/** Operations on projects. */
import { pauseOfProject } from "../engine/admit.ts";
import type { Fields, Json } from "../engine/event.ts";
import { either, flag, listOf, object, oneOf, type Schema, say, text } from "../engine/schema.ts";
import type { NewProject } from "../services/projects/projects.ts";
import type { Asked, Operation } from "./operation.ts";
import { folderOf } from "./operation.ts";
import { isFields, projectNeeded, projectParam, projectServiceOf, projectView } from "./project-service.ts";

const places: Schema<string[]> = say(
  listOf(text()),
  "the notification channels (of the settings) for runs of its automations; an empty list: none",
);

/** A command line has no other word for an empty list. */
const namesIn = (texts: readonly string[]): string[] => texts.filter((text) => text.trim() !== "");

async function viewed(id: string, asked: Asked): Promise<Fields> {
  const { projects } = await projectServiceOf(asked);
  return projectView(await projects.known(id), (await asked.store.paused()).has(pauseOfProject(id)));
}

export const projectList: Operation<object> = {
  summary: "Lists the projects, each with its folder.",
  params: object({}, {}),
  readOnly: true,
  example: "hookline project list",
  async run(_params, asked) {
    const { projects } = await projectServiceOf(asked);
    const paused = await asked.store.paused();
    return (await projects.list()).map((one) => projectView(one, paused.has(pauseOfProject(one.id))));
  },
};

export const projectShow: Operation<{ id?: string }> = {
  summary: "Shows one project, and how much belongs to it.",
  params: object({}, { id: projectParam }),
  readOnly: true,
  words: ["id"],
  example: "hookline project show web-shop",
  async run({ id: written }, asked) {
    const { id } = await projectNeeded(asked, written);
    const board = await projectServiceOf(asked);
    return { ...(await viewed(id, asked)), ...(await board.projects.holdings(id)) };
  },
};

export const projectCreate: Operation<NewProject> = {
  summary: "Creates a project. Default for its repository and branch: what git says.",
  params: object(
    {},
    {
      name: text("its name, for people; default: the folder's name"),
      id: text("its id; default: made from the name"),
      workspace: text("its folder; default: this folder, unless that belongs to a project"),
      repository: text("the address of its repository"),
      branch: text("its default branch"),
      notify: places,
    },
  ),
  readOnly: false,
  words: ["name"],
  example: 'hookline project create "Web shop" --workspace ~/code/shop',
  async run(given, asked) {
    const { projects } = await projectServiceOf(asked);
    const { notify } = given;
    const wanted = notify === undefined ? given : { ...given, notify: namesIn(notify) };
    const { id } = await projects.create(wanted, folderOf(asked));
    return viewed(id, asked);
  },
};

interface Edit {
  id?: string;
  name?: string;
  workspace?: string;
  repository?: string;
  branch?: string;
  notify?: string[] | "default";
}

export const projectEdit: Operation<Edit> = {
  summary: "Changes a project. An empty text removes a value.",
  params: object(
    {},
    {
      id: projectParam,
      name: text("its name, for people"),
      workspace: text("its folder"),
      repository: text("the address of its repository"),
      branch: text("its default branch"),
      notify: say(
        either(listOf(text()), oneOf("default")),
        "the notification channels (of the settings) for runs of its automations; `default`: the channels that the settings name",
      ),
    },
  ),
  readOnly: false,
  words: ["id"],
  example: "hookline project edit web-shop --branch trunk",
  async run({ id: written, name, notify, ...texts }, asked) {
    const { id } = await projectNeeded(asked, written);
    if (name?.trim() === "") throw new Error("a project needs a name");
    const changes = {
      ...(name === undefined ? {} : { name: name.trim() }),
      ...Object.fromEntries(Object.entries(texts).map(([key, value]) => [key, value === "" ? null : value])),
      ...(notify === undefined ? {} : { notify: notify === "default" ? null : namesIn(notify) }),
    };
    await (await projectServiceOf(asked)).projects.edit(id, changes, folderOf(asked));
    return viewed(id, asked);
  },
};

export const projectDelete: Operation<{ id: string; force?: boolean }> = {
  summary: "Deletes a project. Refused while automations belong to it.",
  params: object(
    { id: text("the project's id") },
    { force: say(flag, "also delete its tasks, notes and memory", false) },
  ),
  readOnly: false,
  for: "person",
  words: ["id"],
  example: "hookline project delete web-shop --force",
  show: (result) => [`deleted ${idIn(result)}`],
  async run({ id, force = false }, asked) {
    await (await projectServiceOf(asked)).projects.remove(id, force);
    await asked.store.resume(pauseOfProject(id)); // another project may get the id
    return { id, deleted: true };
  },
};

const held = (isPause: boolean): Operation<{ id?: string }> => ({
  summary: isPause
    ? "Pauses all automations of a project until it is resumed. Firing one by hand still works."
    : "Resumes the automations of a project.",
  params: object({}, { id: projectParam }),
  readOnly: false,
  ...(isPause ? { for: "person" } : {}), // to resume one only tightens
  words: ["id"],
  example: `hookline project ${isPause ? "pause" : "resume"} web-shop`,
  show: (result) => [
    isPause
      ? `${idIn(result)} is paused: \`hookline project resume\` lets its automations run again`
      : `the automations of ${idIn(result)} run again`,
  ],
  async run({ id: written }, asked) {
    const { id } = await projectNeeded(asked, written);
    const key = pauseOfProject(id);
    const changed = await (isPause ? asked.store.pause(key, asked.now()) : asked.store.resume(key));
    return { id, paused: isPause, changed };
  },
});
export const projectPause: Operation<{ id?: string }> = held(true);
export const projectResume: Operation<{ id?: string }> = held(false);

function idIn(result: Json): string {
  return isFields(result) ? String(result.id) : "";
}
