/** What the settings say of automations, with what holds where they say nothing. Read anew whenever they change. */
import type { Config, EngineSettings } from "../dialects/config.ts";
import { engineDefaults } from "../dialects/config-automation-keys.ts";
import type { Loaded } from "../loading.ts";

export interface Settings {
  engine: Required<EngineSettings>;
  notifications: Config["notifications"];
  /** The names of those that are told where neither a hook nor its project names any. */
  notify: readonly string[];
  webhooks: Config["webhooks"];
}

/** Of the daemon's own folder: its file says how automations run, and yours who is told and heard. */
export function settingsOf(loaded: Pick<Loaded, "config" | "userConfig"> | undefined): Settings {
  const { engine = {}, notify = [] } = loaded?.config ?? {};
  const { notifications = {}, webhooks = {} } = loaded?.userConfig ?? {};
  return { engine: { ...engineDefaults, ...engine }, notifications, notify, webhooks };
}
