/** How an operation on automations says no: what it is, where, and what to do about it, in one sentence. */
export const refusal = (what: string, where: string, advice: string): Error =>
  new Error(`${what} — ${where} — ${advice}`);
