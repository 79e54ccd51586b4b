/** Where Hookline's own hook files lie: said once, because install writes where the loader reads. Loaded on every event, so no editor here. */
import { isAbsolute, join } from "node:path";
import type { InstallLayer, Places } from "./adapter.ts";

type Home = Pick<Places, "home" | "environment">;

/** The specification of these variables says that a relative path in them counts as none. */
const folderOr = (value: string | undefined, otherwise: string): string =>
  value && isAbsolute(value) ? value : otherwise;

/** Hookline's own folder of the user. */
export const configFolder = ({ home, environment }: Home): string =>
  join(folderOr(environment?.XDG_CONFIG_HOME, join(home, ".config")), "hookline");

/** By the folder that they lie in: the user's is `configFolder`, the others' is a folder of the project. */
export const ownFileNames: { readonly [L in InstallLayer]: string } = {
  user: "hooks.json",
  project: ".hookline/hooks.json",
  local: ".hookline/hooks.local.json",
};

/** Our hook file of the layer, where taken over hooks go. */
export const hookFileOf = (layer: InstallLayer, places: Places): string =>
  join(layer === "user" ? configFolder(places) : places.root, ownFileNames[layer]);
