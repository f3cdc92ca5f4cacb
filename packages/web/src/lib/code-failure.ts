import { createStore } from './store.ts'

/** Code of a page or of a part of it that could not be loaded. */
export interface CodeFailure {
  /** `checking` while it is unknown whether the server answers; `gone` if it answers, but has not this code. */
  why: 'checking' | 'unreachable' | 'gone'
  atMs: number
}

export const codeFailure = createStore<CodeFailure | undefined>(() => undefined)

/** Counts how often the server answered again after code could not be loaded. Parts that are missing try again then. */
export const codeRetries = createStore(() => 0)

/** A page fails within this time after its code. */
const CAUSES_WITHIN_MS = 2_000

/** Whether code that could not be loaded is the likely cause of an error that has just been thrown. */
export function isCausedByCode(nowMs = Date.now()): boolean {
  const last = codeFailure.read()
  return last !== undefined && nowMs - last.atMs < CAUSES_WITHIN_MS
}

/**
 * Notes that code could not be loaded, and finds out why: after an update the chunks of the loaded version are gone, but a
 * server that is down is no update.
 *
 * @param checkServer  resolves to whether the server answers
 * @returns why the code is missing
 */
export async function noteCodeFailure(
  checkServer: () => Promise<boolean>,
  atMs = Date.now(),
): Promise<CodeFailure['why']> {
  const known = codeFailure.read()?.why === 'unreachable' ? 'unreachable' : 'checking'
  codeFailure.write({ why: known, atMs })
  const why = (await checkServer()) ? 'gone' : 'unreachable'
  codeFailure.write({ why, atMs })
  return why
}

/**
 * Loads missing code again once the server answers.
 *
 * @param reload  loads the page again
 */
export async function retryCode(reload: () => Promise<unknown>): Promise<void> {
  const failed = codeFailure.read()
  if (failed?.why !== 'unreachable' && failed?.why !== 'checking') return
  codeRetries.write(codeRetries.read() + 1)
  await reload()
  if (codeFailure.read() === failed) codeFailure.write(undefined)
}
