/** A person's vote on the two answers as they are shown. */
export type Vote = 'left' | 'right' | 'tie' | 'both bad'

/** The keys 1 to 4. */
export const VOTES: readonly { vote: Vote; label: string }[] = [
  { vote: 'left', label: 'Left is better' },
  { vote: 'right', label: 'Right is better' },
  { vote: 'tie', label: 'Tie' },
  { vote: 'both bad', label: 'Both bad' },
]

/** What a vote stores on the run of one side, in the shape that judges use. */
export interface SideScore {
  readonly score: number
  readonly value: string
}

/**
 * Whether the answer of B is shown at the left. It looks random to the reader, but is the same each time the same person
 * sees the pair.
 */
export function isSwapped(personId: string, comparisonId: string, exampleId: string): boolean {
  return (mix(`${personId} ${comparisonId} ${exampleId}`) & 1) === 1
}

/** The scores of A and B. A tie counts half for each side, two bad answers count nothing. */
export function toSideScores(vote: Vote, swapped: boolean): { a: SideScore; b: SideScore } {
  if (vote === 'tie') return { a: { score: 0.5, value: 'tie' }, b: { score: 0.5, value: 'tie' } }
  if (vote === 'both bad') return { a: { score: 0, value: 'both bad' }, b: { score: 0, value: 'both bad' } }
  const preferred = { score: 1, value: 'preferred' }
  const other = { score: 0, value: 'not preferred' }
  return (vote === 'left') !== swapped ? { a: preferred, b: other } : { a: other, b: preferred }
}

/** Votes of one sitting. Nothing about the sides is shown before it ends. */
export interface VoteSession {
  /** Ids of the examples in the order of voting. */
  readonly queue: readonly string[]
  /** Position in the queue; its length at the end. */
  readonly at: number
  readonly votes: ReadonlyMap<string, Vote>
  /** Examples whose vote could not be stored. */
  readonly failed: ReadonlySet<string>
}

export type VoteAction =
  | { readonly kind: 'vote'; readonly vote: Vote }
  | { readonly kind: 'move'; readonly by: -1 | 1 }
  | { readonly kind: 'failed'; readonly exampleId: string }
  | { readonly kind: 'finish' }
  /** Votes again on pairs whose vote was not stored. */
  | { readonly kind: 'repeat' }

export function startVoting(queue: readonly string[]): VoteSession {
  return { queue, at: 0, votes: new Map(), failed: new Set() }
}

export function reduceVotes(session: VoteSession, action: VoteAction): VoteSession {
  const { queue, at, votes, failed } = session
  const current = queue[at]
  switch (action.kind) {
    case 'vote':
      if (current === undefined) return session
      return {
        ...session,
        at: at + 1,
        votes: new Map(votes).set(current, action.vote),
        failed: new Set([...failed].filter((id) => id !== current)),
      }
    case 'move':
      return { ...session, at: Math.min(Math.max(at + action.by, 0), queue.length) }
    case 'failed':
      return { ...session, failed: new Set([...failed, action.exampleId]) }
    case 'finish':
      return { ...session, at: queue.length }
    case 'repeat':
      return startVoting([...failed])
  }
}

/** FNV-1a with a final mix, so that also the lowest bit depends on all characters. */
function mix(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
