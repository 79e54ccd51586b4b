/** The examples of every page but those that examples.test.ts tries. */
import { project } from "../../scripts/docs/project.ts";
import { firstPages, tryExamplesOf } from "./page-examples.ts";

for (const page of project.pages) if (!firstPages.includes(page)) tryExamplesOf(page);
