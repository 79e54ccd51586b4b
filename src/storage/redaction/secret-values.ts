/** Which values are secret because of the name they stand under, and every form in which such a value may appear in a text. */

/** A shorter value is too likely a part of ordinary text. */
const shortestSecret = 8;

/** Most names hold none of these, and there are many names. */
const mayBeSecret = /KEY|TOKEN|SECRET|PASS|PWD|CREDENTIAL|AUTH|COOKIE|JWT|BEARER|PAT/i;
const secretWords =
  /^(KEYS?|TOKENS?|SECRETS?|PASS|PASSWORDS?|PASSWD|PWD|PASSPHRASE|CREDENTIALS?|AUTH|AUTHORIZATION|COOKIE|JWT|BEARER|APIKEY|PAT)$/;
const secretEnding = /(PASSWORD|PASSWD|TOKEN|SECRET|APIKEY|ACCESSKEY|SECRETKEY|PRIVATEKEY)$/;
/** SSH_AUTH_SOCK and the like: the value says where or how, and names something that is not secret. */
const placeWords = /^(FILE|DIR|PATH|SOCK|SOCKET|HOME|METHOD|MODE|NAME|TYPE|COMMAND|PROGRAM|HELPER)$/;

/** Whether a variable of this name holds a secret. PWD and OLDPWD hold a folder. */
export function isSecretName(name: string): boolean {
  if (!mayBeSecret.test(name) || /^(OLD)?PWD$/.test(name)) return false;
  const words = name
    .replaceAll(/([a-z])([A-Z])/g, "$1_$2")
    .toUpperCase()
    .split(/[^A-Z0-9]+/);
  if (placeWords.test(words.at(-1) ?? "")) return false;
  return words.some((word) => secretWords.test(word) || secretEnding.test(word));
}

/** The secret values of an environment, and those that were configured. */
export function secretValues(
  environment: Readonly<Record<string, string | undefined>>,
  configured: readonly string[],
): string[] {
  const named = Object.entries(environment).flatMap(([name, value]) =>
    value && isSecretName(name) ? [value, value.trim()] : [],
  );
  return [...new Set([...named, ...configured])].filter((value) => value.length >= shortestSecret);
}

/** The value itself, and as it stands inside JSON (also quoted JSON, up to three times), URLs and base64. */
export function formsOf(value: string): string[] {
  const inJson = jsonEscaped(value);
  const once = [value, inJson, inJson.replaceAll("/", "\\/"), ...urlForms(value), ...base64Forms(value)];
  const twice = once.map(jsonEscaped);
  return [...new Set([...once, ...twice, ...twice.map(jsonEscaped)])].filter((form) => form.length >= shortestSecret);
}

export const jsonEscaped = (text: string): string => JSON.stringify(text).slice(1, -1);

function urlForms(value: string): string[] {
  if (!value.isWellFormed()) return []; // it has no URL form
  const plain = encodeURIComponent(value);
  const strict = plain.replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  return [plain, strict].flatMap((form) => [
    form,
    form.replaceAll("%20", "+"),
    form.replaceAll(/%../g, (code) => code.toLowerCase()),
  ]);
}

/** Inside a longer encoded text the value begins at one of three places of a base64 group; its ends are shared with its neighbours. */
function base64Forms(value: string): string[] {
  const bytes = Buffer.from(value);
  const inside = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    return encoded.slice(Math.ceil((offset * 4) / 3), Math.floor(((offset + bytes.length) * 4) / 3));
  });
  const standard = [bytes.toString("base64"), ...inside];
  return [...standard, ...standard.map((form) => form.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", ""))];
}
