import { defineAction, defineCondition, integer, object, type Setup, text } from "hookline";

export default (setup: Setup) => {
  setup.registerCondition(
    "longer_than",
    defineCondition({
      summary: "The written content is longer than so many characters.",
      params: object({ characters: integer("how many", 0) }),
      test: ({ event }, { characters }) => {
        const { tool_input: input } = event.data;
        return typeof input === "object" && String((input as { content?: unknown }).content ?? "").length > characters;
      },
    }),
  );
  setup.registerAction(
    "shout",
    defineAction({
      summary: "Says it loudly.",
      params: object({ text: text("what to say") }),
      run: ({ params }) => ({ context: params.text.toUpperCase(), output: params.text.toUpperCase() }),
    }),
  );
};
