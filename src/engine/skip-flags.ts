/** The flags of a context step that make the model needless: their names, for whoever reads them and whoever tests them. */

export type SkipFlag = "exit_zero" | "empty" | "status_ok";
export type SkipFlags = Partial<Record<SkipFlag, boolean>>;

interface Flag {
  /** As an automation's author writes it. */
  written: string;
  summary: string;
}

/** Looked at in this order (specification 000, A38). */
export const skipFlags: { readonly [F in SkipFlag]: Flag } = {
  exit_zero: {
    written: "skip_llm_if_exit_zero",
    summary: "true: where this step's program exits 0, no model is asked",
  },
  empty: {
    written: "skip_llm_if_empty",
    summary: "true: where this step finds nothing, no model is asked; a step that failed has not found nothing",
  },
  status_ok: {
    written: "skip_llm_if_status_ok",
    summary: "true: where this step's address answers with a status of 200 to 299, no model is asked",
  },
};
export const skipFlagNames = Object.keys(skipFlags) as SkipFlag[]; // the mapped type makes the list complete
