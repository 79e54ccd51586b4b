/** What loading is handed instead of importing it: modules of projects, and what knows models. Both are loaded when they are needed. */
import type { Loading } from "../../loading/loading.ts";

export const loadingPorts: Pick<Loading, "loadModules" | "modelFaults"> = {
  async loadModules(places, base, functions) {
    const { loadModules } = await import("../modules/load-modules.ts");
    return loadModules(places, base, functions);
  },
  async modelFaults() {
    const { modelFault } = await import("../../services/models/names.ts");
    return modelFault;
  },
};
