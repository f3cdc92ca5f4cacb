import type { OtlpAttributes } from '../span.ts'

/** Sets of names that are kept. Programs have a few; names that hold an id come once. */
const MAX_SETS = 1_000
/** Characters of the names of a set that is kept. */
const MAX_SET_LENGTH = 8_000
/** Prefixes that are kept for a set; some hold the name of a provider. */
const MAX_PREFIXES = 200

const sets = new Map<string, AttributeNames>()

/**
 * The names of the attributes of a span. A mapping looks for some two hundred names, of which a span has ten, and programs send
 * the same ones again and again: what a table or a prefix has of a set of names is looked for once.
 */
export class AttributeNames {
  /** First segments of the names. Most sources have another one, and are skipped without a look at their names. */
  readonly families: ReadonlySet<string>
  /** Whether an attribute may have members by `OBJECTS`. */
  private readonly hasObjects: boolean
  private readonly known: ReadonlySet<string>
  private readonly rows = new WeakMap<readonly unknown[], readonly unknown[]>()
  private readonly tested = new WeakMap<(key: string) => boolean, readonly string[]>()
  private readonly prefixes = new Map<string, readonly NameBelow[]>()

  private constructor(readonly keys: readonly string[]) {
    this.known = new Set(keys)
    this.families = new Set(keys.map(toFamily))
    this.hasObjects = this.families.has('braintrust') || this.families.has('metadata')
  }

  static of(values: OtlpAttributes): AttributeNames {
    const keys = Object.keys(values)
    const text = keys.join('\n')
    const found = sets.get(text)
    // A name may contain the separator: other names may print the same text.
    if (found !== undefined && isSame(found.keys, keys)) return found
    const names = new AttributeNames(keys)
    if (text.length > MAX_SET_LENGTH) return names
    if (sets.size >= MAX_SETS) sets.clear()
    sets.set(text, names)
    return names
  }

  /** Whether the name may be that of a member of an object in one attribute, where others have attributes below its name. */
  isMember(key: string): boolean {
    return this.hasObjects && OBJECTS.test(key)
  }

  /**
   * The rows of a table whose attribute a span of these names may have.
   *
   * @param rows  a constant: what is found is kept with it
   */
  select<Row>(rows: readonly Row[], toKey: (row: Row) => string): readonly Row[] {
    const kept = this.rows.get(rows)
    if (kept !== undefined) return kept as readonly Row[]
    const found = rows.filter((row) => this.known.has(toKey(row)) || this.isMember(toKey(row)))
    this.rows.set(rows, found)
    return found
  }

  /**
   * The names for which a function is true.
   *
   * @param test  a constant: what is found is kept with it
   */
  keysThat(test: (key: string) => boolean): readonly string[] {
    const kept = this.tested.get(test)
    if (kept !== undefined) return kept
    const found = this.keys.filter(test)
    this.tested.set(test, found)
    return found
  }

  /** The names below a prefix. */
  below(prefix: string): readonly NameBelow[] {
    const kept = this.prefixes.get(prefix)
    if (kept !== undefined) return kept
    const start = `${prefix}.`
    const found = this.keys
      .filter((key) => key.length > start.length && key.startsWith(start))
      .map((key) => ({ key, rest: key.slice(start.length) }))
    if (this.prefixes.size < MAX_PREFIXES) this.prefixes.set(prefix, found)
    return found
  }
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((key, at) => key === other[at])
}

export interface NameBelow {
  readonly key: string
  /** Without the prefix and its dot. */
  readonly rest: string
}

/** Members of attributes with an object: of Braintrust and LiteLLM. */
const OBJECTS = /^(braintrust|metadata)\.[^.]+\.[^.]+$/

/** The first segment of a name. */
export function toFamily(key: string): string {
  const end = key.indexOf('.')
  return end === -1 ? key : key.slice(0, end)
}
