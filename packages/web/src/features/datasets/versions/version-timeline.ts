export interface TimelineVersion {
  readonly as_of: string
  readonly tags: readonly string[]
  readonly changes: VersionChanges
}

export interface VersionChanges {
  readonly added: number
  readonly modified: number
  readonly removed: number
}

/** Versions that were made shortly after each other, newest first. */
export interface Burst {
  readonly versions: readonly TimelineVersion[]
  /** All changes of its versions together. */
  readonly changes: VersionChanges
  /** The version before it; undefined for the first of the dataset, or when it has not been loaded. */
  readonly before: string | undefined
}

/** A longer pause begins another burst. */
const PAUSE_MS = 10 * 60_000

/** Groups versions, newest first. A tagged version is always the newest of its burst, so that its tag is in view. */
export function groupBursts(versions: readonly TimelineVersion[]): Burst[] {
  const groups: TimelineVersion[][] = []
  let [last, group]: [TimelineVersion | undefined, TimelineVersion[]] = [undefined, []]
  for (const version of versions) {
    const isNear = last !== undefined && Date.parse(last.as_of) - Date.parse(version.as_of) <= PAUSE_MS
    if (!isNear || version.tags.length > 0) {
      group = []
      groups.push(group)
    }
    group.push(version)
    last = version
  }
  return groups.map((group, index) => ({
    versions: group,
    changes: sumChanges(group),
    before: groups[index + 1]?.[0]?.as_of,
  }))
}

function sumChanges(versions: readonly TimelineVersion[]): VersionChanges {
  const sum = (key: keyof VersionChanges) => versions.reduce((total, { changes }) => total + changes[key], 0)
  return { added: sum('added'), modified: sum('modified'), removed: sum('removed') }
}

/** `+3 ~2 -1`; parts that are 0 are left out. */
export function printChanges({ added, modified, removed }: VersionChanges): string {
  const parts = [added > 0 && `+${added}`, modified > 0 && `~${modified}`, removed > 0 && `-${removed}`].filter(Boolean)
  return parts.length === 0 ? 'no changes' : parts.join(' ')
}

/** The same for screen readers: "3 added, 2 modified, 1 removed". */
export function describeChanges({ added, modified, removed }: VersionChanges): string {
  const parts = [
    added > 0 && `${added} added`,
    modified > 0 && `${modified} modified`,
    removed > 0 && `${removed} removed`,
  ].filter(Boolean)
  return parts.length === 0 ? 'no changes' : parts.join(', ')
}

/** The versions to compare: those of the URL, or else the newest and the one before it. */
export function getCompared(
  versions: readonly TimelineVersion[],
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
): { from: string; to: string } | undefined {
  const newest = to ?? versions[0]?.as_of
  const position = versions.findIndex(({ as_of, tags }) => as_of === newest || tags.includes(newest ?? ''))
  const before = from ?? versions[position + 1]?.as_of
  return newest === undefined || before === undefined ? undefined : { from: before, to: newest }
}
