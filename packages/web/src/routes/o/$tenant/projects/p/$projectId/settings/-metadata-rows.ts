import type { TracerSessionResult as Project } from '@touchstone/sdk'
import type { Change } from '#ui/form-section.tsx'

/** One key of the metadata as its fields hold it. */
export interface MetadataRow {
  key: string
  value: string
  /** It goes when the section is saved. */
  isRemoved?: boolean
}

export function rowsOf(project: Project): MetadataRow[] {
  const metadata = (project.extra?.metadata ?? {}) as Record<string, unknown>
  return Object.entries(metadata).map(([key, value]) => ({ key, value: textOf(value) }))
}

/** Text as it is, unless it would read as something else; everything else as JSON. */
function textOf(value: unknown): string {
  return typeof value === 'string' && readValue(value) === value ? value : JSON.stringify(value)
}

/** What a typed value means: JSON where it reads as such, text otherwise. */
export function readValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export function changesOf(saved: readonly MetadataRow[], rows: readonly MetadataRow[]): Change[] {
  return rows.flatMap(({ key, value, isRemoved }, at) => {
    const before = saved[at]
    if (isRemoved) return [{ label: key, from: before?.value, to: '(removed)' }]
    if (before?.value === value || (key === '' && value === '')) return []
    return [{ label: key, from: before?.value, to: value }]
  })
}
