/** YAML's library, apart so that a file which needs none does not load it: as a package's own name, the bundle would leave its exports out. */
export { parse } from "yaml";
