/** The parts of an example whose members become columns. */
export const SECTIONS = ['inputs', 'outputs', 'metadata'] as const
export type Section = (typeof SECTIONS)[number]

/** What columns are derived from. */
export interface ExampleContent {
  inputs: Readonly<Record<string, unknown>>
  outputs?: Readonly<Record<string, unknown>> | null | undefined
  metadata?: Readonly<Record<string, unknown>> | null | undefined
}

/** A column that shows a member of a section, or, without a key, the whole section. */
export interface ContentColumn {
  section: Section
  key: string | undefined
}

/** A column that shows a member of a section. */
export interface MemberColumn extends ContentColumn {
  key: string
}

/** The columns of members among the shown ones, whose cells can be edited in place. */
export function listMemberColumns(ids: readonly string[]): readonly MemberColumn[] {
  return ids.flatMap((id) => {
    const column = parseColumnId(id)
    if (column === undefined || typeof column === 'string' || column.key === undefined) return []
    return [{ section: column.section, key: column.key }]
  })
}

/** Columns that every dataset has. */
export const FIXED_COLUMNS = { split: 'Split', created: 'Created', modified: 'Modified', id: 'Id' } as const
export type FixedColumn = keyof typeof FIXED_COLUMNS

/** The metadata key that holds the splits; it has a column of its own. */
const SPLIT_KEY = 'dataset_split'

const LABELS: Readonly<Record<Section, string>> = { inputs: 'Input', outputs: 'Reference', metadata: 'Metadata' }
/** Members shown without being chosen. */
const DEFAULT_COUNTS: Readonly<Record<Section, number>> = { inputs: 3, outputs: 2, metadata: 2 }
/** A dataset with more keys than this in a section has data in its keys. */
const MAX_KEYS = 200

export function toColumnId({ section, key }: ContentColumn): string {
  // Commas separate columns in the URL.
  return key === undefined ? section : `${section}.${key.replaceAll('%', '%25').replaceAll(',', '%2C')}`
}

/** @returns undefined for an id that no column has */
export function parseColumnId(id: string): FixedColumn | ContentColumn | undefined {
  if (Object.hasOwn(FIXED_COLUMNS, id)) return id as FixedColumn
  const dot = id.indexOf('.')
  const section = SECTIONS.find((one) => one === (dot < 0 ? id : id.slice(0, dot)))
  if (section === undefined) return undefined
  if (dot < 0) return { section, key: undefined }
  try {
    return { section, key: decodeURIComponent(id.slice(dot + 1)) }
  } catch {
    return undefined
  }
}

export function getColumnLabel(id: string): string {
  const column = parseColumnId(id)
  if (column === undefined) return id
  if (typeof column === 'string') return FIXED_COLUMNS[column]
  return column.key === undefined ? LABELS[column.section] : `${LABELS[column.section]}.${column.key}`
}

/** Keys of each section: those of the schema first, then in the order in which the examples have them. */
export type SectionKeys = Readonly<Record<Section, readonly string[]>>

/**
 * @param schemas  the JSON Schemas of the dataset, whose properties are columns even where no example has them
 */
export function listKeys(
  examples: readonly ExampleContent[],
  schemas: { inputs?: unknown; outputs?: unknown } = {},
): SectionKeys {
  const keysOf = (section: Section, schema?: unknown) => {
    const keys = new Set(listProperties(schema))
    for (const example of examples) {
      for (const key of Object.keys(example[section] ?? {})) if (keys.size < MAX_KEYS) keys.add(key)
    }
    if (section === 'metadata') keys.delete(SPLIT_KEY)
    return [...keys]
  }
  return {
    inputs: keysOf('inputs', schemas.inputs),
    outputs: keysOf('outputs', schemas.outputs),
    metadata: keysOf('metadata'),
  }
}

function listProperties(schema: unknown): string[] {
  const properties = (schema as { properties?: unknown } | null | undefined)?.properties
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
}

