/** Resolves when the work is done, or after a time if there is one. */
export async function waitAtMost(ms: number | undefined, work: Promise<unknown>): Promise<void> {
  if (ms === undefined) return void (await work)
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work, timeout])
  clearTimeout(timer)
}
