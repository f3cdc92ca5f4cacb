/** Runs steps to their end without a pause. */
export function finishSteps<Result>(steps: Generator<undefined, Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