/** The columns that are shown unless others are chosen. */
export function getDefaultColumns(keys: SectionKeys): readonly string[] {
  const some = (section: Section) =>
    keys[section].slice(0, DEFAULT_COUNTS[section]).map((key) => toColumnId({ section, key }))
  const whole = (section: Section) => (keys[section].length === 0 ? [section] : some(section))
  return [...whole('inputs'), ...whole('outputs'), 'split', ...some('metadata'), 'modified']
}

/** All columns that can be chosen. */
export function listColumns(keys: SectionKeys): readonly string[] {
  const members = SECTIONS.flatMap((section) => keys[section].map((key) => toColumnId({ section, key })))
  return [...members, ...SECTIONS, ...Object.keys(FIXED_COLUMNS)]
}

/** The columns of the URL, or the default ones. Ids that no column has are left out. */
export function toShownColumns(cols: string | undefined, keys: SectionKeys): readonly string[] {
  const chosen = [...new Set(cols?.split(','))].filter((id) => parseColumnId(id) !== undefined)
  return chosen.length > 0 ? chosen : getDefaultColumns(keys)
}

/** The value of an example in a column; undefined where it has none. */
export function readContent(example: ExampleContent, { section, key }: ContentColumn): unknown {
  const content = example[section]
  if (key !== undefined) return content != null && Object.hasOwn(content, key) ? content[key] : undefined
  if (section !== 'metadata' || content == null) return content
  const { [SPLIT_KEY]: _, ...rest } = content
  return rest
}

/** The splits of an example; `base` is the split of an example without one. */
export function readSplits({ metadata }: Pick<ExampleContent, 'metadata'>): readonly string[] {
  const splits = metadata?.[SPLIT_KEY]
  if (typeof splits === 'string') return [splits]
  return Array.isArray(splits) ? splits.map(String) : []
}

/** Characters of a value that a cell shows. */
const CELL_CHARACTERS = 300

/**
 * The first characters of a value in one line: text as it is, the last one of a list of chat messages, everything else as
 * compact JSON.
 */
export function toCellText(value: unknown, max = CELL_CHARACTERS): string {
  if (value === undefined) return ''
  if (typeof value === 'string') return value.slice(0, max)
  const message = Array.isArray(value) ? printMessage(value.at(-1)) : undefined
  if (message !== undefined) return message.slice(0, max)
  const pieces: string[] = []
  writeJson(value, pieces, { left: max })
  return pieces.join('')
}

/** `user: text` of a chat message with a text. */
function printMessage(message: unknown): string | undefined {
  const { role, type, content } = (message ?? {}) as Readonly<Record<string, unknown>>
  const author = role ?? type
  return typeof author === 'string' && typeof content === 'string' && content !== ''
    ? `${author}: ${content.slice(0, CELL_CHARACTERS)}`
    : undefined
}

/** A column whose values have at most this many characters is narrow. */
const SHORT_CHARACTERS = 14

/** Whether every value of a column is short: a number, a flag, a label. */
export function isShortColumn(examples: readonly ExampleContent[], column: ContentColumn): boolean {
  return examples.every((example) => {
    const value = readContent(example, column)
    return value === undefined || toCellText(value, SHORT_CHARACTERS + 1).length <= SHORT_CHARACTERS
  })
}

/** Stops when enough is written, because a value may have 20 MB. */
function writeJson(value: unknown, pieces: string[], budget: { left: number }): void {
  const write = (text: string) => {
    pieces.push(text)
    budget.left -= text.length
  }
  if (typeof value !== 'object' || value === null) {
    write(typeof value === 'string' ? JSON.stringify(value.slice(0, Math.max(budget.left, 0))) : String(value))
    return
  }
  const isList = Array.isArray(value)
  write(isList ? '[' : '{')
  let isFirst = true
  for (const key in value) {
    if (budget.left <= 0) break
    if (!isFirst) write(', ')
    isFirst = false
    if (!isList) write(`${JSON.stringify(key.slice(0, CELL_CHARACTERS))}: `)
    writeJson((value as Record<string, unknown>)[key], pieces, budget)
  }
  write(isList ? ']' : '}')
}
