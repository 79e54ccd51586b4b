/** A home and a repository of one test, in which one agent is registered. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { AgentAdapter, InstallLayer } from "../../src/agents/adapter.ts";
import {
  type InstallOptions,
  type InstallResult,
  installAgent,
  uninstallAgent,
} from "../../src/agents/install/install.ts";
import { temporaryFolder } from "../temporary-folder.ts";

interface Installing {
  home: string;
  root: string;
  /** Where the agent is registered. */
  file(layer: InstallLayer): string;
  install(more?: Partial<InstallOptions>): InstallResult;
  uninstall(more?: Partial<InstallOptions>): InstallResult;
}

export function installing(t: TestContext, agent: AgentAdapter): Installing {
  const folder = temporaryFolder(t);
  const [home, root] = [join(folder, "home"), join(folder, "repo")];
  for (const one of [home, root]) mkdirSync(one);
  const places = { home, root, environment: {} };
  const options: InstallOptions = {
    ...{ agent, layer: "user", places, stateFolder: join(folder, "state", "hookline") },
    tries: [{ run: ["/opt/node/bin/node", "/opt/hookline/bin/hookline.js"] }],
  };
  return {
    ...{ home, root },
    file: (layer) => agent.settings.file(layer, places),
    install: (more) => installAgent({ ...options, ...more }),
    uninstall: (more) => uninstallAgent({ ...options, ...more }),
  };
}
