/** The keys of hookline.yaml that automations need, read. Where events come from and where secrets go a project's file may not say. */

import type { Node } from "../reading/json-tree.ts";
import { membersOf } from "../reading/yaml-values.ts";
import { tellError } from "../rules/parameters.ts";
import { engineSettings, inboundWebhook, memorySettings, noticeChannel } from "./automation-keys.ts";
import type { Config } from "./config.ts";
import type { ConfigKeyName } from "./keys.ts";
import { entriesOf, membersThatHold, ownFile, type Reader, textsOf } from "./nodes.ts";

type AutomationKey = Extract<ConfigKeyName, "hook_engine" | "notifications" | "notify" | "webhooks" | "memory">;

export const automationReaders: { readonly [K in AutomationKey]: (node: Node, reader: Reader) => Partial<Config> } = {
  hook_engine: (node, { file }) => ({ engine: membersThatHold(node, "hook_engine", engineSettings, file) }),
  notifications(node, reader) {
    const refusal = "a project's file may not say where runs are told of: what they found would be sent there";
    if (isRefused(node, reader, refusal)) return {};
    return { notifications: entriesOf(node, "notifications", "notification", noticeChannel, reader.file) };
  },
  notify: (node, { file }) => ({ notify: textsOf(node, "notify", file) }),
  webhooks(node, reader) {
    const refusal = "a project's file may not say who can send events: it would hold its own secret";
    if (isRefused(node, reader, refusal)) return {};
    const webhooks = entriesOf(node, "webhooks", "webhook", inboundWebhook, reader.file);
    return { webhooks: Object.fromEntries(Object.entries(webhooks).filter(([name]) => isUsable(name, node, reader))) };
  },
  memory: (node, { file }) => ({ memory: membersThatHold(node, "memory", memorySettings, file) }),
};

/** An empty key says nothing that could be refused. */
function isRefused(node: Node, { file, ofProject }: Reader, message: string): boolean {
  if (!ofProject || node.type === "null") return false;
  tellError(file.report, node.offset, { code: "setting-refused", message, suggestion: ownFile });
  return true;
}

/** It stands in an address. */
function isUsable(name: string, node: Node, { file }: Reader): boolean {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name)) return true;
  const at = membersOf(node).find(({ key }) => key === name)?.at ?? node.offset;
  const message = `the name of the webhook "${name}" stands in its address`;
  tellError(file.report, at, { code: "shape", message, suggestion: "use letters, digits, dots, _ and -" });
  return false;
}
