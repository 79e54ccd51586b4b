/** Compares the documentation with the code: what is missing, stale or leads nowhere. */
import { complaintsAbout } from "./docs/checks.ts";
import { project } from "./docs/project.ts";

const complaints = await complaintsAbout(project);
for (const complaint of complaints) console.log(complaint);
console.log(`${project.pages.length} pages, ${complaints.length} complaints`);
process.exitCode = complaints.length === 0 ? 0 : 1;
