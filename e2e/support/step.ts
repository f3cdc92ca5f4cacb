/**
 * A step of a test whose steps need each other. A failure names the step.
 *
 * @param name  what is proven, as the name of a test would be
 */
export async function step<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Error) error.message = `${name}: ${error.message}`
    throw error
  }
}
