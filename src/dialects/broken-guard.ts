/** What findings say of a broken guard in every format. Which form of it answers only a store can tell, and files are read without one. */
import type { FailurePolicy } from "../core/hook.ts";

/** @param where it fails, if that is not what its author wrote */
export const brokenGuard = (onFailure: FailurePolicy, fault: string, where = ""): string =>
  `this guard cannot run, so ${lastValidOr(`its failure policy (${onFailure}) answers in its place${where}`)}: ${fault}`;

export const lastValidOr = (otherwise: string): string =>
  `its last valid form goes on, or, where it never had one, ${otherwise}`;
