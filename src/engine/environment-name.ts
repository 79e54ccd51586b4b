/** Which environment this is, for hooks that are for some only (R39). Apart because what was compiled for one is not another's. */

/** HOOKLINE_ENV; without it "ci" where CI is set, else "dev". */
export function environmentName({ HOOKLINE_ENV, CI = "" }: Readonly<Record<string, string | undefined>>): string {
  return HOOKLINE_ENV?.trim() || (/^(false|0|no)?$/i.test(CI.trim()) ? "dev" : "ci");
}
