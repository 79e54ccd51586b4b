import { testSettingsProperties } from "./properties.ts";

testSettingsProperties(1_000);
