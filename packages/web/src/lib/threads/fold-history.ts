/** Which messages of a turn only say again what was said before. */
export interface FoldedTurn {
  /** A flag per message of the input. */
  input: boolean[]
  /** A flag per message of the output. */
  output: boolean[]
  /** Everything that was said up to the end of this turn, as far as this turn tells: what the next one may repeat. */
  known: string[]
}

/**
 * Tells what is new in a turn from what it carries along. Applications send the whole conversation with every turn, a
 * window of it, or nothing; graphs answer with their whole state. A message is a repetition when it stands in the
 * conversation so far, in the same order. The last message of the input and of the output is never one: somebody may say
 * "yes" twice.
 *
 * @param known   keys of the conversation so far, equal for equal messages
 * @param input   keys of what the turn was given
 * @param output  keys of what it answered
 */
export function foldHistory(known: readonly string[], input: readonly string[], output: readonly string[]): FoldedTurn {
  const given = butLast(repeatedIn(known, input))
  const stateEnds = endOfState([...known, ...input], input, output)
  const answered = output.map((_, at) => at < stateEnds)
  return {
    input: given,
    output: answered,
    known: stateEnds > 0 ? [...output] : [...input, ...output],
  }
}

/** Walks both lists side by side: each message is looked for behind the one before it. */
function repeatedIn(known: readonly string[], keys: readonly string[]): boolean[] {
  const places = new Map<string, number[]>()
  for (const [at, key] of known.entries()) {
    const found = places.get(key)
    if (found) found.push(at)
    else places.set(key, [at])
  }
  let from = 0
  return keys.map((key) => {
    const at = places.get(key)?.find((place) => place >= from)
    if (at === undefined) return false
    from = at + 1
    return true
  })
}

function butLast(flags: boolean[]): boolean[] {
  return flags.map((flag, at) => flag && at < flags.length - 1)
}

/**
 * How many messages at the head of an answer are the state it was given: all of them are known, and the last is the last
 * of the input. Without the input in it an answer is taken for new.
 */
function endOfState(known: readonly string[], input: readonly string[], output: readonly string[]): number {
  const asked = input.at(-1)
  if (asked === undefined) return 0
  const flags = repeatedIn(known, output)
  const firstNew = flags.indexOf(false)
  const head = output.slice(0, firstNew < 0 ? output.length - 1 : firstNew)
  return head.lastIndexOf(asked) + 1
}
