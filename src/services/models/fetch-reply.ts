/** The one way in which requests to providers leave: no redirects, which would carry keys elsewhere, and no endless replies. */

const limitInBytes = 16 << 20;

/** Rejects on network failure, on a redirect, and when aborted, which also closes the connection. */
export const fetchReply: typeof globalThis.fetch = async (address, request) => {
  const reply = await fetch(address, { ...request, redirect: "error" });
  if (!reply.body) return reply;
  const { status, statusText, headers } = reply;
  return new Response(reply.body.pipeThrough(limited()), { status, statusText, headers });
};

function limited(): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.length;
      if (size > limitInBytes) controller.error(new Error(`the reply is larger than ${limitInBytes} bytes`));
      else controller.enqueue(chunk);
    },
  });
}
