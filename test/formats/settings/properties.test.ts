import { testSettingsProperties } from "./properties.ts";

testSettingsProperties(10);
