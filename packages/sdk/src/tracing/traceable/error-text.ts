const MAX_CHARACTERS = 64 * 1024
const MAX_CAUSES = 5

/** Text recorded for a thrown value: `String(error)` on the first line, then the stack and the chain of causes. */
export function errorText(error: unknown): string {
  const parts: string[] = []
  let current = error
  for (let depth = 0; depth <= MAX_CAUSES && current !== undefined; depth++) {
    parts.push((depth > 0 ? 'Caused by: ' : '') + describe(current))
    current = causeOf(current)
  }
  return parts.join('\n').slice(0, MAX_CHARACTERS)
}

function describe(error: unknown): string {
  const title = titleOf(error)
  const stack = stackOf(error)
  if (!stack) return title
  // V8 repeats the title above the frames, other engines do not.
  return stack.startsWith(title) ? stack : `${title}\n${stack}`
}

function titleOf(error: unknown): string {
  try {
    return String(error)
  } catch {
    return 'Error'
  }
}

function stackOf(error: unknown): string | undefined {
  try {
    return error instanceof Error && typeof error.stack === 'string' ? error.stack : undefined
  } catch {
    return undefined
  }
}

function causeOf(error: unknown): unknown {
  try {
    return error instanceof Error ? error.cause : undefined
  } catch {
    return undefined
  }
}
