/** Which environment this is, for hooks that are for some only (R39). Apart because what was compiled for one is not another's. */

/** HOOKLINE_ENV; without it "ci" where CI is set, else "dev". */
export function environmentName({ HOOKLINE_ENV, CI = "" }: Readonly<Record<string, string | undefined>>): string {
  if (HOOKLINE_ENV) return HOOKLINE_ENV;
  return /^(false|0|no)?$/i.test(CI) ? "dev" : "ci";
}
