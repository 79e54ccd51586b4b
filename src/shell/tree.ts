/** Shell lines as unbash reads them: the one walk over its trees, and what bounds it. Apart because the parser costs a start 15 ms. */
import { forEachChild, type SyntaxNode } from "unbash";

/** What one reading may still look at, all lines inside the line together. */
export interface Budget {
  nodes: number;
}

export type Visit<State, Own extends Budget> = (node: SyntaxNode, state: State, own: Own) => void;

/** What a reading does at each kind of node. */
export type Visits<State, Own extends Budget> = {
  readonly [T in SyntaxNode["type"]]?: (node: SyntaxNode & { type: T }, state: State, own: Own) => void;
};

const mostNodes = 100_000;

/**
 * The walk: a row of the table looks at its nodes and decides how to go on inside of them.
 *
 * @param otherwise for the kinds that have no row
 */
export function createVisit<State, Own extends Budget>(
  visits: Visits<State, Own>,
  otherwise: Visit<State, Own>,
): Visit<State, Own> {
  return (node, state, own) => {
    countNode(own);
    // Each row takes the nodes of its own type: the mapped type says so, the index cannot.
    const visit = visits[node.type as keyof typeof visits] as Visit<State, Own> | undefined;
    (visit ?? otherwise)(node, state, own);
  };
}

function countNode(budget: Budget): void {
  if (++budget.nodes > mostNodes) giveUp();
}

/** Work that is no walk: copies of what a shell knows. */
export function countWork(budget: Budget, amount: number): void {
  budget.nodes += amount;
  if (budget.nodes > mostNodes) giveUp();
}

/** Every node inside of this one, this one first. */
export function eachInside(node: SyntaxNode, budget: Budget, look: (inner: SyntaxNode) => void): void {
  countNode(budget);
  look(node);
  forEachChild(node, (child) => eachInside(child, budget, look));
}

const exhausted: Error = new Error("this shell line is too long or too deep to read");

/** Throws where nothing more of a line is read. Caught by the door, read.ts, and nowhere else. */
export const giveUp = (): never => {
  throw exhausted;
};

/** Words that the shell takes for its own where a command begins. */
export const reserved: ReadonlySet<string> = new Set(
  "if then else elif fi do done case esac while until for in function select time coproc { } ! [[ ]]".split(" "),
);
