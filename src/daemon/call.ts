/** One request as the doors of the daemon see it, whoever has read it: the plain lane of a connection, or node:http. */
import type { Head } from "./admission.ts";

export interface Call {
  readonly method: string;
  /** The path and its query, as they were sent. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Head;
  /** It came over the socket of a private folder: whoever asks is the user. */
  readonly isPrivate: boolean;
  /** The whole body, where it came together with its head. Else it is received. */
  readonly body: Buffer | undefined;
  /** Calls back with each piece of the body and then once with its end, which never comes if the sender goes away first. */
  receive(piece: (bytes: Buffer) => void, end: () => void): void;
  /** Whether all of the body has come. */
  isWhole(): boolean;
  /** Tells the sender at once that it is taken (102): from here on it does nothing but wait. */
  processing(): void;
  /** Without effect where it is answered already, or where nobody is there any more. */
  reply(answer: CallAnswer): void;
  /**
   * Calls back once if the sender goes away before it is answered. Asked again, the last callback counts. Whoever asks works for
   * this sender alone: one that can only send no more is gone, too, and gets no answer.
   */
  whenGone(callback: () => void): void;
}

export interface CallAnswer {
  status: number;
  /** Of our own making: no line breaks. Without content-length, which is the body's. One object for many answers is written once. */
  headers: Readonly<Record<string, string>>;
  body: string | Buffer;
}

/** Takes a call that is its own, and answers true. */
export type Door = (call: Call) => boolean;
