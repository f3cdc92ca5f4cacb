import type { Calls } from './calls.ts'

/** A class of calls, such as `RunCalls`. */
export type Noun = new (...args: never[]) => Calls

/** Puts the nouns' methods on one class; they share its transport, so they need nothing else of it. */
export function gatherCalls(target: { readonly prototype: Calls }, nouns: readonly Noun[]): void {
  for (const noun of nouns) {
    const { constructor: _, ...methods } = Object.getOwnPropertyDescriptors(noun.prototype)
    Object.defineProperties(target.prototype, methods)
  }
}
