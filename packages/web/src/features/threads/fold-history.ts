/** Which messages of a turn repeat earlier messages. */
export interface FoldedTurn {
  /** A flag per message of the input. */
  input: boolean[]
  /** A flag per message of the output. */
  output: boolean[]
  /** The conversation up to the end of this turn, which the next turn may repeat. */
  conversation: string[]
}

/**
 * Finds the new messages of a turn. Applications send the whole conversation with every turn, a part of it, or nothing;
 * graphs return their whole state. A message is a repetition if it occurs in the conversation so far, in the same order.
 * The last message of the input and of the output is never a repetition: a user may say "yes" twice.
 *
 * @param conversation  keys of the messages so far; equal messages have equal keys
 * @param input         keys of the input messages
 * @param output        keys of the output messages
 */
export function foldHistory(
  conversation: readonly string[],
  input: readonly string[],
  output: readonly string[],
): FoldedTurn {
  const stateLength = countStateMessages([...conversation, ...input], input, output)
  return {
    input: exceptLast(findRepeated(conversation, input)),
    output: output.map((_, index) => index < stateLength),
    conversation: stateLength > 0 ? [...output] : [...input, ...output],
  }
}

/** Searches each message in the conversation, after the position of the previous match. */
function findRepeated(conversation: readonly string[], keys: readonly string[]): boolean[] {
  const indexes = new Map<string, number[]>()
  for (const [index, key] of conversation.entries()) {
    const found = indexes.get(key)
    if (found) found.push(index)
    else indexes.set(key, [index])
  }
  let from = 0
  return keys.map((key) => {
    const at = indexes.get(key)?.find((index) => index >= from)
    if (at === undefined) return false
    from = at + 1
    return true
  })
}

function exceptLast(flags: boolean[]): boolean[] {
  return flags.map((flag, at) => flag && at < flags.length - 1)
}

/**
 * The number of messages at the start of the output that are the state of the graph: all of them occurred before, and the
 * last one is the last message of the input. Returns 0 if the output does not contain the input.
 */
function countStateMessages(
  conversation: readonly string[],
  input: readonly string[],
  output: readonly string[],
): number {
  const question = input.at(-1)
  if (question === undefined) return 0
  const flags = findRepeated(conversation, output)
  const firstNew = flags.indexOf(false)
  const head = output.slice(0, firstNew < 0 ? output.length - 1 : firstNew)
  return head.lastIndexOf(question) + 1
}
