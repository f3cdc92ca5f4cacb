/** The sentence with which a call fails; a call that does not fail is a mistake of the test. */
export async function refusalOf(call: () => unknown): Promise<string> {
  return (await errorOf(call)).message
}

export async function errorOf(call: () => unknown): Promise<Error & { status?: number }> {
  try {
    const answer = await call()
    const list = answer as AsyncIterable<unknown> | undefined
    if (typeof list?.[Symbol.asyncIterator] === 'function') for await (const _ of list);
  } catch (error) {
    return error as Error
  }
  throw new Error('The call was not refused.')
}
