/** Words and figures of the script handler that readers of its runs look for. Apart, so that these need not load the handler. */

/** A run with this note has run no script. */
export const noFileLeft = "no matching file is left, so it was not run";

/** So many names of files are kept in a run's output; the script was given all. */
export const namesKept = 200;
