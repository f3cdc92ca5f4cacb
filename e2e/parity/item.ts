import type { Route } from '@touchstone/contract'
import type { Client } from '@touchstone/sdk'

/** A test by the file it is in, from the repository's root, and its name as the source has it. */
export interface Proof {
  readonly file: `${string}.test.ts`
  readonly test: string
}

/** One thing that the specification of the client asks for. */
export interface Item {
  /** In the specification's own words, shortened where it repeats itself. */
  readonly statement: string
  /** Methods of our client that do it; none where it is a rule of all of them. */
  readonly methods: readonly (keyof Client)[]
  /** What those methods call; none where the client does it alone. */
  readonly routes: readonly Route[]
  readonly proofs: readonly Proof[]
  /** Why there is no proof yet; printed in the page. */
  readonly unproven?: string
}

export interface Chapter {
  /** As the specification numbers it. */
  readonly title: string
  readonly items: readonly Item[]
}

/** Proofs in one file: `const calls = proofsIn('e2e/…'); calls('is refused')`. */
export function proofsIn(file: Proof['file']): (...tests: string[]) => Proof[] {
  return (...tests) => tests.map((test) => ({ file, test }))
}
