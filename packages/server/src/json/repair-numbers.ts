import { type RepairedJson, repairNumbersInSteps } from '@touchstone/formats/repair-numbers'
import { TimeSlices } from '../time-slices.ts'

/** Like `repairNumbers`, for text of any length: other requests are answered in between. */
export async function repairNumbersInSlices(text: string): Promise<RepairedJson | undefined> {
  const slices = new TimeSlices()
  const steps = repairNumbersInSteps(text)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    if (slices.isUsedUp()) await slices.yieldToEventLoop()
  }
}
