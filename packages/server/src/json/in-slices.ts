import { type BrokenMember, cutBrokenListsInSteps } from '@touchstone/formats/cut-broken-lists'
import { type RepairedJson, repairNumbersInSteps } from '@touchstone/formats/repair-numbers'
import { type JsonScan, type ScanOptions, scanJsonInSteps } from '@touchstone/formats/scan-json'
import { TimeSlices } from '../time-slices.ts'

// Work on JSON of any length: other requests are answered in between.

/** Checks bytes and finds the members of the object. @throws JsonProblem, JsonTooComplex */
export function scanJson(bytes: Uint8Array, options?: ScanOptions): Promise<JsonScan> {
  return runInSlices(scanJsonInSteps(bytes, options))
}

/** Like `repairNumbers`. */
export function repairNumbersInSlices(text: string): Promise<RepairedJson | undefined> {
  return runInSlices(repairNumbersInSteps(text))
}

/** Finds the members of an object that is not JSON. */
export function cutBrokenLists(bytes: Uint8Array): Promise<readonly BrokenMember[] | undefined> {
  return runInSlices(cutBrokenListsInSteps(bytes))
}

async function runInSlices<Result>(steps: Generator<undefined, Result>): Promise<Result> {
  const slices = new TimeSlices()
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    if (slices.isUsedUp()) await slices.yieldToEventLoop()
  }
}
