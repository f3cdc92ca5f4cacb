import { printMetadata } from '#features/experiments/experiment-row.ts'

/** A difference between the configurations of two experiments. */
export interface ConfigChange {
  /** Path in the metadata, with dots. */
  readonly key: string
  /** Undefined when the experiment has no such value. */
  readonly before: string | undefined
  readonly after: string | undefined
}

/** Metadata that differs in every experiment and is not part of its configuration. */
const IGNORED = new Set(['__ls_runner', 'git.commit_time', 'git.dirty', 'git.tags', 'git.remote_url', 'revision_id'])
/** Objects below this depth are compared as a whole. */
const MAX_DEPTH = 4

type Metadata = Readonly<Record<string, unknown>>

/** What differs in the metadata of two experiments: changed values first, then added ones, then removed ones. */
export function diffConfigs(before: Metadata, after: Metadata): readonly ConfigChange[] {
  const [old, current] = [flatten(before, '', 1), flatten(after, '', 1)]
  const changes = [...new Set([...old.keys(), ...current.keys()])]
    .filter((key) => !IGNORED.has(key) && old.get(key) !== current.get(key))
    .map((key) => ({ key, before: old.get(key), after: current.get(key) }))
  const rank = (change: ConfigChange) => (change.before === undefined ? 1 : change.after === undefined ? 2 : 0)
  return changes.sort((a, b) => rank(a) - rank(b) || (a.key < b.key ? -1 : 1))
}

function flatten(value: Metadata, prefix: string, depth: number): Map<string, string> {
  const found = new Map<string, string>()
  for (const [name, member] of Object.entries(value)) {
    const key = `${prefix}${name}`
    if (depth < MAX_DEPTH && typeof member === 'object' && member !== null && !Array.isArray(member)) {
      for (const [inner, text] of flatten(member as Metadata, `${key}.`, depth + 1)) found.set(inner, text)
    } else if (member !== undefined && member !== null) found.set(key, printMetadata(member))
  }
  return found
}

const MAX_NAMED = 3
const MAX_VALUE = 24

/** The changes in one line: "model small → large, temperature 0 → 0.5, 2 more". */
export function summarizeChanges(changes: readonly ConfigChange[]): string {
  const named = changes.slice(0, MAX_NAMED).map(({ key, before, after }) => {
    if (before === undefined) return `${key} ${shorten(after)} added`
    if (after === undefined) return `${key} removed`
    return `${key} ${shorten(before)} → ${shorten(after)}`
  })
  const more = changes.length - MAX_NAMED
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join(', ')
}

function shorten(value = ''): string {
  const line = value.replace(/\s+/g, ' ').trim()
  return line.length > MAX_VALUE ? `${line.slice(0, MAX_VALUE - 1)}…` : line
}
