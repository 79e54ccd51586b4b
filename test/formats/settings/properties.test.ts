import { testSettingsProperties } from "./properties.ts";

testSettingsProperties(25);
