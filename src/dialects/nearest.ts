/** The old place of "did you mean", for importers that have not moved to core yet. */
export { nearest } from "../core/nearest.ts";
