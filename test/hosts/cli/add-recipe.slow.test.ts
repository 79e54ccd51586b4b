/** More kinds of projects, and what recipes write there; add-recipe.test.ts has the usual ones. */
import { others, testsOf } from "./recipe-place.ts";

testsOf(others);
